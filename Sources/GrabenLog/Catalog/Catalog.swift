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
    /// The model, opaque to the log.
    package var model: CBOR

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
        self.model = model
    }

    /// The layout new records of the entity are written in: the one with the greatest number. O(layouts).
    package func newestLayout(of entity: EntityCode) -> RecordLayout? {
        layouts.lazy.filter { $0.entity == entity }.max { $0.number < $1.number }
    }

    package func layout(_ number: UInt32) -> RecordLayout? { layouts.first { $0.number == number } }
    package func entity(named name: String) -> CatalogEntity? { entities.first { $0.name == name } }
    package func entity(_ code: EntityCode) -> CatalogEntity? { entities.first { $0.code == code } }
    package func link(_ code: UInt16) -> LinkRelationship? { links.first { $0.code == code } }

    /// This catalog with the layouts only its predecessor has; layouts both have keep the predecessor's objects, which records point to.
    func following(_ previous: Catalog) throws(CatalogError) -> Catalog {
        try validate()
        guard version > previous.version else { throw CatalogError("version \(version) does not follow version \(previous.version)") }
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
        guard Set(entities.map(\.code)).count == entities.count else { throw CatalogError("an entity code is used twice") }
        guard Set(layouts.map(\.number)).count == layouts.count else { throw CatalogError("a layout number is used twice") }
        guard Set(links.map(\.code)).count == links.count else { throw CatalogError("a relationship code is used twice") }
        guard Set(indexes.map(\.code)).count == indexes.count else { throw CatalogError("an index code is used twice") }
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
