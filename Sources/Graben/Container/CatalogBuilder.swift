import GrabenLog
import GrabenModel

/// Works out how a model is kept in a file: which numbers, layouts and indexes it has there already, and which it adds.
struct CatalogBuilder {
    let model: ResolvedModel
    let previous: Catalog
    private(set) var catalog: Catalog
    /// Layout of each concrete entity, by the model's number.
    private(set) var layouts: [RecordLayout?]
    /// Code of each concrete entity, by the model's number.
    private(set) var codes: [EntityCode?]
    private(set) var links: [String: LinkRelationship] = [:]
    /// What makes the file's model and this one incompatible.
    private(set) var differences: [String] = []

    /// Entities whose columns the file lays out otherwise; a store that cannot be written cannot learn the new layout.
    private(set) var columnDifferences: [String] = []

    /// Whether the file has to learn something of the model.
    var isChanged: Bool { catalog.version != previous.version }

    init(_ model: ResolvedModel, previous: Catalog) throws(ModelError) {
        let tree = try model.description.tree()
        self.model = model
        self.previous = previous
        catalog = previous
        layouts = .init(repeating: nil, count: model.entities.count)
        codes = .init(repeating: nil, count: model.entities.count)
        for entity in model.entities where !entity.isAbstract { addEntity(entity) }
        for entity in model.entities where !entity.isAbstract { addLayout(entity) }
        for entity in model.entities { addLinks(entity) }
        addReferences()
        catalog.model = tree
        if catalog.entities != previous.entities || catalog.layouts != previous.layouts || catalog.links != previous.links
            || Set(catalog.references) != Set(previous.references) || tree != previous.model
        {
            catalog.version = previous.version + 1
        }
    }

    private mutating func addEntity(_ entity: Entity) {
        if let known = catalog.entity(named: entity.name) {
            codes[entity.index] = known.code
            return
        }
        let code = (catalog.entities.map(\.code).max() ?? 0) + 1
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
                columnDifferences.append(
                    "the packed attributes of \(entity.name) changed; open the store for writing once to bring it to the model")
            }
        }
        let number = (catalog.layouts.map(\.number).max() ?? 0) + 1
        let layout = RecordLayout(number: number, entity: code, fields: fields, lanes: lanes)
        catalog.layouts.append(layout)
        layouts[entity.index] = layout
    }

    /// What cannot be read as the model wants it.
    private mutating func compare(_ known: RecordLayout, _ fields: [RecordField], _ lanes: [Lane], _ entity: Entity) {
        for field in fields {
            if let old = known.fields.first(where: { $0.name == field.name }), old.kind != field.kind {
                differences.append("\(entity.name).\(field.name) is \(old.kind) in the file and \(field.kind) in the model")
            } else if known.lanes.contains(where: { $0.name == field.name }) {
                differences.append("\(entity.name).\(field.name) is packed in the file and not in the model")
            }
        }
        for lane in lanes {
            if let old = known.lanes.first(where: { $0.name == lane.name }), old.width != lane.width {
                differences.append("\(entity.name).\(lane.name) is \(old.width) in the file and \(lane.width) in the model")
            } else if known.fields.contains(where: { $0.name == lane.name }) {
                differences.append("\(entity.name).\(lane.name) is packed in the model and not in the file")
            }
        }
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
            let code = (catalog.links.map(\.code).max() ?? 0) + 1
            let added = LinkRelationship(code: code, name: name, isOrdered: property.relationship?.isOrdered ?? false)
            catalog.links.append(added)
            links[name] = added
        }
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
