import Foundation
import GrabenLog
import GrabenPredicate

extension PredicateExpressions.Arithmetic: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        switch op {
        case .add: try arithmetic(lhs, .add, rhs, &translation)
        case .subtract: try arithmetic(lhs, .subtract, rhs, &translation)
        case .multiply: try arithmetic(lhs, .multiply, rhs, &translation)
        @unknown default: throw refusal(self, "the language has no such operator")
        }
    }
}

extension PredicateExpressions.IntDivision: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        try arithmetic(lhs, .divide, rhs, &translation)
    }
}

extension PredicateExpressions.FloatDivision: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        try arithmetic(lhs, .divide, rhs, &translation)
    }
}

extension PredicateExpressions.IntRemainder: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .value(.function(.modulus, [try translation.value(lhs), try translation.value(rhs)]))
    }
}

extension PredicateExpressions.UnaryMinus: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .value(.signed(.minus, try translation.value(wrapped)))
    }
}

private func arithmetic(
    _ lhs: any PredicateExpression, _ operation: ArithmeticOperator, _ rhs: any PredicateExpression, _ translation: inout Translation
) throws(PredicateTranslationError) -> Translated {
    let left = try translation.value(lhs)
    let right = try translation.value(rhs)
    return .value(.chained(operation.level, left, [ArithmeticTerm(operation: operation, operand: right)]))
}

// MARK: Extremes

extension PredicateExpressions.SequenceMaximum: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .value(.function(.max, [try translation.value(elements)]))
    }
}

extension PredicateExpressions.SequenceMinimum: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .value(.function(.min, [try translation.value(elements)]))
    }
}
