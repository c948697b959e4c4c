import GrabenFixtures
import Testing

@testable import GrabenLog

/// A closed store of a few hundred commits, its index, and what it holds.
struct IndexedStore {
    let log: [UInt8]
    let index: [UInt8]
    let model: StoreModel
    /// The log, the index and the model after the first half of the commits.
    let olderLog: [UInt8]
    let olderIndex: [UInt8]

    init(seed: UInt64, commits: Int = 60) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem(reservation: 1 << 28)
        var model = StoreModel()
        var older: ([UInt8], [UInt8]) = ([], [])
        for half in 0..<2 {
            let log = try Log.open(path: "a", in: system)
            for _ in 0..<commits / 2 {
                model = try log.commit { (_, builder: inout CommitBuilder) in
                    var next = model
                    next.change(&builder, &generator, rows: 1500)
                    return next
                }.0
            }
            try log.close()
            if half == 0 { older = (try #require(system.contents("a")), try #require(system.contents("a-index"))) }
        }
        (olderLog, olderIndex) = older
        log = try #require(system.contents("a"))
        index = try #require(system.contents("a-index"))
        self.model = model
    }
}

/// The store of these bytes.
func open(log: [UInt8], index: [UInt8]?, readOnly: Bool = false, options: LogOptions = LogOptions()) throws -> Log {
    let system = MemoryFileSystem(reservation: 1 << 28)
    try system.setContents("a", log)
    if let index { try system.setContents("a-index", index) }
    var options = options
    options.readOnly = readOnly
    return try Log.open(path: "a", in: system, options: options)
}

@Suite struct IndexTests {
    @Test(
        "a reverse index takes at most five bytes an entry in the file, fences included, and one of keys little more than what keys differ in"
    )
    func leafSizes() throws {
        var generator = SplitMix64(seed: 12)
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        let count = 60_000
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<Row(count) {
                builder.appendRecord(layout: Drawing.jointLayout, row: row, isInsert: true) { _ in .string("joint \(row)") }
            }
            // Each line between any two joints: the worst locality.
            for row in 0..<Row(count) { builder.putLine(row, Row(generator.pick(count)), Row(generator.pick(count))) }
        }
        try log.close()
        let root = try #require(try Log.open(path: "a", in: system).newest.checkpoint).root
        /// From the first leaf to the end of the fences.
        func byteCount(_ run: IndexRoot.Run, fence: Int) throws -> Double {
            let bytes = try #require(system.contents("a-index"))
            let first = bytes.withUnsafeBytes {
                Int(UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: run.fences.offset + fence - 8, as: UInt64.self)))
            }
            return Double(run.fences.offset + run.fences.count * fence - first) / Double(run.entryCount)
        }
        #expect(root.reverse.count == 2)
        for (_, run) in root.reverse {
            #expect(run.entryCount == count)
            #expect(try byteCount(run, fence: 16) <= 5)
        }
        // The names share all but two or three of their bytes; the row takes three.
        let names = try #require(root.keys.first { $0.code == Drawing.byName.code }).run
        #expect(names.entryCount == count)
        #expect(try byteCount(names, fence: 16) <= 10)
    }

    @Test("a store opened from its index is the same, touches none of the log before it is read, and can be changed")
    func opening() throws {
        let store = try IndexedStore(seed: 1)
        for readOnly in [false, true] {
            let log = try open(log: store.log, index: store.index, readOnly: readOnly)
            let checkpoint = try #require(log.newest.checkpoint)
            #expect(checkpoint.durableEnd == UInt64(store.log.count))
            #expect(log.health.wasClosedCleanly && log.health.damage == nil)
            #expect(log.newest.commitNumber == 60)
            #expect(try StoreModel(log.newest) == store.model)
            try store.model.checkIndexes(log.newest)
            #expect(Array(log.commits()).map(\.number) == (1...60).map { UInt64($0) })
            #expect(try log.check() == [])
            #expect(!checkpoint.file.isBad)
            #expect(log.newest.metadata == (try open(log: store.log, index: nil).newest.metadata))
        }
    }

    @Test(
        "a store with an index agrees with dictionaries over random commits, closings and openings",
        arguments: [1, 2, 3] as [UInt64])
    func randomCommits(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem(reservation: 1 << 28)
        var options = LogOptions()
        options.partByteCount = seed == 2 ? 64 : Format.partByteCount
        options.mappingByteCount = seed == 3 ? 1 : 256 << 20
        // Written in the background as well, all the time.
        options.checkpointByteCount = 2000
        options.checkpointDelay = 0
        var log = try Log.open(path: "a", in: system, options: options)
        var model = StoreModel()
        var kept: [(LogSnapshot, StoreModel)] = []
        for step in 0..<(TestShare.isBrief ? 120 : 500) {
            model = try log.commit { (_, builder: inout CommitBuilder) in
                var next = model
                next.change(&builder, &generator)
                return next
            }.0
            if step % 60 == 7 { kept.append((log.newest, model)) }
            if step % 50 == 3 { try model.checkIndexes(log.newest) }
            if generator.chance(8) {
                try log.close()
                log = try Log.open(path: "a", in: system, options: options)
                #expect(log.newest.checkpoint != nil)
                if generator.chance(30) { try model.checkIndexes(log.newest) }
                if generator.chance(30) { #expect(try StoreModel(log.newest) == model) }
            } else if generator.chance(5) {
                // As a crash leaves it: the index of some time before, and a longer log.
                let name = log.path + "+"
                try system.setContents(name, try #require(system.contents(log.path)))
                if let index = system.contents("a-index") { try system.setContents(name + "-index", index) }
                let crashed = try Log.open(path: name, in: system, options: options)
                #expect(try StoreModel(crashed.newest) == model)
                try model.checkIndexes(crashed.newest)
                try crashed.close()
            }
        }
        #expect(try StoreModel(log.newest) == model)
        for (snapshot, then) in kept {
            #expect(try StoreModel(snapshot) == then)
            try then.checkIndexes(snapshot)
        }
    }

    @Test("any byte of an index that is flipped costs nothing but time", arguments: TestShare.of([3, 4] as [UInt64], brief: 1))
    func flips(seed: UInt64) throws {
        let store = try IndexedStore(seed: seed, commits: 20)
        var generator = SplitMix64(seed: seed)
        var rebuilt = 0
        // Bytes that hold zeros for ever are few, so every bit of the rest would only take longer.
        let step = TestShare.isBrief ? 49 : 7
        for place in store.index.indices where place < 128 || place >= IndexHeader.byteCount - 8 {
            if place >= IndexHeader.byteCount, place % step != Int(seed % 7), place < store.index.count - 64 { continue }
            var bytes = store.index
            bytes[place] ^= 1 << UInt8(generator.pick(8))
            let log = try open(log: store.log, index: bytes, readOnly: place % 2 == 0)
            #expect(log.health.damage == nil)
            guard try StoreModel(log.newest) == store.model else {
                Issue.record("byte \(place) of the index was believed")
                continue
            }
            if place % 5 == 0 { try store.model.checkIndexes(log.newest) }
            if log.newest.checkpoint.map({ $0.file.isBad }) ?? true { rebuilt += 1 }
        }
        #expect(rebuilt > (TestShare.isBrief ? 20 : 100))
    }

    // An index said that a run had three leaves and one entry, under checksums that are right: leaves behind the first had fewer entries than none,
    // and reading a range of its keys wrote beyond an array or trapped.
    @Test("an index whose runs have more leaves than their entries fill, or fewer, is not believed")
    func leafCounts() throws {
        let store = try IndexedStore(seed: 13)
        let log = try open(log: store.log, index: store.index)
        let checkpoint = try #require(log.newest.checkpoint)
        let (file, root) = (checkpoint.file, checkpoint.root)
        #expect(root.fits(file))
        func check(_ name: Comment, _ path: WritableKeyPath<IndexRoot, IndexRoot.Run>, _ entriesPerLeaf: Int) {
            let run = root[keyPath: path]
            let leaves = run.fences.count
            for count in 0..<(leaves + 2) * entriesPerLeaf {
                var changed = root
                changed[keyPath: path] = IndexRoot.Run(entryCount: count, fences: run.fences, leavesEnd: run.leavesEnd)
                let fills = count > (leaves - 1) * entriesPerLeaf && count <= leaves * entriesPerLeaf
                #expect(changed.fits(file) == fills, name)
            }
            let crafted = IndexRoot.Run(entryCount: 1, fences: .init(offset: run.fences.offset, count: 3), leavesEnd: run.leavesEnd)
            let mapped = MappedRun(file: file, run: crafted, keyWords: 1, entriesPerLeaf: entriesPerLeaf)
            #expect((0..<3).map { mapped.entryCount(ofLeaf: $0) } == [1, 0, 0])
        }
        check("pairs", \.reverse[0].run, MappedRun.entriesPerLeaf)
        check("members", \.links[0].members, MappedRun.entriesPerLeaf)
        check("owners", \.links[0].owners, MappedRun.entriesPerLeaf)
        check("keys", \.keys[0].run, MappedKeys.entriesPerLeaf)
    }

    @Test("an index cut at any length is ignored")
    func cuts() throws {
        let store = try IndexedStore(seed: 5, commits: 20)
        for length in stride(from: 0, to: store.index.count, by: TestShare.isBrief ? 971 : 97) {
            let log = try open(log: store.log, index: Array(store.index.prefix(length)))
            #expect(log.newest.checkpoint == nil)
            #expect(try StoreModel(log.newest) == store.model)
        }
        let longer = try open(log: store.log, index: store.index + [0])
        #expect(longer.newest.checkpoint == nil)
    }

    @Test("an index of another store, or from before a compaction, is ignored")
    func foreign() throws {
        let store = try IndexedStore(seed: 6)
        let other = try IndexedStore(seed: 7)
        let log = try open(log: store.log, index: other.index)
        #expect(log.newest.checkpoint == nil && log.health.damage == nil)
        #expect(try StoreModel(log.newest) == store.model)
    }

    @Test("an older index and a longer log give the newest commit")
    func olderIndex() throws {
        let store = try IndexedStore(seed: 8)
        let log = try open(log: store.log, index: store.olderIndex)
        #expect(log.newest.checkpoint?.commit == 30)
        #expect(log.newest.commitNumber == 60)
        #expect(try StoreModel(log.newest) == store.model)
        try store.model.checkIndexes(log.newest)
    }

    @Test("a sound index that names more than its log holds means that the log is damaged")
    func newerIndex() throws {
        let store = try IndexedStore(seed: 9)
        #expect(throws: LogError.self) { try open(log: store.olderLog, index: store.index) }
        let reader = try open(log: store.olderLog, index: store.index, readOnly: true)
        #expect(reader.damage?.offset == UInt64(store.olderLog.count))
        #expect(reader.newest.commitNumber == 30)
        // A log cut anywhere behind what the older index covers is damaged only where the newer one says so.
        let cut = Array(store.log.prefix(store.log.count - 200))
        #expect(throws: LogError.self) { try open(log: cut, index: store.index) }
        #expect(try open(log: cut, index: store.olderIndex).newest.commitNumber > 30)
    }

    @Test("an index of a log that was restored from a copy and then went another way is not believed")
    func divergedLog() throws {
        let store = try IndexedStore(seed: 10)
        // The same log up to the thirtieth commit, and then other commits until it is longer than the index says.
        let log = try open(log: store.olderLog, index: nil)
        var model = try StoreModel(log.newest)
        var generator = SplitMix64(seed: 77)
        while log.newest.endOffset < UInt64(store.log.count) + 500 {
            model = try log.commit { (_, builder: inout CommitBuilder) in
                var next = model
                next.change(&builder, &generator, rows: 1500)
                return next
            }.0
        }
        try log.close()
        let bytes = try #require((log.system as? MemoryFileSystem)?.contents("a"))
        let again = try open(log: bytes, index: store.index)
        #expect(again.newest.checkpoint == nil)
        #expect(try StoreModel(again.newest) == model)
    }

    @Test("bad bytes below the index are found when they are read, and never returned as data")
    func badLog() throws {
        let store = try IndexedStore(seed: 11, commits: 30)
        var generator = SplitMix64(seed: 12)
        var thrown = 0
        let rounds = TestShare.isBrief ? 40 : 400
        for _ in 0..<rounds {
            var bytes = store.log
            bytes[Format.headerByteCount + generator.pick(bytes.count - Format.headerByteCount - 64)] ^= 1 << UInt8(generator.pick(8))
            do {
                let log = try open(log: bytes, index: store.index, readOnly: true)
                let read = try StoreModel(log.newest)
                // Padding, or what nothing refers to any more; or the log was replayed and ends before the damage.
                if log.health.damage == nil { #expect(read == store.model) }
                if log.health.damage != nil { thrown += 1 }
            } catch let error as LogError {
                guard case .damaged = error else {
                    Issue.record("\(error)")
                    continue
                }
                thrown += 1
            }
        }
        #expect(thrown * 2 > rounds)
    }
}
