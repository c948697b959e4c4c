import Foundation
import GrabenLog

@testable import GrabenPredicate

/// Random trees in the form the parser makes, and random formats.
struct RandomPredicates {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed) }

    mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func node(_ depth: Int) -> PredicateNode {
        switch depth > 0 ? below(8) : 5 + below(3) {
        case 0: return .not(node(depth - 1))
        case 1, 2: return .all(nodes(depth))
        case 3, 4: return .any(nodes(depth))
        case 5: return .constant(below(2) == 0)
        default: return .comparison(comparison(depth))
        }
    }

    private mutating func nodes(_ depth: Int) -> [PredicateNode] { (0..<2 + below(3)).map { _ in node(depth - 1) } }

    mutating func comparison(_ depth: Int) -> PredicateComparison {
        let operation = pick(PredicateOperator.allCases)
        var options: PredicateStringOptions = []
        if operation != .between { for letter in PredicateStringOptions.letters where below(6) == 0 { options.insert(letter.option) } }
        return PredicateComparison(
            quantifier: pick([nil, nil, .any, .all, .some(PredicateQuantifier.none)]), left: value(depth), comparison: operation,
            options: options, right: value(depth))
    }

    mutating func key() -> String {
        pick([
            "number", "title", "items", "in", "SELF", "größe", "last", "_x1", "a b", "", "x.y", "it's", "\u{1F600}", "self", "customer",
            "price",
        ])
    }

    mutating func text() -> String {
        pick([
            "", "a", "O'Brien", "say \"hi\"", "back\\slash", "\n\t\r\u{0}\u{1F}\u{7F}", "%@ %K $x", "é", "e\u{301}", "😀", "\u{FEFF}x", "*?",
            "[a",
        ])
    }

    mutating func constant() -> Value {
        switch below(14) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2: return .int(pick([0, 1, -1, 42, .max, .min, .min + 1]))
        case 3: return .int(Int64(truncatingIfNeeded: random.next()))
        case 4: return .double(pick([0, -0.0, 0.1, -7.5, 1e300, .leastNonzeroMagnitude, .nan, .infinity, -.infinity, 4]))
        case 5: return .double(Double(bitPattern: random.next()).isNaN ? 1 : Double.random(in: -1e9...1e9, using: &random))
        case 6: return .decimal(Decimal(string: pick(["0", "-1.5", "123456789012345678901234567890.12345", "1e20", "0.1"])) ?? 0)
        case 7: return .date(Date(timeIntervalSinceReferenceDate: Double(below(1_000_000)) / 8))
        case 8: return .data(Data((0..<below(5)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
        case 9: return .uuid(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8") ?? UUID())
        case 10: return .reference(ObjectID(store: UInt32(below(3)), entity: 7, row: .max))
        case 11: return pick([.uri("https://example.org/a?b=\"c\""), .json(Data("{}".utf8))])
        default: return .string(text())
        }
    }

    mutating func value(_ depth: Int) -> ValueExpression {
        switch depth > 0 ? below(14) : below(4) {
        case 0: return .value(constant())
        case 1: return .path(.object, steps(depth))
        case 2: return pick([.object, .variable("x"), .variable("size"), .variable("größe")])
        case 3: return .value(constant())
        case 4: return .aggregate((0..<below(4)).map { _ in value(depth - 1) })
        case 5: return .stepped(value(depth - 1), steps(depth))
        case 6, 7:
            let level = pick(ArithmeticLevel.allCases)
            let operations = ArithmeticOperator.allCases.filter { $0.level == level && $0 != .modulus }
            return .chained(
                level, value(depth - 1), (0...below(3)).map { _ in ArithmeticTerm(operation: pick(operations), operand: value(depth - 1)) })
        case 8: return .signed(pick(UnaryOperator.allCases), value(depth - 1))
        case 9, 10:
            let function = pick(PredicateFunction.allCases)
            return .function(function, (0..<function.argumentCount).map { _ in value(depth - 1) })
        case 11: return .casting(value(depth - 1), .value(.string(pick(["NSDate", "NSNumber", "NSString", "NSUUID", "what"]))))
        case 12: return .ternary(node(depth - 1), value(depth - 1), value(depth - 1))
        default: return .subquery(value(depth - 1), variable: pick(["x", "i"]), node(depth - 1))
        }
    }

    mutating func steps(_ depth: Int) -> [PredicateStep] {
        var steps: [PredicateStep] = [.key(key())]
        while below(2) == 0 {
            switch below(depth > 0 ? 5 : 2) {
            case 0, 1: steps.append(.key(key()))
            case 2: steps.append(.index(value(depth - 1)))
            case 3: steps.append(pick([.first, .last, .size]))
            default:
                let operation = pick(CollectionOperator.allCases)
                var keys: [PredicateStep] = (0..<below(3)).map { _ in .key(key()) }
                if below(4) == 0 { keys.append(.collection(.count, [])) }
                steps.append(.collection(operation, keys))
                // A key behind would be the operator's.
                if below(2) == 0 { steps.append(.first) } else { return steps }
            }
        }
        return steps
    }

    /// Tokens in any order.
    mutating func soup() -> String {
        let tokens = [
            "AND", "OR", "NOT", "!", "&&", "||", "ANY", "ALL", "NONE", "(", ")", "(", ")", "{", "}", "[", "]", ",", ".", "==", "!=", "<",
            ">=", "=<",
            "BETWEEN", "IN", "CONTAINS", "[cd]", "LIKE", "MATCHES", "number", "title", "items", "price", "tags", "SELF", "$x", "$y",
            "@count", "@sum",
            "'a'", "\"b\"", "1", "2.5", "0x1F", "nil", "TRUE", "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(", "sqrt(", "max(",
            "modulus:by:(", "-",
            "+", "*", "/", "**", "~", "|", "^", "&", "<<", "#in", "%@", "%K", "%d", "FIRST", "SIZE", "TRUEPREDICATE", "FALSEPREDICATE", "'",
            "\\",
            "?", ":", ":=", "é", "😀", "\u{0}", "@", "#", "$", "%", "'[a-z'", "now()", "random()", "customer",
        ]
        return (0..<1 + below(24)).map { _ in pick(tokens) }.joined(separator: pick([" ", " ", " ", ""]))
    }
}
