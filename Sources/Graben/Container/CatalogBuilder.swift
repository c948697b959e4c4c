import GrabenLog
import GrabenModel

/// Works out how a model is kept in a file: which numbers, layouts and indexes it has there already, and which it adds.
struct CatalogBuilder {
    let model: ResolvedModel
    let previous: Catalog
    var catalog: Catalog
    /// Layout of each concrete entity, by the model's number.
    private(set) var layouts: [RecordLayout?]
    /// Code of each concrete entity, by the model's number.
    private(set) var codes: [EntityCode?]
    private(set) var links: [String: LinkRelationship] = [:]
    /// The uniqueness constraints as the file keeps them.
    private(set) var uniqueKeys: [UniqueKeyGroup] = []
    /// Which of the file's numbers are used up.
    private var exhausted: String?
    /// What keeps the file's objects from being read as the model wants them.
    var obstacles: [StoreModelDifference] = []
    /// Entities whose columns the file lays out otherwise; a store that cannot be written cannot learn the new layout.
    private(set) var columnObstacles: [StoreModelDifference] = []

    /// Every way in which the file's model differs from this one, what keeps the store closed among them; none of a new file.
    ///
    /// - Parameter isReadOnly: whether the file cannot learn anything new.
    func differences(isReadOnly: Bool) throws(ModelError) -> [StoreModelDifference] {
        let obstacles = obstacles + (isReadOnly ? columnObstacles : [])
        guard isChanged, previous.model != .null, let stored = try? ManagedObjectModel(tree: previous.model) else { return obstacles }
        return try StoreModelComparison.differences(stored: stored, model: model.description, obstacles: obstacles)
    }

    /// Whether the file has to learn something of the model.
    var isChanged: Bool { catalog.version != previous.version }

    init(_ model: ResolvedModel, previous: Catalog) throws(ModelError) {
        let encoded = try model.description.tree().encoded()
        self.model = model
        self.previous = previous
        catalog = previous
        layouts = .init(repeating: nil, count: model.entities.count)
        codes = .init(repeating: nil, count: model.entities.count)
        // Of the very same model there is nothing to compare.
        let stored = encoded == previous.encodedModel ? nil : StoredModel(previous.model)
        for entity in model.entities where !entity.isAbstract { addEntity(entity) }
        for entity in model.entities where !entity.isAbstract { addLayout(entity) }
        for entity in model.entities { addLinks(entity) }
        if let stored { compareProperties(with: stored) }
        addReferences()
        uniqueKeys = addIndexes()
        if let exhausted { throw .malformed(place: "", reason: exhausted) }
        catalog.encodedModel = encoded
        if catalog.entities != previous.entities || catalog.layouts != previous.layouts || catalog.links != previous.links
            || Set(catalog.references) != Set(previous.references) || Set(catalog.indexes) != Set(previous.indexes)
            || encoded != previous.encodedModel
        {
            catalog.version = previous.version + 1
        }
    }

    /// The number after the greatest of those in use, none of which is ever used again; nil, and noted, where there is none left.
    private mutating func following<T: FixedWidthInteger>(_ used: [T], _ what: String) -> T? {
        let last = used.max() ?? 0
        if last < .max { return last + 1 }
        exhausted = exhausted ?? "the file has had \(T.max) \(what), as many as it can ever have; copy its objects into a new store"
        return nil
    }

    private mutating func addEntity(_ entity: Entity) {
        if let known = catalog.entity(named: entity.name) {
            codes[entity.index] = known.code
            return
        }
        // Only its name changes in the file: everything else there names the entity by its code.
        if let name = formerName(of: entity), let place = catalog.entities.firstIndex(where: { $0.name == name }) {
            catalog.entities[place] = CatalogEntity(code: catalog.entities[place].code, name: entity.name)
            codes[entity.index] = catalog.entities[place].code
            return
        }
        guard let code = following(catalog.entities.map(\.code), "entities") else { return }
        catalog.entities.append(CatalogEntity(code: code, name: entity.name))
        codes[entity.index] = code
    }

    private mutating func addLayout(_ entity: Entity) {
        guard let code = codes[entity.index] else { return }
        let fields = entity.fields.map { field(entity.properties[$0]) }
        let lanes = entity.lanes.map { lane(entity.properties[$0]) }
        if let known = catalog.newestLayout(of: code) {
            compare(known, fields, lanes, entity)
            // Defaults of attributes a file knows already do not change what its old rows hold.
            let sameLanes = known.lanes.elementsEqual(lanes) {
                $0.name == $1.name && $0.width == $1.width && $0.isOptional == $1.isOptional
            }
            if known.fields == fields, sameLanes {
                layouts[entity.index] = known
                return
            }
            if !sameLanes {
                columnObstacles.append(
                    StoreModelDifference(
                        entity: entity.name, property: nil, effect: .refused,
                        reason:
                            "has other packed attributes in the model than in the file: open the store for writing once, which brings it "
                            + "to the model"))
            }
        }
        guard let number = following(catalog.layouts.map(\.number), "layouts") else { return }
        let layout = RecordLayout(number: number, entity: code, fields: fields, lanes: lanes)
        catalog.layouts.append(layout)
        layouts[entity.index] = layout
    }

    private func field(_ property: Property) -> RecordField {
        if let link = property.link {
            let isOptional = true
            guard !link.isPolymorphic, let code = codes[link.destination] else {
                return RecordField(name: property.name, kind: .polymorphicReference, isOptional: isOptional)
            }
            return RecordField(name: property.name, kind: .reference, isOptional: isOptional, destination: code)
        }
        let kind: FieldKind =
            switch property.attribute?.type {
            case .int16: .int16
            case .int32: .int32
            case .int64: .int64
            case .double: .double
            case .float: .float
            case .decimal: .decimal
            case .boolean: .bool
            case .string, nil: .string
            case .date: .date
            case .data: .data
            case .uuid: .uuid
            case .uri: .uri
            case .transformable: .json
            }
        // A non-optional attribute may still be nil in an object that an older program wrote, so every field can be null.
        return RecordField(name: property.name, kind: kind, isOptional: true)
    }

    private func lane(_ property: Property) -> Lane {
        let attribute = property.attribute
        let isDouble = attribute?.type == .double
        var bits: UInt64? = attribute?.isOptional == true ? nil : 0
        switch attribute?.defaultValue {
        case .double(let value): bits = value.bitPattern
        case .float(let value): bits = UInt64(value.bitPattern)
        default: break
        }
        return Lane(name: property.name, width: isDouble ? .double : .float, isOptional: attribute?.isOptional ?? true, defaultBits: bits)
    }

    private mutating func addLinks(_ entity: Entity) {
        for property in entity.properties where property.declaringEntity == entity.index {
            guard let link = property.link, link.storage == .linksAsOwner else { continue }
            let name = "\(entity.name).\(property.name)"
            if let known = catalog.links.first(where: { $0.name == name }) {
                links[name] = known
                continue
            }
            if let place = formerLink(of: property, of: entity) {
                let old = catalog.links[place]
                catalog.links[place] = LinkRelationship(code: old.code, name: name, isOrdered: old.isOrdered)
                links[name] = catalog.links[place]
                continue
            }
            guard let code = following(catalog.links.map(\.code), "relationships that are kept as links") else { return }
            let added = LinkRelationship(code: code, name: name, isOrdered: property.relationship?.isOrdered ?? false)
            catalog.links.append(added)
            links[name] = added
        }
    }

    /// Where links stand in the file under the name of a relationship, or of its entity, before it was renamed.
    private func formerLink(of property: Property, of entity: Entity) -> Int? {
        let former = property.relationship?.renamingIdentifier.flatMap { entity.property(named: $0) == nil ? $0 : nil }
        let names = [property.name] + (former.map { [$0] } ?? [])
        for owner in [entity.name] + (formerName(of: entity).map { [$0] } ?? []) {
            for name in names {
                if let place = catalog.links.firstIndex(where: { $0.name == "\(owner).\(name)" }) { return place }
            }
        }
        return nil
    }

    private mutating func addReferences() {
        var keys: [ReverseKey] = []
        for entity in model.entities where !entity.isAbstract {
            for property in entity.properties where property.link?.storage == .reverse {
                keys += reverseKeys(property, of: entity.index)
            }
        }
        catalog.references = keys
    }

    /// The indexes that answer a relationship of objects of one entity.
    func reverseKeys(_ property: Property, of entity: Int) -> [ReverseKey] {
        guard let link = property.link, let inverse = model.inverse(of: property), let target = codes[entity] else { return [] }
        return model.entities[link.destination].concreteDescendants.compactMap { source in
            codes[source].map { ReverseKey(source: $0, field: inverse.name, target: target) }
        }
    }

    /// How an entity's relationships are kept, by property number.
    func storage(of entity: Entity) -> [StoredEntity.RelationshipStorage?] {
        entity.properties.map { property in
            guard let link = property.link else { return nil }
            switch link.storage {
            case .field: return .field
            case .reverse: return .reverse(reverseKeys(property, of: entity.index))
            case .linksAsOwner:
                guard let found = links[linkName(property)] else { return nil }
                let isOwnInverse = link.inverse == property.number && link.destination == property.declaringEntity
                return isOwnInverse ? .both(found) : .owner(found)
            case .linksAsMember:
                guard let inverse = model.inverse(of: property), let found = links[linkName(inverse)] else { return nil }
                return .member(found)
            }
        }
    }

    private func linkName(_ property: Property) -> String { "\(model.entities[property.declaringEntity].name).\(property.name)" }
}
