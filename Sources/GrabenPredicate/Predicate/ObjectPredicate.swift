/// A condition objects can be fetched and filtered by.
///
/// A predicate is made of a format string in the language of NSPredicate, or put together from others:
///
///     let high = try ObjectPredicate(format: "z > %@ AND name BEGINSWITH[cd] %@", 700, "ky")
///     let either = high || (try ObjectPredicate(format: "ANY lines.layer == $layer"))
///
/// It holds no object and no model: the keys in it are checked when it is bound to an entity. Two predicates are equal when they parse to
/// the same tree, whatever their spelling.
public struct ObjectPredicate: Sendable, Equatable {
    package var root: PredicateNode

    package init(root: PredicateNode) {
        self.root = root
    }

    /// Parses a format; arguments take the places of `%@`, `%K`, `%d` and their like in turn, extra ones are ignored.
    ///
    /// Throws `ObjectPredicateError.syntax` with the place and what was expected there. Linear in the length of the format.
    public init(format: String, _ arguments: (any PredicateArgument)?...) throws(ObjectPredicateError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Parses a format with its arguments in an array, within limits.
    public init(
        format: String, arguments: [(any PredicateArgument)?], limits: PredicateLimits = .standard
    ) throws(ObjectPredicateError) {
        try self.init(
            format: format, formatArguments: arguments.map { .literal($0?.predicateLiteral ?? .value(.null)) }, limits: limits)
    }

    /// The predicate that is true of every object, or of none.
    public init(value: Bool) {
        root = .constant(value)
    }

    /// Compares what a key path leads to with a constant.
    ///
    /// Throws `ObjectPredicateError.syntax` where the key path has an empty part or an unknown operator.
    public init(
        key: String, _ comparison: PredicateOperator, _ value: (any PredicateArgument)?, options: PredicateStringOptions = []
    ) throws(ObjectPredicateError) {
        guard let steps = PredicateStep.steps(dotted: key) else {
            throw .syntax(PredicateSyntaxProblem(format: key, position: 0, expected: "a key path", found: "\"\(key)\""))
        }
        root = .comparison(
            PredicateComparison(
                left: .path(.object, steps), comparison: comparison, options: options,
                right: ValueExpression(value?.predicateLiteral ?? .value(.null))))
    }

    /// True where all of the predicates are; of none, true.
    public static func all(_ predicates: [ObjectPredicate]) -> ObjectPredicate {
        ObjectPredicate(root: .all(predicates.map(\.root)))
    }

    /// True where at least one of the predicates is; of none, false.
    public static func any(_ predicates: [ObjectPredicate]) -> ObjectPredicate {
        ObjectPredicate(root: .any(predicates.map(\.root)))
    }

    /// True where both are.
    public static func && (a: ObjectPredicate, b: ObjectPredicate) -> ObjectPredicate { all([a, b]) }

    /// True where at least one is.
    public static func || (a: ObjectPredicate, b: ObjectPredicate) -> ObjectPredicate { any([a, b]) }

    /// True where the predicate is not. Logic is two-valued, so two of them cancel.
    public static prefix func ! (a: ObjectPredicate) -> ObjectPredicate {
        if case .not(let inner) = a.root { return ObjectPredicate(root: inner) }
        return ObjectPredicate(root: .not(a.root))
    }

    /// The predicate with constants in the place of variables; variables not named stay, as do those a SUBQUERY declares itself.
    public func withSubstitutionVariables(_ variables: [String: (any PredicateArgument)?]) -> ObjectPredicate {
        var walk = PredicateWalk(replaceVariable: { name in
            variables[name].map { ValueExpression($0?.predicateLiteral ?? .value(.null)) }
        })
        return ObjectPredicate(root: walk.walk(root))
    }

    /// A format string that parses to an equal predicate, constants written out.
    public var format: String { root.format }

    /// The variables that have to be bound before the predicate can be evaluated.
    package var variableNames: Set<String> { root.variableNames }

    /// The key paths from the object, for planners and prefetching.
    package var keyPaths: [[String]] { root.keyPaths }
}

extension ObjectPredicate: CustomStringConvertible {
    /// The format.
    public var description: String { format }
}
