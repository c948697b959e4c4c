import Foundation
import Graben
import GrabenFoundation
import Testing

/// Written by hand, and without a table of key paths.
private class Crate: ManagedObject {
    override class var packedAttributes: [String]? { ["x", "width"] }
    var title: String { attribute("title") ?? "" }
    var weight: Int? { attribute("weight") }
    var isOpen: Bool { attribute("isOpen") ?? false }
    var packedOn: Date? { attribute("packedOn") }
    var share: Float { attribute("share") ?? 0 }
    var owner: Crate? { toOne("owner") }
    var node: Node? { toOne("node") }
    var parts: ToMany<Pipe> { toMany("parts") }
    var order: OrderedToMany<Pipe> { orderedToMany("order") }
    var width: Double { packed(1) }

    var shout: String { title.uppercased() }
    var isHeavy: Bool { (weight ?? 0) > 5 }
    var isClosed: Bool { !isOpen }
    var bounded: Int { max(weight ?? 0, 5) }
    var both: Bool { isOpen && title.isEmpty }
    var constant: Int { 7 }
    var area: Double { width * width }
    var point: SIMD2<Double> { [packed(0), packed(1)] }
    var sum: Int { (weight ?? 0) + (weight ?? 0) }
}

private final class Box: Crate {
    var lid: String? { attribute("lid") }
}

@Suite("Key paths and names")
struct KeyPathTests {
    private func names<Root>(_ path: PartialKeyPath<Root>) -> String {
        do throws(UnmappedKeyPath) { return try ManagedObject.propertyNames(for: path).joined(separator: ".") } catch { return "none" }
    }

    @Test("a class written by hand needs no table: its accessors say what they read, inherited ones too")
    func handWritten() {
        #expect(names(\Crate.title) == "title" && names(\Box.title) == "title" && names(\Box.lid) == "lid")
        #expect(names(\Crate.weight) == "weight" && names(\Crate.isOpen) == "isOpen" && names(\Crate.packedOn) == "packedOn")
        #expect(names(\Crate.share) == "share" && names(\Box.width) == "width")
        #expect(names(\Box.owner) == "owner" && names(\Crate.parts) == "parts" && names(\Crate.order) == "order")
    }

    @Test("a path through objects has the name of each property on the way")
    func hops() throws {
        #expect(names(\Crate.owner?.owner?.title) == "owner.owner.title")
        #expect(names(\Crate.node?.zone?.name) == "node.zone.name")
        #expect(names(\Pipe.start?.zone?.name) == "start.zone.name" && names(\Pipe.start?.x) == "start.x")
        #expect(names(\Pipe.start?.isOpen) == "start.isOpen" && names(\Pipe.start?.count) == "start.count")
        #expect(names(\Pipe.zone?.pipes) == "zone.pipes" && names(\Pipe.start?.outgoing) == "start.outgoing")
        #expect(try ObjectSortDescriptor(\Pipe.start?.zone?.name, ascending: false).description == "-start.zone.name")
        let request = try Pipe.fetchRequest(where: #Predicate { $0.length > 5 }, sortedBy: SortDescriptor(\.start?.x, order: .reverse))
        let found = try network().fetch(request).map { $0.start?.x ?? -1 }
        #expect(found.count > 10 && found == found.sorted(by: >))
    }

    @Test("what makes something of what it reads, or reads several properties, is none of them")
    func computed() {
        for name in [
            names(\Crate.shout), names(\Crate.isHeavy), names(\Crate.isClosed), names(\Crate.bounded), names(\Crate.both),
            names(\Crate.constant), names(\Crate.area), names(\Crate.point), names(\Crate.sum), names(\Crate.title.count),
            names(\Node.doubled),
            names(\Node.position), names(\Pipe.start?.doubled), names(\Pipe.zone?.pipes.count), names(\String.count), names(\Crate.self),
        ] { #expect(name == "none") }
    }

    @Test("a predicate names properties the same way, and takes an object's id for the object")
    func predicates() throws {
        let predicate = try ObjectPredicate(#Predicate<Box> { $0.title == "a" && $0.owner?.width ?? 0 > 5 && $0.lid != nil })
        #expect(
            try predicate == ObjectPredicate(format: "title == 'a' AND TERNARY(owner.width == nil, 0.0, owner.width) > 5.0 AND lid != nil"))
        let identity = try ObjectPredicate(#Predicate<Crate> { $0.node?.objectID == $0.owner?.objectID })
        #expect(try identity == ObjectPredicate(format: "node == owner"))
        #expect(throws: PredicateTranslationError.self) { try ObjectPredicate(#Predicate<Crate> { $0.isClosed }) }
    }
}
