/// Why a model cannot be used.
public enum ModelError: Error, Sendable, Equatable {
    /// The model contradicts itself; the list holds everything that is wrong, in the order of the entities.
    case invalid([ModelProblem])
    /// The text or tree a model is read from has not the form of a model.
    ///
    /// `place` leads to the spot, such as `entities[1] "Line" / attributes[0] "kind" / type`.
    case malformed(place: String, reason: String)
    /// A Core Data model file has parts that cannot be read; the list holds all of them, in the file's order.
    case notImported([ModelImportProblem])
    /// A model has something that a Core Data model file cannot say; `place` is as of `malformed`.
    case notExportable(place: String, reason: String)
    /// A model file cannot be written.
    case unwritable(path: String, reason: String)
    /// The file a model is read from cannot be read.
    case unreadable(path: String, reason: String)
}

extension ModelError: CustomStringConvertible {
    /// What was wrong, for people: one line, or one for each problem of the model.
    public var description: String {
        switch self {
        case .invalid(let problems):
            let count = problems.count == 1 ? "one thing is" : "\(problems.count) things are"
            let lines = problems.map { "\n  - " + "\($0)".split(separator: "\n").joined(separator: "\n    ") }
            return "the model cannot be used, \(count) wrong in it:" + lines.joined()
        case .notImported(let problems):
            if problems.count == 1 { return "importing a model: \(problems[0])" }
            return "importing a model, \(problems.count) things are wrong in it:" + problems.map { "\n  - \($0)" }.joined()
        case .notExportable(let place, let reason): return "writing a model: \(place): \(reason)"
        case .unwritable(let path, let reason): return "writing a model to \(path): \(reason)"
        case .malformed(let place, let reason):
            return "reading a model: \(place.isEmpty ? "" : "\(place): ")\(reason)"
        case .unreadable(let path, let reason):
            return "reading a model from \(path): \(reason)"
        }
    }
}
