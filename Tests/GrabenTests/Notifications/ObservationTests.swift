import GrabenModel
import Observation
import Testing

@testable import Graben

@Suite("Swift's Observation of objects")
struct ObservationTests {
    /// How often `change` makes what `read` read tell of a change: at most once, as tracking ends with it.
    private func tells(_ read: () -> Void, _ change: () throws -> Void) rethrows -> Bool {
        let told = Told()
        withObservationTracking(read) { told.count += 1 }
        try change()
        return told.count == 1
    }

    private final class Told: @unchecked Sendable {
        var count = 0
    }

    private func context(_ container: PersistentContainer) -> ManagedObjectContext {
        let context = container.newContext()
        context.usesObservation = true
        context.undoManager = ObjectUndoManager()
        return context
    }

    @Test("a change by setter tells whoever read that property, of every kind, and nobody else")
    func setters() throws {
        let context = context(try Network.container())
        let (a, b) = (Joint(context: context), Joint(context: context))
        let line = Line(context: context)
        try context.save()
        #expect(tells({ _ = a.name }, { a.name = "a" }))
        #expect(tells({ _ = a.x }, { a.x = 1 }))
        #expect(tells({ _ = a.position }, { a.y = 1 }))
        #expect(tells({ _ = a.z }, { a.position = [9, 9, 9] }))
        #expect(tells({ _ = line.start }, { line.start = a }))
        #expect(tells({ _ = a.outgoing.count }, { line.start = nil }))
        #expect(tells({ _ = line.start }, { a.outgoing.insert(line) }))
        #expect(
            tells(
                { _ = a.outgoing.map(\.objectID) },
                {
                    context.delete(line); context.processPendingChanges()
                }))
        #expect(!tells({ _ = a.name }, { a.x = 5 }))
        #expect(!tells({ _ = a.x }, { a.name = "b" }))
        #expect(!tells({ _ = a.x }, { b.x = 5 }))
        #expect(!tells({ _ = a.name }, { a.name = "b" }), "it has that value already")
        #expect(!tells({ _ = a.objectID }, { a.name = "c" }))
    }

    @Test("optional lanes, keyed access, hand-written accessors and fields of a class's own are followed")
    func otherAccessors() throws {
        let context = context(try Node.container())
        let node = Node(context: context)
        try context.save()
        #expect(tells({ _ = node.x }, { node.x = 1 }))
        #expect(tells({ _ = node.weight }, { node.weight = 2 }))
        #expect(tells({ _ = node.level }, { node.level = 3 }))
        #expect(tells({ _ = node.title }, { node.title = "a" }))
        #expect(tells({ _ = node.scratch }, { node.scratch = 1 }))
        #expect(try tells({ _ = try? node.value(forKey: "title") }, { try node.setValue(.string("b"), forKey: "title") }))
        #expect(tells({ _ = node.previous.count }, { Node(context: context).next = node }))
        let graph = self.context(try GraphSchema.container(.inMemory))
        let joint = try graph.insertObject(entity: "Joint")
        #expect(try tells({ _ = try? joint.value(forKey: "h") }, { try joint.setValue(.double(1), forKey: "h") }))
        #expect(tells({ _ = joint.packedOptional(3) }, { joint.setPacked(3, Optional(2.0)) }))
    }

    @Test("bulk moves, undo, redo, rollback, refresh and merges tell, of faults too")
    func otherChanges() throws {
        let container = try Network.container()
        let context = context(container)
        let joint = Joint(context: context)
        joint.name = "old"
        try context.save()
        #expect(tells({ _ = joint.x }, { context.translate([joint], by: [1, 0, 0]) }))
        #expect(!tells({ _ = joint.y }, { context.translate([joint], by: [1, 0, 0]) }))
        #expect(tells({ _ = joint.x }, { context.translate([joint.objectID], by: [1, 0, 0]) }))
        context.processPendingChanges()
        #expect(tells({ _ = joint.position }, { context.undo() }))
        #expect(tells({ _ = joint.position }, { context.redo() }))
        joint.name = "new"
        context.processPendingChanges()
        #expect(tells({ _ = joint.name }, { context.undo() }))
        #expect(tells({ _ = joint.name }, { context.redo() }))
        #expect(tells({ _ = joint.name }, { context.rollback() }))
        joint.name = "newer"
        #expect(tells({ _ = joint.name }, { context.refresh(joint, mergeChanges: false) }))
        #expect(joint.name == "old")

        let other = container.newContext()
        let twin = try #require(try other.existingObject(with: joint.objectID) as? Joint)
        func save(_ change: () -> Void) throws {
            change()
            try other.save()
            _ = try context.count(for: Joint.fetchRequest())
        }
        #expect(try tells({ _ = joint.name }, { try save { twin.name = "merged" } }))
        #expect(try tells({ _ = joint.x }, { try save { twin.x = 77 } }))
        #expect(try !tells({ _ = joint.y }, { try save { twin.x = 78 } }))
        context.refresh(joint, mergeChanges: false)
        #expect(try tells({ _ = joint.x }, { try save { twin.x = 79 } }))
        #expect(joint.isFault && joint.x == 79)
        #expect(try tells({ _ = joint.outgoing.count }, { try save { Line(context: other).start = twin } }))
        #expect(joint.outgoing.count == 1)
    }

    @Test("a child's objects tell of what the child takes in, and a parent's of what a child's save changes")
    func children() throws {
        let root = context(try Network.container())
        let joint = Joint(context: root)
        try root.save()
        let child = ManagedObjectContext(parent: root)
        child.usesObservation = true
        let twin = try #require(try child.existingObject(with: joint.objectID) as? Joint)
        #expect(
            try tells(
                { _ = (joint.x, joint.name) },
                {
                    twin.x = 1
                    try child.save()
                }))
        #expect(
            tells(
                { _ = twin.x },
                {
                    joint.x = 2
                    child.refresh(twin, mergeChanges: true)
                }))
        #expect(twin.x == 2)
    }

    @Test("a fetched property tells when its result is dropped")
    func fetched() throws {
        let context = context(try Network.container())
        let joint = Joint(context: context)
        try context.save()
        #expect(
            tells(
                { _ = joint.neighbours.count },
                {
                    _ = Joint(context: context)
                    context.refresh(joint, mergeChanges: true)
                }))
        #expect(joint.neighbours.count == 1)
    }

    @Test("a fetched property that refreshes itself tells at the end of an event, a merge or a child's save that may change what it finds")
    func refreshingItself() throws {
        var peers = FetchedPropertyDescription("peers", of: "Item", predicateFormat: "kind == $FETCH_SOURCE.kind AND SELF != $FETCH_SOURCE")
        peers.autoRefresh = true
        let model = ManagedObjectModel(entities: [
            EntityDescription("Item", attributes: [AttributeDescription("kind", .string)], fetchedProperties: [peers]),
            EntityDescription("Other", attributes: [AttributeDescription("name", .string)]),
        ])
        let container = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)])
        let context = context(container)
        let source = try context.make("Item", ["kind": "a"])
        try context.save()
        func read() { _ = source.fetchedProperty("peers", as: ManagedObject.self) }
        func found() -> Int { source.fetchedProperty("peers", as: ManagedObject.self).count }
        read()
        #expect(
            try tells(
                read,
                {
                    try context.make("Item", ["kind": "a"])
                    context.processPendingChanges()
                }))
        #expect(found() == 1)
        #expect(
            try !tells(
                read,
                {
                    try context.make("Other", ["name": "a"])
                    context.processPendingChanges()
                }), "it cannot be about that")
        #expect(tells(read, { context.undo() }) || found() == 1)
        try context.save()
        let other = container.newContext()
        #expect(
            try tells(
                read,
                {
                    try other.make("Item", ["kind": "a"])
                    try other.save()
                    _ = try context.count(for: FetchRequest<ManagedObject>(entity: "Item"))
                }))
        #expect(found() == 2)
        #expect(
            try tells(
                read,
                {
                    try source.setValue("b", forKey: "kind")
                    context.processPendingChanges()
                }))
        #expect(found() == 0)
        #expect(tells(read, { context.rollback() }) && found() == 2)

        let child = ManagedObjectContext(parent: context)
        child.usesObservation = true
        let twin = try child.existingObject(with: source.objectID)
        func readTwin() { _ = twin.fetchedProperty("peers", as: ManagedObject.self) }
        #expect(
            try tells(
                readTwin,
                {
                    try context.make("Item", ["kind": "a"])
                    context.processPendingChanges()
                }), "of its parent too")
        #expect(twin.fetchedProperty("peers", as: ManagedObject.self).count == 3)
        #expect(
            try tells(
                read,
                {
                    try child.make("Item", ["kind": "a"])
                    try child.save()
                }))
        #expect(found() == 4)
    }

    @Test("whoever read an object that was let go hears of changes of the one that came back, and of the end of all")
    func letGo() throws {
        let context = context(try Network.container())
        // Its steps would hold the object.
        context.undoManager = nil
        let id = Joint(context: context).objectID
        try context.save()
        var wasLetGo = false
        #expect(
            tells(
                { _ = (context.object(with: id) as? Joint)?.x },
                {
                    context.processPendingChanges()
                    for _ in 0..<3 { _ = Joint(context: context) }
                    try? context.save()
                    wasLetGo = context.registeredObject(for: id) == nil
                    (context.object(with: id) as? Joint)?.x = 4
                }))
        #expect(wasLetGo)
        #expect(tells({ _ = (context.object(with: id) as? Joint)?.name }, { context.reset() }))
        #expect(tells({ _ = (context.object(with: id) as? Joint)?.name }, { context.close() }))
    }

    @Test("a context without it follows nothing, and turning it off and on again works with objects that are there")
    func turning() throws {
        let context = try Network.container().newContext()
        let joint = Joint(context: context)
        #expect(!context.usesObservation && !tells({ _ = (joint.x, joint.name) }, { joint.position = [1, 2, 3] }))
        context.usesObservation = true
        #expect(joint.position == [1, 2, 3] && context.positions(of: [joint]) == [[1, 2, 3]])
        #expect(tells({ _ = joint.x }, { joint.x = 4 }))
        #expect(tells({ _ = joint.x }, { context.usesObservation = false }))
        #expect(!tells({ _ = joint.x }, { joint.x = 5 }))
        try context.save()
        #expect(joint.x == 5 && !context.hasChanges)
    }

    @Test("more objects read than are followed at once: the oldest are told to look again, and nothing is missed")
    func many() throws {
        let context = context(try Network.container())
        let ids = (0..<70_000).map { _ in Joint(context: context).objectID }
        try context.save()
        context.reset()
        let told = Told()
        withObservationTracking {
            _ = (context.object(with: ids[0]) as? Joint)?.x
        } onChange: {
            told.count += 1
        }
        for id in ids { withExtendedLifetime(context.object(with: id) as? Joint) { _ = $0?.x } }
        (context.object(with: ids[0]) as? Joint)?.x = 1
        #expect(told.count == 1)
    }

    // What was read of fetched properties was kept for every object ever read, also of those that were told to look again: a program that draws one
    // object after the other grew without end.
    @Test("of objects that are told to look again, what was read of fetched properties is forgotten too")
    func manyFetched() throws {
        let peers = FetchedPropertyDescription("peers", of: "Item", predicateFormat: "kind == 'none'", autoRefresh: true)
        let model = ManagedObjectModel(entities: [
            EntityDescription("Item", attributes: [AttributeDescription("kind", .string)], fetchedProperties: [peers])
        ])
        let container = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let ids = try (0..<200).map { _ in try context.make("Item", ["kind": "a"]).objectID }
        try context.save()
        context.reset()
        context.usesObservation = true
        let tracker = ObjectTracker(limit: 16)
        context.tracker = tracker
        for id in ids {
            withExtendedLifetime(context.object(with: id)) { _ = $0.fetchedProperty("peers", as: ManagedObject.self) }
            context.processPendingChanges()
        }
        let fetched = try #require(tracker.fetched)
        #expect(!fetched.read.isEmpty && fetched.read.count <= 32)
        #expect(fetched.read.keys.allSatisfy { !tracker.properties(of: $0).isEmpty })
    }
}
