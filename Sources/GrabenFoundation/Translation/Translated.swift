import Foundation
import GrabenLog
import GrabenPredicate

/// What an expression of Foundation's became so far. Foundation knows values only; the language keeps predicates and values apart.
enum Translated {
    case value(ValueExpression)
    case predicate(PredicateNode)
    /// A predicate about something that may be nil: nil where `isThere` is false.
    case optionalPredicate(isThere: PredicateNode, PredicateNode)
    /// Bounds, as long as nothing is asked of them.
    case range(lower: ValueExpression?, upper: ValueExpression?, includesUpper: Bool)
    /// The outcome of comparing two strings whatever their case.
    case caseInsensitiveOrder(ValueExpression, ValueExpression)
    /// A captured value that is no constant of the language.
    case opaque(Any)

    /// The expression as a value.
    func value(_ what: Any) throws(PredicateTranslationError) -> ValueExpression {
        switch self {
        case .value(let value): return value
        case .predicate(let node): return .ternary(node, .value(.bool(true)), .value(.bool(false)))
        case .optionalPredicate(let isThere, let node):
            return .ternary(isThere, .ternary(node, .value(.bool(true)), .value(.bool(false))), .value(.null))
        case .range: throw refusal(what, "a range can only be asked whether it contains a value")
        case .caseInsensitiveOrder:
            throw refusal(what, "the outcome of caseInsensitiveCompare can only be compared with a ComparisonResult, such as .orderedSame")
        case .opaque(let value): throw refusal(what, "\(type(of: value)) is no type of attributes")
        }
    }

    /// The expression as a predicate; a Bool is one that it is true.
    func predicate(_ what: Any) throws(PredicateTranslationError) -> PredicateNode {
        switch self {
        case .predicate(let node): return node
        case .optionalPredicate(let isThere, let node): return .all([isThere, node])
        case .value(.value(.bool(let value))): return .constant(value)
        default: return .compare(try value(what), .equal, .value(.bool(true)))
        }
    }

    /// The constant it is, where it is one.
    var constant: Value? {
        if case .value(.value(let value)) = self { return value }
        return nil
    }
}

func refusal(_ what: Any, _ reason: String) -> PredicateTranslationError {
    let text = String(describing: what)
    return .unsupported(expression: text.count > 160 ? text.prefix(157) + "…" : text, reason: reason)
}

extension PredicateNode {
    static func compare(
        _ left: ValueExpression, _ comparison: PredicateOperator, _ right: ValueExpression, options: PredicateStringOptions = []
    ) -> PredicateNode {
        .comparison(PredicateComparison(left: left, comparison: comparison, options: options, right: right))
    }

    static func negated(_ node: PredicateNode) -> PredicateNode {
        if case .not(let inner) = node { return inner }
        return .not(node)
    }
}

extension ValueExpression {
    /// Whether it is nil whenever what it begins with is: a path of keys alone.
    var isPath: Bool {
        switch self {
        case .object, .variable: return true
        case .path(let base, let steps):
            return base.isPath
                && steps.allSatisfy {
                    if case .key = $0 { true } else { false }
                }
        default: return false
        }
    }

    /// `collection.@count`.
    var count: ValueExpression { .stepped(self, [.collection(.count, [])]) }
}
