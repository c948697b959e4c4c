extension Catalog {
    /// Reads a catalog as a file has it. What is missing or of another kind is an error; keys nobody knows are gone over.
    ///
    /// No tree of it is made, and the model stays encoded until somebody asks for it: this is much of what opening a store costs.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(CatalogError) {
        var reader = try CatalogReader(bytes)
        var version: UInt32?
        var entities: [CatalogEntity]?
        var layouts: [RecordLayout]?
        var links: [LinkRelationship]?
        var references: [ReverseKey]?
        var indexes: [KeyDeclaration] = []
        var model: [UInt8]?
        try reader.map("the catalog") { (key, value) throws(CatalogError) in
            switch key {
            case "version": version = try value.number(key)
            case "entities": entities = try value.list(key) { (item) throws(CatalogError) in try CatalogEntity(&item) }
            case "layouts": layouts = try value.list(key) { (item) throws(CatalogError) in try RecordLayout.read(&item) }
            case "links": links = try value.list(key) { (item) throws(CatalogError) in try LinkRelationship(&item) }
            case "references": references = try value.list(key) { (item) throws(CatalogError) in try ReverseKey(&item) }
            case "indexes": indexes = try value.list(key) { (item) throws(CatalogError) in try KeyDeclaration(&item) }
            case "model": model = try value.encodedValue()
            default: try value.skip()
            }
        }
        try reader.end()
        self.init(
            version: try known(version, "version"), entities: try known(entities, "entities"), layouts: try known(layouts, "layouts"),
            links: try known(links, "links"), references: try known(references, "references"), indexes: indexes)
        if let model { encodedModel = model }
        try validate()
    }

    /// The catalog that a tree describes.
    package init(tree: CBOR) throws(CatalogError) {
        let bytes = tree.encoded()
        let result: Result<Catalog, CatalogError> = bytes.withUnsafeBytes { raw in
            Result { () throws(CatalogError) -> Catalog in try Catalog(decoding: raw) }
        }
        self = try result.get()
    }
}

private func known<T>(_ value: T?, _ key: String) throws(CatalogError) -> T {
    guard let value else { throw CatalogError("'\(key)' is missing") }
    return value
}

extension CatalogEntity {
    fileprivate init(_ reader: inout CatalogReader) throws(CatalogError) {
        var code: EntityCode?
        var name: String?
        try reader.map("an entity") { (key, value) throws(CatalogError) in
            switch key {
            case "code": code = try value.number(key)
            case "name": name = try value.text(key)
            default: try value.skip()
            }
        }
        self.init(code: try known(code, "code"), name: try known(name, "name"))
    }
}

extension LinkRelationship {
    fileprivate init(_ reader: inout CatalogReader) throws(CatalogError) {
        var code: UInt16?
        var name: String?
        var isOrdered = false
        try reader.map("a relationship") { (key, value) throws(CatalogError) in
            switch key {
            case "code": code = try value.number(key)
            case "name": name = try value.text(key)
            case "ordered": isOrdered = try value.bool() ?? false
            default: try value.skip()
            }
        }
        self.init(code: try known(code, "code"), name: try known(name, "name"), isOrdered: isOrdered)
    }
}

extension ReverseKey {
    fileprivate init(_ reader: inout CatalogReader) throws(CatalogError) {
        var source: EntityCode?
        var field: String?
        var target: EntityCode?
        try reader.map("a reference") { (key, value) throws(CatalogError) in
            switch key {
            case "source": source = try value.number(key)
            case "field": field = try value.text(key)
            case "target": target = try value.number(key)
            default: try value.skip()
            }
        }
        self.init(source: try known(source, "source"), field: try known(field, "field"), target: try known(target, "target"))
    }
}

extension KeyDeclaration {
    fileprivate init(_ reader: inout CatalogReader) throws(CatalogError) {
        var code: UInt16?
        var entity: EntityCode?
        var parts: [Part]?
        var isUnique = false
        try reader.map("an index") { (key, value) throws(CatalogError) in
            switch key {
            case "code": code = try value.number(key)
            case "entity": entity = try value.number(key)
            case "unique": isUnique = try value.bool() ?? false
            case "parts":
                parts = try value.list(key) { (item) throws(CatalogError) in
                    var field: String?
                    var absent: [UInt8] = [0]
                    try item.map("a part of an index") { (key, value) throws(CatalogError) in
                        switch key {
                        case "field": field = try value.text(key)
                        case "absent": absent = try value.bytes() ?? [0]
                        default: try value.skip()
                        }
                    }
                    return Part(field: try known(field, "field"), absent: absent)
                }
            default: try value.skip()
            }
        }
        self.init(
            code: try known(code, "code"), entity: try known(entity, "entity"), parts: try known(parts, "parts"), isUnique: isUnique)
    }
}

extension RecordLayout {
    fileprivate static func read(_ reader: inout CatalogReader) throws(CatalogError) -> RecordLayout {
        var number: UInt32?
        var entity: EntityCode?
        var fields: [RecordField]?
        var lanes: [Lane]?
        try reader.map("a layout") { (key, value) throws(CatalogError) in
            switch key {
            case "number": number = try value.number(key)
            case "entity": entity = try value.number(key)
            case "fields": fields = try value.list(key) { (item) throws(CatalogError) in try RecordField(&item) }
            case "lanes": lanes = try value.list(key) { (item) throws(CatalogError) in try Lane(&item) }
            default: try value.skip()
            }
        }
        let (allFields, allLanes) = (try known(fields, "fields"), try known(lanes, "lanes"))
        // Before anything is made of them.
        guard allFields.count <= Format.fieldLimit, allLanes.count <= Format.laneLimit else {
            throw CatalogError("layout \(number ?? 0) has more fields or lanes than the format allows")
        }
        return RecordLayout(
            number: try known(number, "number"), entity: try known(entity, "entity"), fields: allFields, lanes: allLanes)
    }
}

extension RecordField {
    fileprivate init(_ reader: inout CatalogReader) throws(CatalogError) {
        var name: String?
        var kind: FieldKind?
        var isOptional = false
        var destination: EntityCode?
        try reader.map("a field") { (key, value) throws(CatalogError) in
            switch key {
            case "name": name = try value.text(key)
            case "kind":
                kind = FieldKind(rawValue: try value.number(key))
                if kind == nil { throw CatalogError("a field is of an unknown kind") }
            case "optional": isOptional = try value.bool() ?? false
            case "destination": destination = try value.number(key)
            default: try value.skip()
            }
        }
        self.init(name: try known(name, "name"), kind: try known(kind, "kind"), isOptional: isOptional, destination: destination)
    }
}

extension Lane {
    fileprivate init(_ reader: inout CatalogReader) throws(CatalogError) {
        var name: String?
        var width: LaneWidth?
        var isOptional = false
        var defaultBits: UInt64?
        try reader.map("a lane") { (key, value) throws(CatalogError) in
            switch key {
            case "name": name = try value.text(key)
            case "width":
                width = LaneWidth(rawValue: try value.number(key))
                if width == nil { throw CatalogError("a lane is of an unknown width") }
            case "optional": isOptional = try value.bool() ?? false
            case "default": defaultBits = try value.int().map { UInt64(bitPattern: $0) }
            default: try value.skip()
            }
        }
        self.init(name: try known(name, "name"), width: try known(width, "width"), isOptional: isOptional, defaultBits: defaultBits)
    }
}
