import Graben
import GrabenFixtures
import GrabenModel
import Testing

@Suite("Stores on an engine of one's own")
struct EngineTests {
    @Test("what is saved is there when an engine in a file is opened again, under the same ids, and numbers are not used again")
    func reopening() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("network.jsonl")
        var container = try Network.container(.engine(LineFile(path: file)))
        let context = container.newContext()
        let (a, b, gone) = (Joint(context: context), Joint(context: context), Joint(context: context))
        (a.name, a.position) = ("a", [1, -0.0, .nan])
        (b.name, b.position) = ("b", [.infinity, 1e300, 3])
        let line = Line(context: context)
        (line.start, line.end) = (a, b)
        try context.save()
        a.position.x = 7
        context.delete(gone)
        try context.save()
        let uris = [a, b, line, gone].map(\.objectID.uriRepresentation)
        let uuid = container.coordinator.stores[0].uuid
        try container.close()

        container = try Network.container(.engine(LineFile(path: file)))
        #expect(container.coordinator.stores[0].uuid == uuid)
        let again = container.newContext()
        let ids = try uris.map { try #require(container.coordinator.objectID(for: $0)) }
        let first = try #require(try again.existingObject(with: ids[0]) as? Joint)
        let second = try #require(try again.existingObject(with: ids[1]) as? Joint)
        #expect(first.name == "a" && first.position.x == 7 && first.position.y.bitPattern == (-0.0).bitPattern && first.position.z.isNaN)
        #expect(second.position == [.infinity, 1e300, 3])
        let joined = try #require(try again.existingObject(with: ids[2]) as? Line)
        #expect(joined.start === first && joined.end === second && first.outgoing.ids == [ids[2]])
        #expect(throws: GrabenError.self) { try again.existingObject(with: ids[3]) }
        #expect(!ids.contains(Joint(context: again).objectID), "the number of a deleted object is not used again")
    }

    @Test("a save that the engine refuses is an error that wraps the engine's own, changes nothing, and can be made again")
    func refusal() throws {
        let engine = TableEngine()
        let container = try Network.container(.engine(engine))
        let (context, other) = (container.newContext(), container.newContext())
        let joint = Joint(context: context)
        joint.name = "one"
        try context.save()
        let commit = try container.coordinator.stores[0].statistics().newestCommit
        engine.set { $0.refusal = TableEngine.Failure() }
        joint.name = "two"
        joint.position = [1, 2, 3]
        let line = Line(context: context)
        line.start = joint
        for _ in 0..<2 {
            guard case .engine(let error)? = thrown({ try context.save() }) else {
                Issue.record("no error of the engine")
                return
            }
            #expect(error.operation == .saving && error.store == "a table")
            #expect(error.underlying as? TableEngine.Failure == .init() && error.description.contains("the disk is full"))
        }
        #expect(context.hasChanges && joint.isUpdated && line.isInserted && joint.name == "two")
        #expect(try other.fetch(Joint.fetchRequest()).map(\.name) == ["one"])
        #expect(try other.fetch(Line.fetchRequest()).isEmpty)
        #expect(try container.coordinator.stores[0].statistics().newestCommit == commit)
        // Another context's save comes in between, and merges.
        engine.set { $0.refusal = nil }
        let later = Joint(context: other)
        later.name = "three"
        try other.save()
        try context.save()
        #expect(!context.hasChanges)
        other.refreshAllObjects()
        #expect(try other.fetch(Joint.fetchRequest()).compactMap(\.name).sorted() == ["three", "two"])
        #expect(engine.objects.count == 3)
        #expect(engine.objects[.init("Joint", 0)]?.attributes["x"] == 1.0)
    }

    @Test("an engine's error that names an object and a key keeps them")
    func namedRefusal() throws {
        let engine = TableEngine()
        let container = try Network.container(.engine(engine))
        let context = container.newContext()
        Joint(context: context).name = "too long"
        engine.set { $0.refusal = StoreEngineError("takes three letters", object: .init("Joint", 0), key: "name") }
        guard case .engine(let error)? = thrown({ try context.save() }) else {
            Issue.record("no error of the engine")
            return
        }
        #expect(error.object == .init("Joint", 0) && error.key == "name")
        #expect(error.description == "saving the store 'a table', Joint/0 name: takes three letters")
    }

    @Test(
        "an engine is told each save once: what is new, changed and gone, with all it has, and nothing of a save that fails or has nothing to say"
    )
    func changes() throws {
        let engine = TableEngine()
        let container = try Network.container(.engine(engine))
        #expect(engine.saves.map(\.isWhole) == [true] && engine.objects.isEmpty, "a new store is made when it is opened")
        let context = container.newContext()
        context.transactionAuthor = "a test"
        let (a, b) = (Joint(context: context), Joint(context: context))
        let line = Line(context: context)
        (line.start, line.end) = (a, b)
        try context.save()
        try context.save()
        #expect(engine.saves.count == 2)
        let first = try #require(engine.saves.last)
        #expect(!first.isWhole && first.author == "a test" && first.updated.isEmpty && first.deleted.isEmpty)
        #expect(Set(first.inserted.map(\.key)) == [.init("Joint", 0), .init("Joint", 1), .init("Line", 0)])
        #expect(first.inserted.first { $0.key.entity == "Line" }?.references == ["start": .init("Joint", 0), "end": .init("Joint", 1)])
        #expect(first.inserted.first?.attributes == ["x": 0.0, "y": 0.0, "z": 0.0, "name": .null])
        #expect(first.metadata.highestNumbers == ["Joint": 1, "Line": 0])
        context.translate([a.objectID], by: [1, 0, 0])
        try context.save()
        #expect(engine.saves.last?.updated.map(\.key) == [.init("Joint", 0)])
        context.delete(b)
        try context.save()
        #expect(Set(engine.saves.last?.deleted ?? []) == [.init("Joint", 1), .init("Line", 0)])
        context.undoManager = ObjectUndoManager()
        context.delete(a)
        try context.save()
        context.undo()
        try context.save()
        #expect(engine.saves.last?.inserted.map(\.key) == [.init("Joint", 0)], "what comes back is inserted under its own number")
        #expect(engine.objects[.init("Joint", 0)]?.attributes["x"] == 1.0)
        try container.close()
        #expect(engine.closings == 1)
    }

    @Test(
        "two contexts that change one object conflict as in any store, and the engine hears of neither attempt but the one that is decided")
    func conflicts() throws {
        let engine = TableEngine()
        let container = try Network.container(.engine(engine))
        let (one, two) = (container.newContext(), container.newContext())
        let joint = Joint(context: one)
        try one.save()
        let other = try #require(try two.existingObject(with: joint.objectID) as? Joint)
        (joint.name, joint.position) = ("one", [1, 1, 1])
        (other.name, other.position) = ("two", [1, 2, 1])
        two.automaticallyMergesChangesFromParent = false
        try one.save()
        let count = engine.saves.count
        let found = try #require(GrabenTests.conflicts { try two.save() })
        #expect(found.count == 1 && engine.saves.count == count)
        two.mergePolicy = .objectTrump
        try two.save()
        #expect(engine.saves.count == count + 1)
        #expect(engine.objects[.init("Joint", 0)]?.attributes == ["x": 1.0, "y": 2.0, "z": 1.0, "name": "two"])
    }

    @Test("unique keys, indexes, fetched properties, batch requests and undo work over an engine as over a file")
    func everythingElse() throws {
        let engine = TableEngine()
        var container = try Registered.container(.engine(engine))
        var context = container.newContext()
        try context.make("Part", ["code": "J1", "note": "n", "count": 4])
        try context.save()
        try context.execute(.insert(entity: "Part", (0..<100).map { ["code": .string("B\($0)"), "count": .int(Int64($0))] }))
        try container.close()
        container = try Registered.container(.engine(engine))
        context = container.newContext()
        #expect(try context.object(entity: "Part", where: ["code": "B17"])?.value(forKey: "count") == 17)
        let again = try context.make("Part", ["code": "B17"])
        #expect(GrabenTests.conflicts { try context.save() }?.map(\.objectID) == [again.objectID])
        context.rollback()
        try context.execute(.update(entity: "Part", where: try ObjectPredicate(format: "count < 50"), set: ["x": 2.5]))
        try context.execute(.delete(entity: "Part", where: try ObjectPredicate(format: "count >= 90")))
        #expect(engine.objects.count == 91 && engine.objects.values.count { $0.attributes["x"] == 2.5 } == 51)

        let drawing = TableEngine()
        let network = try Network.container(.engine(drawing)).newContext()
        let joints = (0..<3).map { _ in Joint(context: network) }
        for (index, joint) in joints.enumerated() { joint.name = "\(index)" }
        try network.save()
        #expect(joints[0].neighbours.compactMap(\.name) == ["1", "2"])
    }

    @Test("a store on an engine is compacted, copied into a file and read back in its history as one in memory")
    func maintenance() throws {
        let folder = try TemporaryFolder()
        let container = try Network.container(.engine(TableEngine()))
        let context = container.newContext()
        let joint = Joint(context: context)
        try context.save()
        let token = container.historyToken
        joint.name = "later"
        try context.save()
        #expect(try Array(container.history(since: token)).count == 1)
        try container.compact()
        joint.name = "after"
        try context.save()
        let store = container.coordinator.stores[0]
        #expect(try store.backup(to: folder.path("copy.graben")))
        let copy = try Network.container(.file(folder.path("copy.graben")))
        #expect(try copy.newContext().fetch(Joint.fetchRequest()).map(\.name) == ["after"])
        #expect(copy.coordinator.stores[0].uuid == store.uuid)
        #expect(try store.check().isClean)
    }
}
