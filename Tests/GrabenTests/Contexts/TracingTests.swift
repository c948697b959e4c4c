import Graben
import Testing

@Suite("Tracing and counting")
struct TracingTests {
    private func describe(_ event: TraceEvent) -> String {
        switch event {
        case .fetch(let fetch): "fetch \(fetch.entity) \(fetch.predicate ?? "-") \(fetch.failure == nil ? "\(fetch.count)" : "failed")"
        case .save(let save):
            "save \(save.inserted) \(save.updated) \(save.deleted) in \(save.commits), \(save.syncs)\(save.failure == nil ? "" : " failed")"
        case .fault(_, let isMissing): isMissing ? "missing" : "fault"
        case .merge(let merge): "merge \(merge.to - merge.from) \(merge.isMerging) \(merge.refreshed)"
        case .sync(_, let syncs): "sync \(syncs)"
        }
    }

    @Test("a handler is told of fetches, saves, fired faults, merges and syncs, once each and in their order, and the counters agree")
    func events() throws {
        let container = try Network.container()
        let (context, other) = (container.newContext(), container.newContext())
        var events: [String] = []
        var plans: [String?] = []
        context.traceHandler = {
            events.append(describe($0))
            if case .fetch(let fetch) = $0 { plans.append(fetch.plan) }
        }
        func take() -> [String] {
            defer { events = [] }
            return events
        }
        let joint = Joint(context: context)
        joint.name = "a"
        try context.save()
        #expect(take() == ["sync 1", "save 1 0 0 in 1, 1"])
        try context.save()
        #expect(take() == ["save 0 0 0 in 0, 0"])
        let twin = try #require(try other.existingObject(with: joint.objectID) as? Joint)
        twin.name = "b"
        try other.save()
        #expect(try context.fetch(Joint.fetchRequest(where: "x == 0")).count == 1)
        #expect(take() == ["merge 1 true 1", "fetch Joint x == 0 1"])
        #expect(try context.count(for: Joint.fetchRequest()) == 1)
        #expect(take() == ["fetch Joint - 1"])
        context.refresh(joint, mergeChanges: false)
        _ = joint.name
        #expect(take() == ["fault"])
        _ = joint.neighbours
        #expect(take().first?.hasPrefix("fetch Joint SELF != $FETCH_SOURCE") == true)
        _ = (context.object(with: ObjectID.nowhere(like: joint.objectID)) as? Joint)?.name
        #expect(take() == ["missing"])
        #expect(thrown { _ = try context.fetch(Joint.fetchRequest(where: "nothing == 0")) } != nil)
        #expect(take() == ["fetch Joint nothing == 0 failed"])
        joint.x = 1
        context.delete(joint)
        twin.y = 2
        try other.save()
        #expect(conflicts { try context.save() } != nil)
        #expect(take().last?.hasSuffix("failed") == true)
        let statistics = context.statistics
        #expect(statistics.saves == 1 && statistics.commits == 1 && statistics.syncs == 1 && statistics.fetches == 4)
        #expect(statistics.mergedCommits == 1 && statistics.firedFaults == 2)
        #expect(plans.first??.contains("Joint") == true, "\(plans)")
        context.traceHandler = nil
        context.rollback()
        #expect(events.isEmpty)
    }

    @Test("a child's saves and faults are counted and told as its own; they commit and read nothing")
    func child() throws {
        let root = try Network.container().newContext()
        let joint = Joint(context: root)
        try root.save()
        let child = ManagedObjectContext(parent: root)
        var events: [String] = []
        child.traceHandler = { events.append(describe($0)) }
        (try child.existingObject(with: joint.objectID) as? Joint)?.x = 1
        try child.save()
        #expect(events == ["fault", "save 0 1 0 in 0, 0"])
        let statistics = child.statistics
        #expect(statistics.saves == 1 && statistics.commits == 0 && statistics.storeReads == 0 && statistics.firedFaults == 1)
    }
}

extension ObjectID {
    /// An id of the same store and entity that no object has.
    fileprivate static func nowhere(like id: ObjectID) -> ObjectID {
        ObjectID(store: id.storeNumber, entity: id.entityNumber, row: 999_999)
    }
}
