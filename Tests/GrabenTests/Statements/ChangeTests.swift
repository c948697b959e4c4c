import FoundationEssentials
import Graben
import GrabenFixtures
import Testing

@Suite("Change tracking")
struct ChangeTests {
    private func saved(_ container: PersistentContainer) throws -> (ManagedObjectContext, Node) {
        let context = container.newContext()
        let node = Node(context: context)
        node.title = "first"
        try context.save()
        return (context, node)
    }

    @Test("S24 S26 changedValues are the new values since the last save, committedValues the saved ones with null for nil")
    func values() throws {
        let (context, node) = try saved(try Node.container())
        #expect(node.changedValues().isEmpty)
        node.title = "second"
        node.scratch = 3
        node.x = 8
        #expect(node.changedValues() == ["title": "second", "x": 8.0])
        #expect(
            try node.committedValues(forKeys: ["title", "load", "x", "next"]) == ["title": "first", "load": .null, "x": 0.0, "next": .null])
        let all = try node.committedValues(forKeys: nil)
        #expect(all["title"] == "first" && all["scratch"] == nil && all["previous"] == nil)
        #expect(node.hasFault(forRelationshipNamed: "previous"))
        #expect(throws: GrabenError.self) { try node.committedValues(forKeys: ["titel"]) }
        try context.save()
        #expect(node.changedValues().isEmpty && !node.hasChanges && node.scratch == 3)
        #expect(try node.committedValues(forKeys: ["title"]) == ["title": "second"])
    }

    @Test("S25 changedValuesForCurrentEvent counts since the last event only")
    func event() throws {
        let (context, node) = try saved(try Node.container())
        node.title = "second"
        node.x = 1
        #expect(node.changedValuesForCurrentEvent() == ["title": "second", "x": 1.0])
        context.processPendingChanges()
        #expect(node.changedValuesForCurrentEvent().isEmpty && node.changedValues().count == 2)
        node.next = node
        #expect(Set(node.changedValuesForCurrentEvent().keys) == ["next", "previous"])
    }

    @Test("S27 hasChanges is a dirty flag that transient values set; hasPersistentChangedValues compares what is kept")
    func dirty() throws {
        let (context, node) = try saved(try Node.container())
        node.scratch = 1
        #expect(node.hasChanges && context.hasChanges && !node.hasPersistentChangedValues)
        node.title = "second"
        #expect(node.hasPersistentChangedValues)
        node.title = "first"
        #expect(node.hasChanges && !node.hasPersistentChangedValues)
        let commits = context.statistics.commits
        try context.save()
        #expect(context.statistics.commits == commits && !context.hasChanges)
        node.touch()
        #expect(node.hasChanges)
        try context.save()
        #expect(context.statistics.commits == commits + 1)
    }

    @Test("S28 setting what is there records nothing; 0 and -0 and two normal forms differ, NaN equals itself")
    func sameValue() throws {
        let container = try Network.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let joint = Joint(context: context)
        joint.position = [0, .nan, 3]
        joint.name = "é"
        try context.save()
        context.undoManager?.removeAllActions()
        joint.position = [0, .nan, 3]
        joint.name = "é"
        joint.outgoing = []
        context.translate([joint], by: .zero)
        context.translate([joint.objectID], by: .zero)
        context.processPendingChanges()
        #expect(!joint.hasChanges && !context.hasChanges && context.undoManager?.canUndo == false)
        let commits = context.statistics.commits
        try context.save()
        #expect(context.statistics.commits == commits)
        joint.x = -0.0
        #expect(joint.changedValues() == ["x": -0.0])
        joint.name = "e\u{301}"
        #expect(joint.changedValues() == ["x": -0.0, "name": "e\u{301}"])
        try context.save()
        let other = container.newContext()
        let twin = try #require(try other.existingObject(with: joint.objectID) as? Joint)
        #expect(twin.x.sign == .minus && Array(twin.name?.unicodeScalars.map(\.value) ?? []) == [0x65, 0x301] && twin.y.isNaN)
    }

    @Test("S29 S30 a primitive setter announces nothing, is in no changedValues, and leaves the other side alone")
    func primitives() throws {
        let container = try Network.container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let (joint, line) = (Joint(context: context), Line(context: context))
        try context.save()
        context.undoManager?.removeAllActions()
        var seen = 0
        try joint.observe("name") { _ in seen += 1 }
        try joint.setPrimitiveValue("p", forKey: "name")
        try joint.setPrimitiveValue(4.0, forKey: "x")
        try line.setPrimitiveValue(.reference(joint.objectID), forKey: "start")
        #expect(seen == 0 && !joint.hasChanges && joint.changedValues().isEmpty && !context.hasChanges)
        #expect(joint.name == "p" && joint.x == 4 && line.start === joint && joint.outgoing.isEmpty)
        context.processPendingChanges()
        #expect(context.undoManager?.canUndo == false)
    }

    @Test("S31 an inserted object is not updated, a deleted one neither")
    func flags() throws {
        let (context, node) = try saved(try Node.container())
        let new = Node(context: context)
        new.title = "x"
        #expect(new.isInserted && !new.isUpdated && context.updatedObjects.isEmpty && context.insertedObjects == [new])
        node.title = "x"
        #expect(node.isUpdated && context.updatedObjects == [node])
        context.delete(node)
        #expect(!node.isUpdated && node.isDeleted && context.deletedObjects == [node] && context.updatedObjects.isEmpty)
    }

    @Test("S33 a Swift property that no attribute backs does not dirty the object")
    func unmodelled() throws {
        let (context, node) = try saved(try Node.container())
        node.calls.append("x")
        #expect(!node.hasChanges && !context.hasChanges)
    }

    @Test("S34 setters in awakeFromFetch set values and neither dirty the object, nor become an undo step, nor touch the other side")
    func awakeFromFetch() throws {
        final class Waker: ManagedObject {
            override func awakeFromFetch() {
                try? setValue("woken", forKey: "name")
                try? setValue(9.0, forKey: "x")
                let lines = (try? managedObjectContext?.fetch(FetchRequest<ManagedObject>(entity: "Line"))) ?? []
                for line in lines { toMany("outgoing").insert(line) }
            }
        }
        let container = try PersistentContainer(
            model: try Network.model, classes: ["Joint": Waker.self], stores: [StoreConfiguration(.inMemory)])
        let first = container.newContext()
        let joint = Waker(context: first)
        let line = try first.insertObject(entity: "Line")
        try first.save()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let twin = context.object(with: joint.objectID)
        #expect(try twin.value(forKey: "name") == "woken" && twin.value(forKey: "x") == 9.0)
        #expect(try !twin.hasChanges && !context.hasChanges && context.object(with: line.objectID).value(forKey: "start") == .null)
        context.processPendingChanges()
        #expect(context.undoManager?.canUndo == false)
        try context.save()
        #expect(context.statistics.commits == 0)
    }

    @Test("S36 willTurnIntoFault may read properties, and didTurnIntoFault runs when the object is a fault")
    func turning() throws {
        let (context, node) = try saved(try Node.container())
        var seen: [String] = []
        node.onHook = { name, node in
            if name == "willTurnIntoFault" { seen.append("\(node.title ?? "nil") \(node.isFault)") }
            if name == "didTurnIntoFault" { seen.append("\(node.isFault)") }
        }
        context.refresh(node, mergeChanges: false)
        #expect(seen == ["first false", "true"])
    }

    @Test("every attribute type keeps its value through save and reopen, nil apart from zero and empty")
    func types() throws {
        let attributes: [(String, AttributeType, Value)] = [
            ("a", .int16, .int(-32768)), ("b", .int32, .int(.init(Int32.max))), ("c", .int64, .int(.min)), ("d", .double, .double(-0.0)),
            ("e", .float, .float(.infinity)), ("f", .decimal, .decimal(Decimal(string: "-12345678901234567890.00000012") ?? 0)),
            ("g", .boolean, .bool(false)), ("h", .string, .string("")), ("i", .date, .date(Date(timeIntervalSinceReferenceDate: -0.25))),
            ("j", .data, .data(Data(repeating: 7, count: 5000))), ("k", .uuid, .uuid(UUID())), ("l", .uri, .uri("x:y?z")),
            ("m", .transformable, .json(Data("{\"a\":1}".utf8))),
        ]
        let model = ManagedObjectModel(entities: [
            EntityDescription("All", attributes: attributes.map { AttributeDescription($0.0, $0.1) })
        ])
        let folder = try TemporaryFolder()
        let container = try PersistentContainer(model: model, at: folder.path("types.graben"))
        let context = container.newContext()
        let (full, empty) = (try context.insertObject(entity: "All"), try context.insertObject(entity: "All"))
        for (name, _, value) in attributes { try full.setValue(value, forKey: name) }
        try context.save()
        try container.close()
        let again = try PersistentContainer(model: model, at: folder.path("types.graben"))
        let second = again.newContext()
        let objects = try second.fetch(FetchRequest<ManagedObject>(entity: "All"))
        #expect(objects.count == 2)
        for (name, _, value) in attributes {
            #expect(try objects[0].value(forKey: name) == value)
            #expect(try objects[1].value(forKey: name) == .null)
        }
        guard case .wrongType? = thrown({ try objects[0].setValue("text", forKey: "a") }),
            case .wrongType? = thrown({ try objects[0].setValue(40000, forKey: "a") }),
            case .unknownKey(_, "aa", _)? = thrown({ try objects[0].setValue(1, forKey: "aa") })
        else {
            Issue.record("a wrong value was taken")
            return
        }
        _ = empty
    }

    @Test("a setter that is refused reports at once and fails the next save, once")
    func refusals() throws {
        let context = try Network.container().newContext()
        let other = try Network.container().newContext()
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        let (line, stranger) = (Line(context: context), Joint(context: other))
        line.start = stranger
        #expect(line.start == nil && errors.count == 1)
        guard case .foreignObject("Line", "start", _)? = thrown({ try context.save() }) else {
            Issue.record("saved")
            return
        }
        try context.save()
    }
}
