import Graben
import GrabenLog
import GrabenModel

/// What people call objects: by a key of their entity, else by entity and row.
struct ReferenceNames {
    private let context: ManagedObjectContext
    private let model: ResolvedModel
    /// The key attribute of each entity, by its number.
    private let keys: [String?]

    init(_ context: ManagedObjectContext, _ model: ResolvedModel) {
        self.context = context
        self.model = model
        keys = model.entities.map { EntityKey.attribute(of: $0) }
    }

    /// The short form of an id: entity and row.
    func shortID(_ id: ObjectID) -> String {
        let entities = model.entities
        guard Int(id.entityNumber) < entities.count else { return "\(id.entityNumber)/\(id.rowNumber)" }
        return "\(entities[Int(id.entityNumber)].name)/\(id.rowNumber)"
    }

    /// The object's key, where its entity has one and the object a value.
    func key(of id: ObjectID, by attribute: String? = nil) throws -> String? {
        let entities = model.entities
        guard Int(id.entityNumber) < entities.count, let key = attribute ?? keys[Int(id.entityNumber)],
            entities[Int(id.entityNumber)].propertyNumber(named: key) != nil
        else { return nil }
        let value = try context.object(with: id).value(forKey: key)
        return value.isNull ? nil : ValueText.text(value)
    }

    func name(_ id: ObjectID, by attribute: String? = nil) throws -> String { try key(of: id, by: attribute) ?? shortID(id) }
}

/// Which attribute tables refer to an entity's objects by.
enum EntityKey {
    /// The entity's only attribute that is unique by itself, else "name"; nil where it has neither.
    static func attribute(of entity: Entity) -> String? {
        let single = entity.uniqueKeys.filter { $0.properties.count == 1 }.compactMap { key in
            key.properties.first.map { entity.properties[$0] }
        }.filter { $0.attribute != nil }
        if single.count == 1 { return single[0].name }
        return entity.property(named: "name")?.attribute == nil ? nil : "name"
    }

    /// The attribute by which a column of a to-one names its destination.
    static func attribute(of relationship: Property, in model: ResolvedModel) -> String? {
        guard let destination = model.destination(of: relationship) else { return nil }
        if let key = relationship.relationship?.userInfo["key"] {
            return destination.property(named: key)?.attribute == nil ? nil : key
        }
        return attribute(of: destination)
    }
}
