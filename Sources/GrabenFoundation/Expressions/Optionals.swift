import Foundation
import Graben
import GrabenLog
import GrabenPredicate

extension PredicateExpressions.ForcedUnwrap: Translatable {
    // Where Swift would trap, the language goes on with nil.
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated { try translation.translate(inner) }
}

extension PredicateExpressions.NilCoalesce: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let left = try translation.translate(lhs)
        if case .optionalPredicate(let isThere, let node) = left {
            let other = try translation.predicate(rhs)
            if case .constant(false) = other { return .predicate(.all([isThere, node])) }
            return .predicate(.any([.all([isThere, node]), .all([.negated(isThere), other])]))
        }
        let value = try left.value(lhs)
        return .value(.ternary(.compare(value, .equal, .value(.null)), try translation.value(rhs), value))
    }
}

extension PredicateExpressions.OptionalFlatMap: Translatable {
    /// A key path from the value is the longer path; anything else is nil where the value is.
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let value = try translation.value(wrapped)
        translation.bind(variable.key, value)
        let isThere = PredicateNode.compare(value, .notEqual, .value(.null))
        switch try translation.translate(transform) {
        case .predicate(let node): return .optionalPredicate(isThere: isThere, node)
        case .optionalPredicate(let inner, let node): return .optionalPredicate(isThere: .all([isThere, inner]), node)
        case .value(let result):
            return .value(result.isPath ? result : .ternary(isThere, result, .value(.null)))
        case let other: return other
        }
    }
}

extension PredicateExpressions.ForceCast: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated { try translation.translate(input) }
}

// MARK: Predicates in predicates

// Foundation has this one on Apple's systems only.
#if canImport(Darwin)
    extension PredicateExpressions.PredicateEvaluate: Translatable {
        func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
            guard let inner = predicate as? PredicateExpressions.Value<Condition.Output> else {
                throw refusal(predicate, "a predicate inside another has to be a captured one")
            }
            try bind(inner.value, &translation)
            return .predicate(try translation.predicate(inner.value.expression))
        }

        private func bind(_ predicate: Condition.Output, _ translation: inout Translation) throws(PredicateTranslationError) {
            var inputs: [ValueExpression] = []
            for input in repeat each input { inputs.append(try translation.value(input)) }
            var place = 0
            for variable in repeat each predicate.variable {
                translation.bind(variable.key, inputs[place])
                place += 1
            }
        }
    }
#endif

extension PredicateExpressions.ExpressionEvaluate: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        guard let inner = expression as? PredicateExpressions.Value<Transformation.Output> else {
            throw refusal(expression, "an expression inside a predicate has to be a captured one")
        }
        var inputs: [ValueExpression] = []
        for input in repeat each input { inputs.append(try translation.value(input)) }
        var place = 0
        for variable in repeat each inner.value.variable {
            translation.bind(variable.key, inputs[place])
            place += 1
        }
        return try translation.translate(inner.value.expression)
    }
}
