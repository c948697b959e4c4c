import FoundationEssentials
import Graben
import GrabenModel

/// A model as text, or in its JSON form.
enum ModelShowCommand {
    static func run(_ session: Session) throws {
        let input = try ModelInput(session)
        if session.invocation.has("json") { return try session.output.write(try input.model.jsonData()) }
        let resolved = try input.resolved()
        var shown = resolved.entities
        if let name = session.invocation.operand(1) { shown = [try input.entity(name, of: resolved)] }
        for (place, entity) in shown.enumerated() {
            if place > 0 { try session.output.write("\n") }
            try ModelText.write(entity, session)
        }
        if session.invocation.operand(1) == nil { try ModelText.writeRest(of: input.model, session) }
    }
}
