/// An entity's number and name.
package struct CatalogEntity: Hashable, Sendable {
    package let code: EntityCode
    package let name: String
    package init(code: EntityCode, name: String) {
        self.code = code
        self.name = name
    }
}

/// A relationship kept as link records: ordered, many-to-many, or without an inverse.
package struct LinkRelationship: Hashable, Sendable {
    /// Unique in the file and never used again.
    package let code: UInt16
    /// For people: usually `Entity.relationship`.
    package let name: String
    package let isOrdered: Bool

    package init(code: UInt16, name: String, isOrdered: Bool) {
        self.code = code
        self.name = name
        self.isOrdered = isOrdered
    }
}

/// A to-one relationship some to-many is the inverse of: what a reverse index is about.
package struct ReverseKey: Hashable, Sendable {
    /// The entity whose records hold the reference.
    package let source: EntityCode
    /// The field's name.
    package let field: String
    /// The entity referred to.
    package let target: EntityCode

    package init(source: EntityCode, field: String, target: EntityCode) {
        self.source = source
        self.field = field
        self.target = target
    }
}

/// What a file says about its own contents: entities, layouts, relationships, and the model they come from.
package struct Catalog: Sendable, Equatable {
    /// 0 in a file that has no catalog yet; each later one must be greater.
    package var version: UInt32
    package var entities: [CatalogEntity]
    /// All layouts ever used in the file, by number; one may hand over only those of the current model, the log adds the older ones.
    package var layouts: [RecordLayout]
    package var links: [LinkRelationship]
    /// Relationships which readers will ask for by their targets.
    package var references: [ReverseKey]
    /// Which ordered indexes to keep.
    package var indexes: [KeyDeclaration]
    /// The model, opaque to the log: a tree, encoded as the file has it.
    package var encodedModel: [UInt8] = [0xF6]
    /// The model as a tree, made each time it is asked for; null where there is none.
    package var model: CBOR {
        // What came from a file was looked over when the catalog was read.
        get { (try? CBOR.decode(encodedModel)) ?? .null }
        set { encodedModel = newValue.encoded() }
    }

    package init(
        version: UInt32 = 0, entities: [CatalogEntity] = [], layouts: [RecordLayout] = [], links: [LinkRelationship] = [],
        references: [ReverseKey] = [], indexes: [KeyDeclaration] = [], model: CBOR = .null
    ) {
        self.version = version
        self.entities = entities
        self.layouts = layouts
        self.links = links
        self.references = references
        self.indexes = indexes
        if model != .null { self.model = model }
    }

    /// The layout new records of the entity are written in: the one with the greatest number. O(layouts).
    package func newestLayout(of entity: EntityCode) -> RecordLayout? {
        layouts.lazy.filter { $0.entity == entity }.max { $0.number < $1.number }
    }

    package func layout(_ number: UInt32) -> RecordLayout? { layouts.first { $0.number == number } }
    package func entity(named name: String) -> CatalogEntity? { entities.first { $0.name == name } }
    package func entity(_ code: EntityCode) -> CatalogEntity? { entities.first { $0.code == code } }
    package func link(_ code: UInt16) -> LinkRelationship? { links.first { $0.code == code } }

    private static func isUnique<T, N: FixedWidthInteger>(_ list: [T], _ number: (T) -> N) -> Bool {
        // As files have them: then nothing need be kept of them.
        var last: N?
        let ascends = list.allSatisfy { item in
            let next = number(item)
            defer { last = next }
            return last.map { $0 < next } ?? true
        }
        return ascends || Set(list.map(number)).count == list.count
    }

    /// This catalog with the layouts only its predecessor has; layouts both have keep the predecessor's objects, which records point to.
    func following(_ previous: Catalog) throws(CatalogError) -> Catalog {
        guard version > previous.version else { throw CatalogError("version \(version) does not follow version \(previous.version)") }
        if previous.layouts.isEmpty, zip(layouts, layouts.dropFirst()).allSatisfy({ $0.number < $1.number }) { return self }
        var byNumber: [UInt32: RecordLayout] = [:]
        for layout in previous.layouts { byNumber[layout.number] = layout }
        for layout in layouts {
            if let known = byNumber[layout.number] {
                guard known == layout else { throw CatalogError("layout \(layout.number) already has another meaning") }
            } else {
                byNumber[layout.number] = layout
            }
        }
        var result = self
        result.layouts = byNumber.values.sorted { $0.number < $1.number }
        return result
    }

    /// Refuses what no writer produces: numbers used twice, more lanes or fields than the format allows, references without a target.
    func validate() throws(CatalogError) {
        guard Self.isUnique(entities, { $0.code }) else { throw CatalogError("an entity code is used twice") }
        guard Self.isUnique(layouts, { $0.number }) else { throw CatalogError("a layout number is used twice") }
        guard Self.isUnique(links, { $0.code }) else { throw CatalogError("a relationship code is used twice") }
        guard Self.isUnique(indexes, { $0.code }) else { throw CatalogError("an index code is used twice") }
        for layout in layouts {
            guard layout.lanes.count <= Format.laneLimit, layout.fields.count <= Format.fieldLimit else {
                throw CatalogError("layout \(layout.number) has more than \(Format.fieldLimit) fields or \(Format.laneLimit) lanes")
            }
            for field in layout.fields where field.kind == .reference && field.destination == nil {
                throw CatalogError("the reference '\(field.name)' of layout \(layout.number) names no destination")
            }
        }
    }
}

/// A catalog that contradicts itself or its predecessor.
package struct CatalogError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
