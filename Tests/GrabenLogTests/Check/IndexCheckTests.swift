import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite("Checking an index against its log")
struct IndexCheckTests {
    private func check(_ log: [UInt8], _ index: [UInt8]) throws -> LogReport {
        let system = MemoryFileSystem(reservation: 1 << 28)
        try system.setContents("a", log)
        try system.setContents("a-index", index)
        let report = try Log.check(path: "a", in: system)
        #expect(system.contents("a") == log && system.contents("a-index") == index)
        return report
    }

    private func root(_ index: [UInt8]) throws -> IndexRoot {
        let system = MemoryFileSystem(reservation: 1 << 24)
        try system.setContents("a-index", index)
        let file = try #require(IndexFile.open(log: "a", in: system))
        let length = Int(file.header.rootLength)
        var reader = ByteReader(try #require(file.bytes(Int(file.header.rootOffset), length)), to: length)
        return try IndexRoot(&reader)
    }

    @Test("a sound index has no findings, however it came to be", arguments: [1, 2, 3, 4] as [UInt64])
    func sound(seed: UInt64) throws {
        let store = try IndexedStore(seed: seed)
        let report = try check(store.log, store.index)
        #expect(report.findings == [] && report.notes == [])
        #expect(try check(store.log, store.olderIndex).findings == [])
        // After a compaction, whose slots may differ from the rows.
        let system = MemoryFileSystem(reservation: 1 << 28)
        try system.setContents("a", store.log)
        let log = try Log.open(path: "a", in: system)
        _ = try log.compact()
        try log.close()
        let compacted = try check(try #require(system.contents("a")), try #require(system.contents("a-index")))
        #expect(compacted.findings == [])
    }

    @Test("every number of an index that is another than the log's is found, though the checksums are right")
    func numbers() throws {
        let store = try IndexedStore(seed: 21)
        let root = try root(store.index)
        let joints = try #require(root.entities.first { $0.code == Drawing.joint })
        func expect(_ what: String, at place: Int, to value: UInt8? = nil, _ says: String, row: Bool = false) throws {
            var index = store.index
            index[place] = value ?? index[place] ^ 1
            resealIndex(&index)
            let report = try check(store.log, index)
            let found = report.findings.contains { finding in
                finding.kind == .index && (says.isEmpty || finding.what.contains(says)) && (!row || finding.row != nil)
            }
            #expect(found, "\(what): \(report.findings.prefix(3)) \(report.notes)")
        }
        // The offset of a row that lives: the first entry of the table leads to its page.
        func number(_ place: Int) -> Int { store.index[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) } }
        var page = 0
        while number(joints.rows.offset + page * 16) == 0 { page += 1 }
        let leaf = number(joints.rows.offset + page * 16) & ~1
        var entry = 0
        while store.index[leaf + entry * 4..<leaf + entry * 4 + 4].allSatisfy({ $0 == 0 }) { entry += 1 }
        try expect("a row's offset", at: leaf + entry * 4, "the record is said to be", row: true)
        try expect("a page's base", at: joints.rows.offset + page * 16 + 8, "the record is said to be", row: true)
        try expect("an anchor's frame", at: root.anchors.offset, to: 8, "anchor")
        try expect("an anchor's commit", at: root.anchors.offset + 8, "anchor")
        var chunk = 0
        while number(joints.chunks.offset + chunk * 16) & 1 == 0 { chunk += 1 }
        try expect("a chunk's layout", at: joints.chunks.offset + chunk * 16 + 8, "entry of a chunk")
        let body = number(joints.chunks.offset + chunk * 16) & ~1
        let live = try #require(store.model.joints.keys.first { Int($0) / 1024 == chunk })
        try expect("a packed value", at: body + 1024 * 8 + Int(live) % 1024 * 8, "packed value", row: true)
        for (name, run) in [("pairs", root.reverse[0].run), ("links by members", root.links[0].members), ("keys", root.keys[0].run)] {
            try expect("\(name): a fence", at: run.fences.offset, "")
            try expect("\(name): a leaf", at: run.leavesEnd - 1, "")
        }
    }

    @Test("an index that is cut, bad or another's is told of")
    func whole() throws {
        let store = try IndexedStore(seed: 22, commits: 20)
        let other = try IndexedStore(seed: 23, commits: 20)
        #expect(try check(store.log, Array(store.index.dropLast(9))).findings.map(\.kind) == [.index])
        var index = store.index
        index[5000] ^= 1
        let bad = try check(store.log, index)
        #expect(bad.findings.first?.what.contains("checksum") == true && bad.findings.first?.offset == 4096)
        let foreign = try check(store.log, other.index)
        #expect(foreign.findings == [] && foreign.notes.count == 1)
        index = store.index
        index[200] = 1
        resealIndex(&index)
        #expect(try check(store.log, index).findings.map(\.kind) == [.index])
        // It tells of more than the log holds: the log is what is damaged.
        #expect(try check(store.olderLog, store.index).findings.map(\.kind) == [.frame])
    }

    @Test("any byte of an index that is flipped is found, its checksums right or not", arguments: [false, true])
    func flips(resealed: Bool) throws {
        let store = try IndexedStore(seed: 24, commits: 20)
        var generator = SplitMix64(seed: 5)
        // Most of a chunk is slots of rows that do not live, which may hold anything where the checksum is right.
        let first = try #require(try root(store.index).reverse.first).run.fences.offset
        var missed: [Int] = []
        for _ in 0..<400 {
            var index = store.index
            let start = resealed ? first : 128
            let place = start + generator.pick(index.count - start)
            index[place] ^= 1 << UInt8(generator.pick(8))
            if resealed { resealIndex(&index) }
            if try check(store.log, index).isClean { missed.append(place) }
        }
        // What aligns a table may be anything, and so may the tables of checksums, which are made right again.
        #expect(resealed ? missed.count < 60 : missed.isEmpty, "\(missed.sorted())")
    }

    @Test("a store that is open for writing can be checked while it is written")
    func whileWriting() throws {
        var generator = SplitMix64(seed: 31)
        let system = MemoryFileSystem(reservation: 1 << 28)
        var options = LogOptions()
        options.checkpointByteCount = 2000
        options.checkpointDelay = 0
        let log = try Log.open(path: "a", in: system, options: options)
        var model = StoreModel()
        for step in 0..<200 {
            model = try log.commit { (_, builder: inout CommitBuilder) in
                var next = model
                next.change(&builder, &generator)
                return next
            }.0
            guard step % 10 == 0 else { continue }
            let report = try log.checkReport()
            #expect(report.findings == [] && report.lastCommit == log.newest.commitNumber)
        }
        try log.close()
        #expect(try Log.check(path: "a", in: system).findings == [])
    }
}
