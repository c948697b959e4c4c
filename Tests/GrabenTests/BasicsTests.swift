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

    @Test("C7 a key path is observed through its to-one: a change of the target, and of which target it is, are told once each")
    func observeKeyPath() throws {
        let context = try Network.container().newContext()
        context.undoManager = ObjectUndoManager()
        let a = Joint(context: context)
        a.name = "a"
        let b = Joint(context: context)
        b.name = "b"
        let line = Line(context: context)
        line.start = a
        context.processPendingChanges()
        var told: [PropertyChange] = []
        let token = try line.observe("start.name") { told.append($0) }
        a.name = "c"
        context.processPendingChanges()
        line.start = b
        a.name = "unseen"
        context.processPendingChanges()
        context.undo()
        context.undo()
        #expect(told.map(\.old) == ["a", "c", "b", "c"])
        #expect(told.map(\.new) == ["c", "b", "c", "a"])
        line.removeObserver(token)
        let count = told.count
        b.name = "z"
        line.start = nil
        #expect(told.count == count)
        #expect(throws: GrabenError.self) { try line.observe("start.nmae") { _ in } }
        #expect(throws: GrabenError.self) { try a.observe("outgoing.end") { _ in } }
    }
}
