/// Why a model cannot be used.
public enum ModelError: Error, Sendable, Equatable {
    /// The model contradicts itself; the list holds everything that is wrong, in the order of the entities.
    case invalid([ModelProblem])
    /// The text or tree a model is read from has not the form of a model.
    ///
    /// `place` leads to the spot, such as `entities[1] "Line" / attributes[0] "kind" / type`.
    case malformed(place: String, reason: String)
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
        case .malformed(let place, let reason):
            return "reading a model: \(place.isEmpty ? "" : "\(place): ")\(reason)"
        case .unreadable(let path, let reason):
            return "reading a model from \(path): \(reason)"
        }
    }
}
