import Graben
import GrabenFixtures
import GrabenModel
import GrabenPredicate
import Testing

/// What fetched properties do through every kind of context, and when their values are dropped.
@Suite("Fetched properties through contexts and changes")
struct FetchedPropertyWholeTests {
    private static func model(_ properties: [FetchedPropertyDescription]) -> ManagedObjectModel {
        ManagedObjectModel(entities: [
            EntityDescription(
                "P",
                attributes: [
                    AttributeDescription("x", .double, isOptional: false, isPacked: true), AttributeDescription("layer", .string),
                    AttributeDescription("n", .int64), AttributeDescription("mood", .string, isTransient: true),
                ],
                relationships: [
                    RelationshipDescription("owner", to: "P", inverse: "owned"),
                    RelationshipDescription("owned", to: "P", inverse: "owner", isToMany: true),
                ], fetchedProperties: properties),
            EntityDescription("Q", attributes: [AttributeDescription("layer", .string)]),
        ])
    }

    private static let standard = [
        FetchedPropertyDescription(
            "peers", of: "P", predicateFormat: "layer == $FETCH_SOURCE.layer AND SELF != $FETCH_SOURCE", sort: ["n"]),
        FetchedPropertyDescription("near", of: "P", predicateFormat: "x BETWEEN {$FETCH_SOURCE.x - 1, $FETCH_SOURCE.x + 1}", sort: ["x"]),
        FetchedPropertyDescription("mine", of: "P", predicateFormat: "owner == $FETCH_SOURCE", sort: ["n"]),
        FetchedPropertyDescription("first", of: "P", predicateFormat: "layer == $FETCH_SOURCE.layer", sort: ["-n"], limit: 2, offset: 1),
        FetchedPropertyDescription(
            "live", of: "P", predicateFormat: "layer == $FETCH_SOURCE.layer AND SELF != $FETCH_SOURCE", sort: ["n"], autoRefresh: true),
        FetchedPropertyDescription("liveOwned", of: "P", predicateFormat: "owner == $FETCH_SOURCE", sort: ["n"], autoRefresh: true),
        FetchedPropertyDescription(
            "liveDeep", of: "P", predicateFormat: "owner.layer == $FETCH_SOURCE.layer", sort: ["n"], autoRefresh: true),
    ]

    private func container(_ properties: [FetchedPropertyDescription] = standard, classes: [String: ManagedObject.Type] = [:]) throws
        -> PersistentContainer
    {
        try PersistentContainer(model: Self.model(properties), classes: classes, stores: [StoreConfiguration(.inMemory)])
    }

    @discardableResult
    private func insert(_ context: ManagedObjectContext, _ layer: String?, _ n: Int64, x: Double = 0) throws -> ManagedObject {
        let object = try context.insertObject(entity: "P")
        try object.setValue(layer.map { .string($0) } ?? .null, forKey: "layer")
        try object.setValue(.int(n), forKey: "n")
        try object.setValue(.double(x), forKey: "x")
        return object
    }

    private func numbers(_ object: ManagedObject, _ key: String) throws -> [Value] {
        try object.fetched(key, as: ManagedObject.self).map { try $0.value(forKey: "n") }
    }

    @Test("S101 S108 the source's unsaved values count in a context, its child and its grandchild, each with its own")
    func unsavedSources() throws {
        let root = try container().newContext()
        let source = try insert(root, "a", 0, x: 0)
        for n in 1...3 { try insert(root, "a", Int64(n), x: Double(n)) }
        for n in 4...6 { try insert(root, "b", Int64(n), x: Double(n * 10)) }
        try root.save()
        let child = ManagedObjectContext(parent: root)
        let grandchild = ManagedObjectContext(parent: child)
        let (inChild, inGrandchild) = (child.object(with: source.objectID), grandchild.object(with: source.objectID))
        for object in [source, inChild, inGrandchild] {
            #expect(try numbers(object, "peers") == [1, 2, 3] && numbers(object, "near") == [0, 1])
        }
        func reread(_ context: ManagedObjectContext, _ object: ManagedObject) { context.refresh(object, mergeChanges: true) }
        try inChild.setValue("b", forKey: "layer")
        try inChild.setValue(40.5, forKey: "x")
        reread(child, inChild)
        reread(grandchild, inGrandchild)
        #expect(try numbers(source, "peers") == [1, 2, 3])
        #expect(try numbers(inChild, "peers") == [4, 5, 6] && numbers(inChild, "near") == [4, 0])
        #expect(try numbers(inGrandchild, "peers") == [4, 5, 6] && numbers(inGrandchild, "near") == [4, 0])
        try insert(grandchild, "c", 7, x: 3)
        try inGrandchild.setValue("c", forKey: "layer")
        try inGrandchild.setValue(3.5, forKey: "x")
        reread(grandchild, inGrandchild)
        #expect(try numbers(inGrandchild, "peers") == [7] && numbers(inGrandchild, "near") == [3, 7, 0])
        try grandchild.save()
        reread(child, inChild)
        #expect(try numbers(inChild, "peers") == [7])
        try child.save()
        try root.save()
        reread(root, source)
        #expect(try numbers(source, "peers") == [7] && numbers(source, "near") == [3, 7, 0])
    }

    @Test("S98 order, limit and offset come through the model's round trips to a file and out of it")
    func roundTrips() throws {
        let folder = try TemporaryFolder()
        for door in FetchedPropertyDoor.allCases {
            let container = try door.container(Self.model(Self.standard), folder)
            let context = container.newContext()
            let objects = try (0..<6).map { try insert(context, "a", Int64($0)) }
            try context.save()
            #expect(try numbers(objects[0], "first") == [4, 3], "\(door)")
            #expect(container.model.description.entities[0].fetchedProperties == Self.standard, "\(door)")
            try container.close()
        }
    }

    @Test("S100 the value is dropped by either refresh, a fault, a reset and a rollback, for every way of reading")
    func dropping() throws {
        let context = try container().newContext()
        let source = try insert(context, "a", 0)
        try context.save()
        var want: [Value] = []
        var n: Int64 = 0
        for drop in [
            { context.refresh(source, mergeChanges: false) }, { context.refresh(source, mergeChanges: true) },
            { context.refreshAllObjects() },
            { context.rollback() },
        ] {
            #expect(try numbers(source, "peers") == want)
            n += 1
            try insert(context, "a", n)
            try context.save()
            #expect(try numbers(source, "peers") == want && source.value(forKey: "peers").ids.count == want.count)
            drop()
            want.append(.int(n))
            #expect(try source.value(forKey: "peers").ids.count == want.count)
        }
        #expect(try numbers(source, "peers") == want)
        context.reset()
        #expect(try source.fetched("peers", as: ManagedObject.self).isEmpty)
        let again = context.object(with: source.objectID)
        #expect(again !== source)
        #expect(try numbers(again, "peers") == want)
    }

    @Test("S100 members deleted here, above or by another context are not handed out, whether or not an object was made of them")
    func deletedMembers() throws {
        let container = try container()
        let root = container.newContext()
        let source = try insert(root, "a", 0)
        let others = try (1...5).map { try insert(root, "a", Int64($0)) }
        try root.save()
        let child = ManagedObjectContext(parent: root)
        let inChild = child.object(with: source.objectID)
        #expect(try inChild.value(forKey: "peers").ids.count == 5)
        child.delete(child.object(with: others[0].objectID))
        #expect(try numbers(inChild, "peers") == [2, 3, 4, 5])
        root.delete(others[1])
        #expect(try inChild.value(forKey: "peers").ids == others[2...].map(\.objectID))
        root.rollback()
        let second = container.newContext()
        second.delete(second.object(with: others[4].objectID))
        try second.save()
        #expect(try source.value(forKey: "peers").ids.count == 5)
        _ = try root.count(for: FetchRequest<ManagedObject>(entity: "P"))
        #expect(try source.value(forKey: "peers").ids == others[..<4].map(\.objectID))
    }

    @Test("S104 a fetched property whose result is no objects is an error of the model that names it")
    func results() {
        for result in FetchRequestDescription.Result.allCases {
            let model = Self.model([FetchedPropertyDescription("odd", FetchRequestDescription("P", result: result))])
            let texts = model.problems().map { "\($0)" }
            if result == .objects {
                #expect(texts.isEmpty)
            } else {
                #expect(texts.count == 1 && texts[0].contains("odd") && texts[0].contains("P"))
                #expect(throws: GrabenError.self) { try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)]) }
            }
        }
    }

    @Test("S110 evaluations that go from object to object in awakeFromFetch end in a typed error long before the stack does")
    func chain() throws {
        final class Chained: ManagedObject {
            override func awakeFromFetch() { _ = fetchedProperty("moody", as: ManagedObject.self) }
        }
        let moody = FetchedPropertyDescription("moody", of: "P", predicateFormat: "SELF != $FETCH_SOURCE AND mood == nil")
        let container = try container([moody], classes: ["P": Chained.self])
        let first = container.newContext()
        let ids = try (0..<200).map { try insert(first, "a", Int64($0)).objectID }
        try first.save()
        let context = container.newContext()
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        _ = try context.existingObject(with: ids[0])
        #expect(errors.contains { if case .invalidRequest(let reason) = $0 { reason.contains("P.moody") } else { false } })
        #expect(try context.object(with: ids[0]).fetched("moody", as: ManagedObject.self).count == 199)
    }

    @Test(
        "autoRefresh follows inserts, deletions, changes of members and of the source, undo, merges and parents, within an event and after it"
    )
    func autoRefresh() throws {
        let container = try container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let source = try insert(context, "a", 0)
        #expect(try numbers(source, "live") == [])
        let one = try insert(context, "a", 1)
        #expect(try numbers(source, "live") == [1])
        try context.save()
        try insert(context, "a", 2)
        #expect(try numbers(source, "live") == [1, 2], "in the same event")
        try one.setValue("b", forKey: "layer")
        #expect(try numbers(source, "live") == [2])
        try source.setValue("b", forKey: "layer")
        #expect(try numbers(source, "live") == [1])
        context.processPendingChanges()
        context.undo()
        #expect(try numbers(source, "live") == [1])
        context.delete(one)
        #expect(try numbers(source, "live") == [])
        context.rollback()
        #expect(try numbers(source, "live") == [1])

        #expect(try numbers(source, "liveOwned") == [])
        one.setToOne("owner", source)
        #expect(try numbers(source, "liveOwned") == [1] && numbers(source, "liveDeep") == [1])
        try context.save()
        let other = container.newContext()
        let inOther = other.object(with: one.objectID)
        try inOther.setValue("z", forKey: "layer")
        inOther.setToOne("owner", nil)
        try insert(other, "a", 9)
        try other.save()
        #expect(try numbers(source, "live") == [1])
        _ = try context.count(for: FetchRequest<ManagedObject>(entity: "Q"))
        #expect(try numbers(source, "live") == [9] && numbers(source, "liveOwned") == [] && numbers(source, "liveDeep") == [])

        let child = ManagedObjectContext(parent: context)
        let inChild = child.object(with: source.objectID)
        #expect(try numbers(inChild, "live") == [9])
        try insert(context, "a", 10)
        #expect(try numbers(inChild, "live") == [9, 10])
        try insert(child, "a", 11)
        #expect(try numbers(inChild, "live") == [9, 10, 11] && numbers(source, "live") == [9, 10])
        try child.save()
        #expect(try numbers(source, "live") == [9, 10, 11])
    }

    @Test("autoRefresh evaluates nothing anew while nothing it could be about changes")
    func autoRefreshIsLazy() throws {
        let context = try container().newContext()
        let source = try insert(context, "a", 0)
        try insert(context, "a", 1)
        try context.save()
        #expect(try numbers(source, "live") == [1])
        let before = context.statistics.fetches
        for _ in 0..<5 { _ = try numbers(source, "live") }
        let other = try context.insertObject(entity: "Q")
        try other.setValue("a", forKey: "layer")
        _ = try numbers(source, "live")
        context.processPendingChanges()
        _ = try numbers(source, "live")
        #expect(context.statistics.fetches == before)
        try insert(context, "b", 2)
        _ = try numbers(source, "live")
        context.processPendingChanges()
        for _ in 0..<5 { _ = try numbers(source, "live") }
        #expect(context.statistics.fetches == before + 2, "once in the event and once after it")
    }

    @Test("a fetched property takes no part in validation, saving, copies of values or changes")
    func aside() throws {
        let context = try container().newContext()
        let source = try insert(context, "a", 0)
        try insert(context, "a", 1)
        #expect(try numbers(source, "peers") == [1])
        let keys = Set(source.changedValues().keys)
        #expect(keys == ["layer", "n", "x"])
        try context.save()
        #expect(try numbers(source, "peers") == [1] && !source.hasChanges && source.changedValues().isEmpty)
        #expect(try source.committedValues(forKeys: ["peers"]).isEmpty)
    }
}

extension Value {
    /// The ids of a list of references.
    fileprivate var ids: [ObjectID] {
        if case .references(let ids) = self { return ids }
        return []
    }
}
