import Graben
import GrabenFixtures
import Testing

@Suite("Fetching")
struct FetchingTests {
    private func saved(_ container: PersistentContainer, _ count: Int) throws -> (ManagedObjectContext, [Joint]) {
        let context = container.newContext()
        let joints = (0..<count).map { index in
            let joint = Joint(context: context)
            joint.x = Double(index)
            joint.name = "j\(index)"
            return joint
        }
        try context.save()
        return (context, joints)
    }

    @Test("S82 S84 S86 pending changes count: deleted drop out, updated are tested again, inserted join; then sort, offset, limit")
    func pending() throws {
        let container = try Network.container()
        let (context, joints) = try saved(container, 6)
        context.delete(joints[5])
        joints[0].x = 10
        joints[4].x = -1
        let new = Joint(context: context)
        new.x = 7
        context.translate([joints[2].objectID], by: [20, 0, 0])
        var request = Joint.fetchRequest()
        request.predicate = try ObjectPredicate(format: "x > %@", 2)
        request.sortDescriptors = [ObjectSortDescriptor("x", ascending: false)]
        #expect(try context.fetch(request) == [joints[2], joints[0], new, joints[3]])
        #expect(try context.count(for: request) == 4)
        #expect(try context.fetchIDs(request) == [joints[2], joints[0], new, joints[3]].map(\.objectID))
        request.fetchOffset = 1
        request.fetchLimit = 2
        #expect(try context.fetch(request) == [joints[0], new])
        #expect(try context.count(for: request) == 2)
        request.fetchOffset = 9
        #expect(try context.fetch(request).isEmpty && context.count(for: request) == 0)
        request.fetchOffset = -1
        guard case .invalidRequest? = thrown({ _ = try context.fetch(request) }) else {
            Issue.record("a negative offset was taken")
            return
        }
    }

    // Offset and limit were added up to know when a scan may end, and the sum of two large ones trapped.
    @Test("a window as large as an integer can say is every object from its offset on")
    func largestWindow() throws {
        let container = try Network.container()
        let (context, joints) = try saved(container, 4)
        var request = Joint.fetchRequest()
        request.fetchLimit = .max
        request.fetchOffset = 1
        #expect(try context.fetch(request) == Array(joints[1...]))
        request.fetchOffset = .max
        #expect(try context.fetch(request).isEmpty)
    }

    // Changed objects were looked at after all others, so a window that was full by then left out a changed object of a lesser id.
    @Test("a window without an order is the same one before and after a save")
    func unsortedWindow() throws {
        let container = try Network.container()
        let (context, joints) = try saved(container, 6)
        joints[0].name = "changed"
        joints[3].name = "changed"
        context.delete(joints[2])
        var request = Joint.fetchRequest()
        request.fetchLimit = 3
        #expect(try context.fetch(request) == [joints[0], joints[1], joints[3]])
        request.fetchOffset = 2
        #expect(try context.fetch(request) == [joints[3], joints[4], joints[5]])
        let new = Joint(context: context)
        request.fetchOffset = 4
        #expect(try context.fetch(request) == [joints[5], new])
        try context.save()
        #expect(try context.fetch(request) == [joints[5], new])
    }

    @Test("S83 without pending changes membership is the store's, and objects still show their own values")
    func storeOnly() throws {
        let container = try Network.container()
        let (context, joints) = try saved(container, 4)
        context.delete(joints[3])
        joints[0].x = 100
        _ = Joint(context: context)
        var request = Joint.fetchRequest()
        request.includesPendingChanges = false
        request.predicate = try ObjectPredicate(format: "x < 1.5 OR x == 3")
        let found = try context.fetch(request)
        #expect(found == [joints[0], joints[1], joints[3]] && found[0].x == 100)
        #expect(try context.count(for: request) == 3)
    }

    @Test("S82 changes pending in a child and its parent both count in the child")
    func levels() throws {
        let container = try Network.container()
        let (root, joints) = try saved(container, 4)
        let child = ManagedObjectContext(parent: root)
        joints[0].name = "parent"
        root.delete(joints[1])
        let new = Joint(context: root)
        root.processPendingChanges()
        (child.object(with: joints[2].objectID) as? Joint)?.name = "child"
        child.delete(child.object(with: joints[3].objectID))
        let own = Joint(context: child)
        var request = Joint.fetchRequest()
        #expect(try Set(child.fetchIDs(request)) == Set([joints[0], joints[2], new, own].map(\.objectID)))
        request.predicate = try ObjectPredicate(format: "name IN {'parent', 'child'}")
        #expect(try child.fetch(request).map(\.name) == ["parent", "child"])
    }

    @Test("S87 without sub-entities pending inserts of them stay out too")
    func subentities() throws {
        let context = try GraphSchema.container(.inMemory).newContext()
        let (joint, special) = (try context.insertObject(entity: "Joint"), try context.insertObject(entity: "Special"))
        try context.save()
        let newSpecial = try context.insertObject(entity: "Special")
        var request = FetchRequest<ManagedObject>(entity: "Joint")
        #expect(try Set(context.fetch(request)) == [joint, special, newSpecial])
        request.includesSubentities = false
        #expect(try context.fetch(request) == [joint] && context.count(for: request) == 1)
        request = FetchRequest(entity: "Special")
        #expect(try context.fetch(request) == [special, newSpecial])
    }

    @Test("S92 an entity's name is looked up when the request runs, and a wrong one names the nearest")
    func names() throws {
        let context = try Network.container().newContext()
        guard case .unknownEntity("Jiont", "Joint")? = thrown({ _ = try context.fetch(FetchRequest<ManagedObject>(entity: "Jiont")) })
        else {
            Issue.record("no error, or another")
            return
        }
        guard case .predicate? = thrown({ _ = try context.fetch(Joint.fetchRequest(where: "naem == 1")) }) else {
            Issue.record("an unknown key was taken")
            return
        }
        var request = Joint.fetchRequest()
        request.sortDescriptors = [ObjectSortDescriptor("nmae", ascending: true)]
        #expect(throws: GrabenError.self) { try context.fetch(request) }
    }

    @Test("S94 objects come as faults unless the request says otherwise")
    func faults() throws {
        let container = try Network.container()
        _ = try saved(container, 3)
        let context = container.newContext()
        var request = Joint.fetchRequest()
        #expect(try context.fetch(request).allSatisfy(\.isFault))
        request.returnsObjectsAsFaults = false
        #expect(try context.fetch(request).allSatisfy { !$0.isFault })
        #expect(context.statistics.fetches == 2 && context.statistics.firedFaults == 3 && context.statistics.storeReads == 3)
    }

    @Test("S96 nil comes before every value ascending and after every one descending, saved and unsaved; ties keep the order of ids")
    func order() throws {
        let container = try Network.container()
        let context = container.newContext()
        let names: [String?] = ["b", nil, "B", "é", "a", nil, "a", "Z"]
        let joints = names.map { name in
            let joint = Joint(context: context)
            joint.name = name
            return joint
        }
        let ascending = [1, 5, 2, 7, 4, 6, 0, 3]
        let descending = [3, 0, 4, 6, 7, 2, 1, 5]
        for _ in 0..<2 {
            var request = Joint.fetchRequest()
            request.sortDescriptors = [ObjectSortDescriptor("name", ascending: true)]
            #expect(try context.fetch(request) == ascending.map { joints[$0] })
            request.sortDescriptors = [ObjectSortDescriptor("name", ascending: false)]
            #expect(try context.fetch(request) == descending.map { joints[$0] })
            try context.save()
        }
    }

    @Test("predicates see values, columns, relationships and identity, saved and pending alike, by any random edits")
    func agreement() throws {
        let container = try GraphSchema.container(.inMemory)
        let driver = GraphDriver(container.newContext(), book: .init(), seed: 77)
        for step in 0..<120 {
            if driver.random.below(9) == 0 { try driver.save() } else { try driver.operate() }
            guard step % 3 == 0 else { continue }
            let world = driver.world
            func check(_ format: String, _ entity: String = "Joint", _ holds: (GraphWorld.Thing) -> Bool) throws {
                let request = FetchRequest<ManagedObject>(entity: entity, predicate: try ObjectPredicate(format: format))
                let want = world.keys(GraphSchema.kinds(entity)).filter { world.things[$0].map(holds) ?? false }
                let found = try driver.context.fetchIDs(request)
                #expect(Set(found) == Set(want.map(driver.id)), "step \(step): \(format)")
            }
            func number(_ value: Value?) -> Double? {
                if case .double(let number)? = value { return number }
                return nil
            }
            try check("x >= 0.5") { (number($0.values["x"]) ?? 0) >= 0.5 }
            try check("h == nil") { $0.values["h"] == .null }
            try check("name == 'a' AND count == 0") { $0.values["name"] == "a" && $0.values["count"] == 0 }
            try check("outgoing.@count > 0") { !($0.many["outgoing"] ?? []).isEmpty }
            try check("ANY tags.name == 'a'") { thing in
                (thing.many["tags"] ?? []).contains { world.things[$0]?.values["name"] == "a" }
            }
            try check("partner == nil") { $0.one["partner"] == nil }
            try check("start.name == 'a'", "Line") { line in
                line.one["start"].map { world.things[$0]?.values["name"] == "a" } ?? false
            }
            try check("level == 9 AND u > 0", "Marker") { $0.values["level"] == 9 && (number($0.values["u"]) ?? 0) > 0 }
        }
    }
}
