import Foundation
import GrabenLog
import Testing

@testable import GrabenPredicate

@Suite("Numbers")
struct NumberTests {
    static let doubles: [Double] = [
        0, -0.0, 0.1, 0.5, 1, -1, 2.5, 42, -42, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 0x1p62, 0x1.fffffffffffffp62, -0x1.0000000000001p63,
        1e300,
        .leastNonzeroMagnitude, .infinity, -.infinity, .nan,
    ]
    static let integers: [Int64] = [0, 1, -1, 2, 42, -42, 1 << 53, 1 << 53 + 1, .max, .max - 1, .min, .min + 1, 1 << 62]
    static let decimals = [
        "0", "0.1", "-0.1", "0.5", "2.5", "42", "9007199254740993", "9223372036854775807", "9223372036854775808",
        "0.1000000000000000055511151231257827021", "1e100", "-1e-100", "0.30000000000000004",
    ].map { Decimal(string: $0) ?? 0 }

    @Test("an integer and a double compare as they would with unlimited precision")
    func integersAndDoubles() {
        for x in Self.integers {
            for y in Self.doubles {
                let expected: Int?
                if y.isNaN {
                    expected = nil
                } else if y.magnitude >= 0x1p64 {
                    expected = y > 0 ? -1 : 1
                } else {
                    // Twice both, as integers of 128 bits; what is left of the fraction below a half only breaks ties.
                    let whole = Int128(y.rounded(.down))
                    let fraction = y - y.rounded(.down)
                    expected = Int128(x) == whole ? (fraction > 0 ? -1 : 0) : (Int128(x) < whole ? -1 : 1)
                }
                #expect(NumberOrder.order(x, y) == expected, "\(x) \(y)")
            }
        }
    }

    @Test("a decimal and a double compare by their exact values")
    func decimalsAndDoubles() {
        func order(_ decimal: String, _ double: Double) -> Int? { NumberOrder.order(Decimal(string: decimal) ?? 0, double) }
        #expect(order("0.1", 0.1) == -1)
        #expect(order("0.1000000000000000055511151231257827021", 0.1) == -1)
        #expect(order("0.1000000000000000055511151231257827022", 0.1) == 1)
        #expect(order("-0.1", -0.1) == 1)
        #expect(order("0.5", 0.5) == 0)
        #expect(order("9007199254740993", 9_007_199_254_740_992) == 1)
        #expect(order("9007199254740992", 9_007_199_254_740_992) == 0)
        #expect(order("0", -0.0) == 0)
        #expect(order("0", .leastNonzeroMagnitude) == -1)
        #expect(order("0", -.leastNonzeroMagnitude) == 1)
        #expect(order("1e100", .infinity) == -1)
        #expect(order("1", .nan) == nil)
    }

    @Test("the order of numbers of all types is one order: antisymmetric, transitive, and keys agree with equality")
    func oneOrder() throws {
        let all: [Operand] =
            Self.integers.map { .int($0) } + Self.doubles.map { .double($0) } + Self.decimals.map { .decimal($0) } + [
                .bool(true), .bool(false),
            ]
        for a in all {
            for b in all {
                let order = try a.sortOrder(b)
                #expect(try order == -(b.sortOrder(a)), "\(a) \(b)")
                if a.equals(b) { #expect(OperandKey(a) == OperandKey(b), "\(a) \(b)") }
                if OperandKey(a) == OperandKey(b), OperandKey(a)?.equalsItself == true { #expect(a.equals(b), "\(a) \(b)") }
                for c in all where try order <= 0 && b.sortOrder(c) <= 0 {
                    if try a.sortOrder(c) > 0 { Issue.record("\(a) \(b) \(c)") }
                }
            }
        }
    }

    @Test("decimals compute as decimals, and what has no result is an error")
    func decimalArithmetic() throws {
        func value(_ text: String) -> Operand { .decimal(Decimal(string: text) ?? 0) }
        #expect(try Operand.arithmetic(.add, value("0.1"), value("0.2")).equals(value("0.3")))
        #expect(try Operand.arithmetic(.multiply, value("1.5"), .int(3)).equals(value("4.5")))
        #expect(try Operand.arithmetic(.divide, value("1"), .int(8)).equals(value("0.125")))
        #expect(throws: OperandProblem.self) { try Operand.arithmetic(.divide, value("1"), .int(0)) }
        #expect(throws: OperandProblem.self) { try Operand.arithmetic(.multiply, value("1e120"), value("1e120")) }
        #expect(try Operand.function(.floor, value("-1.5")).equals(value("-2")))
        #expect(try Operand.function(.ceiling, value("-1.5")).equals(value("-1")))
        #expect(try Operand.function(.trunc, value("1.9")).equals(value("1")))
        #expect(try Operand.function(.floor, value("2")).equals(value("2")))
    }

    @Test("comparing an attribute straight from its stored value answers what the general comparison answers")
    func fastPaths() throws {
        var values: [Value] = Self.integers.map { .int($0) } + Self.doubles.map { .double($0) } + Self.decimals.map { .decimal($0) }
        values += [
            .null, .bool(true), .bool(false), .float(0.1), .float(.nan), "", "a", "ab", "é", .uri("a"),
            .date(Date(timeIntervalSinceReferenceDate: 1)),
        ]
        let schema = Loose.Schema()
        for constant in values {
            for operation in [
                PredicateOperator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .contains, .in, .endsWith,
            ] {
                let right: PredicateLiteral =
                    operation == .in ? .collection(Array(repeating: .value(constant), count: 9)) : .value(constant)
                let fast = PredicateNode.comparison(
                    .init(left: .path(.object, [.key("v")]), comparison: operation, right: ValueExpression(right)))
                let slow = PredicateNode.comparison(
                    .init(
                        left: .function(.noindex, [.path(.object, [.key("v")])]), comparison: operation,
                        right: operation == .in
                            ? .aggregate(Array(repeating: .function(.noindex, [ValueExpression(.value(constant))]), count: 9))
                            : .function(.noindex, [ValueExpression(.value(constant))])))
                let bound = try? ObjectPredicate(root: fast).bind(to: schema)
                let general = try ObjectPredicate(root: slow).bind(to: schema)
                for value in values {
                    let expected = try? general.evaluate(Loose(v: value))
                    let found = try? bound?.evaluate(Loose(v: value))
                    if expected != found {
                        Issue.record(
                            "\(value) \(operation) \(constant): \(String(describing: found)), generally \(String(describing: expected))")
                    }
                    guard let answer = found, let condition = bound?.conjuncts.first?.condition else { continue }
                    if let said = condition.allows(value), said != answer { Issue.record("\(condition) says \(said) of \(value)") }
                }
            }
        }
    }
}

/// An object with one attribute of any family.
final class Loose: PredicateObject {
    struct Schema: PredicateSchema {
        let name = "Loose"
        let propertyNames = ["v"]
        func property(named name: String) -> PredicateProperty? {
            name == "v" ? PredicateProperty(index: 0, kind: .attribute(nil)) : nil
        }
    }
    let v: Value
    init(v: Value) { self.v = v }
    var predicateIdentity: ObjectID? { nil }
    var predicateSchema: any PredicateSchema { Schema() }
    func predicateValue(at index: Int) throws -> Value { v }
    func predicateTarget(at index: Int) throws -> (any PredicateObject)? { nil }
    func predicateMembers(at index: Int) throws -> [any PredicateObject] { [] }
}

extension PropertyCondition {
    /// What a planner reads out of the condition, by the sort order alone; nil where the condition alone does not decide.
    fileprivate func allows(_ value: Value) -> Bool? {
        let sort = ObjectSortDescriptor("v")
        func isNaN(_ value: Value) -> Bool { value != .null && !Operand(value).equals(Operand(value)) }
        func family(_ value: Value) -> PredicateFamily? { PredicateFamily(value) }
        switch self {
        case .compare(_, let operation, let bound):
            if value == .null || bound == .null || isNaN(value) || isNaN(bound) { return nil }
            if family(value) != family(bound) { return operation == .notEqual ? true : (operation == .equal ? false : nil) }
            return OrderMask(operation)?.accepts(sort.compare(value, bound))
        case .oneOf(_, let values): return values.contains { Operand($0).equals(Operand(value)) }
        case .prefix(_, let text, let isExact):
            guard isExact, case .string(let string) = value else { return nil }
            return string.utf8.starts(with: text.utf8)
        case .between: return nil
        }
    }
}
