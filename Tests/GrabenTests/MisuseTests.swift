import Graben
import Testing

@Suite("Calls nobody should make")
struct MisuseTests {
    // A context handed out what it had been given as an object of the entity, whatever its class: a cast of a plain ManagedObject to Joint
    // answered nil later, far from the mistake.
    @Test("an object whose class is not the entity's is not inserted, and the next save says so")
    func wrongClass() throws {
        let context = try Network.container().newContext()
        let entity = try #require(context.coordinator.model.entity(named: "Joint"))
        let object = Line(entity: entity, insertInto: context)
        #expect(object.managedObjectContext == nil)
        #expect(throws: GrabenError.self) { try context.save() }
    }

    // The delete rules had run, or would run, without the new reference: it was saved and led nowhere.
    @Test("nothing can be made to refer to a deleted object, nor a deleted one to anything")
    func deletedTarget() throws {
        let context = try Network.container().newContext()
        let joint = Joint(context: context)
        let line = Line(context: context)
        try context.save()
        context.delete(joint)
        line.start = joint
        #expect(line.start == nil)
        #expect(throws: GrabenError.self) { try context.save() }
        #expect(!joint.outgoing.insert(line))
    }

    // The chunk asked its table how many slots it has; after a rollback that was a negative number, which trapped.
    @Test("a chunk that was kept shows what it was lent with after a rollback took its rows away")
    func keptChunk() throws {
        let context = try Network.container().newContext()
        for x in 0..<10 { Joint(context: context).x = Double(x) }
        let chunks = try context.withColumns(of: Joint.self) { Array($0) }
        #expect(chunks.map { $0[0].sum() } == [45])
        context.rollback()
        #expect(chunks[0].slotCount == 10)
        #expect(chunks[0][0].withSpan { $0.count } == 10)
        #expect(chunks[0].isLive(-1) == false)
        #expect(try context.withColumns(of: Joint.self) { $0.sum(99) } == 0)
    }

    // An insertion-ordered set searched and shifted its array for each removal: deleting the owner of a hundred thousand took minutes.
    @Test("ten thousand members of an unsaved owner are added, taken out in any order and added again")
    func manyMembers() throws {
        let context = try Network.container().newContext()
        let joint = Joint(context: context)
        let lines = (0..<10_000).map { _ in Line(context: context) }
        for line in lines { joint.outgoing.insert(line) }
        for line in lines where line.objectID.hashValue & 1 == 0 || line === lines[0] { joint.outgoing.remove(line) }
        let left = Set(joint.outgoing.ids)
        #expect(left == Set(lines.filter { $0.start === joint }.map(\.objectID)))
        #expect(joint.outgoing.count == left.count && !joint.outgoing.contains(lines[0]))
        for line in lines { joint.outgoing.insert(line) }
        #expect(joint.outgoing.count == 10_000)
    }
}
