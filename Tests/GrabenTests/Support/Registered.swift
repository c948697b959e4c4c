import Graben
import GrabenModel

/// Entities with keys that no two objects share: single, compound, inherited, over a relationship.
enum Registered {
    static let model = ManagedObjectModel(entities: [
        EntityDescription(
            "Part",
            attributes: [
                AttributeDescription("code", .string), AttributeDescription("note", .string),
                AttributeDescription("count", .int64, isOptional: false, defaultValue: 0),
                AttributeDescription("x", .double, isOptional: false, isPacked: true),
            ],
            relationships: [RelationshipDescription("owner", to: "Owner", inverse: "parts")],
            uniquenessConstraints: [["code"]], indexes: [IndexDescription("byNote", on: "note", "count")]),
        EntityDescription(
            "Pump", superentity: "Part", attributes: [AttributeDescription("serial", .int64), AttributeDescription("plant", .string)],
            uniquenessConstraints: [["serial", "plant"]]),
        EntityDescription(
            "Owner", attributes: [AttributeDescription("name", .string)],
            relationships: [RelationshipDescription("parts", to: "Part", inverse: "owner", isToMany: true)]),
        EntityDescription(
            "Seat", attributes: [AttributeDescription("number", .int64)], relationships: [RelationshipDescription("of", to: "Owner")],
            uniquenessConstraints: [["of", "number"]]),
    ])

    static func container(_ location: StoreLocation = .inMemory) throws -> PersistentContainer {
        try PersistentContainer(model: model, stores: [StoreConfiguration(location)])
    }
}

extension ManagedObjectContext {
    /// A new object with these values.
    @discardableResult
    func make(_ entity: String, _ values: KeyValuePairs<String, Value>) throws -> ManagedObject {
        let object = try insertObject(entity: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// The values of one property of all objects of an entity, by id.
    func values(_ key: String, of entity: String) throws -> [Value] {
        try fetch(FetchRequest<ManagedObject>(entity: entity)).sorted { $0.objectID < $1.objectID }.map { try $0.value(forKey: key) }
    }
}

/// The conflicts of a save that throws them; nil where it throws none.
func conflicts(_ body: () throws -> Void) -> [SaveConflict]? {
    guard case .conflict(let found)? = thrown(body) else { return nil }
    return found
}
