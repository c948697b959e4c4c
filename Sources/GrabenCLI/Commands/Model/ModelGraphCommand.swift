import Graben
import GrabenDrawing
import GrabenModel
import GrabenPredicate

/// A picture of a model: its entities as boxes, joined by their relationships.
enum ModelGraphCommand {
    private enum Form: String, CaseIterable { case svg, dot }

    static func run(_ session: Session) throws {
        let invocation = session.invocation
        let target = invocation.value("output") ?? "-"
        guard target != "-" || !invocation.has("json") else {
            throw CLIError.usage("conflict", "--json says what was drawn, and standard output holds the picture: use -o FILE")
        }
        let form = try form(invocation, target)
        let input = try ModelInput(session)
        let diagram = ModelDiagram.diagram(of: try input.resolved(), title: input.path.withoutControls)
        func write(to output: ByteOutput) throws(CLIError) {
            switch form {
            case .svg: try DiagramSVG(diagram).write { (text) throws(CLIError) in try output.write(text) }
            case .dot: try DiagramDOT(diagram).write { (text) throws(CLIError) in try output.write(text) }
            }
        }
        guard target != "-" else { return try write(to: session.output) }
        let file = try OutputFile(target, besides: input.path)
        try write(to: file.output)
        try file.finish()
        if invocation.has("json") {
            let json = JSONWriter(session.output)
            try json.beginObject()
            try json.field("file", target)
            try json.field("entities", diagram.boxes.count)
            try json.field("arrows", diagram.arrows.count)
            try json.endObject()
            try json.newline()
        } else {
            let entities = diagram.boxes.count == 1 ? "1 entity" : "\(diagram.boxes.count) entities"
            try session.output.write("drew \(entities) into \(target.withoutControls)\n")
        }
    }

    private static func form(_ invocation: Invocation, _ target: String) throws(CLIError) -> Form {
        guard let word = invocation.value("format") else { return target.hasSuffix(".dot") || target.hasSuffix(".gv") ? .dot : .svg }
        if let form = Form(rawValue: word) { return form }
        let known = Form.allCases.map(\.rawValue)
        throw .usage(
            "bad-value",
            "--format takes \(known.joined(separator: " or ")), not \(word.shown)\(suggestion(nearestName(to: word, in: known)))",
            hint: "graben help model graph")
    }
}
