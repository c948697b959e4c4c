import Foundation
import GrabenLog
import GrabenPredicate

extension PredicateExpressions.SequenceContains: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .predicate(.compare(try translation.value(element), .in, try translation.value(sequence)))
    }
}

extension PredicateExpressions.SequenceContainsWhere: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let collection = try translation.value(sequence)
        let name = translation.iterator(for: variable.key)
        let members = ValueExpression.subquery(collection, variable: name, try translation.predicate(test))
        return .predicate(.compare(members.count, .notEqual, .value(.int(0))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let collection = try translation.value(sequence)
        let name = translation.iterator(for: variable.key)
        let others = ValueExpression.subquery(collection, variable: name, .negated(try translation.predicate(test)))
        return .predicate(.compare(others.count, .equal, .value(.int(0))))
    }
}

extension PredicateExpressions.Filter: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        let collection = try translation.value(sequence)
        let name = translation.iterator(for: variable.key)
        return .value(.subquery(collection, variable: name, try translation.predicate(filter)))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        .value(.stepped(try translation.value(wrapped), [.index(try translation.value(index))]))
    }
}

// MARK: Strings

extension PredicateExpressions.CollectionContainsCollection: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        try text(Base.self, base, .contains, other, &translation)
    }
}

extension PredicateExpressions.SequenceStartsWith: Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        try text(Base.self, base, .beginsWith, prefix, &translation)
    }
}

extension PredicateExpressions.StringContainsRegex: Translatable {
    /// MATCHES takes the whole string, so the pattern gets anything before and behind it.
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
        guard case .opaque(let value) = try translation.translate(regex), let pattern = value as? PredicateExpressions.PredicateRegex else {
            throw refusal(regex, "a regular expression has to be a literal")
        }
        let whole = "(?s:.*)(?:\(pattern.stringRepresentation))(?s:.*)"
        return .predicate(.compare(try translation.value(subject), .matches, .value(.string(whole))))
    }
}

// Foundation has these on Apple's systems only.
#if canImport(Darwin)
    extension PredicateExpressions.StringCaseInsensitiveCompare: Translatable {
        func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
            .caseInsensitiveOrder(try translation.value(root), try translation.value(other))
        }
    }

    extension PredicateExpressions.StringLocalizedStandardContains: Translatable {
        func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated {
            let left = try translation.value(root)
            return .predicate(
                .compare(left, .contains, try translation.value(other), options: [.caseInsensitive, .diacriticInsensitive]))
        }
    }
#endif

private func text<Base: PredicateExpression>(
    _ type: Base.Type, _ base: any PredicateExpression, _ comparison: PredicateOperator, _ other: any PredicateExpression,
    _ translation: inout Translation
) throws(PredicateTranslationError) -> Translated {
    guard Base.Output.self is any StringProtocol.Type else {
        throw refusal(base, "only of strings can be asked whether they \(comparison == .contains ? "contain" : "begin with") another")
    }
    return .predicate(.compare(try translation.value(base), comparison, try translation.value(other)))
}
