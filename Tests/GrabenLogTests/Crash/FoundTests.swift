import Testing

@testable import GrabenLog

/// What the campaigns of this folder found, each as a test of its own.
@Suite struct FoundTests {
    // A commit is applied before it is written. A patch of a chunk that stood before it in the same frame copied the chunk from the mapped file,
    // where there were zeros still. A program that inserts a thousand joints and moves one of them in one save saw all others at the origin, and
    // so did every opening from the index that was written then. Such chunks are now copied from the frame in memory.
    @Test("a patch after a chunk in one commit keeps what the chunk says of all other rows", arguments: [100, 1 << 24])
    func patchAfterChunk(partByteCount: Int) throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        var options = LogOptions()
        options.partByteCount = partByteCount
        let log = try Log.open(path: "a", in: system, options: options)
        let layout = Drawing.jointLayout
        let chunk = ChunkHandle(layout: layout, owner: ChunkHandle.nobody)
        for row in 0..<1024 { chunk.setBits(0, row, Double(row).bitPattern) }
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<1024 as Range<Row> {
                builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .string("J\(row)") }
            }
            builder.appendChunk(layout: layout, firstRow: 0, count: 1024, from: chunk.base)
            builder.move(7, (-1, -2, -3))
        }
        func check(_ log: Log) throws {
            for row in 0..<1024 as Range<Row> {
                #expect(try log.newest.position(row) == (row == 7 ? [-1, -2, -3] : [Double(row), 0, 0]))
            }
        }
        try check(log)
        try log.close()
        try check(try Log.open(path: "a", in: system, options: options))
    }

    // Parts of a long commit that was given up stayed on the disk until others of the same number were written in their place. A power loss that kept some
    // of the new parts only left a commit of old and new ones, each of them right: a reader found objects that nobody ever saved.
    @Test("parts of a commit that failed make no commit with those of the one that was written in its place")
    func partsOfTwoCommits() throws {
        struct Stop: Error {}
        let system = MemoryFileSystem(reservation: 1 << 24)
        var options = LogOptions()
        options.partByteCount = 1
        let log = try Log.open(path: "a", in: system, options: options)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            builder.insertJoint(0, "before")
        }
        let start = Int(log.newest.endOffset)
        func fill(_ builder: inout CommitBuilder, _ name: String) {
            for row in 1..<6 as Range<Row> {
                builder.appendRecord(layout: Drawing.jointLayout, row: row, isInsert: true) { _ in .string("\(name)\(row)") }
            }
        }
        var given: [UInt8]?
        #expect(throws: (any Error).self) {
            try log.commit { (_: LogSnapshot, builder: inout CommitBuilder) throws in
                fill(&builder, "old")
                given = system.contents("a")
                throw Stop()
            }
        }
        try log.change { fill(&$0, "new") }
        let whole = try #require(system.contents("a"))
        let old = try #require(given)
        // Every prefix of the old parts in front of the new ones, by eight bytes, for what a disk keeps may be anything.
        var found = 0
        for end in stride(from: start, through: min(old.count, whole.count), by: 8) {
            var bytes = whole
            bytes.replaceSubrange(start..<end, with: old[start..<end])
            let image = MemoryFileSystem(reservation: 1 << 24)
            try image.setContents("a", bytes)
            let opened = try Log.open(path: "a", in: image, options: options)
            guard opened.newest.commitNumber == 2 else { continue }
            found += 1
            for row in 1..<6 as Range<Row> { #expect(try opened.newest.record(Drawing.joint, row)?.string(0) == "new\(row)") }
            #expect(try opened.check().isEmpty)
        }
        // The whole of the new one is among them.
        #expect(found > 0)
        try log.close()
    }

    // The header page is several sectors, which a power loss during the creation of a store may leave in any mixture. Where the first was missing and
    // the last, with the checksum, was not, the file passed for another program's: opening was refused until someone removed it by hand.
    @Test("a header page of which any sectors are missing is begun anew, and what may be another program's file is not")
    func tornHeader() throws {
        let whole = MemoryFileSystem(reservation: 1 << 24)
        try Log.open(path: "a", in: whole, options: LogOptions(preallocation: 0)).close()
        let page = Array(try #require(whole.contents("a")).prefix(Format.headerByteCount))
        for missing in 1..<256 {
            for torn in [0, 5, 40] {
                var bytes = page
                for sector in 0..<8 where missing >> sector & 1 != 0 {
                    let start = sector * 512 + (sector == 0 ? torn : 0)
                    for place in start..<(sector + 1) * 512 { bytes[place] = 0 }
                }
                guard bytes != page else { continue }
                let system = MemoryFileSystem(reservation: 1 << 24)
                try system.setContents("a", bytes)
                #expect(try Log.open(path: "a", in: system).newest.commitNumber == 0)
            }
        }
        for (place, byte) in [(0, 65), (9, 1), (100, 7), (3_000, 1)] as [(Int, UInt8)] {
            var bytes = [UInt8](repeating: 0, count: 4_000)
            bytes[place] = byte
            let system = MemoryFileSystem(reservation: 1 << 24)
            try system.setContents("a", bytes)
            #expect(throws: LogError.self) { try Log.open(path: "a", in: system) }
            #expect(system.contents("a") == bytes)
        }
    }
}
