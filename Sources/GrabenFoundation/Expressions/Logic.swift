import Foundation
import GrabenLog
import GrabenPredicate

extension PredicateExpressions.Conjunction: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .predicate(.all([try translation.predicate(lhs), try translation.predicate(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .predicate(.any([try translation.predicate(lhs), try translation.predicate(rhs)]))
    }
}

extension PredicateExpressions.Negation: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .predicate(.negated(try translation.predicate(wrapped)))
    }
}

extension PredicateExpressions.Conditional: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let test = try translation.predicate(test)
        return .value(.ternary(test, try translation.value(trueBranch), try translation.value(falseBranch)))
    }
}

// MARK: Equality

extension PredicateExpressions.Equal: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .predicate(try equality(lhs, rhs, &translation))
    }
}

extension PredicateExpressions.NotEqual: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let node = try equality(lhs, rhs, &translation)
        guard case .comparison(var comparison) = node, comparison.comparison == .equal else { return .predicate(.negated(node)) }
        comparison.comparison = .notEqual
        return .predicate(.comparison(comparison))
    }
}

private func equality(
    _ lhs: any PredicateExpression, _ rhs: any PredicateExpression, _ translation: inout Translation
) throws(PredicateTranslationError) -> PredicateNode {
    let (left, right) = (try translation.translate(lhs), try translation.translate(rhs))
    for (side, other) in [(left, right), (right, left)] {
        // A predicate that is compared with a constant is that predicate or its negation.
        if case .bool(let wanted) = other.constant {
            switch side {
            case .predicate(let node): return wanted ? node : .negated(node)
            case .optionalPredicate(let isThere, let node): return .all([isThere, wanted ? node : .negated(node)])
            default: break
            }
        }
        if case .optionalPredicate(let isThere, _) = side, case .null = other.constant { return .negated(isThere) }
        if case .caseInsensitiveOrder(let a, let b) = side, case .opaque(let outcome as ComparisonResult) = other {
            return .compare(a, order(outcome), b, options: .caseInsensitive)
        }
        if case .caseInsensitiveOrder(let a, let b) = side, case .int(let raw) = other.constant,
            let outcome = ComparisonResult(rawValue: Int(raw))
        {
            return .compare(a, order(outcome), b, options: .caseInsensitive)
        }
    }
    return .compare(try left.value(lhs), .equal, try right.value(rhs))
}

private func order(_ outcome: ComparisonResult) -> PredicateOperator {
    switch outcome {
    case .orderedAscending: .less
    case .orderedDescending: .greater
    default: .equal
    }
}

// MARK: Order

extension PredicateExpressions.Comparison: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let comparison: PredicateOperator
        switch op {
        case .lessThan: comparison = .less
        case .lessThanOrEqual: comparison = .lessOrEqual
        case .greaterThan: comparison = .greater
        case .greaterThanOrEqual: comparison = .greaterOrEqual
        @unknown default: throw refusal(self, "it compares in a way the language does not know")
        }
        return .predicate(.compare(try translation.value(lhs), comparison, try translation.value(rhs)))
    }
}

extension PredicateExpressions.Range: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .range(lower: try translation.value(lower), upper: try translation.value(upper), includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .range(lower: try translation.value(lower), upper: try translation.value(upper), includesUpper: true)
    }
}

extension PredicateExpressions.RangeExpressionContains: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let element = try translation.value(element)
        guard case .range(let lower, let upper, let includesUpper) = try translation.translate(range) else {
            throw refusal(range, "its bounds are no constants and no expressions")
        }
        if let lower, let upper, includesUpper { return .predicate(.compare(element, .between, .aggregate([lower, upper]))) }
        var tests: [PredicateNode] = []
        if let lower { tests.append(.compare(lower, .lessOrEqual, element)) }
        if let upper { tests.append(.compare(element, includesUpper ? .lessOrEqual : .less, upper)) }
        return .predicate(.all(tests))
    }
}
