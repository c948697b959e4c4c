import GrabenFixtures
import StoreCrashing
import Synchronization
import Testing

@testable import GrabenLog

@Suite("Readers beside a writer")
struct AdvanceTests {
    private static let reading = LogOptions(readOnly: true, createIfMissing: false)

    /// Changes a log and a model alike.
    private func change(_ log: Log, _ model: inout StoreModel, _ generator: inout SplitMix64) throws {
        let base = model
        model = try log.commit { (_, builder: inout CommitBuilder) in
            var next = base
            next.change(&builder, &generator)
            return next
        }.0
    }

    /// Adds up what the chain says from one snapshot to the newest, and compares it with the rows that are there.
    private func checkChain(from old: LogSnapshot, _ before: StoreModel, to new: LogSnapshot, _ after: StoreModel) {
        var touched: Set<ObjectKey> = []
        var node = old.commitNumber < new.commitNumber ? old.next : nil
        var last = old.commitNumber
        while let commit = node {
            #expect(commit.commitNumber > last)
            last = commit.commitNumber
            for entity in commit.changes.entities {
                for row in entity.inserted { touched.insert(ObjectKey(entity.entity, row)) }
                for row in entity.deleted { touched.insert(ObjectKey(entity.entity, row)) }
                for change in entity.updated { touched.insert(ObjectKey(entity.entity, change.row)) }
                for patch in entity.patched { for row in patch.rows { touched.insert(ObjectKey(entity.entity, row)) } }
            }
            if last == new.commitNumber { break }
            node = commit.next
        }
        #expect(last == new.commitNumber, "the chain leads to the newest")
        for row in Set(before.joints.keys).union(after.joints.keys) where before.joints[row] != after.joints[row] {
            #expect(touched.contains(ObjectKey(Drawing.joint, row)))
        }
        for row in Set(before.lines.keys).union(after.lines.keys) where before.lines[row] != after.lines[row] {
            #expect(touched.contains(ObjectKey(Drawing.line, row)))
        }
    }

    @Test(
        "a reader that advances now and then sees each commit's store, the chain of commits, and follows compactions",
        arguments: [1, 2, 3, 4] as [UInt64])
    func advancing(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem(reservation: 1 << 30)
        var options = LogOptions(retention: seed == 4 ? .commits(30) : .nothing)
        options.partByteCount = seed == 2 ? 64 : Format.partByteCount
        options.mappingByteCount = seed == 3 ? 1 : 256 << 20
        var log = try Log.open(path: "a", in: system, options: options)
        var model = StoreModel()
        try change(log, &model, &generator)
        var reading = Self.reading
        reading.mappingByteCount = options.mappingByteCount
        let reader = try Log.open(path: "a", in: system, options: reading)
        _ = try reader.newest.sources(of: 1, through: Drawing.startKey)
        var seen = (reader.newest, model)
        var kept: [(LogSnapshot, StoreModel)] = []
        var compactions = 0
        for step in 0..<300 {
            try change(log, &model, &generator)
            if generator.chance(4) {
                try log.compact()
                compactions += 1
            }
            if generator.chance(5) {
                // Nobody writes for a while, and the reader takes every complete commit.
                try log.close()
                if generator.chance(50) { #expect(try reader.advance().commitNumber == log.newest.commitNumber) }
                log = try Log.open(path: "a", in: system, options: options)
            }
            guard generator.chance(25) else { continue }
            let newest = try reader.advance()
            #expect(newest.commitNumber == log.newest.commitNumber)
            #expect(newest === reader.newest)
            #expect(try StoreModel(newest) == model)
            try model.checkIndexes(newest)
            checkChain(from: seen.0, seen.1, to: newest, model)
            if step % 7 == 0 { kept.append(seen) }
            seen = (newest, model)
        }
        #expect(compactions > 3)
        for (snapshot, then) in kept {
            #expect(try StoreModel(snapshot) == then)
            try then.checkIndexes(snapshot)
            checkChain(from: snapshot, then, to: seen.0, seen.1)
        }
        try reader.close()
        #expect(throws: LogError.closed(path: "a")) { try reader.advance() }
    }

    @Test("a reader sees nothing that the writer has not said to be durable")
    func durable() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system, options: LogOptions(durability: .deferred))
        try log.change { $0.setCatalog(Drawing.catalog) }
        try log.synchronize()
        let reader = try Log.open(path: "a", in: system, options: Self.reading)
        try log.change { $0.insertJoint(1, "a") }
        #expect(log.newest.commitNumber == 2)
        #expect(try reader.advance().commitNumber == 1)
        try log.synchronize()
        #expect(try reader.advance().commitNumber == 2)
    }

    @Test("what is bad in a new commit is an error, and the reader stays at the one before")
    func damage() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        try log.change { $0.setCatalog(Drawing.catalog) }
        let reader = try Log.open(path: "a", in: system, options: Self.reading)
        try log.change { $0.insertJoint(1, "a") }
        let end = log.newest.endOffset
        try log.change { $0.insertJoint(2, "b") }
        let file = try system.open("a", .readWrite)
        try file.writeAll([0xFF], at: end + 70)
        for _ in 0..<2 {
            #expect("damaged") {
                try reader.advance()
            } throws: {
                if case .damaged? = $0 as? LogError { true } else { false }
            }
            #expect(reader.newest.commitNumber == 2)
        }
    }

    @Test("another store, or an older copy, at the path is not followed")
    func replaced() throws {
        for isOther in [true, false] {
            let system = MemoryFileSystem(reservation: 1 << 28)
            let log = try Log.open(path: "a", in: system)
            try log.change { $0.setCatalog(Drawing.catalog) }
            try log.backup(to: "copy", in: system)
            try log.change { $0.insertJoint(1, "a") }
            try log.close()
            let reader = try Log.open(path: "a", in: system, options: Self.reading)
            if isOther {
                let other = try Log.open(path: "other", in: system)
                try other.change { $0.setCatalog(Drawing.catalog) }
                try other.close()
            }
            try system.remove("a-index")
            try system.rename(isOther ? "other" : "copy", to: "a")
            #expect("replaced") {
                try reader.advance()
            } throws: {
                if case .replaced? = $0 as? LogError { true } else { false }
            }
            #expect(try reader.newest.name(1) == "a")
        }
    }

    @Test(
        "waiting ends with the next commit, for the writer's own threads and for readers, in memory and in files", arguments: [true, false])
    func waiting(isInMemory: Bool) throws {
        let folder = try TemporaryFolder()
        let system: any LogFileSystem = isInMemory ? MemoryFileSystem(reservation: 1 << 28) : RealFileSystem()
        let path = isInMemory ? "a" : folder.path("a.graben")
        let log = try Log.open(path: path, in: system)
        try log.change { $0.setCatalog(Drawing.catalog) }
        let reader = try Log.open(path: path, in: system, options: Self.reading)
        for handle in [log, reader] {
            #expect(try handle.waitForCommit(after: handle.newest.commitNumber, seconds: 0.05) == nil)
            #expect(try handle.waitForCommit(after: handle.newest.commitNumber - 1, seconds: 0)?.commitNumber == log.newest.commitNumber)
            #expect(try handle.waitForCommit(after: handle.newest.commitNumber, seconds: 60, isCancelled: { true }) == nil)
        }
        let worker = CrashThread { for row in 0..<50 as Range<Row> { _ = try? log.change { $0.insertJoint(row, "J\(row)") } } }
        var number = reader.newest.commitNumber
        while number < 51 {
            let snapshot = try #require(try reader.waitForCommit(after: number, seconds: 20))
            #expect(snapshot.commitNumber > number)
            number = snapshot.commitNumber
            if number == 30 { try log.compact() }
        }
        worker.join()
        try log.compact()
        try log.change { $0.rename(3, "x") }
        #expect(try reader.waitForCommit(after: 51, seconds: 20)?.name(3) == "x")
        #expect(try log.waitForCommit(after: 51, seconds: 20)?.commitNumber == 52)
        let closer = CrashThread { try? log.close() }
        #expect(throws: LogError.closed(path: path)) {
            while try log.waitForCommit(after: 52, seconds: 20) == nil {}
        }
        closer.join()
    }

    @Test("the oldest snapshot held is told, and the bytes of replaced files that such ones keep")
    func pins() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        try log.change { $0.setCatalog(Drawing.catalog) }
        for row in 0..<20 as Range<Row> { try log.change { $0.insertJoint(row, "J\(row)") } }
        #expect(try log.summary().pinned == PinnedSnapshots())
        var pinned: LogSnapshot? = log.newest
        for row in 0..<10 as Range<Row> { try log.change { $0.rename(row, "x") } }
        var expected = PinnedSnapshots()
        (expected.oldestCommit, expected.count) = (21, 1)
        #expect(try log.summary().pinned == expected)
        expected.byteCount = pinned?.endOffset ?? 0
        try log.compact()
        #expect(try log.summary().pinned == expected)
        // The next sync tells it to other processes.
        try log.change { $0.rename(1, "y") }
        expected.count = 0
        #expect(try Log.writer(ofStoreAt: "a", in: system)?.pinned == expected)
        pinned = nil
        #expect(try log.summary().pinned == PinnedSnapshots())
        try log.change { $0.rename(1, "z") }
        #expect(try Log.writer(ofStoreAt: "a", in: system)?.pinned == PinnedSnapshots())
        _ = pinned
    }
}
