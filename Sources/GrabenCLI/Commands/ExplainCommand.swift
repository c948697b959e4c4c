import Graben
import GrabenModel

/// How a query would run: which rows are read, and what is asked of them.
enum ExplainCommand {
    static func run(_ session: Session) throws {
        let store = try OpenStore(session)
        let entity = try store.entity(session.invocation.operand(1) ?? "")
        let explanation = try Selection(entity, session.invocation).explanation(in: store)
        guard session.invocation.has("json") else { return try session.output.write("\(explanation)\n") }
        let json = JSONWriter(session.output)
        try json.beginObject()
        try json.key("parts")
        try json.beginArray()
        for part in explanation.parts { try write(part, json) }
        try json.endArray()
        try json.key("order")
        try json.beginArray()
        for key in explanation.order { try json.string(key.description) }
        try json.endArray()
        try json.field("limit", explanation.limit)
        try json.endObject()
        try json.newline()
    }

    private static func write(_ part: FetchExplanation.Part, _ json: JSONWriter) throws {
        try json.beginObject()
        try json.field("entity", part.entity)
        try json.field("rows", part.rowCount)
        let (access, keys): (String, [String])
        switch part.access {
        case .nothing: (access, keys) = ("nothing", [])
        case .everything: (access, keys) = ("everything", [])
        case .index(let names, _): (access, keys) = ("index", names)
        case .order(let name, _): (access, keys) = ("order", [name])
        }
        try json.field("access", access)
        try json.key("index")
        try json.beginArray()
        for key in keys { try json.string(key) }
        try json.endArray()
        if case .index(_, let ranges) = part.access { try json.field("ranges", ranges) }
        if case .order(_, let ascending) = part.access { try json.field("ascending", ascending) }
        try json.field("estimate", part.estimate)
        try json.key("tests")
        try json.beginArray()
        for test in part.tests {
            try json.beginObject()
            try json.field("format", test.format)
            try json.field("by", test.means.rawValue)
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
    }
}
