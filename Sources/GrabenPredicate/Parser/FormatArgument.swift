/// What stands for a conversion of a format: a constant, or a variable where no constant can say it.
package enum FormatArgument: Sendable {
    case literal(PredicateLiteral)
    /// The name of a variable that is bound when the predicate is; one that no format can spell clashes with none.
    case variable(String)

    var expression: ValueExpression {
        switch self {
        case .literal(let literal): ValueExpression(literal)
        case .variable(let name): .variable(name)
        }
    }
}

extension ObjectPredicate {
    /// Parses a format whose arguments may be objects, which variables stand for.
    package init(
        format: String, formatArguments: [FormatArgument], limits: PredicateLimits = .standard
    ) throws(ObjectPredicateError) {
        var parser = try PredicateParser(format, arguments: formatArguments, limits: limits)
        self.init(root: try parser.parse())
    }
}
