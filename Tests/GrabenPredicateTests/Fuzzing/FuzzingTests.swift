import Foundation
import GrabenLog
import PredicateFuzzing
import Testing

@testable import GrabenPredicate

@Suite("Hostile formats")
struct FuzzingTests {
    @Test("whatever the text, it ends in an answer or a typed error, prints as itself and answers the same again", arguments: 0..<4)
    func mutations(seed: Int) {
        var fuzzer = PredicateFuzzer(seed: UInt64(seed))
        for _ in 0..<1_500 {
            if let finding = fuzzer.check(fuzzer.next()) { Issue.record("\(finding)") }
        }
        #expect(fuzzer.parsed > 100 && fuzzer.answered > 20)
    }

    private func seconds(_ body: () throws -> Void) throws -> Double {
        let clock = ContinuousClock()
        let time = try clock.measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    // Each SUBQUERY in a SUBQUERY multiplied the members looked at: forty of them over three members never ended. A predicate from a command
    // line could hang the program. Members are counted now, and there is a limit for each object.
    @Test("SUBQUERYs inside each other end in an error when they look at too many members")
    func nestedSubqueries() throws {
        let deep = String(repeating: "SUBQUERY(items, $i, ", count: 40) + "number == 42" + String(repeating: ").@count > 0", count: 40)
        let time = try seconds { #expect(Sample.outcome(deep) == "eval-error") }
        #expect(time < 60)
        let three = String(repeating: "SUBQUERY(items, $i, ", count: 3) + "number == 42" + String(repeating: ").@count == 3", count: 3)
        #expect(Sample.outcome(three) == "true")
        let row = Row(0)
        row.lines = [row, row, row]
        #expect(throws: ObjectPredicateError.self) { try row.matches("ANY lines" + String(repeating: ".lines", count: 60) + ".x == 1") }
        #expect(try row.matches("lines.lines.lines.lines.@count == 81"))
    }

    // An index was compiled twice, so each index inside an index doubled the time of binding: forty of them never ended.
    @Test("indexes inside each other are bound in a time that grows with their number")
    func nestedIndexes() throws {
        let nested = String(repeating: "history[", count: 250) + "0" + String(repeating: "]", count: 250) + " != 7"
        let time = try seconds { #expect(Sample.outcome(nested) == "true") }
        #expect(time < 20)
    }

    // Searching compared at every place, so half a megabyte of one letter, looked for in another half, took minutes.
    @Test("searches take a time that is linear in text and pattern, whatever they hold")
    func searches() throws {
        let many = String(repeating: "a", count: 300_000)
        let needle = String(repeating: "a", count: 100_000) + "b"
        let record = PlainRecord([("s", .value(.string(many)))])
        func answer(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> Bool {
            try ObjectPredicate(format: format, arguments: arguments).bind(to: record.schema).evaluate(record)
        }
        let time = try seconds { () throws in
            #expect(try !answer("s CONTAINS %@", needle))
            #expect(try answer("%@ CONTAINS %@", many + needle, needle))
            #expect(try !answer("s LIKE %@", "*\(needle)*"))
            #expect(try !answer("s LIKE %@", "*?\(needle)?*"))
            #expect(try answer("s LIKE %@", "*" + String(repeating: "a*", count: 50_000)))
            #expect(throws: ObjectPredicateError.self) { try answer("s LIKE %@", "*aa?\(needle)*") }
            #expect(throws: ObjectPredicateError.self) { try answer("s LIKE TERNARY(s == 'x', 'x', %@)", "*aa?\(needle)*") }
            #expect(try answer("s LIKE %@", "aa?" + many.dropFirst(3)))
        }
        #expect(time < 40)
    }

    @Test("lists of lists are looked up as fast as lists")
    func lists() throws {
        let lists = PredicateLiteral.collection((0..<20_000).map { .collection([.value(.int($0)), .value(.double(0.5))]) })
        let shifted = PredicateLiteral.collection((20_000..<40_000).map { .collection([.value(.int($0)), .value(.double(0.5))]) })
        let record = PlainRecord([("n", .value(.int(1)))])
        let time = try seconds { () throws in
            for (format, wanted) in [("ANY %@ IN %@", false), ("count(mode(%@)) == 20000 AND ANY %@ == {20000, 0.5}", true)] {
                let predicate = try ObjectPredicate(format: format, arguments: [lists, shifted])
                #expect(try predicate.bind(to: record.schema).evaluate(record) == wanted)
            }
        }
        #expect(time < 30)
    }
}
