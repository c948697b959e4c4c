import GrabenLog

/// Why a predicate could not be parsed, bound to an entity, or evaluated.
///
/// Indirect, so that throwing functions return one word and recursion over a deep tree needs little stack.
///
/// The cases are what a caller can do something about; `description` says the same in words, with the place and what to do next.
public indirect enum ObjectPredicateError: Error, Sendable, CustomStringConvertible {
    /// The format is not a predicate.
    case syntax(PredicateSyntaxProblem)
    /// A key path names something the entity does not have.
    case unknownKey(key: String, keyPath: String, entity: String, nearest: String?)
    /// A `$variable` has no value.
    case unboundVariable(name: String, known: [String])
    /// An expression cannot be evaluated: wrong types, overflow, a bad pattern.
    case evaluation(PredicateEvaluationProblem)
    /// An object's property could not be read.
    case reading(key: String, entity: String, object: ObjectID?, underlying: any Error)

    /// Whether the error was found in the format alone, before any entity or object was looked at.
    public var isSyntaxError: Bool {
        if case .syntax = self { return true }
        return false
    }

    /// One line or, for a syntax error, three: what is wrong, the format, and a caret under the place.
    public var description: String {
        switch self {
        case .syntax(let problem):
            return problem.description
        case .unknownKey(let key, let keyPath, let entity, let nearest):
            let path = key == keyPath ? "" : " (in the key path \"\(keyPath)\")"
            let hint = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
            return "cannot bind the predicate: \(entity) has no property \"\(key)\"\(path)\(hint)"
        case .unboundVariable(let name, let known):
            let list = known.isEmpty ? "no variables are bound" : "bound are " + known.map { "$" + $0 }.joined(separator: ", ")
            return "cannot bind the predicate: the variable $\(name) has no value; \(list)"
        case .evaluation(let problem):
            return problem.description
        case .reading(let key, let entity, let object, let underlying):
            return "cannot evaluate the predicate: reading \"\(key)\" of \(place(entity, object)) failed: \(underlying)"
        }
    }
}

/// A place in a format and what should have stood there.
public struct PredicateSyntaxProblem: Sendable, Equatable, CustomStringConvertible {
    /// The format as it was given.
    public let format: String
    /// Where: the number of Unicode scalars before the place.
    public let position: Int
    /// What could have stood there, or what is wrong with what stands there.
    public let expected: String
    /// What stands there.
    public let found: String

    /// The problem, the part of the format around it, and a caret.
    public var description: String {
        let what = found.isEmpty ? expected : "expected \(expected), found \(found)"
        let (line, column) = excerpt
        return "cannot parse the predicate at position \(position): \(what)\n  \(line)\n  \(String(repeating: " ", count: column))^"
    }

    /// At most 72 scalars of the format around the place, control characters shown as spaces, and the caret's column in it.
    public var excerpt: (line: String, column: Int) {
        let before = 48
        let scalars = format.unicodeScalars
        let start = Swift.max(0, position - before)
        var line = start > 0 ? "…" : ""
        var column = start > 0 ? 1 : 0
        var index = 0
        for scalar in scalars.dropFirst(start).prefix(72) {
            if start + index < position { column += 1 }
            line.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
            index += 1
        }
        if scalars.dropFirst(start + index).first != nil { line += "…" }
        return (line, column)
    }
}

/// An expression that could not be evaluated, and where.
public struct PredicateEvaluationProblem: Sendable, Equatable, CustomStringConvertible {
    /// What went wrong and what to do instead.
    public let reason: String
    /// The part of the predicate concerned, as it is printed.
    public let expression: String
    /// The entity the predicate was bound to.
    public let entity: String
    /// The object, where it has an id and the error depends on it.
    public internal(set) var object: ObjectID?

    /// One line.
    public var description: String {
        "cannot evaluate \"\(expression)\" for \(place(entity, object)): \(reason)"
    }
}

private func place(_ entity: String, _ object: ObjectID?) -> String {
    object.map { "\(entity) \($0.rowNumber)" } ?? entity
}

/// The name closest to what was written, if it is close enough to be a slip.
package func nearestName(to name: String, in names: [String]) -> String? {
    let wanted = Array(asciiLowercased(name).unicodeScalars.prefix(64))
    // Two letters the wrong way round are two edits; as many edits as letters is another name.
    let allowed = wanted.count < 4 ? 1 : Swift.max(2, wanted.count / 3)
    var best: (name: String, distance: Int)?
    for candidate in names {
        let distance = editDistance(wanted, Array(asciiLowercased(candidate).unicodeScalars.prefix(64)))
        if distance <= allowed, distance < Swift.max(wanted.count, 1), distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
}

private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, y) in b.enumerated() {
            let substituted = diagonal + (x == y ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = Swift.min(substituted, row[j + 1] + 1, row[j] + 1)
        }
    }
    return row[b.count]
}
