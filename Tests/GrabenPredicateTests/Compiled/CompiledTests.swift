import Foundation
import GrabenLog
import Testing

@testable import GrabenPredicate

@Suite("Compiled comparisons")
struct CompiledTests {
    private static let integers: [Int64] = [.min, .min + 1, -1 << 53 - 1, -3, -1, 0, 1, 2, 7, 1 << 53, 1 << 53 + 1, .max - 1, .max]
    private static let doubles: [Double] = [
        -.infinity, -1e300, -0x1p63, -9_007_199_254_740_994, -2.5, -.leastNonzeroMagnitude, -0.0, 0, .leastNonzeroMagnitude, 0.1, 1, 2.5, 7,
        0x1p53, 0x1p63, 0x1p63.nextDown, 1e300, .infinity, .nan,
    ]
    private static let texts = [
        "", "a", "A", "ab", "aB", "abc", "b", "é", "e\u{301}", "É", "ß", "ss", "SS", "a\u{0}", "a\u{0}b", "\u{1F600}", "*", "a*", "ﬃ", "i̇",
    ]
    private static var decimals: [Decimal] {
        ["0", "2.5", "-0.1", "9007199254740993", "123456789012345678901234567890"].map { Decimal(string: $0) ?? 0 }
    }

    static var values: [Value] {
        integers.map { .int($0) } + doubles.map { .double($0) } + [.float(2.5), .float(0.1), .float(-0.0), .float(.nan)] + [
            .bool(true), .bool(false), .null,
        ]
    }

    private static let dates: [Value] = doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } + [.null]
    private static let strings: [Value] = texts.map { .string($0) } + [.null, .uri("a")]

    private func check(_ format: String, _ arguments: [(any PredicateArgument)?], key: String, _ values: [Value]) throws {
        let predicate = try ObjectPredicate(format: format, arguments: arguments)
        guard let bound = try? predicate.bind(to: Typed.Schema()) else { return }
        for value in values {
            let row = Typed(key, value)
            guard let expected = try? bound.evaluate(row) else { continue }
            let found = try bound.compiled.answer(row)
            if found != expected { Issue.record("\(predicate) compiled says \(found) of \(value)") }
        }
    }

    @Test("a comparison of numbers as ranges is true of the numbers the language says, NaN, -0, nil and the ends of Int64 among them")
    func numbers() throws {
        let constants: [Value] = Self.values + Self.decimals.map { .decimal($0) } + [.string("a"), .date(Date())]
        for constant in constants {
            for operation in ["==", "!=", "<", "<=", ">", ">="] {
                try check("n \(operation) %@", [constant], key: "n", Self.values)
                try check("NOT n \(operation) %@", [constant], key: "n", Self.values)
            }
            for other in constants.prefix(20) {
                try check("n BETWEEN {%@, %@}", [constant, other], key: "n", Self.values)
                try check("n IN {%@, %@, nil}", [constant, other], key: "n", Self.values)
            }
        }
        try check("n IN %@", [PredicateLiteral.collection(constants.map { .value($0) })], key: "n", Self.values)
    }

    @Test("a comparison of dates as ranges is true of the dates the language says")
    func dates() throws {
        for constant in Self.dates + [.int(1)] {
            for operation in ["==", "!=", "<", "<=", ">", ">="] { try check("d \(operation) %@", [constant], key: "d", Self.dates) }
            try check("d BETWEEN {%@, %@}", [constant, .date(Date(timeIntervalSinceReferenceDate: 1e300))], key: "d", Self.dates)
            try check("d IN {%@, nil, 5}", [constant], key: "d", Self.dates)
        }
    }

    @Test("a comparison of texts by their bytes is true of the texts the language says, whatever the options")
    func texts() throws {
        for constant in Self.strings + [.string("a*"), .string("*b"), .string("?"), .string("\\*"), .string("*a*b*"), .int(1)] {
            for options in ["", "[c]", "[d]", "[cd]"] {
                for operation in ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"] {
                    try check("s \(operation)\(options) %@", [constant], key: "s", Self.strings)
                }
                try check("s IN\(options) {%@, 'B', 7}", [constant], key: "s", Self.strings)
                try check("NOT s IN\(options) {%@, nil}", [constant], key: "s", Self.strings)
            }
            try check("s BETWEEN {%@, 'b'}", [constant], key: "s", Self.strings)
        }
    }

    @Test("comparisons of numbers, dates and texts with constants compile; what needs more than stored bytes is left to the interpreter")
    func forms() throws {
        func form(_ format: String) throws -> String {
            try ObjectPredicate(format: format).bind(to: Typed.Schema()).compiled.outline
        }
        #expect(try form("n > 5 AND s BEGINSWITH 'ab'") == "(numbers and text)")
        #expect(try form("s BEGINSWITH 'ab' AND (n > 5 AND n < 7)") == "(text and numbers and numbers)")
        #expect(try form("s MATCHES 'a' OR n == nil OR s LIKE[c] 'x*'") == "(interpreted or null or text)")
        #expect(try form("n != 3") == "not numbers")
        #expect(try form("n IN {1, nil}") == "(null or numbers)")
        #expect(try form("n + 1 > 5") == "interpreted")
        // What may fail stays where it is written, so that an error comes or does not come whatever the plan.
        let mixed = try ObjectPredicate(format: "s == 'a' AND n > 5 AND n / 0 > 1 AND s == 'a' AND n > 5").bind(to: Typed.Schema()).compiled
        let arranged = mixed.arranged { test in
            if case .attribute(let attribute) = test, case .numbers = attribute.form { return 1 }
            return 2
        }
        #expect(arranged.outline == "(numbers and text and interpreted and numbers and text)")
    }

    @Test("parts before the first that may fail can be looked at in any order, and those behind it cannot")
    func leading() throws {
        func count(_ format: String) throws -> Int {
            try ObjectPredicate(format: format).bind(to: Typed.Schema()).compiled.leadingConjuncts.count
        }
        #expect(try count("n > 5 AND s == 'a'") == 2)
        #expect(try count("n > 5 AND n / 0 > 1 AND s == 'a'") == 1)
        #expect(try count("n / 0 > 1 AND s == 'a'") == 0)
        #expect(try count("next.n > 5 AND s == 'a' AND ANY many.s == 'x' AND many.@count > 1") == 4)
        #expect(try count("s MATCHES 'x' AND s == 'a'") == 0)
        #expect(try count("SUBQUERY(many, $m, $m.n > 1).@count > 2 AND s == 'a'") == 2)
    }
}

extension CompiledTest {
    /// The answer of the tree as a store would give it, from the value alone.
    func answer(_ row: Typed) throws -> Bool {
        switch self {
        case .constant(let answer): return answer
        case .not(let inner): return !(try inner.answer(row))
        case .all(let members): return try members.allSatisfy { try $0.answer(row) }
        case .any(let members): return try members.contains { try $0.answer(row) }
        case .evaluated(let conjunct): return try conjunct.evaluate(row)
        case .attribute(let test):
            guard let form = test.form else { return try test.conjunct.evaluate(row) }
            switch (form, row.value) {
            case (.isNull, let value): return value == .null
            case (_, .null): return false
            case (.numbers(let numbers), .int(let x)): return numbers.contains(x)
            case (.numbers(let numbers), .bool(let x)): return numbers.contains(x ? 1 : 0 as Int64)
            case (.numbers(let numbers), .double(let x)): return numbers.contains(x)
            case (.numbers(let numbers), .float(let x)): return numbers.contains(Double(x))
            case (.numbers(let numbers), .date(let x)): return numbers.contains(x.timeIntervalSinceReferenceDate)
            case (.text(let text), .string(let x)), (.text(let text), .uri(let x)):
                return Array(x.utf8).withUnsafeBytes { text.matches($0) }
            default: return false
            }
        }
    }

    var outline: String {
        switch self {
        case .constant(let answer): "\(answer)"
        case .not(let inner): "not " + inner.outline
        case .all(let members): "(" + members.map(\.outline).joined(separator: " and ") + ")"
        case .any(let members): "(" + members.map(\.outline).joined(separator: " or ") + ")"
        case .evaluated: "interpreted"
        case .attribute(let test):
            switch test.form {
            case nil: "interpreted"
            case .isNull: "null"
            case .numbers: "numbers"
            case .text: "text"
            }
        }
    }
}

/// An object with one value, under the name of its family.
final class Typed: PredicateObject {
    struct Schema: PredicateSchema {
        let name = "Typed"
        let propertyNames = ["n", "s", "d", "next", "many"]
        func property(named name: String) -> PredicateProperty? {
            switch name {
            case "n": PredicateProperty(index: 0, kind: .attribute(.number))
            case "s": PredicateProperty(index: 1, kind: .attribute(.string))
            case "d": PredicateProperty(index: 2, kind: .attribute(.date))
            case "next": PredicateProperty(index: 3, kind: .toOne(Schema()))
            case "many": PredicateProperty(index: 4, kind: .toMany(Schema(), ordered: false))
            default: nil
            }
        }
    }
    let index: Int
    let value: Value

    init(_ key: String, _ value: Value) {
        index = ["n", "s", "d"].firstIndex(of: key) ?? 0
        self.value = value
    }
    var predicateIdentity: ObjectID? { nil }
    var predicateSchema: any PredicateSchema { Schema() }
    func predicateValue(at index: Int) throws -> Value { index == self.index ? value : .null }
    func predicateTarget(at index: Int) throws -> (any PredicateObject)? { nil }
    func predicateMembers(at index: Int) throws -> [any PredicateObject] { [] }
}
