import FoundationEssentials
import Graben

extension Demo {
    /// Steps 8 and 9: the commits of the file, and some of what is in it.
    func list() throws {
        let container = try openStore()
        let context = newContext(container)
        let commits = try container.coordinator.stores[0].commits()
        try steps.begin("The file's commits")
        try expect("the model, the town, the move, the deletion and its undoing", commits.count, is: 5)
        for commit in commits {
            let counts = [
                (commit.insertedCount, "inserted"), (commit.updatedCount, "updated"), (commit.deletedCount, "deleted"),
                (commit.movedCount - min(commit.movedCount, commit.insertedCount), "moved"),
            ]
            let did = counts.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
            try steps.show(
                "\(commit.number)  \(commit.date.formatted(.iso8601))  \(commit.author ?? "-")  \(commit.byteCount.grouped) bytes  "
                    + (did.isEmpty ? "the model" : did))
        }

        try steps.begin("A few objects, by key")
        let busiest = try busiestJoint(context)
        try steps.show(try text(of: busiest))
        for line in busiest.lines { try steps.show(try text(of: line)) }
        try checkErrors()
        try container.close()
    }

    /// An object as a line of text, by the names its model has: nothing here knows its class.
    private func text(of object: ManagedObject) throws -> String {
        let parts = try object.entity.properties.map { property in
            "\(property.name) \(try text(of: object.value(forKey: property.name), object.managedObjectContext))"
        }
        return "\(object.entity.name): \(parts.joined(separator: ", "))"
    }

    /// A value as text; objects by their names.
    private func text(of value: Value, _ context: ManagedObjectContext?) throws -> String {
        switch value {
        case .null: return "-"
        case .string(let text): return text
        case .double(let number): return number.short
        case .reference(let id): return try context.map { try text(of: $0.object(with: id).value(forKey: "name"), $0) } ?? "-"
        case .references(let ids): return "[\(try ids.map { try text(of: .reference($0), context) }.joined(separator: " "))]"
        default: return "\(value)"
        }
    }
}
