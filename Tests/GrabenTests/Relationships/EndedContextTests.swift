import Graben
import Testing

@Suite("Relationships of objects whose context has ended")
struct EndedContextTests {
    // A to-many promised as many members as it has ids, and had none to give once its context had ended: `Array(joint.outgoing)` trapped.
    // Whoever fetched from a context that nothing else held met it at once.
    @Test("the members of an object in no context are walked as none, while their ids and number are still known")
    func walking() throws {
        let container = try Network.container()
        let context = container.newContext()
        let joint = Joint(context: context)
        let line = Line(context: context)
        line.start = joint
        try context.save()
        let held = try #require(try container.newContext().fetch(Joint.fetchRequest()).first)
        #expect(held.managedObjectContext == nil)
        #expect(held.outgoing.count == 1 && held.outgoing.ids == [line.objectID])
        #expect(Array(held.outgoing) == [] && held.outgoing.map(\.objectID) == [])
        context.close()
        #expect(Array(joint.outgoing) == [])
    }
}
