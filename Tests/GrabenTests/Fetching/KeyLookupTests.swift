import Graben
import GrabenFixtures
import GrabenModel
import GrabenPredicate
import Testing

@Entity @Unique("name") @Unique("layer", "number") private final class Pin: ManagedObject {
    var name: String?
    var layer: Int = 0
    var number: Double?
    var note: String?
}

/// Looking objects up by what a uniqueness constraint is of.
@Suite("Looking up by key")
struct KeyLookupTests {
    private enum Kind: String, CaseIterable, Sendable { case memory, file, reopened, compacted }

    private func container(_ location: StoreLocation = .inMemory) throws -> PersistentContainer {
        try PersistentContainer(for: Pin.self, stores: [StoreConfiguration(location)])
    }

    @discardableResult
    private func pin(_ context: ManagedObjectContext, _ name: String?, _ layer: Int = 0, _ number: Double? = nil) -> Pin {
        let pin = Pin(context: context)
        (pin.name, pin.layer, pin.number) = (name, layer, number)
        return pin
    }

    @Test("an object is found by its key in every kind of store, and nothing by another", arguments: Kind.allCases)
    private func stores(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("pins.graben")
        var container = try container(kind == .memory ? .inMemory : .file(path))
        var context = container.newContext()
        for place in 0..<3000 { pin(context, "pin \(place * 7 % 3000)", place % 3, Double(place)) }
        try context.save()
        for place in stride(from: 0, to: 3000, by: 5) {
            let found = try #require(try context.object(Pin.self, where: \.name, equals: "pin \(place)"))
            found.name = "was \(place)"
        }
        try context.save()
        if kind == .compacted { try container.coordinator.stores[0].compact() }
        if kind == .reopened || kind == .compacted {
            try container.close()
            container = try self.container(.file(path))
            context = container.newContext()
        }
        for place in 0..<3000 {
            let name = place % 5 == 0 ? "was \(place)" : "pin \(place)"
            #expect(try context.object(Pin.self, where: \.name, equals: name)?.name == name)
        }
        for name in ["pin 0", "pin 3000", "", "zzz", "pin", "was 1", String(repeating: "x", count: 3000)] {
            #expect(try context.object(Pin.self, where: \.name, equals: name) == nil, "\(name)")
        }
        #expect(try context.object(Pin.self, where: .key(\.number, 17), .key(\.layer, 2))?.number == 17)
        #expect(try context.object(Pin.self, where: .key(\.layer, 1), .key(\.number, 17)) == nil)
        #expect(try context.object(entity: "Pin", where: ["layer": 2, "number": 17])?.value(forKey: "number") == 17.0)
    }

    @Test("keys that are long, empty, hold zero bytes or differ only in their normal form are told apart")
    func strangeKeys() throws {
        let long = String(repeating: "k", count: 1024)
        let names = ["", "\0", "a\0", "a\0b", "a", "é", "e\u{301}", long, long + "a", long + "b", long + "ab"]
        let container = try container()
        let context = container.newContext()
        for (place, name) in names.enumerated() { pin(context, name, 0, Double(place)) }
        for isSaved in [false, true] {
            for name in names {
                let found = try #require(try context.object(Pin.self, where: \.name, equals: name), "\(isSaved) \(name.utf8.count)")
                #expect(Array(found.name?.utf8 ?? "".utf8) == Array(name.utf8))
            }
            #expect(try context.object(Pin.self, where: \.name, equals: long + "c") == nil)
            try context.save()
        }
    }

    @Test("unsaved changes count: new keys are found, given up and deleted ones are not, in this context and those above it")
    func pending() throws {
        let container = try container()
        let root = container.newContext()
        let pins = (0..<6).map { pin(root, "\($0)", 0, Double($0)) }
        try root.save()
        let child = ManagedObjectContext(parent: root)
        func find(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject? {
            try context.object(Pin.self, where: \.name, equals: name)
        }
        #expect(try find("1", in: child)?.objectID == pins[1].objectID)
        pins[0].name = "zero"
        root.delete(pins[1])
        let new = pin(root, nil, 1)
        #expect(try find("new", in: root) == nil)
        new.name = "new"
        for context in [root, child] {
            #expect(try find("zero", in: context)?.objectID == pins[0].objectID)
            #expect(try find("new", in: context)?.objectID == new.objectID)
            #expect(try find("0", in: context) == nil && find("1", in: context) == nil)
        }
        (pins[2].name, pins[3].name) = ("3", "2")
        #expect(try find("2", in: child)?.objectID == pins[3].objectID && find("3", in: root) === pins[2])
        let inChild = try #require(child.object(with: pins[0].objectID) as? Pin)
        inChild.name = "in the child"
        #expect(try find("zero", in: child) == nil && find("in the child", in: child) === inChild)
        #expect(try find("zero", in: root) === pins[0] && find("in the child", in: root) == nil)
        try child.save()
        #expect(try find("zero", in: root) == nil && find("in the child", in: root) === pins[0])
        root.rollback()
        #expect(try find("0", in: root) === pins[0] && find("1", in: root) === pins[1] && find("new", in: root) == nil)
    }

    @Test("undo and redo give keys back and take them again")
    func undoing() throws {
        let container = try container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let only = pin(context, "a")
        try context.save()
        only.name = "b"
        context.processPendingChanges()
        func find(_ name: String) throws -> ManagedObject? { try context.object(Pin.self, where: \.name, equals: name) }
        #expect(try find("b") === only && find("a") == nil)
        context.undo()
        #expect(try find("a") === only && find("b") == nil)
        context.redo()
        #expect(try find("b") === only && find("a") == nil)
        context.delete(only)
        context.processPendingChanges()
        #expect(try find("b") == nil)
        context.undo()
        #expect(try find("b") === only)
    }

    @Test("what another context saved since is found, but by a pinned context")
    func otherContexts() throws {
        let container = try container()
        let context = container.newContext()
        #expect(try context.object(Pin.self, where: \.name, equals: "late") == nil)
        let pinned = container.newContext()
        pinned.isPinned = true
        let other = container.newContext()
        let late = pin(other, "late")
        try other.save()
        #expect(try context.object(Pin.self, where: \.name, equals: "late")?.objectID == late.objectID)
        #expect(try pinned.object(Pin.self, where: \.name, equals: "late") == nil)
    }

    @Test("many keys at once answer in their order, nil for what is not there and for nil, which is no key")
    func many() throws {
        let container = try container()
        let context = container.newContext()
        let pins = ["a", "b", "c"].map { pin(context, $0) }
        pin(context, nil)
        try context.save()
        let found = try context.objects(Pin.self, where: \.name, equals: ["c", nil, "x", "a", "c"])
        #expect(found == [pins[2], nil, nil, pins[0], pins[2]])
        #expect(try context.objects(Pin.self, where: \.name, equals: ["x", "b"] as [String]) == [nil, pins[1]])
        #expect(try context.objects(Pin.self, where: \.name, equals: [String]()) == [])
        #expect(try context.objects(Pin.self, where: \.name, equals: ["b", "a", "z"].prefix(2)) == [pins[1], pins[0]])
        #expect(throws: GrabenError.self) { try context.objects(Pin.self, where: \.note, equals: ["a"] as [String]) }
        let other = container.newContext()
        let late = pin(other, "late")
        try other.save()
        let newer = try context.objects(Pin.self, where: \.name, equals: ["late", "a", "later"] as [String])
        #expect(newer.map { $0?.objectID } == [late.objectID, pins[0].objectID, nil])
    }

    @Test(
        "many keys at once answer as one after the other in every kind of store, with unsaved changes here and above",
        arguments: TestShare.of([.reopened, .memory, .file, .compacted] as [Kind], brief: 1))
    private func manyInStores(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("pins.graben")
        var container = try container(kind == .memory ? .inMemory : .file(path))
        var context = container.newContext()
        for place in 0..<3000 { pin(context, "pin \(place * 7 % 3000)", place % 3, Double(place)) }
        try context.save()
        if kind == .compacted { try container.coordinator.stores[0].compact() }
        if kind == .reopened || kind == .compacted {
            try container.close()
            container = try self.container(.file(path))
            context = container.newContext()
        }
        let long = String(repeating: "x", count: 3000)
        let names = (0..<3100).map { $0 % 97 == 0 ? nil : $0 % 89 == 0 ? long : "pin \($0 * 11 % 3100)" }
        func check(in context: ManagedObjectContext, _ comment: Comment) throws {
            let found = try context.objects(Pin.self, where: \.name, equals: names)
            #expect(found.count == names.count)
            for (name, object) in zip(names, found) {
                #expect(try object === context.object(Pin.self, where: \.name, equals: name), "\(comment), \(name ?? "nil")")
                if let object { #expect(object.name == name) }
            }
        }
        try check(in: context, "nothing unsaved")
        try check(in: ManagedObjectContext(parent: context), "a child")
        for (place, object) in try context.objects(Pin.self, where: \.name, equals: names.compactMap { $0 }).enumerated() {
            guard let object else { continue }
            if place % 7 == 0 { object.name = "pin \(3000 + place % 100)" }
            if place % 11 == 0 { context.delete(object) }
        }
        pin(context, long)
        try check(in: context, "unsaved changes")
        let child = ManagedObjectContext(parent: context)
        try check(in: child, "unsaved changes above")
        pin(child, "pin 3050").layer = 3
        try check(in: child, "and here")
    }

    @Test("many keys at once find the objects of every store and entity that may have them")
    func manyInStoresAndEntities() throws {
        var model = Shop.model
        model.entities[0].uniquenessConstraints = [["name"]]
        let container = try PersistentContainer(model: model, stores: [.init(.inMemory, name: "one"), .init(.inMemory, name: "two")])
        let context = container.newContext()
        var objects: [ManagedObject] = []
        for place in 0..<600 {
            let store = container.coordinator.stores[place % 2]
            let object = try context.insertObject(entity: place % 3 == 0 ? "Valve" : "Part", into: store)
            try object.setValue(.string("n\(place)"), forKey: "name")
            objects.append(object)
        }
        for _ in 0..<2 {
            let found = try context.objects(entity: "Part", where: "name", equals: (0..<601).map { .string("n\($0)") })
            #expect(found.dropLast().elementsEqual(objects) { $0 === $1 } && found.last == .some(nil))
            try context.save()
        }
    }

    @Test("sub-entities are found by the key they inherit, an entity's own objects by no other's")
    func hierarchy() throws {
        var model = Shop.model
        model.entities[0].uniquenessConstraints = [["name"]]
        let context = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)]).newContext()
        let part = try Shop.add(context, "p")
        let valve = try Shop.add(context, "v", entity: "Valve")
        for _ in 0..<2 {
            #expect(try context.object(entity: "Part", where: ["name": "v"]) === valve)
            #expect(try context.object(entity: "Valve", where: ["name": "v"]) === valve)
            #expect(try context.object(entity: "Part", where: ["name": "p"]) === part)
            #expect(try context.object(entity: "Valve", where: ["name": "p"]) == nil)
            try context.save()
        }
    }

    @Test("what is no key is a typed error that says which keys there are")
    func noKeys() throws {
        let container = try container()
        let context = container.newContext()
        for body in [
            { _ = try context.object(Pin.self, where: \.note, equals: "x") },
            { _ = try context.object(Pin.self, where: "layer", equals: 1) },
            { _ = try context.object(Pin.self, where: .key(\.name, "x"), .key(\.layer, 1)) },
            { _ = try context.object(entity: "Pin", where: [:]) },
        ] as [() throws -> Void] {
            guard case .invalidRequest(let reason)? = thrown(body) else {
                Issue.record("it was taken for a key")
                continue
            }
            #expect(reason.contains("name") && reason.contains("layer and number"))
        }
        guard case .unknownKey("Pin", "nmae", "name")? = thrown({ _ = try context.object(Pin.self, where: "nmae", equals: "x") }),
            case .wrongType("Pin", "name", _, _)? = thrown({ _ = try context.object(Pin.self, where: "name", equals: 3) })
        else {
            Issue.record("another error, or none")
            return
        }
    }

    @Test("insert or update makes one object for each key, however often it is called, before and after saves")
    func insertOrUpdate() throws {
        let container = try container()
        var random = SplitMix64(seed: 99)
        let context = container.newContext()
        var want: [String: Int] = [:]
        for round in 0..<400 {
            let name = "n\(random.next() % 40)"
            let (object, isNew) = try context.insertOrUpdate(Pin.self, where: \.name, equals: name) {
                $0.note = "\(round)"
                $0.number = Double(round)
            }
            #expect(isNew == (want[name] == nil) && object.name == name)
            want[name] = round
            switch random.next() % 12 {
            case 0: try context.save()
            case 1:
                context.delete(object)
                want[name] = nil
            default: break
            }
        }
        let pins = try context.fetch(Pin.fetchRequest())
        #expect(pins.count == want.count && pins.allSatisfy { want[$0.name ?? ""].map(String.init) == $0.note })
        try context.save()
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try context.insertOrUpdate(Pin.self, where: \.name, equals: "refused") { _ in throw Refusal() } }
        #expect(try context.object(Pin.self, where: \.name, equals: "refused") == nil)
        #expect(throws: GrabenError.self) { try context.insertOrUpdate(Pin.self, where: \.name, equals: nil) }
        let (compound, isNew) = try context.insertOrUpdate(Pin.self, where: .key(\.layer, 77), .key(\.number, 0.5)) { $0.note = "x" }
        #expect(isNew && compound.layer == 77 && compound.number == 0.5)
        #expect(try context.findOrInsert(entity: "Pin", where: ["layer": 77, "number": 0.5]).object === compound)
    }

    @Test("a look-up ends no event and makes no undo step")
    func quiet() throws {
        let container = try container()
        let context = container.newContext()
        context.undoManager = ObjectUndoManager()
        let only = pin(context, "a")
        only.note = "1"
        _ = try context.object(Pin.self, where: \.name, equals: "a")
        only.note = "2"
        #expect(only.changedValuesForCurrentEvent()["note"] == "2" && context.statistics.fetches == 0)
        context.undo()
        #expect(!context.hasChanges)
    }
}
