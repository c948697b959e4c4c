extension Catalog {
    /// The catalog as a tree; FileFormat.md lists its keys.
    package var tree: CBOR {
        [
            "version": .int(Int64(version)),
            "entities": .array(entities.map { ["code": .int(Int64($0.code)), "name": .string($0.name)] }),
            "layouts": .array(layouts.map(\.tree)),
            "links": .array(
                links.map { ["code": .int(Int64($0.code)), "name": .string($0.name), "ordered": .bool($0.isOrdered)] }),
            "references": .array(
                references.map { ["source": .int(Int64($0.source)), "field": .string($0.field), "target": .int(Int64($0.target))] }),
            "indexes": .array(indexes.map(\.tree)),
            "model": model,
        ]
    }
}

extension KeyDeclaration {
    fileprivate var tree: CBOR {
        [
            "code": .int(Int64(code)), "entity": .int(Int64(entity)), "unique": .bool(isUnique),
            "parts": .array(parts.map { ["field": .string($0.field), "absent": .bytes($0.absent)] }),
        ]
    }
}

extension RecordLayout {
    var tree: CBOR {
        let fields: [CBOR] = fields.map { field in
            var pairs: [(key: String, value: CBOR)] = [
                ("name", .string(field.name)), ("kind", .int(Int64(field.kind.rawValue))), ("optional", .bool(field.isOptional)),
            ]
            if let destination = field.destination { pairs.append(("destination", .int(Int64(destination)))) }
            return .map(pairs)
        }
        let lanes: [CBOR] = lanes.map { lane in
            var pairs: [(key: String, value: CBOR)] = [
                ("name", .string(lane.name)), ("width", .int(Int64(lane.width.rawValue))), ("optional", .bool(lane.isOptional)),
            ]
            if let bits = lane.defaultBits { pairs.append(("default", .int(Int64(bitPattern: bits)))) }
            return .map(pairs)
        }
        return ["number": .int(Int64(number)), "entity": .int(Int64(entity)), "fields": .array(fields), "lanes": .array(lanes)]
    }
}
