import Graben
import GrabenFixtures
import Testing

@Suite("Identity, faults and the registry")
struct IdentityTests {
    private func saved(_ container: PersistentContainer) throws -> (ManagedObjectContext, Joint, Joint, Line) {
        let context = container.newContext()
        let (a, b, line) = (Joint(context: context), Joint(context: context), Line(context: context))
        (a.name, a.position, b.name) = ("a", [1, 2, 3], "b")
        (line.start, line.end) = (a, b)
        try context.save()
        return (context, a, b, line)
    }

    @Test("S1 S2 one id is one instance in a context, by fetch, relationship or id, and another in another context")
    func uniquing() throws {
        let container = try Network.container()
        let (_, a, _, line) = try saved(container)
        let (one, two) = (container.newContext(), container.newContext())
        let found = one.object(with: a.objectID)
        #expect(try one.fetch(Joint.fetchRequest()).contains { $0 === found })
        #expect((one.object(with: line.objectID) as? Line)?.start === found)
        #expect(try one.existingObject(with: a.objectID) === found)
        let other = two.object(with: a.objectID)
        #expect(other !== found && other.objectID == found.objectID)
    }

    @Test("S3 S4 an unknown id gives a fault that fires without trapping: it reads nil, says it is deleted and is reported once")
    func missing() throws {
        let container = try Network.container()
        let (first, a, _, _) = try saved(container)
        let id = a.objectID
        first.delete(a)
        try first.save()
        let context = container.newContext()
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        let ghost = try #require(context.object(with: id) as? Joint)
        #expect(errors.isEmpty && ghost.isFault && !ghost.isDeleted)
        #expect(ghost.name == nil && ghost.isDeleted && ghost.outgoing.isEmpty && ghost.x.isFinite)
        _ = ghost.name
        guard case .objectNotFound("Joint", id.uriRepresentation)? = errors.first else {
            Issue.record("\(errors)")
            return
        }
        #expect(errors.count == 1)
        try context.save()
        let stray = context.object(with: ObjectID(store: 4_000_000, entity: 0, row: 5))
        #expect(stray.managedObjectContext == nil && stray.isDeleted)
        _ = try stray.value(forKey: "name")
    }

    @Test("S5 existingObject gives a realised object, finds what was saved since, and throws for one that is in neither context nor store")
    func existing() throws {
        let container = try Network.container()
        let early = container.newContext()
        let (context, a, _, _) = try saved(container)
        #expect(try !early.existingObject(with: a.objectID).isFault)
        context.delete(a)
        try context.save()
        guard case .objectNotFound? = thrown({ _ = try container.newContext().existingObject(with: a.objectID) }) else {
            Issue.record("found a deleted object")
            return
        }
    }

    @Test("S6 registeredObject is nil for what the context has not met")
    func registered() throws {
        let container = try Network.container()
        let (_, a, _, _) = try saved(container)
        let context = container.newContext()
        #expect(context.registeredObject(for: a.objectID) == nil)
        let object = context.object(with: a.objectID)
        #expect(context.registeredObject(for: a.objectID) === object)
    }

    @Test("S7 S8 what describes an object fires no fault; willAccessValue of nil does")
    func quietProperties() throws {
        let container = try Network.container()
        let (_, a, _, _) = try saved(container)
        let context = container.newContext()
        let object = context.object(with: a.objectID)
        _ = (
            object.objectID, object.entity, object.managedObjectContext, object.isInserted, object.isUpdated, object.isDeleted,
            object.isFault
        )
        #expect(object.isFault && !object.isInserted && !object.isUpdated && !object.isDeleted && object.entity.name == "Joint")
        object.willAccessValue(forKey: nil)
        #expect(!object.isFault && context.statistics.firedFaults == 1 && context.statistics.storeReads == 1)
    }

    @Test("S9 a fault keeps its identity through firing and refaulting")
    func keepsIdentity() throws {
        let container = try Network.container()
        let (_, a, _, _) = try saved(container)
        let context = container.newContext()
        let object = try #require(context.object(with: a.objectID) as? Joint)
        let hash = object.hashValue
        for _ in 0..<3 {
            #expect(object.name == "a" && !object.isFault)
            context.refresh(object, mergeChanges: false)
            #expect(object.isFault && object.hashValue == hash && context.object(with: a.objectID) === object)
        }
    }

    @Test("S11 S12 firing settles to-one targets and leaves to-manys faults; asking for a relationship fault fires nothing")
    func relationshipFaults() throws {
        let container = try Network.container()
        let (_, a, _, line) = try saved(container)
        let context = container.newContext()
        let twin = try #require(context.object(with: line.objectID) as? Line)
        #expect(twin.hasFault(forRelationshipNamed: "start") && twin.isFault)
        let start = try #require(twin.start)
        #expect(start.objectID == a.objectID && start.isFault && !twin.isFault && context.statistics.storeReads == 1)
        #expect(start.hasFault(forRelationshipNamed: "outgoing") && start.isFault)
        _ = start.name
        #expect(start.hasFault(forRelationshipNamed: "outgoing"))
        #expect(start.outgoing.count == 1 && start.outgoing.contains(twin))
        #expect(context.statistics.firedFaults == 2)
    }

    @Test("S13 clean objects that nobody holds are let go after their hooks, changed ones and held ones are kept")
    func sweep() throws {
        let container = try Network.container()
        let first = container.newContext()
        for index in 0..<40 { Joint(context: first).x = Double(index) }
        try first.save()
        let context = container.newContext()
        let ids = try context.fetchIDs(FetchRequest<Joint>())
        var held: Joint?
        for (index, id) in ids.enumerated() {
            let joint = try #require(context.object(with: id) as? Joint)
            if index == 3 { held = joint }
            if index == 5 { joint.x = -1 }
        }
        #expect(context.registeredObjects.count == 40)
        context.processPendingChanges()
        #expect(Set(context.registeredObjects.map(\.objectID)) == [ids[3], ids[5]])
        #expect(held?.x == 3)
        #expect((context.object(with: ids[5]) as? Joint)?.x == -1)
        try context.save()
        context.processPendingChanges()
        #expect(Set(context.registeredObjects.map(\.objectID)) == [ids[3]])
    }

    @Test("S14 after a reset held objects answer from the last snapshot, belong to no context and refuse changes")
    func reset() throws {
        let container = try Network.container()
        let (context, a, _, line) = try saved(container)
        a.name = "unsaved"
        a.x = 99
        let new = Joint(context: context)
        new.name = "new"
        context.reset()
        #expect(context.registeredObjects.isEmpty && !context.hasChanges)
        #expect(a.name == "a" && a.x == 1 && a.position == [1, 2, 3] && a.outgoing.ids == [line.objectID])
        #expect(a.managedObjectContext == nil && new.managedObjectContext == nil && new.name == nil)
        guard case .noContext? = thrown({ try a.setValue("b", forKey: "name") }) else {
            Issue.record("a change was taken")
            return
        }
        a.x = 4
        #expect(a.x == 1)
        a.name = "no"
        #expect(a.name == "a")
        a.outgoing.insert(line)
        try context.save()
        let again = try #require(context.object(with: a.objectID) as? Joint)
        #expect(again !== a && again.name == "a")
    }

    @Test("S14 objects of a child context answer what the parent had after the child is reset or closed")
    func resetOfChild() throws {
        let container = try Network.container()
        let (context, a, _, _) = try saved(container)
        a.name = "pending in the parent"
        a.x = 50
        for closes in [false, true] {
            let child = ManagedObjectContext(parent: context)
            let twin = try #require(try child.existingObject(with: a.objectID) as? Joint)
            twin.name = "pending in the child"
            twin.x = 60
            if closes { child.close() } else { child.reset() }
            #expect(twin.name == "pending in the parent" && twin.x == 50 && twin.managedObjectContext == nil)
        }
    }

    @Test("S15 S18 an object made in no context keeps what it is given and is inserted later, when awakeFromInsert runs")
    func inNoContext() throws {
        let container = try Node.container()
        let entity = try #require(container.model.entity(named: "Node"))
        let node = Node(entity: entity, insertInto: nil)
        #expect(node.managedObjectContext == nil && node.calls.isEmpty && node.y == 5 && node.level == 4)
        node.x = 3
        node.weight = 2
        node.level = 8
        node.title = "early"
        let context = container.newContext()
        try context.insert(node)
        #expect(node.calls == ["awakeFromInsert"] && node.isInserted && context.object(with: node.objectID) === node)
        #expect(try context.column("Node", "x") == [3] && context.column("Node", "weight") == [2] && context.column("Node", "y") == [5])
        try context.insert(node)
        try context.save()
        let second = container.newContext()
        let other = try #require(try second.existingObject(with: node.objectID) as? Node)
        #expect(try other.all == [3.0, 5.0, 0.0, .float(2), 8, .null, "early"])

        let network = try Network.container()
        let joint = Joint(entity: try #require(network.model.entity(named: "Joint")), insertInto: nil)
        joint.position = [1, 2, 3]
        joint.name = "j"
        #expect(joint.position == [1, 2, 3] && joint.name == "j" && joint.neighbours.isEmpty && joint.outgoing.isEmpty)
        let place = network.newContext()
        try place.insert(joint)
        #expect(joint.position == [1, 2, 3] && joint.name == "j")
    }

    @Test("S16 S17 awakeFromInsert runs once; what primitives set there is a baseline that is saved and not undone")
    func awakeOnce() throws {
        final class Primer: ManagedObject {
            var runs = 0
            override func awakeFromInsert() {
                runs += 1
                try? setPrimitiveValue("primed", forKey: "name")
                try? setPrimitiveValue(4.5, forKey: "x")
            }
        }
        let container = try PersistentContainer(
            model: try Network.model, classes: ["Joint": Primer.self], stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let object = Primer(context: context)
        context.processPendingChanges()
        try object.setValue("later", forKey: "name")
        context.undo()
        #expect(try object.value(forKey: "name") == "primed" && object.value(forKey: "x") == 4.5)
        context.undo()
        #expect(context.insertedObjects.isEmpty)
        context.redo()
        #expect(object.runs == 1 && object.isInserted)
        try context.save()
        let other = try container.newContext().existingObject(with: object.objectID)
        #expect(try other.value(forKey: "name") == "primed" && other.value(forKey: "x") == 4.5)
    }

    @Test("S19 S21 an id is final from insertion, the same in parent and store, and not handed out again")
    func finalIDs() throws {
        let container = try Network.container()
        let root = container.newContext()
        root.undoManager = ObjectUndoManager()
        let child = ManagedObjectContext(parent: root)
        let joint = Joint(context: child)
        let id = joint.objectID
        try child.save()
        #expect(joint.objectID == id && root.registeredObject(for: id) != nil)
        try root.save()
        #expect(joint.objectID == id && container.coordinator.objectID(for: id.uriRepresentation) == id)
        #expect(try container.newContext().existingObject(with: id).objectID == id)
        var seen: Set<ObjectID> = [id]
        for round in 0..<4 {
            let gone = Joint(context: root)
            #expect(seen.insert(gone.objectID).inserted)
            switch round {
            case 0: root.undo()
            case 1: root.rollback()
            case 2:
                root.delete(gone)
                try root.save()
            default: root.reset()
            }
        }
        #expect(seen.insert(Joint(context: root).objectID).inserted)
        #expect(seen.insert(Joint(context: container.newContext()).objectID).inserted)
    }

    @Test("S19 a number that something still refers to is not handed out again, even after reopening")
    func danglingNumbers() throws {
        // An unsaved object was deleted while a one-way reference to it stayed; its row was free again after reopening, so that the
        // reference led to a stranger.
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("dangling.graben"))
        let container = try GraphSchema.container(location)
        let context = container.newContext()
        let tag = try context.insertObject(entity: "Tag")
        let (joint, line) = (try context.insertObject(entity: "Joint"), try context.insertObject(entity: "Line"))
        tag.setToOne("favourite", joint)
        tag.toMany("seen").insert(line)
        context.delete(joint)
        context.delete(line)
        try context.save()
        try container.close()
        let again = try GraphSchema.container(location)
        let second = again.newContext()
        let stranger = try second.insertObject(entity: "Joint")
        #expect(stranger.objectID.uriRepresentation != joint.objectID.uriRepresentation)
        #expect(try second.insertObject(entity: "Line").objectID.uriRepresentation != line.objectID.uriRepresentation)
    }

    @Test("S22 an object inserted and deleted between two saves vanishes, and nothing is written for it")
    func vanishing() throws {
        let context = try Network.container().newContext()
        let joint = Joint(context: context)
        context.delete(joint)
        context.processPendingChanges()
        #expect(context.deletedObjects.isEmpty && context.insertedObjects.isEmpty && !context.hasChanges)
        #expect(joint.managedObjectContext == nil)
        try context.save()
        #expect(context.statistics.commits == 0 && context.statistics.syncs == 0)
    }

    @Test("S23 an insertion that is rolled back leaves the context")
    func rolledBack() throws {
        let context = try Network.container().newContext()
        let joint = Joint(context: context)
        joint.name = "gone"
        context.rollback()
        #expect(context.registeredObject(for: joint.objectID) == nil && joint.managedObjectContext == nil && !context.hasChanges)
        #expect(joint.name == "gone", "its last values stay readable")
        #expect(try context.fetch(Joint.fetchRequest()).isEmpty)
    }

    @Test("B1 a deleted object's last values stay readable after the save, relationships included, and changes are refused")
    func lastValues() throws {
        let container = try Network.container()
        let (context, a, _, line) = try saved(container)
        context.delete(line)
        try context.save()
        #expect(line.isDeleted || line.managedObjectContext == nil)
        #expect(line.managedObjectContext == nil && a.outgoing.isEmpty)
        #expect(try line.value(forKey: "start") == .reference(a.objectID))
        guard case .noContext? = thrown({ try line.setValue(.null, forKey: "start") }) else {
            Issue.record("a change was taken")
            return
        }
        context.delete(line)
        #expect(throws: GrabenError.self) { try context.save() }
        try context.save()
    }
}
