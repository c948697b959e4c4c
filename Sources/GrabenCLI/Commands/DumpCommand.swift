import Graben
import GrabenModel

/// All objects, of one entity or of the whole store.
enum DumpCommand {
    static func run(_ session: Session) throws {
        let store = try OpenStore(session)
        let format = try RowFormat(session.invocation)
        if session.invocation.operand(1) != nil { return try QueryCommand.run(session, store) }
        for option in ["where", "sort", "limit", "offset", "columns"] where session.invocation.has(option) {
            throw CLIError.usage("missing-operand", "--\(option) needs an ENTITY: \(entities(store))", hint: "graben help dump")
        }
        let json = JSONWriter(session.output)
        switch format {
        case .csv:
            guard store.concreteEntities.count == 1, let entity = store.concreteEntities.first else {
                throw CLIError.usage("missing-operand", "--csv is the form of one table; name an ENTITY: \(entities(store))")
            }
            try RowWriter(session, store, columns(entity, store, false), .csv, json).writeAll(Selection(entity))
        case .jsonLines:
            for entity in store.concreteEntities {
                let columns = columns(entity, store, true, withEntity: true)
                try RowWriter(session, store, columns, .jsonLines, json).writeAll(Selection(entity, includesSubentities: false))
            }
        case .json:
            try json.beginObject()
            for entity in store.concreteEntities {
                try json.key(entity.name)
                try RowWriter(session, store, columns(entity, store, true), .json, json)
                    .writeAll(Selection(entity, includesSubentities: false))
            }
            try json.endObject()
            try json.newline()
        case .text:
            for (place, entity) in store.concreteEntities.enumerated() {
                let selection = Selection(entity, includesSubentities: false)
                let count = try selection.count(in: store)
                let noun = count == 1 ? "object" : "objects"
                try session.output.write((place > 0 ? "\n" : "") + "\(entity.name): \(ValueText.grouped(count)) \(noun)\n")
                try RowWriter(session, store, columns(entity, store, false), .text, json).writeAll(selection)
            }
        }
    }

    private static func columns(_ entity: Entity, _ store: OpenStore, _ withLists: Bool, withEntity: Bool = false) -> [ObjectColumn] {
        ObjectColumn.standard(entity, store.model, withLists: withLists, withEntity: withEntity)
    }

    private static func entities(_ store: OpenStore) -> String { store.model.entities.map(\.name).joined(separator: ", ") }
}
