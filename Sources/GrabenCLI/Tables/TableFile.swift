import GrabenModel

/// A table to load: where it is, its form, and the entity its name says it is of.
struct TableFile {
    enum Form { case tabs, commas, jsonLines }

    let path: String
    let form: Form
    /// nil where each line says its entity itself.
    let entity: Entity?

    /// The last part of the path, for messages.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Understands `Entity.tsv`, `folder/Entity.csv`, `Entity=any.jsonl` and, as its lines may say their entity, `any.jsonl`.
    init(_ operand: String, _ model: ResolvedModel) throws(CLIError) {
        var path = operand
        var named: Entity?
        if let equals = operand.firstIndex(of: "="), let entity = model.entity(named: String(operand[..<equals])) {
            named = entity
            path = String(operand[operand.index(after: equals)...])
        }
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let dot = file.lastIndex(of: ".")
        switch dot.map({ file[file.index(after: $0)...].lowercased() }) {
        case "tsv"?: form = .tabs
        case "csv"?: form = .commas
        case "jsonl"?, "ndjson"?: form = .jsonLines
        default:
            throw .usage("bad-value", "\(operand.shown) is no table: its name has to end in .tsv, .csv or .jsonl", hint: "graben help load")
        }
        let base = dot.map { String(file[..<$0]) } ?? file
        entity = named ?? model.entity(named: base)
        self.path = path
        if entity == nil, form != .jsonLines {
            throw CLIError(
                .notFound, "entity.unknown",
                "the model has no entity \(base.shown), after which '\(path)' is named"
                    + suggestion(model.nearestEntityName(to: base)), file: path, hint: "ENTITY=\(path)")
        }
        if let entity, entity.isAbstract {
            throw CLIError(.badData, "entity.abstract", "\(entity.name) is abstract and has no objects to load", file: path)
        }
    }
}
