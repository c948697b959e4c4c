import Foundation
import GrabenLog
import Testing

@testable import GrabenPredicate

@Suite("Sorting")
struct SortTests {
    @Test("S96 nil comes first ascending and last descending, NaN after nil, strings by scalar")
    func order() {
        let ascending: [Value] = [
            .null, .double(.nan), .double(-.infinity), .int(-1), 0, .double(0.5), 1, "Z", "a", "z", "é", "😀",
            .date(Date(timeIntervalSinceReferenceDate: 0)),
        ]
        let up = ObjectSortDescriptor("x")
        for (i, a) in ascending.enumerated() {
            for (j, b) in ascending.enumerated() {
                #expect(up.compare(a, b).signum() == (i - j).signum(), "\(a) \(b)")
                #expect(up.reversed.compare(a, b).signum() == (j - i).signum())
            }
        }
        #expect(up.compare(.double(0), .double(-0.0)) == 0)
        #expect(up.compare(.int(9_007_199_254_740_993), .double(9_007_199_254_740_992)) == 1)
    }

    @Test("case-insensitive and natural comparisons are orders that end with the scalars")
    func comparisons() {
        let natural = ObjectSortDescriptor("x", comparison: .natural)
        let names = ["", "a", "A1", "a2", "A10", "a010b", "á11", "b", "B", "ß", "z"]
        for (i, a) in names.enumerated() {
            for (j, b) in names.enumerated() where i < j && a.lowercased() != b.lowercased() {
                #expect(natural.compare(.string(a), .string(b)) < 0, "\(a) \(b)")
            }
        }
        let folded = ObjectSortDescriptor("x", comparison: .caseInsensitive)
        #expect(folded.compare("a", "B") < 0)
        #expect(folded.compare("B", "a") > 0)
        #expect(folded.compare("A", "a") < 0)
        #expect(folded.compare("a", "a") == 0)
    }

    @Test("an order written as text reads as it is meant and prints back")
    func parsing() throws {
        #expect(try ObjectSortDescriptor.parse("name, -z") == [.init("name"), .init("z", ascending: false)])
        #expect(
            try ObjectSortDescriptor.parse("a.b:desc,c:ASC:natural,-d:ci") == [
                .init("a.b", ascending: false), .init("c", comparison: .natural),
                .init("d", ascending: false, comparison: .caseInsensitive),
            ])
        #expect(try ObjectSortDescriptor.parse("").isEmpty)
        for text in [",", "a,", "-", "a:up", "a..b", "a:", ":asc"] {
            #expect(throws: ObjectPredicateError.self, "\(text)") { try ObjectSortDescriptor.parse(text) }
        }
        let all = [
            ObjectSortDescriptor("a", ascending: false, comparison: .natural), .init("b.c"), .init("d", comparison: .caseInsensitive),
        ]
        #expect(try ObjectSortDescriptor.parse(all.map(\.description).joined(separator: ",")) == all)
        #expect(try ObjectSortDescriptor(text: "-x") == .init("x", ascending: false))
        #expect(throws: ObjectPredicateError.self) { try ObjectSortDescriptor(text: "a,b") }
    }

    @Test("a bound order sorts objects along to-one paths and refuses keys without one value")
    func binding() throws {
        let rows = (0..<6).map { Row(UInt32($0), name: .string("n\(5 - $0)"), x: .int(Int64($0 % 2))) }
        rows[0].next = rows[1]
        rows[1].next = rows[0]
        func sorted(_ text: String) throws -> [UInt64] {
            let order = try BoundSortOrder(ObjectSortDescriptor.parse(text), schema: Row.Schema())
            let keyed = try rows.map { (try order.values(of: $0), $0.id.rowNumber) }
            return keyed.sorted { order.compare($0.0, $1.0) == 0 ? $0.1 < $1.1 : order.compare($0.0, $1.0) < 0 }.map(\.1)
        }
        #expect(try sorted("x,name") == [4, 2, 0, 5, 3, 1])
        #expect(try sorted("-x") == [1, 3, 5, 0, 2, 4])
        #expect(try sorted("next.name") == [2, 3, 4, 5, 0, 1])
        #expect(try sorted("-next") == [0, 1, 2, 3, 4, 5])
        for text in ["nmae", "lines", "name.x", "neighbours", "next.lines"] {
            #expect(throws: ObjectPredicateError.self, "\(text)") {
                try BoundSortOrder(ObjectSortDescriptor.parse(text), schema: Row.Schema())
            }
        }
    }
}
