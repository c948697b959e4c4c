import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite("Putting back a copy")
struct PutBackTests {
    private func change(_ log: Log, _ model: StoreModel, _ generator: inout SplitMix64, commits: Int) throws -> StoreModel {
        var model = model
        for _ in 0..<commits {
            model = try log.commit { (_, builder: inout CommitBuilder) in
                var next = model
                next.change(&builder, &generator)
                return next
            }.0
        }
        return model
    }

    // A copy had the salt of its original. Put back in the original's place, beside the index that the original had written since, it was said
    // to be damaged: the index named bytes that the copy did not have.
    @Test(
        "a copy put back beside the original's newer index and side file is the store as it was, not damage", arguments: [1, 2] as [UInt64])
    func putBack(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem(reservation: 1 << 28)
        var options = LogOptions()
        options.partByteCount = seed == 2 ? 100 : Format.partByteCount
        let log = try Log.open(path: "a", in: system, options: options)
        let then = try change(log, StoreModel(), &generator, commits: 60)
        #expect(try log.backup(to: "b", in: system))
        _ = try change(log, then, &generator, commits: 60)
        let side = try #require(system.contents("a-lock"))
        try log.close()
        let copy = try #require(system.contents("b"))
        let store = MemoryFileSystem(reservation: 1 << 28)
        try store.setContents("a", copy)
        try store.setContents("a-index", try #require(system.contents("a-index")))
        try store.setContents("a-lock", side)
        let report = try Log.check(path: "a", in: store)
        #expect(report.findings == [] && report.notes.count == 2)
        let again = try Log.open(path: "a", in: store, options: options)
        #expect(again.damage == nil && again.newest.checkpoint == nil && again.health.wasClosedCleanly)
        #expect(try StoreModel(again.newest) == then)
        #expect(again.storeUUID == log.storeUUID && again.salt != log.salt)
        let now = try change(again, then, &generator, commits: 20)
        try again.close()
        let reopened = try Log.open(path: "a", in: store, options: options)
        #expect(try StoreModel(reopened.newest) == now && reopened.newest.checkpoint != nil)
        try reopened.close()
        #expect(try Log.check(path: "a", in: store).findings == [])
    }

    @Test("a copy made by hand and put back beside a newer index is refused, and the error says what to remove")
    func byHand() throws {
        let store = try IndexedStore(seed: 5)
        do {
            _ = try open(log: store.olderLog, index: store.index)
            Issue.record("it was opened")
        } catch LogError.damaged(_, _, let reason) {
            #expect(reason.contains("remove the index"))
        }
    }

    @Test("a frame longer than a piece of the copy is copied whole")
    func longFrames() throws {
        let system = MemoryFileSystem(reservation: 1 << 30)
        let log = try Log.open(path: "a", in: system)
        let text = String(decoding: (0..<3_000_000).map { UInt8(97 + $0 &* 7_919 % 26) }, as: UTF8.self)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<4 as Range<Row> { builder.insertJoint(row, text + "\(row)") }
        }
        try log.change { $0.rename(2, "short") }
        #expect(try log.backup(to: "b", in: system))
        let copy = try Log.open(path: "b", in: system, options: LogOptions(readOnly: true))
        #expect(try copy.newest.name(3) == text + "3" && copy.newest.name(2) == "short")
        try log.close()
    }
}
