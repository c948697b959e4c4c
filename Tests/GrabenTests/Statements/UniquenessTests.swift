import Graben
import GrabenFixtures
import GrabenModel
import Testing

@Suite("Uniqueness")
struct UniquenessTests {
    private func duplicate(_ keys: [String], _ values: [Value], _ other: ManagedObject) -> SaveConflict.Kind {
        .duplicate(constraint: keys, values: values, other: other.objectID)
    }

    @Test("S81 a key that another object has fails the save, in memory and in a file, and names both objects, the constraint and the value")
    func names() throws {
        let folder = try TemporaryFolder()
        for location in [StoreLocation.inMemory, .file(folder.path("unique.graben"))] {
            let container = try Registered.container(location)
            let context = container.newContext()
            let first = try context.make("Part", ["code": "J12"])
            try context.save()
            let second = try context.make("Part", ["code": "J12"])
            try context.make("Part", ["code": "J13"])
            let found = try #require(conflicts { try context.save() })
            #expect(found.map(\.kind) == [duplicate(["code"], ["J12"], first)] && found[0].objectID == second.objectID)
            let text = "\(GrabenError.conflict(found))"
            for part in [first.objectID.uriRepresentation, second.objectID.uriRepresentation, "code", "\"J12\"", "unique"] {
                #expect(text.contains(part))
            }
            #expect(context.insertedObjects.count == 2, "a failed save leaves every change in place")
            // The offending change alone is given up, and the rest is saved.
            context.discardChanges(of: second)
            try context.save()
            #expect(try container.newContext().values("code", of: "Part") == ["J12", "J13"])
            #expect(second.managedObjectContext == nil)
        }
    }

    // Index keys hold the first 1,024 bytes of a text. One of exactly that many counted as known in full, so a longer text that begins with
    // it was refused as its duplicate, and a look-up by the one could find the other.
    @Test("S81 texts that agree in the bytes an index holds of them are different keys", arguments: [1_023, 1_024, 1_025, 3_000])
    func longTexts(length: Int) throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "a", count: length)
        for location in [StoreLocation.inMemory, .file(folder.path("long.graben"))] {
            let container = try Registered.container(location)
            let context = container.newContext()
            try context.make("Part", ["code": .string(text)])
            try context.save()
            for end in ["a", "b", "aa"] { try context.make("Part", ["code": .string(text + end)]) }
            try context.save()
            for end in ["", "a", "b", "aa"] {
                let found = try container.newContext().object(entity: "Part", where: ["code": .string(text + end)])
                #expect(try found?.value(forKey: "code") == .string(text + end))
            }
            #expect(try context.object(entity: "Part", where: ["code": .string(text + "c")]) == nil)
            let again = try context.make("Part", ["code": .string(text + "b")])
            #expect(try #require(conflicts { try context.save() }).map(\.objectID) == [again.objectID])
            context.discardChanges(of: again)
            context.delete(try #require(try context.object(entity: "Part", where: ["code": .string(text)])))
            try context.save()
            for context in [context, container.newContext()] {
                #expect(try context.object(entity: "Part", where: ["code": .string(text)]) == nil, "\(length) bytes")
            }
        }
    }

    @Test("S81 two new objects with one key conflict with each other, and a key with a nil in it is no key")
    func inOneSave() throws {
        let container = try Registered.container()
        let context = container.newContext()
        let first = try context.make("Part", ["code": "a"])
        let second = try context.make("Part", ["code": "a"])
        for _ in 0..<3 { try context.make("Part", [:]) }
        for serial in [1, 1, nil] as [Value] { try context.make("Pump", ["serial": serial]) }
        let found = try #require(conflicts { try context.save() })
        #expect(found.map(\.kind) == [duplicate(["code"], ["a"], first)] && found.map(\.objectID) == [second.objectID])
        try second.setValue(nil, forKey: "code")
        try context.save()
    }

    @Test("S81 a key holds for all entities below the one that declares it, and a compound key for all of its parts")
    func hierarchy() throws {
        let container = try Registered.container()
        let context = container.newContext()
        let part = try context.make("Part", ["code": "a"])
        let pump = try context.make("Pump", ["code": "b", "serial": 1, "plant": "north"])
        try context.save()
        let other = try context.make("Pump", ["code": "a", "serial": 1, "plant": "north"])
        let found = try #require(conflicts { try context.save() })
        #expect(
            Set(found.map(\.kind.description))
                == Set(
                    [duplicate(["code"], ["a"], part), duplicate(["serial", "plant"], [1, "north"], pump)].map(\.description)))
        try other.setValue("c", forKey: "code")
        try other.setValue("south", forKey: "plant")
        try context.save()
        // A reference can be part of a key.
        let owners = try (0..<2).map { try context.make("Owner", ["name": .string("\($0)")]) }
        for owner in owners { try context.make("Seat", ["number": 1, "of": .reference(owner.objectID)]) }
        try context.save()
        try context.make("Seat", ["number": 1, "of": .reference(owners[1].objectID)])
        #expect(conflicts { try context.save() }?.count == 1)
    }

    @Test("S81 what counts is what is after the save: keys can be exchanged, taken over from a deleted object, and passed along")
    func afterTheSave() throws {
        let container = try Registered.container()
        let context = container.newContext()
        let (a, b, c) = (
            try context.make("Part", ["code": "a"]), try context.make("Part", ["code": "b"]), try context.make("Part", ["code": "c"])
        )
        try context.save()
        try a.setValue("b", forKey: "code")
        try b.setValue("a", forKey: "code")
        try context.save()
        context.delete(a)
        try context.make("Part", ["code": "b"])
        try context.save()
        try c.setValue("d", forKey: "code")
        try b.setValue("c", forKey: "code")
        try context.save()
        #expect(try container.newContext().values("code", of: "Part") == ["c", "d", "b"])
        // Changed and changed back is no change.
        try c.setValue("b", forKey: "code")
        try c.setValue("d", forKey: "code")
        try context.save()
    }

    @Test("S81 two contexts that take one key race: the second save fails whatever its snapshot was")
    func race() throws {
        let container = try Registered.container()
        let (one, two) = (container.newContext(), container.newContext())
        let first = try one.make("Part", ["code": "a"])
        let second = try two.make("Part", ["code": "a"])
        try one.save()
        #expect(conflicts { try two.save() }?.map(\.kind) == [duplicate(["code"], ["a"], first)])
        try second.setValue("b", forKey: "code")
        try two.save()
        // Each changes one half of a compound key; together they would make one that is taken.
        let pump = try one.make("Pump", ["code": "p", "serial": 1, "plant": "north"])
        let taken = try one.make("Pump", ["code": "q", "serial": 2, "plant": "south"])
        try one.save()
        let twin = try two.existingObject(with: pump.objectID)
        try twin.setValue("south", forKey: "plant")
        try pump.setValue(2, forKey: "serial")
        try one.save()
        #expect(conflicts { try two.save() }?.map(\.kind) == [duplicate(["serial", "plant"], [2, "south"], taken)])
        two.rollback()
        // What the other context gives up is free at once.
        try first.setValue("z", forKey: "code")
        try one.save()
        try two.make("Part", ["code": "a"])
        try two.save()
    }

    @Test("S81 threads that race for the same keys leave each key once, and every other save names who has it")
    func threads() async throws {
        let container = try Registered.container()
        let refused = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let context = container.newContext()
                    var refused = 0
                    for number in 0..<50 {
                        try context.make("Part", ["code": .string("\(number)")])
                        guard let found = conflicts({ try context.save() }) else { continue }
                        refused += 1
                        for conflict in found { context.discardChanges(of: context.object(with: conflict.objectID)) }
                        try context.save()
                    }
                    return refused
                }
            }
            return try await group.reduce(0, +)
        }
        let codes = try container.newContext().values("code", of: "Part")
        #expect(codes.count == 50 && refused == 150)
    }

    @Test("S81 a child's save checks its keys against the contexts above and the store")
    func children() throws {
        let container = try Registered.container()
        let root = container.newContext()
        let saved = try root.make("Part", ["code": "a"])
        let renamed = try root.make("Part", ["code": "b"])
        try root.save()
        try renamed.setValue("c", forKey: "code")
        let pending = try root.make("Part", ["code": "d"])
        let child = ManagedObjectContext(parent: root)
        let parts = try ["a", "b", "c", "d"].map { try child.make("Part", ["code": .string($0)]) }
        let found = try #require(conflicts { try child.save() })
        #expect(found.map(\.objectID) == [parts[0], parts[2], parts[3]].map(\.objectID))
        #expect(found.map(\.kind) == zip(["a", "c", "d"], [saved, renamed, pending]).map { duplicate(["code"], [.string($0)], $1) })
        for part in [parts[0], parts[2], parts[3]] { child.delete(part) }
        try child.save()
        try root.save()
        #expect(try container.newContext().values("code", of: "Part") == ["a", "c", "d", "b"])
    }

    @Test("S81 keys longer than an index knows are compared whole, and keys are found again after the store was closed")
    func reopened() throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "k", count: 1500)
        do {
            let container = try Registered.container(.file(folder.path("keys.graben")))
            let context = container.newContext()
            for code in [long, long + "1", "short"] { try context.make("Part", ["code": .string(code)]) }
            try context.save()
            try container.close()
        }
        let container = try Registered.container(.file(folder.path("keys.graben")))
        #expect(container.coordinator.stores[0].log.catalog.indexes.map(\.isUnique) == [true, true, true, true, false, false])
        let context = container.newContext()
        try context.make("Part", ["code": .string(long + "2")])
        try context.save()
        for code in [long + "1", "short"] { try context.make("Pump", ["code": .string(code)]) }
        #expect(conflicts { try context.save() }?.count == 2)
    }

    @Test("a constraint that a store breaks already does not keep it closed: it holds for what is saved from now on")
    func addedLater() throws {
        let folder = try TemporaryFolder()
        var model = Registered.model
        for index in model.entities.indices { model.entities[index].uniquenessConstraints = [] }
        let location = StoreLocation.file(folder.path("later.graben"))
        do {
            let container = try PersistentContainer(model: model, stores: [StoreConfiguration(location)])
            let context = container.newContext()
            for _ in 0..<2 { try context.make("Part", ["code": "a"]) }
            try context.save()
            try container.close()
        }
        let container = try Registered.container(location)
        #expect(container.coordinator.stores[0].modelDifferences.contains { $0.reason.contains("from now on") })
        let context = container.newContext()
        let parts = try context.fetch(FetchRequest<ManagedObject>(entity: "Part"))
        try parts[0].setValue("touched", forKey: "note")
        try context.save()
        try parts[0].setValue("b", forKey: "code")
        try context.save()
        try parts[0].setValue("a", forKey: "code")
        #expect(conflicts { try context.save() }?.count == 1)
    }

    @Test("a packed attribute in a constraint is refused when the model is loaded, with what to do instead")
    func packed() throws {
        var model = Registered.model
        model.entities[0].uniquenessConstraints = [["x"]]
        guard case .model(let error)? = thrown({ _ = try PersistentContainer(model: model, stores: []) }) else {
            Issue.record("a packed key was taken")
            return
        }
        #expect("\(error)".contains("x, which is packed"))
    }

    @Test("random saves of two contexts and a child never leave a key twice, and fail only where they would", arguments: 1...6)
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let container = try Registered.container()
        let contexts = [container.newContext(), container.newContext()]
        var keys: [ObjectID: Value] = [:]
        for step in 0..<400 {
            let root = contexts[Int(random.next() % 2)]
            let context = random.next() % 3 == 0 ? ManagedObjectContext(parent: root) : root
            var expected = keys
            for _ in 0..<Int(random.next() % 4) + 1 {
                let key: Value = random.next() % 6 == 0 ? .null : .string("\(random.next() % 24)")
                let ids = expected.keys.sorted()
                switch random.next() % 4 {
                case 0, 1:
                    let part = try context.make(random.next() % 2 == 0 ? "Part" : "Pump", ["code": key])
                    expected[part.objectID] = key
                case 2 where !ids.isEmpty:
                    let id = ids[Int(random.next() % UInt64(ids.count))]
                    try context.existingObject(with: id).setValue(key, forKey: "code")
                    expected[id] = key
                case 3 where !ids.isEmpty:
                    let id = ids[Int(random.next() % UInt64(ids.count))]
                    context.delete(try context.existingObject(with: id))
                    expected[id] = nil
                default: break
                }
            }
            let values = expected.values.filter { !$0.isNull }.map(\.description)
            let isFine = Set(values).count == values.count
            let error = thrown {
                try context.save()
                if context !== root { try root.save() }
            }
            #expect((error == nil) == isFine, "step \(step): \(error.map { "\($0)" } ?? "saved")")
            if error == nil { keys = expected } else { context.rollback() }
            root.rollback()
            contexts.forEach { $0.refreshAllObjects() }
        }
        let stored = try container.newContext().fetch(FetchRequest<ManagedObject>(entity: "Part"))
        #expect(Dictionary(uniqueKeysWithValues: try stored.map { ($0.objectID, try $0.value(forKey: "code")) }) == keys)
    }
}

extension SaveConflict.Kind { fileprivate var description: String { "\(self)" } }
extension Value { fileprivate var description: String { "\(self)" } }
