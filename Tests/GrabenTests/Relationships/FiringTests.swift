import Graben
import Testing

@Suite("Firing many faults, and relationships without firing them")
struct FiringTests {
    private func network(_ container: PersistentContainer) throws -> [ObjectID] {
        let context = container.newContext()
        let joints = (0..<4).map { index in
            let joint = Joint(context: context)
            joint.name = "J\(index)"
            return joint
        }
        for index in 0..<3 {
            let line = Line(context: context)
            (line.start, line.end) = (joints[index], joints[index + 1])
        }
        try context.save()
        return joints.map(\.objectID)
    }

    @Test("faults given together are realised, each once, in the order of the store; those of another context are reported")
    func fire() throws {
        let container = try Network.container()
        let ids = try network(container)
        let (context, other) = (container.newContext(), container.newContext())
        var errors: [GrabenError] = []
        context.errorHandler = { errors.append($0) }
        let joints = ids.map { context.object(with: $0) }
        #expect(context.fireFaults(of: joints.reversed() + joints) == 4 && joints.allSatisfy { !$0.isFault })
        #expect(context.statistics.firedFaults == 4 && context.fireFaults(of: joints) == 0)
        let foreign = other.object(with: ids[0])
        #expect(context.fireFaults(of: [foreign]) == 0 && foreign.isFault && errors.count == 1)
    }

    @Test("prefetching a path realises what it leads to, step by step, and S12 hasFault says so without firing anything")
    func prefetch() throws {
        let container = try Network.container()
        let ids = try network(container)
        let context = container.newContext()
        let joints = ids.map { context.object(with: $0) }
        #expect(joints[0].hasFault(forRelationshipNamed: "outgoing") && joints[0].isFault)
        let ends = try context.prefetch("outgoing.end", of: joints)
        #expect(ends.map(\.objectID) == Array(ids[1...]) && ends.allSatisfy { !$0.isFault })
        #expect(!joints[0].hasFault(forRelationshipNamed: "outgoing") && joints[0].isFault)
        #expect(joints[0].hasFault(forRelationshipNamed: "incoming"))
        let fired = context.statistics.firedFaults
        let line = try #require((joints[0] as? Joint)?.outgoing.first { _ in true })
        #expect(line.end?.name == "J1" && context.statistics.firedFaults == fired)
        // What is kept of the members follows changes and saves.
        let new = Line(context: context)
        new.start = joints[0] as? Joint
        #expect((joints[0] as? Joint)?.outgoing.count == 2)
        try context.save()
        #expect((joints[0] as? Joint)?.outgoing.ids.count == 2)
    }

    @Test("a path that names no relationship is an error that names it")
    func wrongPath() throws {
        let container = try Network.container()
        let id = try network(container)[0]
        let context = container.newContext()
        let joint = context.object(with: id)
        guard case .unknownKey("Joint", "outgoin", "outgoing")? = thrown({ try context.prefetch("outgoin", of: [joint]) }) else {
            Issue.record("no error that helps")
            return
        }
        for path in ["name", "outgoing.end.neighbours", "outgoing..end", ""] {
            #expect(thrown { try context.prefetch(path, of: [joint]) } != nil, "\(path)")
        }
        #expect(thrown { _ = try joint.objectIDs(forRelationshipNamed: "x") }?.description.contains("no relationship") == true)
        #expect(thrown { try container.newContext().prefetch("outgoing", of: [joint]) } != nil)
    }

    @Test("the ids of a relationship of either kind are read without firing it or its object, in child contexts too")
    func ids() throws {
        let container = try Network.container()
        let ids = try network(container)
        let root = container.newContext()
        let lines = try root.fetchIDs(Line.fetchRequest())
        for context in [container.newContext(), ManagedObjectContext(parent: root)] {
            let (joint, line) = (context.object(with: ids[1]), context.object(with: lines[1]))
            #expect(try joint.objectIDs(forRelationshipNamed: "outgoing") == [lines[1]])
            #expect(try line.objectIDs(forRelationshipNamed: "start") == [ids[1]] && line.isFault && joint.isFault)
            #expect(context.statistics.firedFaults == 0 && joint.hasFault(forRelationshipNamed: "outgoing"))
            (line as? Line)?.start = nil
            #expect(try line.objectIDs(forRelationshipNamed: "start").isEmpty && joint.objectIDs(forRelationshipNamed: "outgoing").isEmpty)
        }
    }
}
