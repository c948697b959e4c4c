import Graben
import GrabenFixtures
import GrabenModel
import Testing

/// A drawing's joint of another model than `Network`'s, under the same name.
private enum OtherDrawing {
    final class Joint: ManagedObject {
        var title: String? {
            get { attribute("title") }
            set { setAttribute("title", newValue) }
        }
    }
    static let model = ManagedObjectModel(entities: [EntityDescription("Joint", attributes: [AttributeDescription("title", .string)])])
}

@Suite("Better than what people complain of")
struct ComplaintTests {
    private static let strict = ManagedObjectModel(entities: [
        EntityDescription(
            "Part",
            attributes: [
                AttributeDescription("code", .string, isOptional: false, maximumLength: 3, regularExpression: "[A-Z][0-9]+"),
                AttributeDescription("count", .int64, maximum: 9),
            ])
    ])

    @Test("B2 one bad object does not poison a context: its changes are discarded alone and the rest is saved")
    func poison() throws {
        let context = try PersistentContainer(model: Self.strict, stores: [StoreConfiguration(.inMemory)]).newContext()
        let good = try context.make("Part", ["code": "A1", "count": 1])
        try context.save()
        try good.setValue(2, forKey: "count")
        let bad = try context.make("Part", [:])
        let worse = try context.make("Part", ["code": "B1"])
        try worse.setValue(99, forKey: "count")
        guard case .validation(let failures)? = thrown({ try context.save() }) else {
            Issue.record("bad objects were saved")
            return
        }
        #expect(Set(failures.map(\.objectID)) == [bad.objectID, worse.objectID])
        for id in Set(failures.map(\.objectID)) { context.discardChanges(of: context.object(with: id)) }
        try context.save()
        #expect(try good.value(forKey: "count") == 2 && !context.hasChanges && bad.managedObjectContext == nil)
    }

    @Test("B3 errors of validation and of conflicts name entity, id, property, rule and values")
    func named() throws {
        let container = try PersistentContainer(model: Self.strict, stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let part = try context.make("Part", ["code": "A1", "count": 1])
        try context.save()
        try part.setValue("b23456", forKey: "code")
        try part.setValue(12, forKey: "count")
        let text = try "\(#require(thrown { try context.save() }))"
        for word in [
            "Part", part.objectID.uriRepresentation, "code", "\"b23456\"", "at most 3 are allowed", "must match [A-Z][0-9]+", "count", "12",
            "at most 9",
        ] { #expect(text.contains(word), "\(word) is missing in: \(text)") }
        context.rollback()
        try part.setValue(2, forKey: "count")
        let other = container.newContext()
        try other.existingObject(with: part.objectID).setValue(3, forKey: "count")
        try other.save()
        let conflict = try "\(#require(thrown { try context.save() }))"
        for word in ["Part", part.objectID.uriRepresentation, "count was 1", "is 2 here", "3 in the store"] {
            #expect(conflict.contains(word), "\(word) is missing in: \(conflict)")
        }
    }

    @Test("B4 deleting and saving again, from two contexts and across a compaction, resurrects nothing and half-removes nothing")
    func resurrection() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("drawing.graben")
        do {
            let container = try Network.container(.file(path))
            let (one, two) = (container.newContext(), container.newContext())
            let joints = (0..<3).map { _ in Joint(context: one) }
            let lines = (0..<2).map { _ in Line(context: one) }
            joints[2].name = "survivor"
            for (index, line) in lines.enumerated() { (line.start, line.end) = (joints[index], joints[index + 1]) }
            try one.save()
            let twin = try two.existingObject(with: joints[0].objectID)
            one.delete(joints[0])
            try one.save()
            one.delete(joints[0])
            #expect(thrown { try one.save() } != nil, "the object belongs to no context any more, which is said and changes nothing")
            try one.save()
            two.delete(twin)
            try two.save()
            two.delete(try two.existingObject(with: joints[1].objectID))
            try two.save()
            try container.compact()
            try one.save()
            #expect(try two.count(for: FetchRequest<Joint>()) == 1 && two.count(for: FetchRequest<Line>()) == 0)
            try container.close()
        }
        let context = try Network.container(.file(path)).newContext()
        let joint = try #require(try context.fetch(FetchRequest<Joint>()).first)
        #expect(joint.name == "survivor" && joint.incoming.isEmpty && joint.outgoing.isEmpty)
        #expect(try context.count(for: FetchRequest<Line>()) == 0)
    }

    @Test("B6 every switch of a context does what it says, both ways")
    func switches() throws {
        let container = try Network.container()
        for isOn in [true, false] {
            let context = container.newContext()
            let (joint, line) = (Joint(context: context), Line(context: context))
            line.start = joint
            try context.save()
            context.propagatesDeletesAtEndOfEvent = isOn
            context.delete(joint)
            context.processPendingChanges()
            #expect(line.isDeleted == isOn)
            try context.save()
            #expect(line.managedObjectContext == nil)

            let (here, there) = (container.newContext(), container.newContext())
            let shared = Joint(context: there)
            shared.name = "old"
            try there.save()
            here.isPinned = isOn
            here.automaticallyMergesChangesFromParent = isOn
            let count = try here.count(for: FetchRequest<Joint>())
            _ = Joint(context: there)
            try there.save()
            #expect(try (here.count(for: FetchRequest<Joint>()) == count) == isOn)
            here.isPinned = false
            let twin = try #require(try here.existingObject(with: shared.objectID) as? Joint)
            #expect(twin.name == "old")
            shared.name = "new"
            try there.save()
            _ = try here.count(for: FetchRequest<Joint>())
            #expect(twin.name == (isOn ? "new" : "old"))
            here.undoManager = isOn ? ObjectUndoManager() : nil
            twin.name = "mine"
            here.undo()
            #expect((twin.name == "mine") != isOn)
        }
    }

    @Test("B7 a class is bound to an entity for each model: two models with a Joint each live in one process")
    func twoModels() throws {
        let (first, second) = (
            try Network.container().newContext(),
            try PersistentContainer(model: OtherDrawing.model, classes: ["Joint": OtherDrawing.Joint.self], stores: [.init(.inMemory)])
                .newContext()
        )
        let (joint, other) = (Joint(context: first), OtherDrawing.Joint(context: second))
        joint.position = [1, 2, 3]
        other.title = "other"
        try first.save()
        try second.save()
        #expect(try first.fetch(FetchRequest<Joint>()) == [joint])
        #expect(try second.fetch(FetchRequest<OtherDrawing.Joint>()) == [other])
    }

    @Test("S10 a fault's data need not be read from disk: its coordinates are mapped and leave it a fault")
    func mapped() throws {
        let container = try Network.container()
        let writer = container.newContext()
        let joint = Joint(context: writer)
        joint.position = [1, 2, 3]
        try writer.save()
        let context = container.newContext()
        let twin = try #require(context.object(with: joint.objectID) as? Joint)
        #expect(twin.position == [1, 2, 3] && twin.isFault && context.statistics.storeReads == 0 && context.statistics.firedFaults == 0)
        #expect(twin.name == nil && !twin.isFault && context.statistics.firedFaults == 1)
    }

    private struct Style: Codable, Equatable {
        var width = 1
    }

    @Test("S32 a value changed in place is a copy that nobody sees; set again it is a change, whatever was done to the copy")
    func inPlace() throws {
        let model = ManagedObjectModel(entities: [EntityDescription("Shape", attributes: [AttributeDescription("style", .transformable)])])
        let context = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)]).newContext()
        let shape = try context.insertObject(entity: "Shape")
        shape.setTransformable("style", Style())
        try context.save()
        var style = try #require(shape.transformable("style", as: Style.self))
        style.width = 5
        #expect(!context.hasChanges && shape.transformable("style", as: Style.self) == Style())
        shape.setTransformable("style", style)
        #expect(context.hasChanges && shape.transformable("style", as: Style.self)?.width == 5)
        context.rollback()
        shape.setTransformable("style", Style())
        #expect(!context.hasChanges)
    }

    @Test("S35 where a class keeps a value in a field of its own, undo, refresh, rollback and merge put it back by the primitive setter")
    func fields() throws {
        let container = try Node.container()
        let (context, other) = (container.newContext(), container.newContext())
        context.undoManager = ObjectUndoManager()
        let node = Node(context: context)
        (node.x, node.level) = (1, 10)
        try context.save()
        (node.x, node.level) = (2, 20)
        context.undo()
        #expect(node.primitiveX == 1 && node.primitiveLevel == 10)
        context.redo()
        #expect(node.primitiveX == 2 && node.primitiveLevel == 20)
        context.rollback()
        #expect(node.primitiveX == 1 && node.primitiveLevel == 10)
        let twin = try #require(try other.existingObject(with: node.objectID) as? Node)
        (twin.x, twin.level) = (3, 30)
        try other.save()
        context.refresh(node, mergeChanges: true)
        #expect(node.primitiveX == 3 && node.primitiveLevel == 30)
        twin.level = 40
        try other.save()
        _ = try context.fetchIDs(FetchRequest<Node>())
        #expect(node.primitiveLevel == 40)
    }
}
