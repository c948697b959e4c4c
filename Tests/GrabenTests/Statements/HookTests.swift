import Graben
import GrabenFixtures
import Testing

@Suite("Access calls, events, statistics and evolution")
struct HookTests {
    final class Watched: ManagedObject {
        var calls: [String] = []
        override class var observesAccess: Bool { true }
        override class var packedAttributes: [String]? { ["x", "y", "z"] }
        var x: Double {
            get { packedObserved(0) }
            set { setPacked(0, newValue) }
        }
        var name: String? {
            get { attribute("name") }
            set { setAttribute("name", newValue) }
        }
        override func willAccessValue(forKey key: String?) {
            calls.append("willAccess \(key ?? "nil")")
            super.willAccessValue(forKey: key)
        }
        override func didAccessValue(forKey key: String?) { calls.append("didAccess \(key ?? "nil")") }
        override func willChangeValue(forKey key: String) {
            calls.append("willChange \(key)")
            super.willChangeValue(forKey: key)
        }
        override func didChangeValue(forKey key: String) {
            super.didChangeValue(forKey: key)
            calls.append("didChange \(key)")
        }
    }

    @Test("the access and change pairs are real calls that a subclass can override; packed getters make them under observesAccess")
    func pairs() throws {
        let container = try PersistentContainer(
            model: try Network.model, classes: ["Joint": Watched.self, "Line": Line.self], stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let object = Watched(context: context)
        func take() -> [String] {
            defer { object.calls = [] }
            return object.calls
        }
        _ = take()
        _ = object.x
        #expect(take() == ["willAccess x", "didAccess x"])
        object.x = 1
        #expect(take() == ["willChange x", "didChange x"])
        _ = object.name
        object.name = "a"
        #expect(take() == ["willAccess name", "didAccess name", "willChange name", "didChange name"])
        _ = try object.value(forKey: "y")
        try object.setValue(3.0, forKey: "y")
        #expect(take() == ["willAccess y", "didAccess y", "willChange y", "didChange y"])
        try object.setPrimitiveValue(4.0, forKey: "y")
        _ = try object.primitiveValue(forKey: "y")
        #expect(take().isEmpty)
        try context.save()
        context.undoManager?.removeAllActions()
        context.translate([object], by: [1, 0, 0])
        #expect(take() == ["willChange x", "didChange x"])
        context.undo()
        #expect(take() == ["willChange x", "didChange x"])
        let line = Line(context: context)
        line.setToOne("start", object)
        #expect(take() == ["willChange outgoing", "didChange outgoing"])
        context.refresh(object, mergeChanges: false)
        _ = take()
        _ = object.x
        #expect(object.isFault && take() == ["willAccess x", "didAccess x"], "reading a packed attribute leaves the fault a fault")
    }

    @Test("a subclass that observes access over inherited fast getters is refused, and so are lanes numbered wrongly and strange keys")
    func binding() throws {
        class Base: ManagedObject {}
        final class Observing: Base { override class var observesAccess: Bool { true } }
        final class Misnumbered: ManagedObject { override class var packedAttributes: [String]? { ["y", "x", "z"] } }
        final class Misnamed: ManagedObject {
            var field = 0.0
            override class var primitiveAccessors: [PrimitiveAccessor] { [.init("q", \Misnamed.field)] }
        }
        let model = ManagedObjectModel(entities: [
            EntityDescription("Base", attributes: [AttributeDescription("x", .double, isOptional: false, isPacked: true)]),
            EntityDescription("Sub", superentity: "Base"),
        ])
        guard
            case .classMismatch? = thrown({
                _ = try PersistentContainer(model: model, classes: ["Base": Base.self, "Sub": Observing.self], stores: [])
            }),
            case .classMismatch? = thrown({
                _ = try PersistentContainer(model: try Network.model, classes: ["Joint": Misnumbered.self], stores: [])
            }),
            case .classMismatch(let problems)? = thrown({
                _ = try PersistentContainer(model: try Network.model, classes: ["Joint": Misnamed.self], stores: [])
            }),
            problems.first?.contains("\"q\"") == true
        else {
            Issue.record("a class was bound that cannot work")
            return
        }
    }

    @Test("statistics count fetches, fired faults, store reads, commits and syncs")
    func statistics() throws {
        let container = try Network.container()
        let context = container.newContext()
        let joints = (0..<3).map { _ in Joint(context: context) }
        try context.save()
        let other = container.newContext()
        func counts() -> [Int] {
            let now = other.statistics
            return [now.fetches, now.firedFaults, now.storeReads, now.commits, now.syncs]
        }
        #expect(counts() == [0, 0, 0, 0, 0])
        let found = try other.fetch(Joint.fetchRequest())
        _ = found.map(\.x)
        #expect(counts() == [1, 0, 0, 0, 0])
        _ = found.map(\.name)
        found[0].name = "a"
        try other.save()
        try other.save()
        #expect(counts() == [1, 3, 3, 1, 1])
        _ = joints
    }

    @Test("S111 an event's notification lists what was inserted, updated, deleted and moved, once")
    func notifications() throws {
        let context = try Network.container().newContext()
        let (a, b, c) = (Joint(context: context), Joint(context: context), Joint(context: context))
        try context.save()
        var events: [ContextChanges] = []
        let token = context.onDidChange { events.append($0) }
        a.name = "a"
        a.name = "b"
        b.x = 1
        context.delete(c)
        let d = Joint(context: context)
        context.processPendingChanges()
        context.processPendingChanges()
        #expect(events.count == 1)
        #expect(events[0].inserted == [d.objectID] && events[0].deleted == [c.objectID])
        #expect(Set(events[0].updated) == [a.objectID, b.objectID] && events[0].moved.contains(b.objectID))
        token.cancel()
        a.name = "c"
        context.processPendingChanges()
        #expect(events.count == 1)
    }

    // The event of the main actor's context ended only when something else ended it, so that nobody heard of a change until the next fetch or save.
    @Test("S111 the view context's event ends at the next turn of the main actor, with all that was changed in this one")
    @MainActor func turns() async throws {
        let container = try Network.container()
        let context = container.viewContext
        context.undoManager = ObjectUndoManager()
        var events: [ContextChanges] = []
        let token = context.onDidChange { events.append($0) }
        func nextTurn(_ count: Int) async {
            for _ in 0..<100_000 where events.count < count { await Task.yield() }
        }
        let (a, b) = (Joint(context: context), Joint(context: context))
        a.name = "a"
        #expect(events.isEmpty)
        await nextTurn(1)
        #expect(events.count == 1 && Set(events[0].inserted) == [a.objectID, b.objectID])
        b.x = 2
        a.name = "b"
        await nextTurn(2)
        #expect(events.count == 2 && Set(events[1].updated) == [a.objectID, b.objectID])
        context.undo()
        #expect(a.name == "a" && b.x == 0)
        context.translate([b.objectID], by: [1, 0, 0])
        await nextTurn(4)
        #expect(events.count == 4 && events[3].moved == [b.objectID])
        context.delete(b)
        context.processPendingChanges()
        for _ in 0..<100 { await Task.yield() }
        #expect(events.count == 5)
        token.cancel()
    }

    @Test("a store opens under a newer model: an added attribute and an added lane have their defaults in old objects, for good")
    func evolution() throws {
        func model(_ extra: [AttributeDescription]) -> ManagedObjectModel {
            ManagedObjectModel(entities: [
                EntityDescription(
                    "J",
                    attributes: [
                        AttributeDescription("x", .double, isOptional: false, isPacked: true), AttributeDescription("name", .string),
                    ] + extra)
            ])
        }
        let folder = try TemporaryFolder()
        let path = folder.path("evolution.graben")
        var container = try PersistentContainer(model: model([]), at: path)
        var context = container.newContext()
        for index in 0..<3 {
            let object = try context.insertObject(entity: "J")
            try object.setValue(.double(Double(index)), forKey: "x")
            try object.setValue(.string("j\(index)"), forKey: "name")
        }
        try context.save()
        try container.close()
        let added = [
            AttributeDescription("n", .int64, isOptional: false, defaultValue: 42),
            AttributeDescription("w", .double, isOptional: false, defaultValue: 1.5, isPacked: true),
            AttributeDescription("o", .float, isPacked: true),
        ]
        container = try PersistentContainer(model: model(added), at: path)
        context = container.newContext()
        var objects = try context.fetch(FetchRequest<ManagedObject>(entity: "J"))
        for (index, object) in objects.enumerated() {
            #expect(try object.value(forKey: "x") == .double(Double(index)) && object.value(forKey: "w") == 1.5)
            #expect(
                try object.value(forKey: "n") == 42 && object.value(forKey: "o") == .null
                    && object.value(forKey: "name") == .string("j\(index)"))
        }
        #expect(try context.column("J", "w") == [1.5, 1.5, 1.5] && context.column("J", "o") == [nil, nil, nil])
        try objects[0].setValue(2.5, forKey: "w")
        try objects[1].setValue(7, forKey: "n")
        let new = try context.insertObject(entity: "J")
        #expect(try new.value(forKey: "w") == 1.5)
        try context.save()
        try container.close()
        // Another default later changes new objects only.
        var changed = added
        changed[1].defaultValue = 9.5
        changed[0].defaultValue = 43
        container = try PersistentContainer(model: model(changed), at: path)
        context = container.newContext()
        objects = try context.fetch(FetchRequest<ManagedObject>(entity: "J"))
        #expect(try objects.map { try $0.value(forKey: "w") } == [2.5, 1.5, 1.5, 1.5])
        let newer = try context.insertObject(entity: "J")
        #expect(try newer.value(forKey: "w") == 9.5 && newer.value(forKey: "n") == 43)
        try context.save()
        try container.close()
        guard
            case .incompatibleModel(path, let differences)? = thrown({
                _ = try PersistentContainer(
                    model: ManagedObjectModel(entities: [EntityDescription("J", attributes: [AttributeDescription("x", .double)])]),
                    at: path)
            })
        else {
            Issue.record("a packed attribute became an unpacked one in silence")
            return
        }
        #expect(!differences.isEmpty)
        container = try PersistentContainer(model: model(added), at: path)
        #expect(try container.newContext().count(for: FetchRequest<ManagedObject>(entity: "J")) == 5)
        try container.close()
    }

    @Test("a damaged or missing object among many stops neither a fetch nor a save of the others")
    func oneBadObject() throws {
        let container = try Network.container()
        let context = container.newContext()
        let (a, b) = (Joint(context: context), Joint(context: context))
        try context.save()
        let other = container.newContext()
        other.delete(other.object(with: a.objectID))
        try other.save()
        a.name = "conflict"
        b.name = "fine"
        #expect(throws: GrabenError.self) { try context.save() }
        context.refresh(a, mergeChanges: false)
        try context.save()
        let third = container.newContext()
        #expect(try third.fetch(Joint.fetchRequest()).map(\.name) == ["fine"])
    }
}
