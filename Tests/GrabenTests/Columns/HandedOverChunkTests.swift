import GrabenFixtures
import GrabenLog
import Testing

@testable import Graben

@Suite("Chunks that a save hands over")
struct HandedOverChunkTests {
    private struct Refusal: Error {}

    /// Saved joints, row by row at (row, 0, 0).
    private func joints(_ count: Int, _ container: PersistentContainer) throws -> [ObjectID] {
        let context = container.newContext()
        defer { context.close() }
        let joints = (0..<count).map { row in
            let joint = Joint(context: context)
            joint.position = [Double(row), 0, 0]
            return joint
        }
        try context.save()
        return joints.map(\.objectID)
    }

    private func address(_ context: ManagedObjectContext, _ chunk: Int) throws -> UnsafeRawPointer {
        let table = try #require(context.tables.values.flatMap { $0 }.compactMap { $0 }.first { $0.info.name == "Joint" })
        return table.chunks.chunk(chunk)
    }

    @Test("a chunk that was moved and saved is the snapshot's where it lies, and is copied before it is changed again")
    func handedOver() throws {
        let container = try Network.container()
        let ids = try joints(3000, container)
        let context = container.newContext()
        context.translate(ids.filter { $0.row % 7 == 0 }, by: [0, 0, 1])
        let moved = try (0..<3).map { try address(context, $0) }
        try context.save()
        let saved = container.newContext()
        #expect(saved.positions(of: ids) == ids.map { [Double($0.row), 0, $0.row % 7 == 0 ? 1 : 0] })
        for chunk in 0..<3 {
            #expect(try address(context, chunk) == moved[chunk])
            #expect(try address(saved, chunk) == moved[chunk])
        }
        context.translate(ids, by: [0, 5, 0])
        #expect(saved.positions(of: ids) == ids.map { [Double($0.row), 0, $0.row % 7 == 0 ? 1 : 0] })
        for chunk in 0..<3 { #expect(try address(context, chunk) != moved[chunk]) }
        context.close()
        #expect(saved.positions(of: ids) == ids.map { [Double($0.row), 0, $0.row % 7 == 0 ? 1 : 0] })
    }

    // A save that failed could leave its overlay with a snapshot that others read, and go on changing it.
    @Test("a save that fails gives nothing away")
    func refused() throws {
        let container = try Network.container()
        let ids = try joints(2000, container)
        let store = try #require(container.coordinator.stores.first)
        var refused: LogSnapshot?
        store.log.approve { snapshot in
            refused = snapshot
            throw Refusal()
        }
        let context = container.newContext()
        context.translate(ids, by: [0, 0, 1])
        #expect(throws: GrabenError.self) { try context.save() }
        let snapshot = try #require(refused)
        let code = try #require(snapshot.catalog.entities.first { $0.name == "Joint" }).code
        let before = try snapshot.chunk(code, 0)
        #expect(try address(context, 0) != before)
        context.translate(ids, by: [0, 0, 1])
        #expect(before.load(fromByteOffset: 16384, as: Double.self) == 1)
        store.log.approve { _ in }
        try context.save()
        #expect(container.newContext().positions(of: ids).allSatisfy { $0.z == 2 })
    }

    /// Names the first that differs; to compare so many in words would take hours.
    private func expect(_ context: ManagedObjectContext, _ ids: [ObjectID], _ positions: [SIMD3<Double>]) {
        let found = context.positions(of: ids)
        #expect(positions.indices.first { found[$0] != positions[$0] } == nil)
    }

    @Test("two contexts that move and save by turns, refused now and then, agree with an array, as does every snapshot", arguments: 0..<8)
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("moved.graben"))
        let container = try Network.container(location)
        let count = 40_000
        let ids = try joints(count, container)
        let store = try #require(container.coordinator.stores.first)
        var model = ids.map { SIMD3(Double($0.row), 0, 0) }
        let contexts = [container.newContext(), container.newContext()]
        var left: [(ManagedObjectContext, [SIMD3<Double>])] = []
        for _ in 0..<30 {
            let context = contexts[Int(random.below(2))]
            let isRefused = random.below(5) == 0
            store.log.approve { _ in if isRefused { throw Refusal() } }
            // Nothing else is changed here, so what it begins with is the newest commit.
            context.refreshAllObjects()
            var expected = model
            for _ in 0...random.below(3) {
                let step = 1 + Int(random.below(200))
                let first = Int(random.below(UInt32(step)))
                let delta = SIMD3(Double(random.below(2)), Double(random.below(2)), Double(random.below(3)) - 1)
                let some = Array(stride(from: first, to: count, by: step))
                if random.below(3) == 0 {
                    for row in some.prefix(300) { (context.object(with: ids[row]) as? Joint)?.position += delta }
                    for row in some.prefix(300) { expected[row] += delta }
                } else {
                    context.translate(some.map { ids[$0] }, by: delta)
                    for row in some { expected[row] += delta }
                }
            }
            expect(context, ids, expected)
            if isRefused {
                if context.hasChanges {
                    #expect(throws: GrabenError.self) { try context.save() }
                    expect(context, ids, expected)
                    context.rollback()
                }
            } else {
                try context.save()
                model = expected
            }
            expect(context, ids, model)
            if random.below(4) == 0 {
                let reader = container.newContext()
                reader.isPinned = true
                left.append((reader, model))
                expect(reader, ids, model)
            }
            if left.count > 3 { left.removeFirst() }
            for (reader, positions) in left { expect(reader, ids, positions) }
        }
        try container.close()
        let again = try Network.container(location)
        let number = try #require(again.coordinator.stores.first).number
        let same = ids.map { ObjectID(store: number, entity: $0.entityNumber, row: $0.row) }
        expect(again.newContext(), same, model)
        try again.close()
    }
}
