import Graben
import Testing

@Suite("Objects that stand behind the snapshot")
struct StandingBehindTests {
    // The column kept the old coordinates after the object was let go: no fetch and no refresh ever showed the new ones.
    @Test("S71 an object that kept old coordinates and was let go is read from the snapshot when it is asked for again")
    func letGo() throws {
        let container = try Network.container()
        let (context, other) = (container.newContext(), container.newContext())
        context.automaticallyMergesChangesFromParent = false
        let id = Joint(context: other).objectID
        let rest = (0..<30).map { _ in Joint(context: other).objectID }
        try other.save()
        do {
            let joint = try #require(try context.existingObject(with: id) as? Joint)
            (try other.existingObject(with: id) as? Joint)?.x = 5
            try other.save()
            #expect(try context.count(for: Joint.fetchRequest()) == 31)
            #expect(joint.x == 0)
        }
        for id in rest { _ = context.object(with: id) }
        context.processPendingChanges()
        #expect(context.registeredObject(for: id) == nil)
        #expect((context.object(with: id) as? Joint)?.x == 5 && context.positions(of: [id]) == [[5, 0, 0]])
    }

    // Setting a value to what it was left it with the object, and a merge took it for a change made here: the other context's value never came in,
    // and the next save wrote the old one over it.
    @Test("S28 S76 a value that was set to what it was is no change that a merge or a refresh keeps")
    func sameValue() throws {
        let container = try Network.container()
        let (context, other) = (container.newContext(), container.newContext())
        let joint = Joint(context: other)
        let line = Line(context: other)
        joint.name = "old"
        try other.save()
        let twin = try #require(try context.existingObject(with: joint.objectID) as? Joint)
        let end = try #require(try context.existingObject(with: line.objectID) as? Line)
        twin.name = "old"
        end.start = nil
        joint.name = "new"
        line.start = joint
        try other.save()
        #expect(try context.count(for: Joint.fetchRequest()) == 1)
        #expect(twin.name == "new" && end.start === twin && !context.hasChanges)
        // A compaction gives the objects up that were bound to records of the old file.
        twin.name = "new"
        joint.name = "newer"
        try other.save()
        try container.compact()
        #expect(try context.count(for: Joint.fetchRequest()) == 1 && twin.name == "newer")
        joint.name = "new"
        try other.save()
        twin.x = 1
        try context.save()
        #expect(try container.newContext().fetch(Joint.fetchRequest()).map(\.name) == ["new"])
    }
}
