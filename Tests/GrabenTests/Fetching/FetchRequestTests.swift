import Graben
import GrabenFixtures
import GrabenModel
import GrabenPredicate
import Testing

/// Members of requests that say how objects come and from where.
@Suite("Requests")
struct FetchRequestTests {
    private let request = FetchRequest<ManagedObject>(entity: "Part", sortDescriptors: [ObjectSortDescriptor("name")])

    /// A context that has met nothing of what another one saved.
    private func fresh(_ context: ManagedObjectContext) -> ManagedObjectContext { ManagedObjectContext(coordinator: context.coordinator) }

    @Test("S90 columns of objects can be read without firing their faults, others fire them; in a child context too")
    func partialFaults() throws {
        let saved = try Shop.filled()
        for isChild in [false, true] {
            let root = fresh(saved)
            let context = isChild ? ManagedObjectContext(parent: root) : root
            var request = request
            request.propertiesToFetch = ["name", "whole"]
            let parts = try context.fetch(request)
            #expect(parts.filter(\.isFault).count == parts.count)
            #expect(try parts.map { try $0.value(forKey: "name") } == ["a", "b", "c", "d", "e", "v"])
            #expect(try parts[1].value(forKey: "whole") == .reference(parts[0].objectID) && parts[1].value(forKey: "x") == 0.0)
            #expect(parts.allSatisfy(\.isFault) && context.statistics.firedFaults == 0)
            #expect(try parts[2].value(forKey: "count") == 3)
            #expect(!parts[2].isFault && context.statistics.firedFaults == 1 && parts[3].isFault)
            #expect(try parts[2].value(forKey: "name") == "c")
            try parts[3].setValue("changed", forKey: "name")
            #expect(!parts[3].isFault)
            #expect(try parts[3].value(forKey: "name") == "changed")
            context.refresh(parts[3], mergeChanges: false)
            #expect(
                try parts[3].isFault && parts[3].value(forKey: "name") == "d" && !parts[3].isFault, "a fault made since is an ordinary one")
        }
        var wrong = request
        wrong.propertiesToFetch = ["nmae"]
        guard case .unknownKey("Part", "nmae", "name")? = thrown({ _ = try saved.fetch(wrong) }) else {
            Issue.record("an unknown column was taken")
            return
        }
    }

    @Test("S93 a batched result knows all ids at once, realises page by page as it is read, and no page for an array of it")
    func batches() throws {
        let saved = try Shop.context()
        for place in 0..<25 { try Shop.add(saved, "p\(place / 10)\(place % 10)", ["count": .int(Int64(place))]) }
        try saved.save()
        for isChild in [false, true] {
            let root = fresh(saved)
            let context = isChild ? ManagedObjectContext(parent: root) : root
            var request = request
            request.fetchBatchSize = 10
            let parts = try context.fetchBatched(request)
            #expect(parts.count == 25 && parts.objectIDs.count == 25 && context.statistics.fetches == 1)
            let array = Array(parts)
            #expect(array.count == 25 && array.allSatisfy(\.isFault) && context.statistics.firedFaults == 0)
            #expect(!parts[12].isFault && context.statistics.firedFaults == 10)
            #expect(array[..<10].allSatisfy(\.isFault) && array[10..<20].allSatisfy { !$0.isFault } && array[20...].allSatisfy(\.isFault))
            #expect(parts[19] === array[19] && context.statistics.firedFaults == 10)
            #expect(!parts[24].isFault && context.statistics.firedFaults == 15)
            #expect(try parts.reversed().map { try $0.value(forKey: "count") } == (0..<25).reversed().map { .int($0) })
            #expect(context.statistics.fetches == 1 && context.statistics.firedFaults == 25)
            context.delete(array[3])
            #expect(parts.count == 25 && parts[3].isDeleted)
        }
        var wrong = request
        wrong.fetchBatchSize = -1
        #expect(throws: GrabenError.self) { try saved.fetchBatched(wrong) }
        guard case .invalidRequest? = thrown({ _ = try saved.fetchBatched(FetchRequest<Joint>(entity: "Part")) }) else {
            Issue.record("objects of another class were taken")
            return
        }
    }

    @Test("S94 of a request without faults a batch is realised at once, of one without property values nothing")
    func realised() throws {
        let saved = try Shop.filled()
        func faults(_ change: (inout FetchRequest<ManagedObject>) -> Void) throws -> Int {
            var request = request
            request.returnsObjectsAsFaults = false
            change(&request)
            let context = fresh(saved)
            return try context.fetch(request).count(where: \.isFault)
        }
        #expect(try faults { _ in } == 0)
        #expect(try faults { $0.fetchBatchSize = 2 } == 4)
        #expect(try faults { $0.includesPropertyValues = false } == 6)
        #expect(try faults { $0.returnsObjectsAsFaults = true } == 6)
    }

    @Test("S95 prefetching realises what key paths lead to, in one fetch for each entity, of rows that joined from pending changes too")
    func prefetching() throws {
        let saved = try Shop.filled()
        let context = fresh(saved)
        let ids = try saved.fetchIDs(request)
        let joined = try Shop.add(context, "z", ["whole": .reference(ids[4])])
        let moved = context.object(with: ids[5])
        try moved.setValue(.reference(ids[3]), forKey: "whole")
        var request = request
        request.predicate = try ObjectPredicate(format: "name IN {'b', 'v', 'z'}")
        request.relationshipKeyPathsForPrefetching = ["whole"]
        let before = context.statistics
        let found = try context.fetch(request)
        #expect(found.map(\.objectID) == [ids[1], ids[5], joined.objectID])
        #expect(context.statistics.fetches == before.fetches + 2, "the request and one for the entity")
        for place in [0, 3, 4] { #expect(context.registeredObject(for: ids[place])?.isFault == false, "\(place)") }
        #expect(context.registeredObject(for: ids[2]) == nil)

        let other = fresh(saved)
        request.predicate = try ObjectPredicate(format: "name == 'a'")
        request.relationshipKeyPathsForPrefetching = ["parts.whole"]
        let first = try #require(try other.fetch(request).first)
        #expect(!first.isFault && !first.hasFault(forRelationshipNamed: "parts"))
        #expect(ids[1...3].allSatisfy { other.registeredObject(for: $0)?.isFault == false })
        #expect(other.statistics.fetches == 3)
    }

    @Test("S95 S107 S123 prefetching an attribute, a fetched property or nothing is a typed error that names it")
    func wrongPrefetching() throws {
        let context = try Shop.filled()
        for (path, words) in [
            ("name", "no relationship"), ("peers", "fetched property"), ("whole.peers", "fetched property"), ("whole.partz", "\"parts\""),
            ("", "no property"),
        ] {
            var request = request
            request.relationshipKeyPathsForPrefetching = [path]
            let error = try #require(thrown { _ = try context.fetch(request) }, "\(path)")
            #expect("\(error)".contains(words), "\(path): \(error)")
        }
        var typed = Line.fetchRequest()
        try typed.prefetch(\.start, \.end)
        #expect(typed.relationshipKeyPathsForPrefetching == ["start", "end"])
        var joints = Joint.fetchRequest()
        try joints.prefetch(\.outgoing)
        #expect(joints.relationshipKeyPathsForPrefetching == ["outgoing"])
    }

    @Test("S97 a predicate on a transient or derived property looks at objects, saved and unsaved")
    func transientProperties() throws {
        final class Moody: ManagedObject {
            override func awakeFromFetch() {
                if case .string(let name)? = try? primitiveValue(forKey: "name") {
                    try? setPrimitiveValue(.string(name + "!"), forKey: "mood")
                }
            }
        }
        let model = ManagedObjectModel(entities: [
            EntityDescription(
                "Part",
                attributes: [
                    AttributeDescription("name", .string), AttributeDescription("mood", .string, isTransient: true),
                    AttributeDescription("upper", .string, derivationExpression: "uppercase:(name)"),
                ])
        ])
        let container = try PersistentContainer(model: model, classes: ["Part": Moody.self], stores: [StoreConfiguration(.inMemory)])
        let first = container.newContext()
        for name in ["a", "b", "c"] { try Shop.add(first, name) }
        try first.save()
        let context = container.newContext()
        func found(_ format: String) throws -> [Value] {
            var request = request
            request.predicate = try ObjectPredicate(format: format)
            return try context.fetch(request).map { try $0.value(forKey: "name") }
        }
        #expect(try found("mood == 'b!'") == ["b"])
        #expect(try found("mood != nil AND name > 'a'") == ["b", "c"])
        #expect(try found("upper IN {'A', 'C'}") == ["a", "c"])
        let unsaved = try Shop.add(context, "d")
        try unsaved.setValue("b!", forKey: "mood")
        #expect(try found("mood == 'b!'") == ["b", "d"])
        var sorted = request
        sorted.sortDescriptors = [ObjectSortDescriptor("mood", ascending: false)]
        sorted.fetchLimit = 2
        #expect(try context.fetch(sorted).map { try $0.value(forKey: "name") } == ["c", "b"])
    }

    @Test("S71 refetched objects take the newest values only where the request asks for it, and keep unsaved ones")
    func refreshing() throws {
        let saved = try Shop.filled()
        let context = fresh(saved)
        let parts = try context.fetch(request)
        #expect(try parts[0].value(forKey: "count") == 1 && parts[1].value(forKey: "count") == 2)
        try parts[1].setValue(50, forKey: "count")
        for part in try saved.fetch(request) { try part.setValue(90, forKey: "count") }
        try saved.save()
        var request = request
        #expect(try context.fetch(request)[0].value(forKey: "count") == 1)
        request.shouldRefreshRefetchedObjects = true
        let refreshed = try context.fetch(request)
        #expect(try refreshed[0].value(forKey: "count") == 90 && refreshed[1].value(forKey: "count") == 50)
    }

    @Test("only the stores named are asked, and a store of another coordinator is an error")
    func affectedStores() throws {
        let container = try PersistentContainer(model: Shop.model, stores: [StoreConfiguration(.inMemory), StoreConfiguration(.inMemory)])
        let context = container.newContext()
        let stores = container.coordinator.stores
        for place in 0..<5 {
            let part = try context.insertObject(entity: "Part", into: stores[place % 2])
            try part.setValue(.string("\(place)"), forKey: "name")
            if place == 2 { try context.save() }
        }
        var request = request
        func names() throws -> [Value] { try context.fetch(request).map { try $0.value(forKey: "name") } }
        #expect(try names() == ["0", "1", "2", "3", "4"])
        request.affectedStores = [stores[1]]
        #expect(try names() == ["1", "3"] && context.count(for: request) == 2)
        request.affectedStores = []
        #expect(try names().isEmpty)
        request.affectedStores = try PersistentContainer(model: Shop.model, stores: [StoreConfiguration(.inMemory)]).coordinator.stores
        #expect(throws: GrabenError.self) { try context.fetch(request) }
    }

    @Test("a request's kind decides what executing it answers")
    func kinds() throws {
        let context = try Shop.filled()
        var request = request
        guard case .objects(let objects) = try context.execute(request), objects.count == 6 else { Issue.record("no objects"); return }
        request.resultType = .ids
        guard case .ids(objects.map(\.objectID)) = try context.execute(request) else { Issue.record("no ids"); return }
        request.resultType = .count
        guard case .count(6) = try context.execute(request) else { Issue.record("no count"); return }
        request.resultType = .dictionaries
        guard case .dictionaries(let rows) = try context.execute(request), rows.count == 6 else { Issue.record("no rows"); return }
    }

    @Test("a template's request has its options, with values for its variables and no others")
    func templates() throws {
        var model = Shop.model
        model.fetchRequestTemplates = [
            FetchRequestTemplate(
                "between",
                FetchRequestDescription(
                    "Part", predicateFormat: "count BETWEEN {$low, $high}", sort: ["-count"], limit: 2, includesSubentities: false)),
            FetchRequestTemplate("how many", FetchRequestDescription("Part", result: .count)),
        ]
        let context = try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)]).newContext()
        for count in 1...6 { try Shop.add(context, "n\(count)", ["count": .int(Int64(count))], entity: count == 4 ? "Valve" : "Part") }
        let request: FetchRequest<ManagedObject> = try context.fetchRequest(template: "between", variables: ["low": 2, "high": 5])
        #expect(try context.fetch(request).map { try $0.value(forKey: "count") } == [5, 3])
        guard case .count(6) = try context.execute(context.fetchRequest(template: "how many")) else { Issue.record("no count"); return }
        for (name, variables, words) in [
            ("betwen", [:], "did you mean \"between\""), ("between", ["low": 1], "$high"),
            ("between", ["low": 1, "high": 2, "hgh": 3], "$high"),
        ] as [(String, [String: Int?], String)] {
            let error = try #require(
                thrown { _ = try context.fetchRequest(template: name, variables: variables) as FetchRequest<ManagedObject> })
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    // MARK: Asynchronous

    @Test("an asynchronous fetch finds what a fetch finds, unsaved changes made while it waited included")
    func asynchronous() async throws {
        let context = try Shop.filled()
        var request = request
        request.predicate = try ObjectPredicate(format: "count >= 2")
        #expect(try await context.fetch(asynchronously: request) == context.fetch(request))
        let parts = try context.fetch(request)
        try parts[0].setValue(0, forKey: "count")
        try Shop.add(context, "aa", ["count": 9])
        context.delete(parts[2])
        for (limit, offset) in [(0, 0), (2, 0), (2, 1), (0, 3)] {
            (request.fetchLimit, request.fetchOffset) = (limit, offset)
            #expect(try await context.fetchIDs(asynchronously: request) == context.fetchIDs(request))
        }
        request.predicate = try ObjectPredicate(format: "whole.name == 'a' OR ANY parts.count > 2")
        #expect(try await context.fetch(asynchronously: request) == context.fetch(request))
        var rows = FetchRequest<ManagedObject>(entity: "Part")
        rows.propertiesToFetch = ["layer", "sum(count)"]
        rows.propertiesToGroupBy = ["layer"]
        #expect(try await context.fetchDictionaries(asynchronously: rows) == context.fetchDictionaries(rows))
        request.predicate = try ObjectPredicate(format: "nmae == 1")
        await #expect(throws: GrabenError.self) { _ = try await context.fetch(asynchronously: request) }
    }

    @Test("a cancelled asynchronous fetch ends with an error that says so, and the context goes on")
    func cancelling() async throws {
        let container = try PersistentContainer(model: Shop.model, stores: [StoreConfiguration(.inMemory)])
        let request = request
        let task = Task { @MainActor in
            let context = container.viewContext
            withUnsafeCurrentTask { $0?.cancel() }
            let error: GrabenError?
            do throws(GrabenError) {
                _ = try await context.fetch(asynchronously: request)
                error = nil
            } catch let found { error = found }
            guard case .cancelled? = error else { return false }
            return try context.fetch(request).isEmpty
        }
        #expect(try await task.value)
    }
}
