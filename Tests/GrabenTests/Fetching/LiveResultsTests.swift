import Graben
import GrabenFixtures
import GrabenModel
import GrabenPredicate
import Testing

/// Results that follow changes.
@Suite("Live results")
struct LiveResultsTests {
    private static let bySection = [ObjectSortDescriptor("layer"), ObjectSortDescriptor("count", ascending: false)]

    private func request(_ format: String? = nil, _ order: [ObjectSortDescriptor] = bySection) throws -> FetchRequest<ManagedObject> {
        FetchRequest(entity: "Part", predicate: try format.map { try ObjectPredicate(format: $0) }, sortDescriptors: order)
    }

    private func names(_ objects: [ManagedObject]) throws -> [String] {
        try objects.map { if case .string(let name) = try $0.value(forKey: "name") { name } else { "" } }
    }

    @Test("S115 sections are of one value each, in order, and paths lead to objects and back")
    func sections() throws {
        let context = try Shop.filled()
        let controller = try FetchedResultsController(request(), in: context, sectionKeyPath: "layer")
        #expect(controller.fetchedObjects.isEmpty && controller.sections.isEmpty)
        try controller.performFetch()
        #expect(controller.sections.map(\.name) == ["", "high", "low"] && controller.sections.map(\.count) == [1, 2, 3])
        #expect(try controller.sections.map { try names($0.objects) } == [["e"], ["d", "c"], ["b", "v", "a"]])
        #expect(try names(controller.fetchedObjects) == ["e", "d", "c", "b", "v", "a"])
        let object = try #require(controller.object(at: ResultPath(section: 2, item: 1)))
        #expect(try names([object]) == ["v"] && controller.path(of: object) == ResultPath(section: 2, item: 1))
        #expect(
            controller.object(at: ResultPath(section: 2, item: 3)) == nil && controller.object(at: ResultPath(section: 9, item: 0)) == nil)
        let other = try Shop.add(context, "other")
        #expect(controller.path(of: other) == nil, "the event has not ended")
        context.processPendingChanges()
        #expect(controller.path(of: other) == ResultPath(section: 0, item: 1))
    }

    @Test("S115 a request without an order, a section that the order does not follow and unknown keys are typed errors")
    func refusals() throws {
        let context = try Shop.filled()
        for (order, section, words) in [
            ([], nil, "sort descriptor"), ([ObjectSortDescriptor("name")], "layer", "layer"), (Self.bySection, "layr", "layr"),
            (Self.bySection, "parts.name", "many values"), ([ObjectSortDescriptor("nmae")], nil, "nmae"),
        ] as [([ObjectSortDescriptor], String?, String)] {
            let error = try #require(
                thrown { _ = try FetchedResultsController(request(nil, order), in: context, sectionKeyPath: section) }, "\(words)")
            #expect("\(error)".contains(words), "\(error)")
        }
        // The mood does not follow the name, and is seen not to when it is read.
        let parts = try context.fetch(request(nil, [ObjectSortDescriptor("name")]))
        for (place, part) in parts.enumerated() { try part.setValue(.string("\(place % 2)"), forKey: "mood") }
        let controller = try FetchedResultsController(request(nil, [ObjectSortDescriptor("name")]), in: context, sectionKeyPath: "mood")
        #expect(throws: GrabenError.self) { try controller.performFetch() }
    }

    @Test("S115 one event is one difference: an update that moves a row is a move, other updates have old places, inserts new ones")
    func oneEvent() throws {
        let context = try Shop.filled()
        let controller = try FetchedResultsController(request(), in: context, sectionKeyPath: "layer")
        try controller.performFetch()
        var heard: [FetchedResultsDifference] = []
        let listening = controller.onChange { heard.append($0) }
        defer { listening.cancel() }
        let (d, c, b, a) = (
            controller.fetchedObjects[1], controller.fetchedObjects[2], controller.fetchedObjects[3], controller.fetchedObjects[5]
        )
        try d.setValue("renamed", forKey: "name")
        try c.setValue("low", forKey: "layer")
        context.delete(b)
        try a.setValue(100, forKey: "count")
        let new = try Shop.add(context, "n", ["layer": "middle"])
        #expect(heard.isEmpty)
        context.processPendingChanges()
        let difference = try #require(heard.first)
        #expect(heard.count == 1)
        func at(_ section: Int, _ item: Int) -> ResultPath { ResultPath(section: section, item: item) }
        #expect(difference.insertedSections.map(\.index) == [3] && difference.insertedSections.map(\.name) == ["middle"])
        #expect(difference.deletedSections.isEmpty)
        #expect(difference.deletions == [.init(objectID: b.objectID, path: at(2, 0))])
        #expect(difference.insertions == [.init(objectID: new.objectID, path: at(3, 0))])
        #expect(difference.updates == [.init(objectID: d.objectID, path: at(1, 0))])
        #expect(
            difference.moves == [
                .init(objectID: a.objectID, from: at(2, 2), to: at(2, 0)), .init(objectID: c.objectID, from: at(1, 1), to: at(2, 1)),
            ])
        #expect(try names(controller.fetchedObjects) == ["e", "renamed", "a", "c", "v", "n"])
        context.undoManager = nil
        context.processPendingChanges()
        #expect(heard.count == 1)
    }

    @Test("rollback, refresh, undo, a save of another context and a reset all reach a live result; what cannot concern it does not")
    func sources() throws {
        let saved = try Shop.filled()
        let container = saved.coordinator
        let context = ManagedObjectContext(coordinator: container)
        context.undoManager = ObjectUndoManager()
        let live = try context.liveResults(request("count >= 3", [ObjectSortDescriptor("count")]))
        var heard = 0
        let listening = live.onChange { _ in heard += 1 }
        defer { listening.cancel() }
        #expect(try live.count == 3 && names(Array(live)) == ["c", "d", "e"])
        try live[0].setValue(0, forKey: "count")
        context.processPendingChanges()
        #expect(heard == 1 && live.count == 2)
        context.undo()
        #expect(heard == 2 && live.count == 3)
        try live[1].setValue(99, forKey: "count")
        context.processPendingChanges()
        #expect(try heard == 3 && names(Array(live)) == ["c", "e", "d"])
        context.rollback()
        #expect(try heard == 4 && names(Array(live)) == ["c", "d", "e"])
        for part in try saved.fetch(request("name == 'b'")) { try part.setValue(7, forKey: "count") }
        try saved.save()
        #expect(heard == 4)
        context.refreshAllObjects()
        #expect(try heard == 5 && names(Array(live)) == ["c", "d", "e", "b"])
        for part in try saved.fetch(request("name == 'b'")) { saved.delete(part) }
        try saved.save()
        _ = try context.count(for: request())
        #expect(heard == 6 && live.count == 3, "a fetch takes other commits in")
        let fetches = context.statistics.fetches
        context.processPendingChanges()
        #expect(context.statistics.fetches == fetches)
        context.reset()
        #expect(live.count == 3 && live[0].managedObjectContext === context)
        #expect(try names(Array(live)) == ["c", "d", "e"])
    }

    @Test("a bulk move of rows without objects reaches a live result")
    func bulkMoves() throws {
        let container = try Network.container()
        let first = container.newContext()
        let ids = (0..<10).map { place in
            let joint = Joint(context: first)
            joint.z = Double(place)
            return joint.objectID
        }
        try first.save()
        let context = container.newContext()
        let live = try context.liveResults(try Joint.fetchRequest(where: "z > 7"))
        var moved: [ObjectID] = []
        let listening = live.onChange { moved += $0.insertions.map(\.objectID) }
        defer { listening.cancel() }
        #expect(live.objectIDs == Array(ids[8...]))
        context.translate([ids[0], ids[5]], by: [0, 0, 5])
        context.processPendingChanges()
        #expect(live.objectIDs == [ids[5], ids[8], ids[9]] && moved == [ids[5]])
        context.rollback()
        #expect(live.objectIDs == Array(ids[8...]))
    }

    @Test("a child's result follows the child, its parent and the store")
    func children() throws {
        let root = try Shop.filled()
        let child = ManagedObjectContext(parent: root)
        let live = try child.liveResults(request("count >= 4", [ObjectSortDescriptor("count")]))
        #expect(try names(Array(live)) == ["d", "e"])
        try Shop.add(root, "r", ["count": 6])
        root.processPendingChanges()
        #expect(try names(Array(live)) == ["d", "e", "r"])
        try Shop.add(child, "k", ["count": 5])
        try child.save()
        #expect(try names(Array(live)) == ["d", "e", "k", "r"])
        try root.save()
        #expect(try names(Array(live)) == ["d", "e", "k", "r"])
    }

    @Test("a handler may change objects and end its own listening; differences come one after the other")
    func reentrance() throws {
        let context = try Shop.filled()
        let live = try context.liveResults(request())
        var snapshot = live.snapshot
        var rounds = 0
        var token: NotificationToken?
        token = live.onChange { difference in
            rounds += 1
            snapshot = difference.applied(to: snapshot) ?? FetchedResultsSnapshot()
            #expect(snapshot == live.snapshot)
            if rounds < 3 {
                _ = try? Shop.add(context, "r\(rounds)")
                context.processPendingChanges()
            } else if let token {
                token.cancel()
            }
        }
        try Shop.add(context, "first")
        context.processPendingChanges()
        #expect(rounds == 3 && live.count == 9)
        try Shop.add(context, "unheard")
        context.processPendingChanges()
        #expect(rounds == 3 && live.count == 10)
    }

    // Results had a loop of their own around their handlers, which a handler that answers every difference with a change kept going for ever.
    @Test("handlers that answer each difference with another change are stopped, and the context hears of it")
    func endless() throws {
        let context = try Shop.filled()
        var reported: [GrabenError] = []
        context.errorHandler = { reported.append($0) }
        let live = try context.liveResults(request())
        var rounds = 0
        let token = live.onChange { _ in
            rounds += 1
            if rounds > 5_000 { return }
            _ = try? Shop.add(context, "r\(rounds)")
            context.processPendingChanges()
        }
        defer { token.cancel() }
        try Shop.add(context, "first")
        context.processPendingChanges()
        #expect(rounds == 1_000)
        #expect(reported.contains { if case .endlessNotifications = $0 { true } else { false } })
    }

    @MainActor @Test("the sequence of differences turns the snapshot of its beginning into every later one, and ends with the result")
    func sequence() async throws {
        let context = try Shop.filled()
        var live: LiveResults<ManagedObject>? = try context.liveResults(request())
        var snapshot = try #require(live).snapshot
        let differences = try #require(live).differences
        for place in 0..<4 {
            try Shop.add(context, "s\(place)", ["layer": .string("l\(place % 2)")])
            context.processPendingChanges()
        }
        let end = try #require(live).snapshot
        live = nil
        var count = 0
        for await difference in differences {
            snapshot = try #require(difference.applied(to: snapshot))
            count += 1
        }
        #expect(count == 4 && snapshot == end)
    }

    // Every difference waited for its reader, however slow that was: a window that nobody looked at for an hour kept an hour of them.
    @MainActor @Test("a slow reader of differences gets those beyond sixteen joined, and comes to the newest result all the same")
    func slowReader() async throws {
        let context = try Shop.filled()
        let live = try context.liveResults(request())
        var snapshot = live.snapshot
        var reader = live.differences.makeAsyncIterator()
        var random = SplitMix64(seed: 8)
        var parts = live.map { $0 }
        func change(_ times: Int) throws {
            for _ in 0..<times {
                switch random.next() % 3 {
                case 0: parts.append(try Shop.add(context, "s\(random.next())", ["layer": .string("l\(random.next() % 3)")]))
                case 1 where parts.count > 3: context.delete(parts.remove(at: Int(random.next() % UInt64(parts.count))))
                default: try parts[Int(random.next() % UInt64(parts.count))].setValue(.string("n\(random.next())"), forKey: "name")
                }
                context.processPendingChanges()
            }
        }
        for round in 0..<TestShare.steps(30, brief: 10) {
            try change(round * 3)
            var count = 0
            // Some rounds leave a few behind, which the next changes are added to.
            while snapshot != live.snapshot, round % 3 != 0 || count < 5 {
                guard let difference = await reader.next() else { break }
                snapshot = try #require(difference.applied(to: snapshot), "round \(round)")
                count += 1
            }
            #expect(count <= 16)
        }
        while snapshot != live.snapshot, let difference = await reader.next() {
            snapshot = try #require(difference.applied(to: snapshot))
        }
        #expect(snapshot == live.snapshot)
        // What changed in any of those that were joined is told.
        let last = try #require(parts.last)
        try last.setValue(.string("told"), forKey: "name")
        context.processPendingChanges()
        try change(40)
        var told: Set<ObjectID> = []
        while snapshot != live.snapshot, let difference = await reader.next() {
            snapshot = try #require(difference.applied(to: snapshot))
            told.formUnion(difference.updates.map(\.objectID) + difference.moves.map(\.objectID) + difference.deletions.map(\.objectID))
        }
        #expect(told.contains(last.objectID))
    }

    @Test("B8 a difference of two random results, applied to the old one, gives the new one, and has each object in one list")
    func randomDifferences() throws {
        var random = SplitMix64(seed: 2026)
        let ids = (0..<60).map { ObjectIDs.make($0) }
        func result() -> FetchedResultsSnapshot {
            var rest = ids.filter { _ in random.next() % 3 != 0 }
            if random.next() % 2 == 0 { rest.shuffle(using: &random) }
            var sections: [FetchedResultsSnapshot.Section] = []
            for value in 0..<Int64(random.next() % 6) {
                let count = min(rest.count, Int(random.next() % 20))
                if count > 0 { sections.append(.init(name: "\(value)", value: .int(value), objectIDs: Array(rest.prefix(count)))) }
                rest.removeFirst(count)
            }
            if random.next() % 4 == 0 { sections.shuffle(using: &random) }
            return FetchedResultsSnapshot(sections: sections)
        }
        for round in 0..<TestShare.steps(3000, brief: 500) {
            let (old, new) = (result(), result())
            let changed = Set(ids.filter { _ in random.next() % 2 == 0 })
            let difference = FetchedResultsDifference(from: old, to: new, changed: changed)
            #expect(difference.applied(to: old) == new, "round \(round)")
            var seen: Set<ObjectID> = []
            let all =
                difference.deletions.map(\.objectID) + difference.insertions.map(\.objectID) + difference.moves.map(\.objectID)
                + difference.updates.map(\.objectID)
            for id in all { #expect(seen.insert(id).inserted, "round \(round)") }
            #expect(FetchedResultsDifference(from: new, to: new).isEmpty)
        }
    }

    @Test(
        "B8 through random edits, undo, saves, rollbacks and other contexts' commits, the differences always make the new result of the old one"
    )
    func randomEdits() throws {
        for seed in TestShare.of([1, 2, 3, 4, 5, 6] as [UInt64], brief: 2) {
            var random = SplitMix64(seed: seed)
            let context = try Shop.context()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            context.undoManager = ObjectUndoManager()
            context.automaticallyMergesChangesFromParent = true
            context.mergePolicy = .objectTrump
            other.mergePolicy = .objectTrump
            func pick(_ context: ManagedObjectContext) throws -> ManagedObject? {
                let all = try context.fetch(FetchRequest<ManagedObject>(entity: "Part"))
                return all.isEmpty ? nil : all[Int(random.next() % UInt64(all.count))]
            }
            func layer() -> Value { random.next() % 5 == 0 ? .null : .string("l\(random.next() % 4)") }
            let sectioned = try FetchedResultsController(request("count < 12"), in: context, sectionKeyPath: "layer")
            let live = try context.liveResults(
                request(nil, [ObjectSortDescriptor("count"), ObjectSortDescriptor("name", ascending: false)]))
            try sectioned.performFetch()
            var errors: [GrabenError] = []
            context.errorHandler = { errors.append($0) }
            var snapshots = [sectioned.snapshot, live.snapshot]
            let listening = sectioned.onChange { difference in
                snapshots[0] = difference.applied(to: snapshots[0]) ?? FetchedResultsSnapshot()
            }
            defer { listening.cancel() }
            let listeningToo = live.onChange { difference in snapshots[1] = difference.applied(to: snapshots[1]) ?? FetchedResultsSnapshot()
            }
            defer { listeningToo.cancel() }
            for step in 0..<150 {
                for _ in 0..<Int(random.next() % 6) {
                    switch random.next() % 8 {
                    case 0, 1:
                        try Shop.add(context, "n\(random.next() % 50)", ["layer": layer(), "count": .int(Int64(random.next() % 15))])
                    case 2, 3: try pick(context)?.setValue(layer(), forKey: "layer")
                    case 4: try pick(context)?.setValue(.int(Int64(random.next() % 15)), forKey: "count")
                    case 5: try pick(context)?.setValue(.string("m\(random.next() % 50)"), forKey: "name")
                    case 6: if let part = try pick(context) { context.delete(part) }
                    default:
                        if let part = try pick(other) {
                            if random.next() % 3 == 0 { other.delete(part) } else { try part.setValue(layer(), forKey: "layer") }
                            try other.save()
                        }
                    }
                }
                switch random.next() % 10 {
                case 0: try context.save()
                case 1: context.undo()
                case 2: context.redo()
                case 3 where step % 3 == 0: context.rollback()
                default: context.processPendingChanges()
                }
                // A fetch takes other commits in, and results with them.
                let wanted = try (context.fetchIDs(request("count < 12")), context.fetchIDs(live.request))
                #expect(snapshots[0] == sectioned.snapshot && snapshots[1] == live.snapshot, "seed \(seed), step \(step)")
                #expect(live.objectIDs == wanted.1, "seed \(seed), step \(step)")
                #expect(sectioned.snapshot.objectIDs == wanted.0, "seed \(seed), step \(step): \(errors)")
            }
        }
    }

    /// Ids of a store that is there for nothing else.
    private enum ObjectIDs {
        private static let all: [ObjectID] = {
            guard let context = try? Shop.context() else { return [] }
            return (0..<60).compactMap { try? Shop.add(context, "\($0)").objectID }
        }()
        static func make(_ place: Int) -> ObjectID { all[place] }
    }
}
