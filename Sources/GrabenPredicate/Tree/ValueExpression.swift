import GrabenLog

/// A value of an object, a constant, or something computed from them.
package indirect enum ValueExpression: Sendable, Equatable {
    /// One constant. Never `.float` or `.references`: see `init(_: PredicateLiteral)`.
    case value(Value)
    /// `{a, b}`.
    case aggregate([ValueExpression])
    /// SELF, the object the predicate is about.
    case object
    /// `$name`.
    case variable(String)
    /// Keys, operators and indexes applied one after the other; at least one step.
    case path(ValueExpression, [PredicateStep])
    /// Operators of one precedence, applied from left to right; the first operand is never a chain of the same level.
    case chain(ArithmeticLevel, ValueExpression, [ArithmeticTerm])
    case unary(UnaryOperator, ValueExpression)
    case function(PredicateFunction, [ValueExpression])
    /// `FUNCTION(target, 'name', …)`: the target is the first argument.
    case custom(String, [ValueExpression])
    case cast(ValueExpression, ValueExpression)
    case ternary(PredicateNode, ValueExpression, ValueExpression)
    case subquery(ValueExpression, variable: String, PredicateNode)
}

/// One step of a path.
package indirect enum PredicateStep: Sendable, Equatable {
    case key(String)
    /// `@sum.price`: the keys are the whole rest of the path, applied to each member; none means the member itself.
    case collection(CollectionOperator, [PredicateStep])
    case index(ValueExpression)
    case first
    case last
    case size
}

/// The collection operators of key paths.
package enum CollectionOperator: String, Sendable, CaseIterable {
    case count
    case sum
    case average = "avg"
    case minimum = "min"
    case maximum = "max"
    case union = "unionOfObjects"
    case distinctUnion = "distinctUnionOfObjects"
}

/// The levels of binary operators, loosest first.
package enum ArithmeticLevel: Int, Sendable, CaseIterable {
    case bitOr = 5
    case bitXor, bitAnd, shift, sum, term, power
}

/// A binary operator of arithmetic.
package enum ArithmeticOperator: String, Sendable, CaseIterable {
    case bitOr = "|"
    case bitXor = "^"
    case bitAnd = "&"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case power = "**"
    /// Reached only through `modulus:by:`; the language has no sign for it.
    case modulus = "modulus:by:"

    package var level: ArithmeticLevel {
        switch self {
        case .bitOr: .bitOr
        case .bitXor: .bitXor
        case .bitAnd: .bitAnd
        case .shiftLeft, .shiftRight: .shift
        case .add, .subtract: .sum
        case .multiply, .divide, .modulus: .term
        case .power: .power
        }
    }
}

/// An operator and its right operand.
package struct ArithmeticTerm: Sendable, Equatable {
    package var operation: ArithmeticOperator
    package var operand: ValueExpression

    package init(operation: ArithmeticOperator, operand: ValueExpression) {
        self.operation = operation
        self.operand = operand
    }
}

package enum UnaryOperator: String, Sendable, CaseIterable {
    case minus = "-"
    case plus = "+"
    case complement = "~"
}

extension ValueExpression {
    /// A constant of the tree. Floats widen to doubles (exactly) and lists of ids become lists, so that each constant has one form, which
    /// is the one its printed form parses to.
    package init(_ literal: PredicateLiteral) {
        switch literal {
        case .value(.float(let x)): self = .value(.double(Double(x)))
        case .value(.references(let ids)): self = .aggregate(ids.map { .value(.reference($0)) })
        case .value(let value): self = .value(value)
        case .collection(let members): self = .aggregate(members.map(ValueExpression.init))
        }
    }

    /// A chain, with a first operand of the same level spliced in: `(a + b) + c` is `a + b + c`.
    package static func chained(_ level: ArithmeticLevel, _ first: ValueExpression, _ terms: [ArithmeticTerm]) -> ValueExpression {
        if terms.isEmpty { return first }
        if case .chain(level, let inner, let before) = first { return .chain(level, inner, before + terms) }
        return .chain(level, first, terms)
    }

    /// The sign of a number is part of the literal: `-7` is one constant.
    package static func signed(_ operation: UnaryOperator, _ operand: ValueExpression) -> ValueExpression {
        if operation == .minus {
            switch operand {
            case .value(.int(let x)) where x != .min: return .value(.int(-x))
            case .value(.double(let x)) where !x.isNaN: return .value(.double(-x))
            default: break
            }
        }
        return .unary(operation, operand)
    }

    /// Steps after an expression, merged with those it ends in unless the last one is an operator, which would swallow what follows.
    package static func stepped(_ base: ValueExpression, _ steps: [PredicateStep]) -> ValueExpression {
        guard let next = steps.first else { return base }
        guard case .path(let inner, let before) = base else { return .path(base, steps) }
        if case .collection = before.last {
            switch next {
            case .key, .collection: return .path(base, steps)
            default: break
            }
        }
        return .path(inner, before + steps)
    }
}
