import Graben
import GrabenFixtures
import GrabenModel
import Testing

@Suite("Copying objects with the relationships among them")
struct CopyingTests {
    /// What can be seen of objects and their relationships, by each one's place in the list.
    private func picture(_ objects: [ManagedObject]) throws -> [[String: Value]] {
        var places: [ObjectID: Int] = [:]
        for (place, object) in objects.enumerated() { places[object.objectID] = place }
        return try objects.map { object in
            var values: [String: Value] = ["": .string(object.entity.name)]
            for property in object.entity.properties {
                if GraphSchema.relation(object.entity.name, property.name) != nil {
                    let ids = try object.objectIDs(forRelationshipNamed: property.name)
                    let inside = ids.compactMap { places[$0].map { String($0) } }
                    let isOrdered = GraphSchema.relation(object.entity.name, property.name)?.isOrdered == true
                    values[property.name] = .string((isOrdered ? inside : inside.sorted()).joined(separator: " "))
                } else {
                    values[property.name] = try object.value(forKey: property.name)
                }
            }
            return values
        }
    }

    @Test(
        "a random drawing copied whole into its own context, another one or another store looks the same",
        arguments: 1...6 as ClosedRange<UInt64>)
    func everything(seed: UInt64) throws {
        let container = try GraphSchema.container(.inMemory)
        let driver = GraphDriver(container.newContext(), book: .init(), seed: seed, undo: false)
        for _ in 0..<120 { try driver.edits() }
        // What leads nowhere is not copied.
        let originals = driver.world.things.keys.sorted().compactMap { driver.object($0) }
        let picture = try picture(originals)
        try driver.save()
        let elsewhere = try GraphSchema.container(.inMemory)
        for context in [driver.context, container.newContext(), elsewhere.newContext(), ManagedObjectContext(parent: driver.context)] {
            let copies = try context.copy(originals)
            #expect(copies.objects.allSatisfy { $0.managedObjectContext === context && $0.isInserted })
            #expect(try self.picture(copies.objects) == picture)
            #expect(try self.picture(originals) == picture, "the originals changed")
            try context.save()
            #expect(try self.picture(copies.objects) == picture)
        }
        let fresh = elsewhere.newContext()
        let count = try GraphSchema.concrete.reduce(0) { count, entity in
            var request = FetchRequest<ManagedObject>(entity: entity)
            request.includesSubentities = false
            return count + (try fresh.count(for: request))
        }
        #expect(count == originals.count)
    }

    private func drawing(_ context: ManagedObjectContext) throws -> ([Joint], [Line]) {
        let joints = (0..<3).map { index in
            let joint = Joint(context: context)
            (joint.name, joint.x) = ("J\(index)", Double(index))
            return joint
        }
        let lines = (0..<3).map { index in
            let line = Line(context: context)
            (line.start, line.end) = (joints[index], joints[(index + 1) % 3])
            return line
        }
        try context.save()
        return (joints, lines)
    }

    @Test("the extent says what else is copied: nothing, what named relationships lead to, or everything")
    func extent() throws {
        let container = try Network.container()
        let source = container.newContext()
        let (joints, lines) = try drawing(source)
        let context = container.newContext()
        let alone = try context.copy([joints[0]])
        #expect(alone.objects.count == 1 && alone[joints[0]]?.name == "J0" && alone[joints[0]]?.outgoing.isEmpty == true)
        let some = try context.copy([joints[0]], extent: .following(["outgoing", "Line.end"]))
        #expect(some.objects.count == 6, "around the triangle")
        let way = try context.copy([joints[0]], extent: .following(["Joint.outgoing"]))
        #expect(way.objects.count == 2 && way[lines[0]]?.start === way[joints[0]] && way[lines[0]]?.end == nil)
        let all = try context.copy([lines[0]], extent: .everything)
        #expect(all.objects.count == 6 && all[lines[2]]?.end === all[joints[0]] && all[joints[1].objectID] === all[joints[1]])
        for wrong in ["lines", "Joint.name", "Joints.outgoing", "Joint.outgoing.end"] {
            #expect(thrown { _ = try context.copy([joints[0]], extent: .following([wrong])) } != nil, "\(wrong)")
        }
        withExtendedLifetime(source) {}
    }

    @Test("references to objects outside are dropped, or kept where that takes nothing from the originals")
    func outside() throws {
        let container = try Network.container()
        let source = container.newContext()
        let (joints, lines) = try drawing(source)
        let context = container.newContext()
        let dropped = try context.copy([lines[0]])
        #expect(dropped[lines[0]]?.start == nil)
        let kept = try context.copy([lines[0], lines[1]], outside: .kept)
        #expect(kept[lines[0]]?.start?.objectID == joints[0].objectID && kept[lines[1]]?.start?.objectID == joints[1].objectID)
        let joint = try context.copy([joints[0]], outside: .kept)
        #expect(joint[joints[0]]?.outgoing.isEmpty == true)
        try context.save()
        #expect(lines[0].start === joints[0] && !source.hasChanges)
        let other = try Network.container().newContext()
        #expect(try other.copy([lines[0]], outside: .kept)[lines[0]]?.start == nil, "it is in another store")
        let graph = try GraphSchema.container(.inMemory).newContext()
        let (a, tag) = (try graph.insertObject(entity: "Joint"), try graph.insertObject(entity: "Tag"))
        tag.toMany("joints").insert(a)
        let copy = try #require(try graph.copy([a], outside: .kept)[a])
        #expect(copy.toMany("tags").ids == [tag.objectID] && tag.toMany("joints").count == 2)
    }

    @Test("what cannot be copied is an error, and leaves nothing behind")
    func errors() throws {
        let container = try Network.container()
        let source = container.newContext()
        let (joints, _) = try drawing(source)
        let model = ManagedObjectModel(entities: [EntityDescription("Joint", attributes: [AttributeDescription("x", .double)])])
        let small = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)]).newContext()
        guard case .unknownKey("Joint", let key, _)? = thrown({ _ = try small.copy(joints) }) else {
            Issue.record("a property was lost in silence")
            return
        }
        #expect(key != "x" && small.insertedObjects.isEmpty && !small.hasChanges)
        let none = try PersistentContainer(
            model: ManagedObjectModel(entities: [EntityDescription("Other")]), stores: [StoreConfiguration(.inMemory)]
        ).newContext()
        guard case .unknownEntity("Joint", _)? = thrown({ _ = try none.copy(joints) }) else {
            Issue.record("no error")
            return
        }
        source.delete(joints[0])
        guard case .objectNotFound? = thrown({ _ = try container.newContext().copy([joints[0]]) }) else {
            Issue.record("a deleted object was copied")
            return
        }
    }

    @Test("a copy is one undo step, and keys that have to be unique can be left out")
    func undo() throws {
        let context = try Registered.container().newContext()
        context.undoManager = ObjectUndoManager()
        let owner = try context.make("Owner", ["name": .string("o")])
        let part = try context.make("Part", ["code": .string("a"), "note": .string("n"), "owner": .reference(owner.objectID)])
        try context.save()
        _ = try context.copy([part])
        #expect(conflicts { try context.save() } != nil)
        context.undo()
        #expect(context.insertedObjects.isEmpty)
        let copies = try context.copy([owner], extent: .everything, omitting: ["Part.code"])
        try context.save()
        let copy = try #require(copies[part])
        #expect(try copy.value(forKey: "note") == .string("n") && copy.value(forKey: "code") == .null)
        let owners = try #require(copies[owner])
        #expect(try copy.value(forKey: "owner") == .reference(owners.objectID))
    }

    @Test("frozen objects are values: they say what was, whatever becomes of the object, and are equal when they say the same")
    func frozen() async throws {
        let container = try Network.container()
        let context = container.newContext()
        let (joints, lines) = try drawing(context)
        let before = joints[0].frozen()
        let line = lines[0].frozen()
        joints[0].name = "changed"
        context.delete(joints[1])
        context.reset()
        let (name, x, start, text) = await Task.detached { (before.name, before.x, line.start, before["name"]) }.value
        #expect(name == "J0" && x == 0 && start == joints[0].objectID && text == .string("J0"))
        #expect(before.entityName == "Joint" && before["outgoing"] == nil && before["neighbours"] == nil && before["nothing"] == nil)
        let twin = try #require(try context.existingObject(with: joints[0].objectID) as? Joint)
        #expect(twin.frozen() == before)
        #expect(try twin.frozen(members: ["outgoing"])["outgoing"] == .references([lines[0].objectID]))
        #expect(thrown { _ = try twin.frozen(members: ["name"]) } != nil && thrown { _ = try twin.frozen(members: ["outgoin"]) } != nil)
        twin.y = 1
        #expect(twin.frozen() != before)
    }
}
