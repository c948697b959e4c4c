import Graben
import GrabenModel

/// How many objects there are, or match.
enum CountCommand {
    static func run(_ session: Session) throws {
        let store = try OpenStore(session)
        let json = JSONWriter(session.output)
        if let name = session.invocation.operand(1) {
            let entity = try store.entity(name)
            let count = try Selection(entity, session.invocation).count(in: store)
            guard session.invocation.has("json") else { return try session.output.write("\(count)\n") }
            try json.beginObject()
            try json.field("entity", entity.name)
            try json.field("count", count)
            try json.endObject()
            return try json.newline()
        }
        guard !session.invocation.has("where") else {
            throw CLIError.usage("missing-operand", "--where needs an ENTITY: \(store.model.entities.map(\.name).joined(separator: ", "))")
        }
        let counts = try store.concreteEntities.map { ($0.name, try Selection($0, includesSubentities: false).count(in: store)) }
        guard session.invocation.has("json") else {
            let table = TextTable(session, [.init(title: "entity"), .init(title: "count", isNumber: true)])
            try table.begin()
            for (name, count) in counts { try table.row([name, "\(count)"]) }
            return try table.end()
        }
        try json.beginObject()
        try json.key("counts")
        try json.beginObject()
        for (name, count) in counts { try json.field(name, count) }
        try json.endObject()
        try json.endObject()
        try json.newline()
    }
}
