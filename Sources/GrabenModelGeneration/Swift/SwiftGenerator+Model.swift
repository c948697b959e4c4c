internal import GrabenModel

extension SwiftGenerator {
    /// Writes the type that holds the model and the classes, so that a container opens without a file beside the program.
    func writeModelType(json: String, to text: inout SwiftText) {
        let access = modelAccess.prefix
        text.document("The model as data, and the classes of its entities.")
        text.block("nonisolated \(access)enum \(options.modelTypeName.swiftIdentifier)") { text in
            text.document("The model.")
            text.document("")
            text.document("- Throws: `ModelError` where the library is older than the program that wrote this file.")
            text.line("\(access)static var model: ManagedObjectModel { get throws(ModelError) { try read.get() } }")
            text.line()
            text.document("The classes by the names of their entities.")
            text.block("\(access)static var classes: [String: ManagedObject.Type]") { text in
                let bound = plans.filter(\.isBound)
                guard !bound.isEmpty else { return text.line("[:]") }
                text.line("[")
                for plan in bound { text.line("    \(SwiftText.literal(plan.entity.name)): \(plan.typeName).self,") }
                text.line("]")
            }
            text.line()
            if plans.contains(where: { $0.part == .whole }) {
                text.document("An entity of the model; nil where there is none of the name.")
                text.block("static func entity(_ name: String) -> EntityDescription?") { text in
                    text.line("entities[name]")
                }
                text.line()
            }
            text.document("Opens the store at a path under the model, and makes it where there is none.")
            text.document("")
            text.document("- Throws: `GrabenError`, as the initialisers of `PersistentContainer`.")
            text.block("\(access)static func container(at path: String) throws(GrabenError) -> PersistentContainer") { text in
                text.line("let model: ManagedObjectModel")
                text.line("do { model = try read.get() } catch { throw .model(error) }")
                text.line("return try PersistentContainer(model: model, classes: classes, at: path)")
            }
            text.line()
            if !modelMembers.isEmpty {
                write(modelMembers, prefix: access, modelAccess, to: &text)
                text.line()
            }
            text.line("private static let read = Swift.Result<ManagedObjectModel, ModelError> { () throws(ModelError) in")
            text.line("    try ManagedObjectModel.load(json: Data(json.utf8))")
            text.line("}")
            text.line()
            if plans.contains(where: { $0.part == .whole }) {
                text.line("private static let entities = Dictionary(")
                text.line("    ((try? read.get())?.entities ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })")
                text.line()
            }
            writeJSON(json, to: &text)
        }
    }

    /// The model's JSON form as a raw literal, with more signs around it than it has in itself.
    private func writeJSON(_ json: String, to text: inout SwiftText) {
        var marks = "#"
        while json.contains("\"\"\"" + marks) || json.contains("\\" + marks) { marks += "#" }
        text.line("private static let json = \(marks)\"\"\"")
        text.lines(json.split(separator: "\n", omittingEmptySubsequences: true).map { "    " + $0 })
        text.line("    \"\"\"\(marks)")
    }
}
