import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct ModelTests {
    @Test("a log agrees with dictionaries over random commits, reopenings and old snapshots", arguments: [1, 2, 3] as [UInt64])
    func randomCommits(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem()
        var options = LogOptions()
        // Small ones, so that commits have parts and the file several mappings.
        options.partByteCount = seed == 2 ? 64 : Format.partByteCount
        options.mappingByteCount = seed == 3 ? 1 : 256 << 20
        var log = try Log.open(path: "a", in: system, options: options)
        var model = StoreModel()
        var kept: [(LogSnapshot, StoreModel)] = []
        let count = TestShare.isBrief ? 100 : 400
        for step in 0..<count {
            let next = try log.commit { (_, builder: inout CommitBuilder) in
                var next = model
                next.change(&builder, &generator)
                return next
            }
            model = next.0
            #expect(next.1.commitNumber == UInt64(step + 1))
            if step % 40 == 7 { kept.append((log.newest, model)) }
            if step % 20 == 3 { try model.checkIndexes(log.newest) }
            if step % 50 == 20 {
                #expect(try StoreModel(log.newest) == model)
                if step % 100 == 20 { try log.close() }
                log = try Log.open(path: step % 100 == 20 ? log.path : try copy(system, log), in: system, options: options)
                #expect(try StoreModel(log.newest) == model)
                try model.checkIndexes(log.newest)
                #expect(try log.check() == [])
            }
        }
        for (snapshot, then) in kept {
            #expect(try StoreModel(snapshot) == then)
            try then.checkIndexes(snapshot)
        }
        #expect(Array(log.commits()).map(\.number) == (1...count).map { UInt64($0) })
    }

    /// The file as a crash would leave it, under another name, for the old handle still holds the lock.
    private func copy(_ system: MemoryFileSystem, _ log: Log) throws -> String {
        let name = log.path + "+"
        try system.setContents(name, try #require(system.contents(log.path)))
        return name
    }

    @Test("a snapshot's change list says what its commit did, and the chain leads from any snapshot to the newest")
    func changes() throws {
        let log = try Log.open(path: "a", in: MemoryFileSystem())
        let empty = log.newest
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<100 as Range<Row> { builder.insertJoint(row, "a") }
        }
        try log.change { builder in
            builder.rename(9, "b")
            builder.rename(3, "b")
            builder.appendTombstone(layout: Drawing.jointLayout, row: 50)
            builder.appendFollower(entity: Drawing.joint, row: 7, relationships: FieldMask([2, 70]))
            builder.appendLink(Drawing.members, owner: (Drawing.group, 1), member: (Drawing.joint, 2), order: 5, removed: false)
            builder.appendPatch(layout: Drawing.jointLayout, lanes: [2], rows: [8, 1, 99], bits: [1, 2, 3])
        }
        let first = try #require(empty.next)
        let second = try #require(first.next)
        #expect(second.commitNumber == log.newest.commitNumber)
        #expect(first.changes.changedCatalog)
        #expect(first.changes[Drawing.joint]?.inserted.ranges == [0..<100])
        let joints = try #require(second.changes[Drawing.joint])
        #expect(joints.updated == [RowChange(row: 3, mask: FieldMask([0])), RowChange(row: 9, mask: FieldMask([0]))])
        #expect(Array(joints.deleted) == [50])
        #expect(joints.followers == [RowChange(row: 7, mask: FieldMask([2, 70]))])
        #expect(joints.patched.map { Array($0.rows) } == [[1, 8, 99]])
        #expect(joints.patched.first?.lanes == FieldMask([2]))
        #expect(second.changes.links.map(\.order) == [5])
        #expect(log.newest.metadata.counts == CommitCounts(inserted: 0, updated: 2, deleted: 1, moved: 3, followers: 1, links: 1))
    }

    @Test("a chain of a hundred thousand commits is freed without overflowing the stack")
    func longChain() throws {
        var options = LogOptions(durability: .deferred)
        options.mappingByteCount = 64 << 20
        let log = try Log.open(path: "a", in: MemoryFileSystem(), options: options)
        var first: LogSnapshot? = log.newest
        try log.change { $0.setCatalog(Drawing.catalog) }
        for row in 0..<100_000 as Range<Row> { try log.change { $0.putLine(row % 100, isInsert: row < 100, 1, nil) } }
        #expect(first?.next?.commitNumber == 1)
        first = nil
        #expect(log.newest.commitNumber == 100_001)
    }

    @Test("rows are reserved above every saved one, and the last ones given back are handed out again")
    func reservations() throws {
        let log = try Log.open(path: "a", in: MemoryFileSystem())
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            builder.putLine(41, 1, 2)
        }
        #expect(try log.reserveRows(entity: Drawing.line, count: 10) == 42..<52)
        #expect(try log.reserveRows(entity: Drawing.line, count: 10) == 52..<62)
        log.releaseRows(entity: Drawing.line, 55..<62)
        #expect(try log.reserveRows(entity: Drawing.line, count: 1) == 55..<56)
        log.releaseRows(entity: Drawing.line, 42..<44)
        #expect(try log.reserveRows(entity: Drawing.line, count: 1) == 56..<57)
        #expect(throws: LogError.self) { try log.reserveRows(entity: Drawing.line, count: 1 << 33) }
    }
}

@Suite("What an old snapshot keeps alive")
struct ChainTests {
    // Snapshots used to be chained to each other, so that one object held from an old commit kept the chunks of every later commit in memory:
    // a program met it as memory that grew with every save. And the chain was linked when a commit became durable: of two saves that shared
    // a sync, the second did not see what the first had changed.
    @Test("an old snapshot knows what came since, and keeps no later snapshot alive")
    func chain() throws {
        let log = try Log.open(path: "a", in: MemoryFileSystem(), options: LogOptions(durability: .deferred))
        try log.change { $0.setCatalog(Drawing.catalog) }
        let old = log.newest
        weak var middle: LogSnapshot?
        try log.change { $0.putLine(0, isInsert: true, 1, nil) }
        middle = log.newest
        try log.change { $0.putLine(1, isInsert: true, 1, nil) }
        #expect(middle == nil)
        #expect(old.next?.changes[Drawing.line].map { Array($0.inserted) } == [0])
        #expect(old.next?.next?.commitNumber == log.newest.commitNumber)
    }
}
