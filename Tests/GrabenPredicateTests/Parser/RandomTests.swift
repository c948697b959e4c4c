import Foundation
import GrabenLog
import Testing

@testable import GrabenPredicate

@Suite("Random predicates")
struct RandomTests {
    @Test("a printed tree parses back to the same tree")
    func roundTrip() throws {
        var random = RandomPredicates(seed: 1)
        for _ in 0..<20_000 {
            let root = random.node(4)
            let predicate = ObjectPredicate(root: root)
            let format = predicate.format
            let parsed = try ObjectPredicate(format: format)
            guard parsed == predicate else {
                Issue.record("\(format) parses to \(parsed.format)")
                return
            }
            #expect(parsed.format == format)
        }
    }

    @Test("no tree and no order of tokens makes parsing, binding or evaluation trap; each yields an answer or a typed error")
    func soup() throws {
        var random = RandomPredicates(seed: 2)
        let record = try TestData.record(Sample.json)
        let variables: [String: PredicateBinding] = ["x": .value(1), "y": .list([.value("a"), .value(.null)]), "size": .object(record)]
        var parsed = 0
        var answered = 0
        for round in 0..<40_000 {
            let predicate: ObjectPredicate
            if round % 2 == 0 {
                predicate = ObjectPredicate(root: random.node(4))
            } else {
                let format = random.soup()
                do throws(ObjectPredicateError) {
                    predicate = try ObjectPredicate(format: format, arguments: ["title", 3, [1, 2]])
                } catch {
                    guard case .syntax(let problem) = error else {
                        Issue.record("\(format): \(error)")
                        continue
                    }
                    // Making the text must not trap either.
                    if problem.position > format.unicodeScalars.count || problem.description.isEmpty { Issue.record("\(format)") }
                    continue
                }
                if try ObjectPredicate(format: predicate.format) != predicate { Issue.record("\(format) prints as \(predicate.format)") }
            }
            parsed += 1
            if (try? predicate.bind(to: record.schema, variables: variables).evaluate(record)) != nil { answered += 1 }
        }
        #expect(parsed > 20_000)
        #expect(answered > 100)
    }

    @Test("AND, OR and NOT over any tree answer what two-valued logic says")
    func logic() throws {
        let record = try TestData.record(#"{"t": 1, "f": 0}"#)
        var random = RandomPredicates(seed: 3)
        func tree(_ depth: Int) -> (node: PredicateNode, answer: Bool) {
            let choice = depth == 0 ? 0 : random.below(4)
            if choice == 1 {
                let inner = tree(depth - 1)
                return (.not(inner.node), !inner.answer)
            }
            if choice == 0 {
                let isTrue = random.below(2) == 0
                if random.below(4) == 0 { return (.constant(isTrue), isTrue) }
                return (.comparison(.init(left: .path(.object, [.key(isTrue ? "t" : "f")]), comparison: .equal, right: .value(1))), isTrue)
            }
            let parts = (0..<2 + random.below(3)).map { _ in tree(depth - 1) }
            return choice == 2
                ? (.all(parts.map(\.node)), parts.allSatisfy(\.answer)) : (.any(parts.map(\.node)), parts.contains { $0.answer })
        }
        for _ in 0..<5_000 {
            let (node, answer) = tree(4)
            let predicate = try ObjectPredicate(format: ObjectPredicate(root: node).format)
            #expect(try predicate.bind(to: record.schema).evaluate(record) == answer, "\(predicate)")
        }
    }

    @Test("deep trees are bound and evaluated on a small stack")
    func smallStack() throws {
        let nested = [
            String(repeating: "(", count: 250) + "number" + String(repeating: ")", count: 250) + " == 42",
            String(repeating: "NOT ", count: 250) + "number == 42",
            String(repeating: "(number == 42 AND (number == 1 OR ", count: 120) + "number == 42" + String(repeating: "))", count: 120),
            String(repeating: "TERNARY(number == 42, 1 + ", count: 250) + "0" + String(repeating: ", 0)", count: 250) + " == 250",
            String(repeating: "SUBQUERY(", count: 250) + "history" + String(repeating: ", $n, $n > 1)", count: 250) + ".@count == 3",
            String(repeating: "abs(1 | 0 ^ 0 & 1 << 0 + 1 * 1 ** ", count: 100) + "1" + String(repeating: ")", count: 100) + " == 1",
        ]
        for format in nested {
            let predicate = try ObjectPredicate(format: format)
            let answer = Box()
            let thread = Thread {
                if let record = try? TestData.record(Sample.json) {
                    answer.value = try? predicate.bind(to: record.schema).evaluate(record)
                }
                answer.done.signal()
            }
            thread.stackSize = 2 << 20
            thread.start()
            answer.done.wait()
            #expect(answer.value == true, "\(format.prefix(40))")
        }
    }

    private final class Box: @unchecked Sendable {
        var value: Bool?
        let done = DispatchSemaphore(value: 0)
    }
}
