public import Foundation
public import Graben
public import GrabenPredicate

/// One translation: what its variables stand for.
struct Translation {
    private var variables: [PredicateExpressions.VariableID: ValueExpression] = [:]
    private var subqueries = 0

    /// Gives a variable its meaning while a part is translated.
    mutating func bind(_ variable: PredicateExpressions.VariableID, _ expression: ValueExpression) {
        variables[variable] = expression
    }

    func expression(of variable: PredicateExpressions.VariableID) throws(PredicateTranslationError) -> ValueExpression {
        guard let expression = variables[variable] else {
            throw refusal("a variable", "it belongs to no closure around it")
        }
        return expression
    }

    /// A name no other SUBQUERY of the predicate has.
    mutating func iterator(for variable: PredicateExpressions.VariableID) -> String {
        subqueries += 1
        let name = subqueries == 1 ? "member" : "member\(subqueries)"
        variables[variable] = .variable(name)
        return name
    }

    mutating func translate(_ expression: any PredicateExpression) throws(PredicateTranslationError) -> Translated {
        guard let translatable = expression as? any Translatable else {
            throw refusal(expression, "the language has nothing like it; write this part as a format string")
        }
        return try translatable.translated(&self)
    }

    mutating func value(_ expression: any PredicateExpression) throws(PredicateTranslationError) -> ValueExpression {
        try translate(expression).value(expression)
    }

    mutating func predicate(_ expression: any PredicateExpression) throws(PredicateTranslationError) -> PredicateNode {
        try translate(expression).predicate(expression)
    }
}

/// An expression of Foundation's with a counterpart in the language; each conforms in `Expressions`.
protocol Translatable {
    func translated(_ translation: inout Translation) throws(PredicateTranslationError) -> Translated
}

extension ObjectPredicate {
    /// Translates a predicate of Foundation's:
    ///
    ///     let high = try ObjectPredicate(#Predicate<Joint> { $0.z > 700 && $0.name?.starts(with: "ky") == true })
    ///
    /// The result is the tree that a format string would be parsed to, and means what the language means: strings are equal when their
    /// Unicode scalars are, an object that a path does not find is nil rather than an error, and overflow is an error of evaluation.
    /// - Throws: `PredicateTranslationError` where a key path is no property's, or an expression has no counterpart.
    public init<T: ManagedObject>(_ predicate: Predicate<T>) throws(PredicateTranslationError) {
        var translation = Translation()
        translation.bind(predicate.variable.key, .object)
        self.init(root: try translation.predicate(predicate.expression))
    }
}
