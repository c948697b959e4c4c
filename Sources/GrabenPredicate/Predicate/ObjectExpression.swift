import GrabenLog

/// A value computed of an object: what the format language has on either side of a comparison.
///
///     let area = try ObjectExpression(format: "width * height")
///     let total = try ObjectExpression(format: "sum(price)")
///
/// It holds no object and no model: the keys in it are checked when it is bound to an entity. Two are equal when they parse to the same
/// tree.
public struct ObjectExpression: Sendable, Equatable, CustomStringConvertible {
    package var root: ValueExpression

    package init(root: ValueExpression) { self.root = root }

    /// Parses an expression; arguments take the places of `%@`, `%K`, `%d` and their like in turn.
    ///
    /// Throws `ObjectPredicateError.syntax` with the place and what was expected there. Linear in the length of the format.
    public init(format: String, _ arguments: (any PredicateArgument)?...) throws(ObjectPredicateError) {
        let literals = arguments.map { FormatArgument.literal($0?.predicateLiteral ?? .value(.null)) }
        var parser = try PredicateParser(format, arguments: literals, limits: .standard)
        root = try parser.parseExpression()
    }

    /// What a key path leads to.
    ///
    /// Throws `ObjectPredicateError.syntax` where the key path has an empty part.
    public init(keyPath: String) throws(ObjectPredicateError) {
        guard let steps = PredicateStep.steps(dotted: keyPath) else {
            throw .syntax(PredicateSyntaxProblem(format: keyPath, position: 0, expected: "a key path", found: "\"\(keyPath)\""))
        }
        root = .path(.object, steps)
    }

    /// A format that parses to an equal expression, constants written out.
    public var format: String { root.format }

    /// The format.
    public var description: String { format }

    /// The key path, where the expression is nothing but keys one after the other.
    package var keyPath: [String]? {
        guard case .path(.object, let steps) = root else { return nil }
        var keys: [String] = []
        for step in steps {
            guard case .key(let name) = step else { return nil }
            keys.append(name)
        }
        return keys
    }
}
