import Foundation
import Graben
import GrabenFixtures
import GrabenFoundation
import Testing

@Suite("Foundation's predicates")
struct PredicateTests {
    /// The translation is the tree of the format, and finds the objects that Foundation's own evaluation finds.
    private func check<T: ManagedObject>(
        _ predicate: Predicate<T>, _ format: String, _ arguments: (any PredicateArgument)?...,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let translated = try ObjectPredicate(predicate)
        #expect(try translated == ObjectPredicate(format: format, arguments: arguments), "\(translated)", sourceLocation: location)
        let context = try network()
        let all = try context.fetch(FetchRequest<T>())
        let wanted = try all.filter { try predicate.evaluate($0) }.map(\.objectID)
        let found = try context.fetchIDs(FetchRequest<T>(predicate: translated))
        #expect(found == wanted, "\(translated)", sourceLocation: location)
    }

    @Test("comparisons, logic and Booleans")
    func logic() throws {
        try check(#Predicate<Node> { $0.x > 20 && $0.z <= 10.5 }, "x > 20.0 AND z <= 10.5")
        try check(#Predicate<Node> { $0.isOpen }, "isOpen == YES")
        try check(#Predicate<Node> { !$0.isOpen || $0.count == 3 }, "NOT isOpen == YES OR count == 3")
        try check(#Predicate<Node> { $0.isChecked == true }, "isChecked == YES")
        try check(#Predicate<Node> { $0.isChecked != false }, "isChecked != NO")
        try check(#Predicate<Node> { $0.name == nil }, "name == nil")
        try check(#Predicate<Node> { $0.name != nil && $0.name != "beta5" }, "name != nil AND name != 'beta5'")
        try check(#Predicate<Node> { ($0.isOpen ? $0.count : 7) > 5 }, "TERNARY(isOpen == YES, count, 7) > 5")
        try check(#Predicate<Node> { _ in true }, "TRUEPREDICATE")
    }

    @Test("arithmetic, with integers as Swift has them")
    func arithmetic() throws {
        try check(#Predicate<Node> { $0.count + 2 * $0.count - 1 > 5 }, "count + 2 * count - 1 > 5")
        try check(#Predicate<Node> { -$0.count / 3 == 2 }, "(-count) / 3 == 2")
        try check(#Predicate<Node> { $0.count % 4 == -1 }, "modulus:by:(count, 4) == -1")
        try check(#Predicate<Node> { $0.x / 2 - $0.y > 3.5 }, "x / 2.0 - y > 3.5")
    }

    @Test("captured values are constants, whatever their type")
    func captured() throws {
        let limit = 12.5
        let names: Set<String> = ["beta5"]
        let list = [1, 2, 5]
        let date = Date(timeIntervalSinceReferenceDate: 7000)
        let range = 3...9
        let open = 2.0..<8.0
        let filter = Filter(minimum: 4, word: "ABBA")
        let nothing: String? = nil
        try check(#Predicate<Node> { $0.x >= limit }, "x >= 12.5")
        try check(#Predicate<Node> { names.contains($0.label) }, "label IN %@", ["beta5"])
        try check(#Predicate<Node> { list.contains($0.count) }, "count IN {1, 2, 5}")
        try check(#Predicate<Node> { $0.built ?? date > date }, "TERNARY(built == nil, %@, built) > %@", date, date)
        try check(#Predicate<Node> { range.contains($0.count) }, "count BETWEEN {3, 9}")
        try check(#Predicate<Node> { open.contains($0.x) }, "2.0 <= x AND x < 8.0")
        try check(#Predicate<Node> { ($0.count...20).contains(3) }, "3 BETWEEN {count, 20}")
        try check(#Predicate<Node> { $0.count > filter.minimum && $0.label != filter.word }, "count > 4 AND label != 'ABBA'")
        try check(#Predicate<Node> { $0.name == nothing }, "name == nil")
        let steel = Material.steel
        try check(#Predicate<Node> { $0.material == steel }, "material == 'steel'")
    }

    private struct Filter: Codable {
        let minimum: Int
        let word: String
    }

    @Test("strings")
    func strings() throws {
        try check(#Predicate<Node> { $0.label.contains("l 1") }, "label CONTAINS 'l 1'")
        try check(#Predicate<Node> { $0.label.starts(with: "label 2") }, "label BEGINSWITH 'label 2'")
        try check(#Predicate<Node> { $0.label.isEmpty }, "label == ''")
        try check(#Predicate<Node> { $0.name?.contains("B") == true }, "name != nil AND name CONTAINS 'B'")
        try check(#Predicate<Node> { $0.name?.contains("B") ?? false }, "name != nil AND name CONTAINS 'B'")
        try check(
            #Predicate<Node> { $0.name?.contains("B") ?? true },
            "(name != nil AND name CONTAINS 'B') OR (NOT name != nil AND TRUEPREDICATE)")
        try check(#Predicate<Node> { $0.name?.starts(with: "A") == nil }, "NOT name != nil")
        try check(#Predicate<Node> { $0.label.contains(/l 1[0-5]/) }, "label MATCHES '(?s:.*)(?:l 1[0-5])(?s:.*)'")
    }

    @Test("paths, and objects that are not there")
    func paths() throws {
        try check(#Predicate<Node> { $0.zone == nil }, "zone == nil")
        try check(#Predicate<Node> { $0.zone?.name == "north" }, "zone.name == 'north'")
        try check(#Predicate<Pipe> { $0.start?.zone?.name == "south" }, "start.zone.name == 'south'")
        try check(#Predicate<Node> { ($0.zone?.name ?? "none") == "none" }, "TERNARY(zone.name == nil, 'none', zone.name) == 'none'")
        try check(
            #Predicate<Node> { $0.zone?.pipes.count == 0 }, "TERNARY(zone != nil, zone.pipes.@count, nil) == 0")
        try check(
            #Predicate<Node> { ($0.zone.flatMap { $0.pipes.count } ?? 100) > 5 },
            "TERNARY(TERNARY(zone != nil, zone.pipes.@count, nil) == nil, 100, TERNARY(zone != nil, zone.pipes.@count, nil)) > 5")
    }

    @Test("to-many relationships")
    func collections() throws {
        try check(#Predicate<Node> { $0.outgoing.count > 1 }, "outgoing.@count > 1")
        try check(#Predicate<Node> { $0.outgoing.isEmpty }, "outgoing.@count == 0")
        try check(
            #Predicate<Node> { $0.outgoing.contains { $0.length > 30 } },
            "SUBQUERY(outgoing, $member, $member.length > 30.0).@count != 0")
        try check(
            #Predicate<Node> { node in node.outgoing.allSatisfy { $0.length > node.x } },
            "SUBQUERY(outgoing, $member, NOT $member.length > x).@count == 0")
        try check(
            #Predicate<Zone> { $0.nodes.contains { $0.outgoing.contains { $0.zone == nil } && $0.isOpen } },
            "SUBQUERY(nodes, $member, SUBQUERY($member.outgoing, $member2, $member2.zone == nil).@count != 0 AND $member.isOpen == YES)"
                + ".@count != 0")
        try check(
            #Predicate<Node> { $0.outgoing.filter { $0.length > 10 }.count == 2 },
            "SUBQUERY(outgoing, $member, $member.length > 10.0).@count == 2")
    }

    @Test("inherited properties are found from the subclass, and a cast goes on from the object")
    func inheritance() throws {
        try check(#Predicate<Valve> { $0.name != nil && $0.diameter > 5 && $0.x < 30 }, "name != nil AND diameter > 5.0 AND x < 30.0")
    }

    @Test("what has no counterpart is a typed error that names it")
    func refusals() throws {
        func text<T: ManagedObject>(_ predicate: Predicate<T>) -> String {
            do throws(PredicateTranslationError) { return "\(try ObjectPredicate(predicate))" } catch { return "\(error)" }
        }
        do throws(PredicateTranslationError) {
            _ = try ObjectPredicate(#Predicate<Node> { $0.doubled > 1 })
            Issue.record("a computed property was translated")
        } catch {
            guard case .unmappedKeyPath(let path) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(path.className == "Node" && path.description.contains("propertyKeyPaths"))
        }
        #expect(text(#Predicate<Node> { $0.label.count > 3 }).contains("length"))
        #expect(text(#Predicate<Node> { ($0 as? Valve) != nil }).contains("format string"))
        #expect(text(#Predicate<Node> { $0.position.x > 1 }).contains("propertyKeyPaths"))
    }

    @Test("orders keep their key, direction and way of comparing")
    func orders() throws {
        #expect(try ObjectSortDescriptor(SortDescriptor(\Node.x)) == ObjectSortDescriptor("x"))
        #expect(try ObjectSortDescriptor(SortDescriptor(\Valve.name, order: .reverse)).description == "-name")
        #expect(try ObjectSortDescriptor(SortDescriptor(\Node.label, comparator: .lexical)) == ObjectSortDescriptor("label"))
        #expect(try ObjectSortDescriptor(\Valve.count, ascending: false) == ObjectSortDescriptor("count", ascending: false))
        #expect(throws: UnmappedKeyPath.self) { try ObjectSortDescriptor(\Node.doubled) }
        #expect(throws: PredicateTranslationError.self) { try ObjectSortDescriptor(SortDescriptor(\Node.doubled)) }

        let request = try Node.fetchRequest(
            where: #Predicate { $0.x > 20 }, sortedBy: SortDescriptor(\.label, comparator: .lexical), SortDescriptor(\.x, order: .reverse))
        let found = try network().fetch(request)
        #expect(found.count == 19)
        #expect(found.map(\.label) == found.map(\.label).sorted())
        #expect(found.filter(\.label.isEmpty).map(\.x) == found.filter(\.label.isEmpty).map(\.x).sorted(by: >))
    }
}
