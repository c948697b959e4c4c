import Graben
import GrabenFixtures
import Testing

@Suite("Fetched properties")
struct FetchedPropertyTests {
    private static func model(_ properties: [FetchedPropertyDescription]) -> ManagedObjectModel {
        ManagedObjectModel(entities: [
            EntityDescription(
                "P",
                attributes: [
                    AttributeDescription("x", .double, isOptional: false, isPacked: true), AttributeDescription("layer", .string),
                    AttributeDescription("n", .int64),
                ],
                relationships: [
                    RelationshipDescription("owner", to: "P", inverse: "owned"),
                    RelationshipDescription("owned", to: "P", inverse: "owner", isToMany: true),
                ], fetchedProperties: properties)
        ])
    }

    private static let standard = [
        FetchedPropertyDescription(
            "peers", of: "P", predicateFormat: "layer == $FETCH_SOURCE.layer AND SELF != $FETCH_SOURCE", sort: ["-n"]),
        FetchedPropertyDescription("all", of: "P"),
        FetchedPropertyDescription("mine", of: "P", predicateFormat: "owner == $FETCH_SOURCE", sort: ["n"], limit: 2, offset: 1),
        FetchedPropertyDescription(
            "named", of: "P", predicateFormat: "layer == $FETCHED_PROPERTY.userInfo.layer", userInfo: ["layer": "special"]),
        FetchedPropertyDescription("near", of: "P", predicateFormat: "x BETWEEN {$FETCH_SOURCE.x - 1, $FETCH_SOURCE.x + 1}", sort: ["x"]),
    ]

    private func container(_ stores: Int = 1) throws -> PersistentContainer {
        try PersistentContainer(
            model: Self.model(Self.standard), stores: (0..<stores).map { _ in StoreConfiguration(.inMemory) })
    }

    private func insert(_ context: ManagedObjectContext, _ layer: String?, _ n: Int64, x: Double = 0, store: PersistentStore? = nil) throws
        -> ManagedObject
    {
        let object = try context.insertObject(entity: "P", into: store)
        try object.setValue(layer.map { .string($0) } ?? .null, forKey: "layer")
        try object.setValue(.int(n), forKey: "n")
        try object.setValue(.double(x), forKey: "x")
        return object
    }

    @Test("S98 S122 nothing is fetched until read; then in the request's order, once, for every way of reading")
    func lazily() throws {
        let context = try container().newContext()
        let objects = try (0..<4).map { try insert(context, "a", Int64($0)) }
        _ = try insert(context, "b", 9)
        try context.save()
        #expect(context.statistics.fetches == 0)
        let peers: [ManagedObject] = try objects[1].fetched("peers")
        #expect(peers == [objects[3], objects[2], objects[0]] && context.statistics.fetches == 1)
        #expect(objects[1].fetchedProperty("peers", as: ManagedObject.self) == peers)
        #expect(try objects[1].value(forKey: "peers") == .references(peers.map(\.objectID)))
        #expect(context.statistics.fetches == 1 && !objects[1].hasChanges && !context.hasChanges)
    }

    @Test("S99 setting one is a typed error by every door")
    func readOnly() throws {
        let context = try container().newContext()
        let object = try insert(context, "a", 0)
        guard case .readOnlyProperty("P", "peers")? = thrown({ try object.setValue(.references([]), forKey: "peers") }),
            case .readOnlyProperty? = thrown({ try object.setPrimitiveValue(.null, forKey: "peers") })
        else {
            Issue.record("it was set")
            return
        }
    }

    @Test(
        "S100 S69 S122 the result stays until refresh of either flavour, refreshAll, a fault, reset or rollback; deleted members drop out")
    func caching() throws {
        let context = try container().newContext()
        let source = try insert(context, "a", 0)
        let second = try insert(context, "a", 1)
        try context.save()
        func peers() throws -> Int { try source.fetched("peers", as: ManagedObject.self).count }
        #expect(try peers() == 1)
        var added = 1
        for drop in [
            { context.refresh(source, mergeChanges: true) }, { context.refresh(source, mergeChanges: false) },
            { context.refreshAllObjects() }, { context.rollback() },
        ] {
            _ = try insert(context, "a", 5)
            try context.save()
            #expect(try peers() == added, "the old result stays")
            drop()
            added += 1
            #expect(try peers() == added)
        }
        try source.setValue(77, forKey: "n")
        _ = try insert(context, "a", 6)
        #expect(try peers() == added)
        context.refreshAllObjects()
        #expect(source.hasChanges)
        #expect(try peers() == added + 1, "dropped on a dirty object too")
        context.delete(second)
        #expect(try peers() == added)
        context.rollback()
        context.reset()
        #expect(source.fetchedProperty("peers", as: ManagedObject.self).isEmpty, "an object in no context answers none")
        #expect(try source.fetched("peers", as: ManagedObject.self).isEmpty)
    }

    @Test("S101 the source is the object itself: identity in root, child and background contexts, before and after the first save")
    func identity() async throws {
        let container = try container()
        let context = container.newContext()
        let source = try insert(context, "a", 0)
        let owned = try (1...4).map { try insert(context, "b", Int64($0)) }
        for object in owned { object.setToOne("owner", source) }
        func mine(_ object: ManagedObject) throws -> [ObjectID] { try object.fetched("mine", as: ManagedObject.self).map(\.objectID) }
        let want = [owned[1], owned[2]].map(\.objectID)
        #expect(try mine(source) == want, "before the first save; window after the sort")
        try context.save()
        context.refresh(source, mergeChanges: true)
        #expect(try mine(source) == want)
        let child = ManagedObjectContext(parent: context)
        #expect(try mine(child.object(with: source.objectID)) == want)
        let id = source.objectID
        let found = try await container.newBackgroundContext().perform { context in
            try context.object(with: id).fetched("mine", as: ManagedObject.self).map(\.objectID)
        }
        #expect(found == want)
    }

    @Test("S102 a nil key on the source matches rows whose key is nil")
    func nilKey() throws {
        let context = try container().newContext()
        let (a, b, c) = (try insert(context, nil, 0), try insert(context, nil, 1), try insert(context, "a", 2))
        #expect(try a.fetched("peers", as: ManagedObject.self) == [b] && c.fetched("peers", as: ManagedObject.self).isEmpty)
    }

    @Test("S103 S105 userInfo is read through the property's description, and no predicate yields everything")
    func description() throws {
        let context = try container().newContext()
        let (a, b) = (try insert(context, "a", 0), try insert(context, "special", 1))
        #expect(try a.fetched("named", as: ManagedObject.self) == [b])
        #expect(try a.fetched("all", as: ManagedObject.self) == [a, b])
    }

    @Test("S106 it fetches across the stores of the coordinator, and columns answer it without firing faults")
    func stores() throws {
        let container = try container(2)
        let context = container.newContext()
        let stores = container.coordinator.stores
        let objects = try (0..<6).map { try insert(context, "a", Int64($0), x: Double($0) / 2, store: stores[$0 % 2]) }
        try context.save()
        let other = container.newContext()
        let twin = other.object(with: objects[2].objectID)
        let near = try twin.fetched("near", as: ManagedObject.self)
        #expect(near.map(\.objectID) == (0...4).map { objects[$0].objectID })
        #expect(near.allSatisfy(\.isFault) && twin.isFault && other.statistics.firedFaults == 0)
        #expect(try objects[0].fetched("peers", as: ManagedObject.self).count == 5)
    }

    @Test("S107 S123 one cannot be used in a predicate or a sort")
    func notInPredicates() throws {
        let context = try container().newContext()
        for format in ["peers.@count > 1", "ANY peers.n == 1"] {
            guard
                case .predicate? = thrown({
                    _ = try context.fetch(FetchRequest<ManagedObject>(entity: "P", predicate: try ObjectPredicate(format: format)))
                })
            else {
                Issue.record("\(format) was taken")
                return
            }
        }
        let sorted = FetchRequest<ManagedObject>(entity: "P", sortDescriptors: [ObjectSortDescriptor("peers", ascending: true)])
        #expect(throws: GrabenError.self) { try context.fetch(sorted) }
    }

    @Test("S108 pending objects that match are included")
    func pending() throws {
        let context = try container().newContext()
        let (a, b) = (try insert(context, "a", 0), try insert(context, "b", 1))
        try context.save()
        try b.setValue("a", forKey: "layer")
        let c = try insert(context, "a", 2)
        #expect(try a.fetched("peers", as: ManagedObject.self) == [c, b])
    }

    @Test("S109 S124 a bad key path does not stop the model; evaluation throws, the typed getter answers none and reports")
    func badKeys() throws {
        let container = try PersistentContainer(
            model: Self.model([FetchedPropertyDescription("bad", of: "P", predicateFormat: "layr == $FETCH_SOURCE.layer")]),
            stores: [StoreConfiguration(.inMemory)])
        let context = container.newContext()
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        let object = try insert(context, "a", 0)
        #expect(object.fetchedProperty("bad", as: ManagedObject.self).isEmpty && errors.count == 1)
        let error = try #require(thrown { _ = try object.fetched("bad", as: ManagedObject.self) })
        let text = "\(error)"
        #expect(text.contains("layr") && text.contains("layer") && text.contains("bad") && text.contains("P"))
        guard case .wrongType? = thrown({ _ = try object.fetched("n", as: ManagedObject.self) }),
            case .unknownKey? = thrown({ _ = try object.fetched("nn", as: ManagedObject.self) })
        else {
            Issue.record("another property was taken for a fetched one")
            return
        }
    }

    @Test("S110 evaluating one in awakeFromFetch works")
    func whileAwaking() throws {
        final class Waking: ManagedObject {
            var found = -1
            override func awakeFromFetch() { found = fetchedProperty("peers", as: ManagedObject.self).count }
        }
        let container = try PersistentContainer(
            model: Self.model(Self.standard), classes: ["P": Waking.self], stores: [StoreConfiguration(.inMemory)])
        let first = container.newContext()
        let ids = try (0..<3).map { try insert(first, "a", Int64($0)).objectID }
        try first.save()
        let context = container.newContext()
        let object = try #require(try context.existingObject(with: ids[0]) as? Waking)
        #expect(object.found == 2 && !object.hasChanges)
    }

    @Test("S110 a property whose evaluation needs itself ends in a typed error, not in a hang")
    func cycle() throws {
        final class Circular: ManagedObject {
            override func awakeFromFetch() { _ = fetchedProperty("cyclic", as: ManagedObject.self) }
        }
        let model = ManagedObjectModel(entities: [
            EntityDescription(
                "P", attributes: [AttributeDescription("mood", .string, isTransient: true)],
                fetchedProperties: [FetchedPropertyDescription("cyclic", of: "P", predicateFormat: "mood == nil")])
        ])
        let container = try PersistentContainer(model: model, classes: ["P": Circular.self], stores: [StoreConfiguration(.inMemory)])
        let first = container.newContext()
        let id = Circular(context: first).objectID
        try first.save()
        let context = container.newContext()
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        #expect(try context.object(with: id).fetched("cyclic", as: ManagedObject.self).count == 1)
        guard case .fetchedPropertyCycle("P", "cyclic")? = errors.first, errors.count == 1 else {
            Issue.record("\(errors)")
            return
        }
    }

    @Test("S121 adding, changing and removing one changes no record and no layout of a store")
    func noSchema() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("fetched.graben")
        var size = 0
        for properties in [Self.standard, [], [FetchedPropertyDescription("all", of: "P", sort: ["n"])]] {
            let container = try PersistentContainer(model: Self.model(properties), at: path)
            let context = container.newContext()
            if size == 0 {
                _ = try insert(context, "a", 1, x: 2)
                try context.save()
            }
            size += 1
            let objects = try context.fetch(FetchRequest<ManagedObject>(entity: "P"))
            #expect(try objects.count == 1 && objects[0].value(forKey: "x") == 2.0 && objects[0].value(forKey: "layer") == "a")
            try container.close()
        }
    }
}
