import Graben
import Testing

@Suite("Attributes in fields of a class's own")
struct FieldTests {
    /// Changes every field of a saved node, in one event.
    private func change(_ node: Node) {
        node.position = [1, 2, 3]
        node.weight = 0.5
        node.level = 7
        node.load = nil
        node.title = "changed"
    }

    private func savedNode(_ context: ManagedObjectContext) throws -> Node {
        let node = Node(context: context)
        node.position = [10, 20, 30]
        node.load = 2.5
        node.title = "first"
        try context.save()
        return node
    }

    private let first: [Value] = [10.0, 20.0, 30.0, .null, 4, 2.5, "first"]
    private let changed: [Value] = [1.0, 2.0, 3.0, .float(0.5), 7, .null, "changed"]

    @Test("C1 C6 change tracking, undo, redo, refresh, rollback, save and reload go through the primitive accessors")
    func everything() throws {
        let container = try Node.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let node = try savedNode(context)
        context.undoManager?.removeAllActions()
        #expect(try node.all == first)
        change(node)
        context.processPendingChanges()
        #expect(try node.all == changed)
        #expect(
            node.changedValues() == ["x": 1.0, "y": 2.0, "z": 3.0, "weight": .float(0.5), "level": 7, "load": .null, "title": "changed"])
        #expect(
            try node.committedValues(forKeys: ["x", "weight", "level", "load"]) == ["x": 10.0, "weight": .null, "level": 4, "load": 2.5])
        #expect(try context.column("Node", "x") == [1] && context.column("Node", "weight") == [0.5])
        context.undo()
        #expect(try node.all == first && context.column("Node", "z") == [30] && context.column("Node", "weight") == [nil])
        context.redo()
        #expect(try node.all == changed)
        context.rollback()
        #expect(try node.all == first && context.column("Node", "y") == [20])
        #expect(!context.hasChanges && !node.hasChanges)
        change(node)
        try context.save()
        #expect(try node.all == changed)
        context.undo()
        #expect(try node.all == first, "undo after a save goes through the accessors too")
        context.redo()
        let other = container.newContext()
        let reloaded = try #require(try other.existingObject(with: node.objectID) as? Node)
        #expect(try reloaded.all == changed)
        reloaded.level = 1
        try other.save()
        context.refresh(node, mergeChanges: true)
        #expect(node.level == 1 && node.position == [1, 2, 3])
        context.refresh(node, mergeChanges: false)
        #expect(node.isFault)
        #expect(node.primitiveX == -2, "didTurnIntoFault released the fields")
        #expect(node.x == 1 && !node.isFault)
    }

    @Test("C1 a merge of another context's save is written through the accessors, and so are its columns")
    func merging() throws {
        let container = try Node.container()
        let (one, two) = (container.newContext(), container.newContext())
        let node = try savedNode(one)
        let twin = try #require(try two.existingObject(with: node.objectID) as? Node)
        change(twin)
        node.scratch = 3
        try two.save()
        _ = try one.fetchIDs(FetchRequest<Node>())
        #expect(try node.all == changed && one.column("Node", "x") == [1])
        #expect(node.scratch == 3)
    }

    @Test("C6 fields hold in a child context, before and after its save")
    func child() throws {
        let container = try Node.container()
        let root = container.newContext()
        let node = try savedNode(root)
        let child = ManagedObjectContext(parent: root)
        child.undoManager = ObjectUndoManager()
        let twin = try #require(try child.existingObject(with: node.objectID) as? Node)
        #expect(try twin.all == first)
        change(twin)
        child.undo()
        #expect(try twin.all == first)
        child.redo()
        #expect(try node.all == first)
        try child.save()
        #expect(try node.all == changed && twin.all == changed && root.column("Node", "x") == [1] && child.column("Node", "x") == [1])
        twin.x = 99
        twin.level = 99
        child.rollback()
        #expect(try twin.all == changed)
        let fresh = Node(context: child)
        fresh.weight = 3
        try child.save()
        let copy = try #require(root.object(with: fresh.objectID) as? Node)
        #expect(copy.weight == 3 && copy.y == 5 && copy.level == 4 && copy.isInserted)
        try root.save()
        #expect(try container.newContext().column("Node", "weight") == [0.5, 3])
        child.refresh(twin, mergeChanges: false)
        #expect(try twin.all == changed)
    }

    @Test("C2 of nested announcements only the outermost pair counts")
    func nesting() throws {
        let context = try Node.container().newContext()
        let node = try savedNode(context)
        var seen: [Value] = []
        try node.observe("x") { seen += [$0.old, $0.new] }
        node.willChangeValue(forKey: "x")
        node.x = 1
        node.x = 2
        #expect(!node.hasChanges && seen.isEmpty)
        node.didChangeValue(forKey: "x")
        #expect(seen == [10.0, 2.0] && node.isUpdated)
    }

    @Test("C2 an announced change fires the fault before the old value is taken")
    func firing() throws {
        let container = try Node.container()
        let node = try savedNode(container.newContext())
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let twin = try #require(context.object(with: node.objectID) as? Node)
        #expect(twin.isFault)
        twin.x = 4
        #expect(!twin.isFault)
        #expect(try twin.committedValues(forKeys: ["x"]) == ["x": 10.0])
        context.undo()
        #expect(twin.x == 10)
    }

    @Test("C3 a field that no primitive accessor names is noticed and said what to do about")
    func unnamed() throws {
        final class Careless: ManagedObject {
            var field = 0.0
            var x: Double {
                get { field }
                set {
                    willChangeValue(forKey: "x")
                    field = newValue
                    didChangeValue(forKey: "x")
                }
            }
        }
        let model = ManagedObjectModel(entities: [EntityDescription("C", attributes: [AttributeDescription("x", .double)])])
        let container = try PersistentContainer(model: model, classes: ["C": Careless.self], stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        Careless(context: context).x = 3
        guard case .unnamedField(className: "Careless", key: "x")? = errors.first else {
            Issue.record("\(errors)")
            return
        }
        #expect("\(errors[0])".contains("primitiveAccessors"))
    }

    @Test("C4 defaults stand before awakeFromInsert, which runs once; further defaults may be set there, by primitives too")
    func defaults() throws {
        let container = try Node.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let node = Node(context: context)
        #expect(node.calls == ["awakeFromInsert"])
        #expect(node.y == 5 && node.level == 4 && node.weight == nil && node.x == 0 && node.load == nil)
        context.undo()
        context.redo()
        #expect(node.calls.filter { $0 == "awakeFromInsert" }.count == 1)
        #expect(node.y == 5 && node.level == 4 && node.weight == nil && node.isInserted, "the fields hold again what they held")
    }

    @Test("C4 didTurnIntoFault runs for every object that was awake: refreshed, deleted, undone, reset, closed, or at the context's end")
    func released() throws {
        let container = try Node.container()
        let root = container.newContext()
        let node = try savedNode(root)
        func released(_ node: Node) -> Int { node.calls.filter { $0 == "didTurnIntoFault" }.count }
        root.refresh(node, mergeChanges: false)
        #expect(released(node) == 1)
        root.refresh(node, mergeChanges: false)
        #expect(released(node) == 1, "a fault does not turn into one again")
        _ = node.level
        let other = Node(context: root)
        root.delete(other)
        root.processPendingChanges()
        #expect(released(other) == 1)
        let saved = try savedNode(root)
        root.delete(saved)
        #expect(released(saved) == 0)
        try root.save()
        #expect(released(saved) == 1)
        root.reset()
        #expect(released(node) == 2 && released(saved) == 1)
        let closed = container.newContext()
        let third = try #require(try closed.existingObject(with: node.objectID) as? Node)
        closed.close()
        #expect(released(third) == 1)
        var ending: ManagedObjectContext? = container.newContext()
        let fourth = try #require(try ending?.existingObject(with: node.objectID) as? Node)
        let fifth = try #require(ending?.object(with: node.objectID) as? Node)
        #expect(fourth === fifth)
        ending = nil
        #expect(released(fourth) == 1)
    }

    @Test("C5 another attribute, or one in a field, fires a fault and so fills the fields; a packed attribute without a field does not")
    func faults() throws {
        let container = try Node.container()
        let node = try savedNode(container.newContext())
        let context = container.newContext()
        for key in ["x", "level", "title"] {
            context.reset()
            let twin = try #require(context.object(with: node.objectID) as? Node)
            #expect(twin.isFault && twin.primitiveX == -1)
            _ = try twin.value(forKey: key)
            #expect(!twin.isFault && twin.primitiveX == 10 && twin.primitiveLevel == 4)
        }
        let network = try Network.container()
        let first = network.newContext()
        let joint = Joint(context: first)
        joint.position = [1, 2, 3]
        try first.save()
        let second = network.newContext()
        let twin = try #require(second.object(with: joint.objectID) as? Joint)
        #expect(twin.x == 1 && twin.position == [1, 2, 3] && twin.isFault)
        #expect(try twin.value(forKey: "y") == 2.0 && twin.primitiveValue(forKey: "z") == 3.0 && twin.isFault)
        #expect(second.statistics.firedFaults == 0 && second.statistics.storeReads == 0)
        #expect(twin.name == nil && !twin.isFault)
    }

    @Test("C7 observers are called once per change by setter, undo, redo, refresh, rollback and merge, wherever the value lives")
    func observers() throws {
        let container = try Node.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let node = try savedNode(context)
        context.undoManager?.removeAllActions()
        var seen: [String] = []
        for key in ["x", "level", "title", "next"] {
            try node.observe(key) { seen.append("\($0.key) \($0.old.summary) \($0.new.summary)") }
        }
        func take() -> [String] {
            defer { seen = [] }
            return seen
        }
        node.x = 1
        node.level = 5
        node.title = "b"
        node.x = 1
        #expect(take() == ["x 10.0 1.0", "level 4 5", "title \"first\" \"b\""])
        context.undo()
        #expect(Set(take()) == ["x 1.0 10.0", "level 5 4", "title \"b\" \"first\""])
        context.redo()
        #expect(Set(take()) == ["x 10.0 1.0", "level 4 5", "title \"first\" \"b\""])
        context.rollback()
        #expect(Set(take()) == ["x 1.0 10.0", "level 5 4", "title \"b\" \"first\""])
        context.translate([node], by: [1, 0, 0])
        #expect(take() == ["x 10.0 11.0"])
        context.rollback()
        seen = []
        let other = container.newContext()
        let twin = try #require(try other.existingObject(with: node.objectID) as? Node)
        twin.x = 70
        twin.title = "merged"
        try other.save()
        _ = try context.fetchIDs(FetchRequest<Node>())
        #expect(Set(take()) == ["x 10.0 70.0", "title \"first\" \"merged\""])
        context.automaticallyMergesChangesFromParent = false
        twin.level = 8
        try other.save()
        _ = try context.fetchIDs(FetchRequest<Node>())
        #expect(take().isEmpty && node.level == 4)
        context.refresh(node, mergeChanges: true)
        #expect(take() == ["level 4 8"])
        node.next = node
        #expect(take().count == 1)
    }

    @Test("C7 an observer left behind ends when its object becomes a fault, and one that was removed is not called")
    func forgottenObservers() throws {
        let context = try Node.container().newContext()
        let node = try savedNode(context)
        var count = 0
        let token = try node.observe("x") { _ in count += 1 }
        try node.observe("x") { _ in count += 10 }
        node.x = 1
        node.removeObserver(token)
        node.x = 2
        #expect(count == 21)
        try context.save()
        context.refresh(node, mergeChanges: false)
        node.x = 3
        #expect(count == 21)
        #expect(throws: GrabenError.self) { try node.observe("nothing") { _ in } }
    }

    @Test("C8 didChange without willChange is reported at once; willChange left open fails the save naming object and key")
    func unbalanced() throws {
        let context = try Node.container().newContext()
        let node = try savedNode(context)
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        node.didChangeValue(forKey: "x")
        guard case .unbalancedChange("Node", "x", node.objectID.uriRepresentation, _)? = errors.first else {
            Issue.record("\(errors)")
            return
        }
        node.title = "pending"
        node.willChangeValue(forKey: "level")
        guard case .unbalancedChange("Node", "level", node.objectID.uriRepresentation, _)? = thrown({ try context.save() }) else {
            Issue.record("saved")
            return
        }
        #expect(node.title == "pending" && node.hasChanges)
        node.didChangeValue(forKey: "level")
        try context.save()
        #expect(!context.hasChanges)
    }
}
