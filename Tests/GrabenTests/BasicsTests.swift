import Graben
import GrabenLog
import GrabenModel
import Testing

@Suite("A store of joints and lines")
struct BasicsTests {
    @Test("objects that were saved are there again in another context, with values and both sides of relationships")
    func roundTrip() throws {
        let container = try Network.container()
        let context = container.newContext()
        let a = Joint(context: context)
        a.position = [1, 2, 3]
        a.name = "a"
        let b = Joint(context: context)
        b.position = [-1, 0, .nan]
        let line = Line(context: context)
        line.start = a
        line.end = b
        #expect(Array(a.outgoing) == [line])
        try context.save()
        #expect(context.statistics.commits == 1 && context.statistics.syncs == 1)
        #expect(!context.hasChanges)
        #expect(a.outgoing.count == 1 && b.incoming.contains(line))

        let other = container.newContext()
        let found = try #require(try other.existingObject(with: a.objectID) as? Joint)
        #expect(found !== a && found.objectID == a.objectID)
        #expect(found.position == [1, 2, 3] && found.name == "a")
        let foundLine = try #require(Array(found.outgoing).first)
        #expect(foundLine.isFault)
        #expect(foundLine.start === found && foundLine.end?.z.isNaN == true)
        #expect(foundLine.end?.isFault == true, "reading a packed attribute leaves the fault a fault")
    }

    @Test("undo takes a move and a deletion back, and redo does them again")
    func undo() throws {
        let container = try Network.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let a = Joint(context: context)
        let b = Joint(context: context)
        let line = Line(context: context)
        line.start = a
        line.end = b
        try context.save()
        a.x = 5
        context.processPendingChanges()
        context.undo()
        #expect(a.x == 0)
        context.redo()
        #expect(a.x == 5)
        context.delete(a)
        context.processPendingChanges()
        #expect(line.isDeleted && b.incoming.isEmpty)
        context.undo()
        #expect(!a.isDeleted && !line.isDeleted && a.x == 5 && line.start === a && Array(b.incoming) == [line])
        context.redo()
        try context.save()
        #expect(try context.count(for: Line.fetchRequest()) == 0)
        context.undo()
        #expect(Array(a.outgoing) == [line] && a.x == 5)
        try context.save()
        let other = container.newContext()
        #expect(try other.count(for: Line.fetchRequest()) == 1)
        #expect((other.object(with: line.objectID) as? Line)?.start?.x == 5)
    }
}
