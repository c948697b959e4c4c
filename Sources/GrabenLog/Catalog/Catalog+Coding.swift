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

    package init(tree: CBOR) throws(CatalogError) {
        self.init(
            version: try tree.number("version"),
            entities: try tree.list("entities") { (item) throws(CatalogError) in
                CatalogEntity(code: try item.number("code"), name: try item.text("name"))
            },
            layouts: try tree.list("layouts") { (item) throws(CatalogError) in try RecordLayout(tree: item) },
            links: try tree.list("links") { (item) throws(CatalogError) in
                LinkRelationship(code: try item.number("code"), name: try item.text("name"), isOrdered: item["ordered"]?.boolValue ?? false)
            },
            references: try tree.list("references") { (item) throws(CatalogError) in
                ReverseKey(source: try item.number("source"), field: try item.text("field"), target: try item.number("target"))
            },
            indexes: tree["indexes"] == nil
                ? [] : try tree.list("indexes") { (item) throws(CatalogError) in try KeyDeclaration(tree: item) },
            model: tree["model"] ?? .null)
        try validate()
    }
}

extension KeyDeclaration {
    fileprivate var tree: CBOR {
        [
            "code": .int(Int64(code)), "entity": .int(Int64(entity)), "unique": .bool(isUnique),
            "parts": .array(parts.map { ["field": .string($0.field), "absent": .bytes($0.absent)] }),
        ]
    }

    fileprivate init(tree: CBOR) throws(CatalogError) {
        self.init(
            code: try tree.number("code"), entity: try tree.number("entity"),
            parts: try tree.list("parts") { (item) throws(CatalogError) in
                Part(field: try item.text("field"), absent: item["absent"]?.bytesValue ?? [0])
            }, isUnique: tree["unique"]?.boolValue ?? false)
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

    convenience init(tree: CBOR) throws(CatalogError) {
        let number: UInt32 = try tree.number("number")
        let fields = try tree.list("fields") { (item) throws(CatalogError) in
            guard let kind = FieldKind(rawValue: try item.number("kind")) else {
                throw CatalogError("layout \(number) has a field of an unknown kind")
            }
            return RecordField(
                name: try item.text("name"), kind: kind, isOptional: item["optional"]?.boolValue ?? false,
                destination: item["destination"] == nil ? nil : try item.number("destination"))
        }
        let lanes = try tree.list("lanes") { (item) throws(CatalogError) in
            guard let width = LaneWidth(rawValue: try item.number("width")) else {
                throw CatalogError("layout \(number) has a lane of an unknown width")
            }
            return Lane(
                name: try item.text("name"), width: width, isOptional: item["optional"]?.boolValue ?? false,
                defaultBits: item["default"]?.intValue.map { UInt64(bitPattern: $0) })
        }
        guard fields.count <= Format.fieldLimit, lanes.count <= Format.laneLimit else {
            throw CatalogError("layout \(number) has more fields or lanes than the format allows")
        }
        self.init(number: number, entity: try tree.number("entity"), fields: fields, lanes: lanes)
    }
}

extension CBOR {
    fileprivate func number<T: FixedWidthInteger>(_ key: String) throws(CatalogError) -> T {
        guard let value = self[key]?.intValue, let number = T(exactly: value) else {
            throw CatalogError("'\(key)' is missing or no number of \(T.bitWidth) bits")
        }
        return number
    }

    fileprivate func text(_ key: String) throws(CatalogError) -> String {
        guard let value = self[key]?.stringValue else { throw CatalogError("'\(key)' is missing or no text") }
        return value
    }

    fileprivate func list<T>(_ key: String, _ transform: (CBOR) throws(CatalogError) -> T) throws(CatalogError) -> [T] {
        guard let values = self[key]?.arrayValue else { throw CatalogError("'\(key)' is missing or no list") }
        var result: [T] = []
        for value in values { result.append(try transform(value)) }
        return result
    }
}
