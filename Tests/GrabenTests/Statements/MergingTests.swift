import Graben
import GrabenModel
import Testing

@Suite("Merging and notifications")
struct MergingTests {
    private func requireSendable<T: Sendable>(_ value: T) {}

    @Test("S72 merging a did-save note refreshes updated objects with merge, takes inserted ones in as faults and deletes deleted ones")
    func merge() throws {
        let container = try Node.container()
        let (one, two) = (container.newContext(), container.newContext())
        two.automaticallyMergesChangesFromParent = false
        let (kept, doomed) = (Node(context: one), Node(context: one))
        kept.title = "old"
        try one.save()
        let twin = try #require(try two.existingObject(with: kept.objectID) as? Node)
        let gone = try #require(try two.existingObject(with: doomed.objectID) as? Node)
        twin.level = 9
        var notes: [ContextSave] = []
        let token = one.onDidSave { notes.append($0) }
        kept.title = "new"
        let late = Node(context: one)
        one.delete(doomed)
        try one.save()
        try one.save()
        let note = try #require(notes.first)
        #expect(
            notes.count == 1 && note.inserted == [late.objectID] && note.updated == [kept.objectID] && note.deleted == [doomed.objectID])
        #expect(twin.title == "old" && !gone.isDeleted)
        two.mergeChanges(from: note)
        #expect(twin.title == "new" && twin.level == 9 && twin.hasChanges && gone.isDeleted)
        #expect(two.registeredObject(for: late.objectID)?.isFault == true)
        try two.save()
        token.cancel()
        kept.title = "silent"
        one.refresh(kept, mergeChanges: true)
        try one.save()
        #expect(notes.count == 1)
    }

    @Test("S72 a child takes its parent's save in, and a parent hears of its child's")
    func child() throws {
        let container = try Node.container()
        let root = container.newContext()
        let node = Node(context: root)
        node.title = "old"
        try root.save()
        let (one, two) = (ManagedObjectContext(parent: root), ManagedObjectContext(parent: root))
        let twin = try #require(try two.existingObject(with: node.objectID) as? Node)
        #expect(twin.title == "old")
        var notes: [ContextSave] = []
        let token = one.onDidSave { notes.append($0) }
        defer { token.cancel() }
        (try one.existingObject(with: node.objectID) as? Node)?.title = "new"
        try one.save()
        try two.mergeChanges(from: #require(notes.first))
        #expect(twin.title == "new")
    }

    // It had the model's defaults for everything that was not changed here, and a policy that keeps it would have saved those.
    @Test("S67 S73 an object changed here and deleted by another context keeps its values when it is refreshed")
    func deletedAndRefreshed() throws {
        let container = try Node.container()
        let (one, two) = (container.newContext(), container.newContext())
        let node = Node(context: one)
        (node.title, node.x) = ("old", 1)
        try one.save()
        node.level = 5
        two.delete(try two.existingObject(with: node.objectID))
        try two.save()
        one.refresh(node, mergeChanges: true)
        #expect(node.isDeleted && node.title == "old" && node.x == 1 && node.level == 5)
        guard case .conflict(let conflicts)? = thrown({ try one.save() }) else {
            Issue.record("no conflict")
            return
        }
        #expect(conflicts.map(\.kind) == [.deletedElsewhere])
    }

    @Test("S74 the note after an automatic merge has all new objects, deleted ones in use, and updated ones in use that are no faults")
    func automatic() throws {
        let container = try Node.container()
        let (one, two) = (container.newContext(), container.newContext())
        let nodes = (0..<6).map { _ in Node(context: one) }
        try one.save()
        let used = try nodes[0...1].map { try two.existingObject(with: $0.objectID) }
        let fault = two.object(with: nodes[2].objectID)
        var notes: [ContextChanges] = []
        let token = two.onDidChange { notes.append($0) }
        defer { token.cancel() }
        // Of those in use one is changed and one deleted; of the others too; the fault only moves.
        nodes[0].title = "changed"
        one.delete(nodes[1])
        nodes[2].x = 5
        nodes[3].title = "changed"
        one.delete(nodes[4])
        nodes[2].title = "changed"
        let new = Node(context: one)
        try one.save()
        _ = try two.fetchIDs(FetchRequest<Node>())
        let note = try #require(notes.first { !$0.refreshed.isEmpty })
        #expect(note.inserted == [new.objectID] && note.deleted == [nodes[1].objectID] && note.refreshed == [nodes[0].objectID])
        #expect(note.moved.contains(nodes[2].objectID), "rows whose packed values changed are listed by id, faults included")
        #expect(fault.isFault && used[1].isDeleted)
    }

    @Test("S113 what a context says of its changes and saves is ids, which may go where its objects must not")
    func ids() throws {
        let context = try Node.container().newContext()
        let tokens = [context.onDidSave { self.requireSendable($0) }, context.onDidChange { self.requireSendable($0) }]
        defer { tokens.forEach { $0.cancel() } }
        Node(context: context).title = "a"
        try context.save()
    }

    @Test("S112 performAndWait may be nested, and S111 only perform ends an event")
    func nested() async throws {
        let background = try Node.container().newBackgroundContext()
        let count = try background.performAndWait { context throws -> Int in
            let node = Node(context: context)
            node.title = "outer"
            return try background.performAndWait { inner throws -> Int in
                _ = Node(context: inner)
                try inner.save()
                return try inner.count(for: FetchRequest<Node>())
            }
        }
        #expect(count == 2)
        background.performAndWait { context in
            context.undoManager = ObjectUndoManager()
            _ = Node(context: context)
        }
        #expect(background.performAndWait { $0.undoManager?.undoDepth } == 0)
        await background.perform { _ in }
        #expect(background.performAndWait { $0.undoManager?.undoDepth } == 1)
    }

    @Test("threads that save different properties of one object read their own right after their saves, whoever commits in between")
    func ownSaves() async throws {
        let container = try Registered.container()
        let context = container.newContext()
        let id = try context.make("Part", ["code": "p"]).objectID
        try context.save()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in ["note", "count", "x"] {
                group.addTask {
                    let context = container.newContext()
                    context.automaticallyMergesChangesFromParent = false
                    let part = try context.existingObject(with: id)
                    for number in 1...150 {
                        let value: Value =
                            key == "note" ? .string("\(number)") : key == "count" ? .int(Int64(number)) : .double(Double(number))
                        try part.setValue(value, forKey: key)
                        try context.save()
                        #expect(try part.value(forKey: key) == value)
                        if number % 10 == 0 { context.refreshAllObjects() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let last = try container.newContext().existingObject(with: id)
        #expect(try ["note", "count", "x"].map { try last.value(forKey: $0) } == ["150", 150, 150.0])
    }

    @Test("S118 the author of a context's commits stays until it is cleared")
    func author() throws {
        let container = try Node.container()
        let context = container.newContext()
        context.transactionAuthor = "Ada"
        for title in ["a", "b"] {
            Node(context: context).title = title
            try context.save()
        }
        context.transactionAuthor = nil
        Node(context: context).title = "c"
        try context.save()
        #expect(try container.coordinator.stores[0].commits().suffix(3).map(\.author) == ["Ada", "Ada", nil])
    }
}
