import Graben
import GrabenLog
import GrabenModel

/// Objects by the value of a key, each index made when it is first asked for.
struct KeyIndex {
    enum Found {
        case one(ObjectID)
        case several
    }

    private struct Name: Hashable {
        let entity: Int
        let attribute: String
    }

    private let context: ManagedObjectContext
    private var indexes: [Name: [String: Found]] = [:]

    init(_ context: ManagedObjectContext) { self.context = context }

    mutating func find(_ value: Value, attribute: String, of entity: Entity) throws -> Found? {
        let name = Name(entity: entity.index, attribute: attribute)
        if indexes[name] == nil {
            var index: [String: Found] = [:]
            for id in try context.fetchIDs(FetchRequest<ManagedObject>(entity: entity.name)) {
                let value = try context.object(with: id).value(forKey: attribute)
                guard !value.isNull else { continue }
                let text = ValueText.text(value)
                index[text] = index[text] == nil ? .one(id) : .several
            }
            indexes[name] = index
        }
        return indexes[name]?[ValueText.text(value)]
    }
}

/// Finds objects that share what their entity says is unique.
enum UniqueKeys {
    /// Calls `body` with each object whose key another one had before it, that other one, and the key as text. An object without a value
    /// for any part of the key has none.
    static func duplicates(
        _ names: [String], of entity: Entity, in context: ManagedObjectContext, _ body: (ObjectID, ObjectID, String) throws -> Void
    ) throws {
        var seen: [[String]: ObjectID] = [:]
        objects: for id in try context.fetchIDs(FetchRequest<ManagedObject>(entity: entity.name)) {
            let object = context.object(with: id)
            var key: [String] = []
            for name in names {
                let value = try object.value(forKey: name)
                if value.isNull { continue objects }
                key.append(ValueText.text(value))
            }
            if let other = seen[key] { try body(id, other, key.joined(separator: ", ")) } else { seen[key] = id }
        }
    }
}
