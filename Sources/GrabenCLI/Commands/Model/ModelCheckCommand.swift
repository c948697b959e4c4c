import Graben
import GrabenModel
import GrabenModelGeneration

/// Everything that is wrong in a model, and what is likely to be; with status 1 where something is.
enum ModelCheckCommand {
    static func run(_ session: Session) throws {
        let input = try ModelInput(session.invocation.operand(0) ?? "", version: session.invocation.value("version"))
        var findings = input.model.problems().map {
            Finding(kind: .problem, entity: $0.entity, property: $0.property, message: "\($0.kind)", place: input)
        }
        findings += input.source?.warnings.map(Finding.init) ?? []
        if !findings.contains(where: { $0.kind == .problem }) {
            let resolved = try input.resolved()
            findings += resolved.warnings.map {
                Finding(kind: .warning, entity: $0.entity, property: $0.property, message: $0.inside, place: input)
            }
            findings += unspeakable(input)
        }
        let problems = findings.count { $0.kind == .problem }
        if session.invocation.has("json") {
            try write(findings, input, JSONWriter(session.output))
        } else {
            for finding in findings { try session.output.write("\(finding.line)\n") }
            let entities = input.model.entities.count
            let what = problems == 0 ? "nothing wrong" : problems == 1 ? "1 problem" : "\(problems) problems"
            let warnings = findings.count - problems
            let besides = warnings == 0 ? "" : warnings == 1 ? ", 1 warning" : ", \(warnings) warnings"
            try session.output.write(
                "\(input.path.withoutControls): \(what)\(besides) in \(entities == 1 ? "1 entity" : "\(entities) entities")\n")
        }
        if problems > 0 { session.exit = .found }
    }

    /// What classes cannot be generated for; no mistake of the model, for it can be used without.
    private static func unspeakable(_ input: ModelInput) -> [Finding] {
        do throws(GenerationError) {
            _ = try SwiftGenerator(input.model, SwiftOptions(modelTypeName: SwiftOptions.modelTypeName(forFile: input.path)))
            return []
        } catch {
            guard case .unspeakable(let problems) = error else { return [] }
            return problems.map {
                Finding(
                    kind: .warning, entity: $0.entity, property: $0.property, message: "no Swift can be generated: \($0.message)",
                    place: input)
            }
        }
    }

    private struct Finding {
        enum Kind: String { case problem, warning }

        let kind: Kind
        let entity: String?
        let property: String?
        let message: String
        let place: String
        let number: Int?

        init(kind: Kind, entity: String?, property: String?, message: String, place: ModelInput) {
            self.kind = kind
            self.entity = entity
            self.property = property
            self.message = message
            self.place = place.place(entity: entity, property: property)
            number = place.line(entity: entity, property: property)
        }

        /// A warning of the import.
        init(_ note: ModelSource.Note) {
            kind = .warning
            (entity, property) = (nil, nil)
            message = note.message
            place = note.file + (note.line.map { ":\($0)" } ?? "")
            number = note.line
        }

        var name: String { [entity, property].compactMap { $0 }.joined(separator: ".") }
        var line: String {
            let text = "\(kind.rawValue): \(name.isEmpty ? "" : "\(name): ")\(message)"
            return "\(place.withoutControls): \(text.linesWithoutControls.split(separator: "\n").joined(separator: "\n    "))"
        }
    }

    private static func write(_ findings: [Finding], _ input: ModelInput, _ json: JSONWriter) throws(CLIError) {
        try json.beginObject()
        try json.field("file", input.path)
        try json.field("ok", !findings.contains { $0.kind == .problem })
        try json.field("entities", input.model.entities.count)
        try json.key("findings")
        try json.beginArray()
        for finding in findings {
            try json.beginObject()
            try json.field("kind", finding.kind.rawValue)
            try json.field("entity", finding.entity)
            try json.field("property", finding.property)
            try json.field("line", finding.number)
            try json.field("message", finding.message)
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
        try json.newline()
    }
}

extension ModelWarning {
    /// What is wrong, without the place that `description` begins with.
    fileprivate var inside: String {
        let text = "\(self)"
        return text.firstRange(of: ": ").map { String(text[$0.upperBound...]) } ?? text
    }
}
