import Graben
import GrabenLog
import Testing

@Suite("Saving and validation")
struct SavingTests {
    @Test("S37 a save with nothing to save writes nothing and syncs nothing")
    func nothing() throws {
        let context = try Node.container().newContext()
        let node = Node(context: context)
        try context.save()
        #expect(context.statistics.commits == 1 && context.statistics.syncs == 1)
        try context.save()
        node.title = "a"
        node.title = nil
        try context.save()
        #expect(context.statistics.commits == 1 && context.statistics.syncs == 1)
    }

    @Test("S38 S39 willSave runs for deleted objects too, again after a standard setter and not after a primitive one")
    func willSave() throws {
        let context = try Node.container().newContext()
        let (node, doomed) = (Node(context: context), Node(context: context))
        try context.save()
        var seenDeleted = false
        doomed.onHook = { name, node in if name == "willSave" { seenDeleted = node.isDeleted } }
        node.onHook = { name, node in
            guard name == "willSave" else { return }
            node.level = 77
            node.primitiveLoad = 5
        }
        node.title = "a"
        context.delete(doomed)
        node.calls = []
        try context.save()
        #expect(seenDeleted && node.calls.filter { $0 == "willSave" }.count == 2 && node.level == 77)
        #expect(node.load == 5)
        var round = 0
        node.onHook = { name, node in
            guard name == "willSave" else { return }
            round += 1
            node.level = round
        }
        node.title = "b"
        guard case .endlessWillSave("Node", node.objectID.uriRepresentation)? = thrown({ try context.save() }) else {
            Issue.record("an endless willSave was saved")
            return
        }
        #expect(node.title == "b" && node.hasChanges)
    }

    @Test("S40 a setter in didSave leaves the context dirty and is an undo step")
    func didSave() throws {
        let context = try Node.container().newContext()
        context.undoManager = ObjectUndoManager()
        let node = Node(context: context)
        node.onHook = { name, node in if name == "didSave", node.level == 4 { node.level = 5 } }
        try context.save()
        #expect(context.hasChanges && node.changedValues() == ["level": 5])
        context.undo()
        #expect(node.level == 4)
    }

    @Test("S41 isDeleted holds from the deletion to the save; afterwards the object belongs to no context")
    func deleted() throws {
        let context = try Node.container().newContext()
        let node = Node(context: context)
        try context.save()
        context.delete(node)
        #expect(node.isDeleted && node.managedObjectContext === context)
        try context.save()
        #expect(node.managedObjectContext == nil)
    }

    @Test("S42 a child's save reaches its parent's memory, and the disk only when the root saves")
    func levels() throws {
        let container = try Node.container()
        let root = container.newContext()
        let child = ManagedObjectContext(parent: root)
        let grandchild = ManagedObjectContext(parent: child)
        let node = Node(context: grandchild)
        node.title = "deep"
        node.next = node
        try grandchild.save()
        #expect(child.insertedObjects.count == 1 && root.insertedObjects.isEmpty && !grandchild.hasChanges)
        try child.save()
        #expect(root.insertedObjects.count == 1 && root.statistics.commits == 0)
        let copy = try #require(root.object(with: node.objectID) as? Node)
        #expect(copy.title == "deep" && copy.next === copy && copy.previous.ids == [node.objectID])
        try root.save()
        #expect(try container.newContext().count(for: FetchRequest<Node>()) == 1)
        grandchild.delete(node)
        try grandchild.save()
        try child.save()
        #expect(copy.isDeleted && root.deletedObjects == [copy])
        try root.save()
        #expect(try container.newContext().count(for: FetchRequest<Node>()) == 0)
    }

    private static let strict = ManagedObjectModel(entities: [
        EntityDescription(
            "Strict",
            attributes: [
                AttributeDescription("n", .int64, isOptional: false, minimum: 1, maximum: 9),
                AttributeDescription("s", .string, minimumLength: 2, maximumLength: 3),
                AttributeDescription("p", .double, isOptional: false, isPacked: true, maximum: 100),
            ],
            relationships: [
                RelationshipDescription("some", to: "Other", inverse: "strict", isToMany: true, minCount: 2, maxCount: 3),
                RelationshipDescription("must", to: "Other", isOptional: false),
            ]),
        EntityDescription("Other", relationships: [RelationshipDescription("strict", to: "Strict", inverse: "some")]),
    ])

    @Test("S43 S44 S45 every failure of every object is listed by object, key, rule and value; all changes stay in place")
    func validation() throws {
        let container = try PersistentContainer(model: Self.strict, stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let (a, b) = (try context.insertObject(entity: "Strict"), try context.insertObject(entity: "Strict"))
        let other = try context.insertObject(entity: "Other")
        try a.setValue(10, forKey: "n")
        try a.setValue("long", forKey: "s")
        try b.setValue(101.0, forKey: "p")
        b.setToOne("must", other)
        b.toMany("some").insert(other)
        guard case .validation(let failures)? = thrown({ try context.save() }) else {
            Issue.record("saved")
            return
        }
        let found = Set(failures.map { "\($0.objectID == a.objectID ? "a" : "b") \($0.key ?? "")" })
        #expect(found == ["a n", "a s", "a must", "b n", "b p", "b some"])
        #expect(failures.contains { $0.key == "n" && $0.value == 10 && $0.rule.contains("9") && $0.entity == "Strict" })
        #expect(context.insertedObjects.count == 3 && context.statistics.commits == 0)
        a.setToOne("must", other)
        try a.setValue(2, forKey: "n")
        try a.setValue("abc", forKey: "s")
        try b.setValue(3, forKey: "n")
        try b.setValue(-5.0, forKey: "p")
        b.toMany("some").remove(other)
        try context.save()
    }

    @Test("S47 counts are not applied to an empty optional relationship, and apply to any other")
    func counts() throws {
        let container = try PersistentContainer(model: Self.strict, stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let object = try context.insertObject(entity: "Strict")
        let others = try (0..<4).map { _ in try context.insertObject(entity: "Other") }
        try object.setValue(1, forKey: "n")
        object.setToOne("must", others[0])
        try context.save()
        for (count, isFine) in [(1, false), (2, true), (3, true), (4, false)] {
            object.setToMany("some", ToMany<ManagedObject>(others.prefix(count)))
            if isFine { try context.save() } else { #expect(throws: GrabenError.self) { try context.save() } }
        }
    }

    @Test("S46 deny is checked at save, and members that are deleted too do not count")
    func deny() throws {
        let model = ManagedObjectModel(entities: [
            EntityDescription(
                "Owner", relationships: [RelationshipDescription("held", to: "Held", inverse: "owner", isToMany: true, deleteRule: .deny)]),
            EntityDescription("Held", relationships: [RelationshipDescription("owner", to: "Owner", inverse: "held", deleteRule: .deny)]),
        ])
        let container = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let (owner, held) = (try context.insertObject(entity: "Owner"), try context.insertObject(entity: "Held"))
        held.setToOne("owner", owner)
        try context.save()
        context.delete(owner)
        context.processPendingChanges()
        #expect(owner.isDeleted)
        guard case .validation(let failures)? = thrown({ try context.save() }), failures.first?.key == "held" else {
            Issue.record("a denied deletion was saved")
            return
        }
        #expect(owner.isDeleted && context.deletedObjects == [owner])
        context.rollback()
        #expect(!owner.isDeleted && owner.toMany("held", as: ManagedObject.self).ids == [held.objectID])
        context.delete(owner)
        context.delete(held)
        try context.save()
        #expect(try container.newContext().count(for: FetchRequest<ManagedObject>(entity: "Held")) == 0)
    }

    @Test("S49 a fetched property takes no part in validation or in changedValues")
    func fetchedProperty() throws {
        let context = try Network.container().newContext()
        let joint = Joint(context: context)
        try joint.validateForInsert()
        #expect(joint.changedValues()["neighbours"] == nil)
        try context.save()
        try joint.validateForUpdate()
    }

    @Test("validation hooks of a class are called, and what they throw is listed")
    func hooks() throws {
        struct TooLong: Error {}
        final class Picky: ManagedObject {
            override func validateValue(_ value: Value, forKey key: String) throws { if key == "name", value == "bad" { throw TooLong() } }
        }
        let container = try PersistentContainer(
            model: try Network.model, classes: ["Joint": Picky.self], stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let object = Picky(context: context)
        try object.setValue("bad", forKey: "name")
        guard case .validation(let failures)? = thrown({ try context.save() }), failures.count == 1, failures[0].key == "name" else {
            Issue.record("the hook's refusal is missing")
            return
        }
        try object.setValue("good", forKey: "name")
        try context.save()
    }

    @Test("two stores of one coordinator keep their own objects, refuse relationships across, and are both saved and rolled back")
    func twoStores() throws {
        let container = try PersistentContainer(
            model: try Network.model, classes: ["Joint": Joint.self, "Line": Line.self],
            stores: [StoreConfiguration(.inMemory, name: "one"), StoreConfiguration(.inMemory, name: "two")])
        let stores = container.coordinator.stores
        let context = container.newContext()
        let joints = try stores.map { try context.insertObject(entity: "Joint", into: $0) as? Joint }.compactMap { $0 }
        let line = try #require(try context.insertObject(entity: "Line", into: stores[0]) as? Line)
        guard case .noStore? = thrown({ _ = try context.insertObject(entity: "Joint") }) else {
            Issue.record("a store was guessed")
            return
        }
        joints[0].x = 1
        joints[1].x = 2
        line.start = joints[1]
        #expect(line.start == nil)
        #expect(throws: GrabenError.self) { try context.save() }
        line.start = joints[0]
        try context.save()
        #expect(context.statistics.commits == 2)
        let other = container.newContext()
        #expect(try Set(other.column("Joint", "x")) == [1, 2])
        #expect(try other.fetch(Joint.fetchRequest()).count == 2)
        var request = FetchRequest<Joint>()
        request.affectedStores = [stores[1]]
        #expect(try other.fetchIDs(request) == [joints[1].objectID])
        joints[0].x = 10
        joints[1].x = 20
        try context.save()
        let third = container.newContext()
        #expect(try Set(third.column("Joint", "x")) == [10, 20])
        joints[0].x = 11
        joints[1].x = 21
        context.rollback()
        #expect(joints.map(\.x) == [10, 20])
    }
}
