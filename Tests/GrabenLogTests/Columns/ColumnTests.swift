import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct ColumnTests {
    private func open(_ system: MemoryFileSystem) throws -> Log { try Log.open(path: "a", in: system) }

    @Test("nil, 0, -0, NaN with its payload and the infinities stay apart in patches and in chunks, live and reopened")
    func distinctValues() throws {
        let layout = RecordLayout(
            number: 1, entity: 1, fields: [], lanes: [Lane(name: "x", isOptional: true), Lane(name: "y", width: .float)])
        let catalog = Catalog(version: 1, entities: [.init(code: 1, name: "P")], layouts: [layout])
        let values: [Double?] = [
            nil, 0, -0.0, .nan, Double(bitPattern: 0x7FF8_0000_0000_1234), .infinity, -.infinity, .leastNonzeroMagnitude,
        ]
        let system = MemoryFileSystem()
        let log = try open(system)
        let heap = UnsafeMutableRawPointer.allocate(byteCount: layout.chunkByteCount, alignment: 64)
        defer { heap.deallocate() }
        // Whatever a caller has behind the last row must not reach the file.
        heap.initializeMemory(as: UInt8.self, repeating: 0xFF, count: layout.chunkByteCount)
        for (index, value) in values.enumerated() {
            heap.storeBytes(of: value?.bitPattern ?? 0, toByteOffset: index * 8, as: UInt64.self)
            heap.storeBytes(of: UInt32(index), toByteOffset: 8192 + index * 4, as: UInt32.self)
        }
        heap.storeBytes(of: 0b1111_1110, toByteOffset: 8192 + 4096, as: UInt8.self)
        try log.change { builder in
            builder.setCatalog(catalog)
            builder.appendPatch(
                layout: layout, lanes: [0, 1], rows: (0..<8).map { Row($0) },
                bits: values.map { $0?.bitPattern ?? 99 } + (0..<8).map { UInt64($0) },
                valid: values.map { $0 != nil } + values.map { _ in true })
            builder.appendChunk(layout: layout, firstRow: 1024, count: 8, from: heap)
            for row in [0, 1031] as [Row] { builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .null } }
        }
        try log.close()
        for snapshot in [log.newest, try open(system).newest] {
            #expect(snapshot.chunkCount(1) == 2)
            for chunk in 0..<2 {
                let base = try snapshot.chunk(1, chunk)
                #expect(UInt(bitPattern: base) % 64 == 0)
                #expect(base.load(fromByteOffset: 8192 + 4096, as: UInt8.self) == 0b1111_1110)
                for (index, value) in values.enumerated() {
                    #expect(base.load(fromByteOffset: index * 8, as: UInt64.self) == value?.bitPattern ?? 0)
                    #expect(base.load(fromByteOffset: 8192 + index * 4, as: UInt32.self) == UInt32(index))
                }
                for slot in 8..<slotsPerChunk { #expect(base.load(fromByteOffset: slot * 8, as: UInt64.self) == 0) }
                for byte in 1..<128 { #expect(base.load(fromByteOffset: 8192 + 4096 + byte, as: UInt8.self) == 0) }
            }
        }
    }

    @Test("an old snapshot keeps its coordinates, and a chunk nobody touched is shared")
    func copyOnWrite() throws {
        let log = try open(MemoryFileSystem())
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<2048 as Range<Row> { builder.insertJoint(row, nil, (Double(row), 0, 0)) }
        }
        let old = log.newest
        try log.change { $0.move(5, (-1, -1, -1)) }
        let new = log.newest
        #expect(try old.position(5) == [5, 0, 0])
        #expect(try new.position(5) == [-1, -1, -1])
        #expect(try old.chunk(Drawing.joint, 1) == new.chunk(Drawing.joint, 1))
        #expect(try old.chunk(Drawing.joint, 0) != new.chunk(Drawing.joint, 0))
    }

    @Test("lanes added later have the default of the version that added them, for old rows only; lanes may change order and width")
    func lazyMigration() throws {
        let first = RecordLayout(number: 1, entity: 1, fields: [], lanes: [Lane(name: "x"), Lane(name: "y")])
        let second = RecordLayout(
            number: 2, entity: 1, fields: [],
            lanes: [
                Lane(name: "z", defaultBits: (7.0).bitPattern), Lane(name: "y", width: .float), Lane(name: "x"),
                Lane(name: "n", isOptional: true),
            ])
        // A later default never alters old rows.
        let third = RecordLayout(
            number: 3, entity: 1, fields: [], lanes: [Lane(name: "z", defaultBits: (8.0).bitPattern), Lane(name: "x")])
        func catalog(_ version: UInt32, _ layout: RecordLayout) -> Catalog {
            Catalog(version: version, entities: [.init(code: 1, name: "P")], layouts: [layout])
        }
        let system = MemoryFileSystem()
        let log = try open(system)
        try log.change { builder in
            builder.setCatalog(catalog(1, first))
            for row in 0..<3 as Range<Row> {
                builder.appendRecord(layout: first, row: row, isInsert: true) { _ in .null }
                builder.appendPatch(layout: first, lanes: [0, 1], rows: [row], bits: [Double(row).bitPattern, (0.5).bitPattern])
            }
        }
        let before = log.newest
        try log.change { $0.setCatalog(catalog(2, second)) }
        func read(_ snapshot: LogSnapshot, _ lane: String, _ row: Int) throws -> Double? {
            let layout = try #require(snapshot.catalog.newestLayout(of: 1))
            let index = try #require(layout.laneIndex(lane))
            let chunk = try snapshot.chunk(1, row / slotsPerChunk)
            let slot = row % slotsPerChunk
            if let offset = layout.validityOffsets[index],
                chunk.load(fromByteOffset: offset + slot / 8, as: UInt8.self) >> UInt8(slot % 8) & 1 == 0
            {
                return nil
            }
            return layout.lanes[index].width == .double
                ? chunk.load(fromByteOffset: layout.laneOffsets[index] + slot * 8, as: Double.self)
                : Double(chunk.load(fromByteOffset: layout.laneOffsets[index] + slot * 4, as: Float.self))
        }
        func checkSecond(_ snapshot: LogSnapshot) throws {
            #expect(try read(snapshot, "x", 2) == 2)
            #expect(try read(snapshot, "y", 2) == 0.5)
            #expect(try read(snapshot, "z", 2) == 7)
            #expect(try read(snapshot, "n", 2) == nil)
            #expect(try read(snapshot, "z", 3) == 0)
        }
        try checkSecond(log.newest)
        #expect(before.catalog.version == 1)
        #expect(try before.chunk(1, 0).load(fromByteOffset: 2 * 8, as: Double.self) == 2)
        try log.change { builder in
            builder.appendRecord(layout: second, row: 4, isInsert: true) { _ in .null }
            builder.appendPatch(
                layout: second, lanes: [0, 1, 2, 3], rows: [4],
                bits: [(1.0).bitPattern, UInt64(Float(2).bitPattern), (3.0).bitPattern, (4.0).bitPattern])
        }
        try checkSecond(log.newest)
        try log.change { $0.setCatalog(catalog(3, third)) }
        try log.close()
        for snapshot in [log.newest, try open(system).newest] {
            #expect(try read(snapshot, "z", 0) == 7)
            #expect(try read(snapshot, "z", 4) == 1)
            #expect(try read(snapshot, "x", 4) == 3)
        }
    }

    @Test("rows of an entity that had no lanes get the defaults when it gains some")
    func lanesOutOfNothing() throws {
        let bare = RecordLayout(number: 1, entity: 1, fields: [], lanes: [])
        let packed = RecordLayout(
            number: 2, entity: 1, fields: [], lanes: [Lane(name: "x", isOptional: true, defaultBits: (5.0).bitPattern)])
        let system = MemoryFileSystem()
        let log = try open(system)
        try log.change { builder in
            builder.setCatalog(Catalog(version: 1, entities: [.init(code: 1, name: "P")], layouts: [bare]))
            for row in 0..<1500 as Range<Row> { builder.appendRecord(layout: bare, row: row, isInsert: true) { _ in .null } }
        }
        try log.change { $0.setCatalog(Catalog(version: 2, entities: [.init(code: 1, name: "P")], layouts: [packed])) }
        #expect(log.newest.chunkCount(1) == 2)
        #expect(try log.newest.chunk(1, 1).load(fromByteOffset: 475 * 8, as: Double.self) == 5)
        try log.change { builder in
            builder.appendRecord(layout: packed, row: 1500, isInsert: true) { _ in .null }
            builder.appendPatch(layout: packed, lanes: [0], rows: [1500, 3], bits: [(6.0).bitPattern, (7.0).bitPattern])
        }
        try log.close()
        for snapshot in [log.newest, try open(system).newest] {
            #expect(try snapshot.chunk(1, 1).load(fromByteOffset: 475 * 8, as: Double.self) == 5)
            #expect(try snapshot.chunk(1, 1).load(fromByteOffset: 476 * 8, as: Double.self) == 6)
            #expect(try snapshot.chunk(1, 1).load(fromByteOffset: 477 * 8, as: Double.self) == 0)
            #expect(try snapshot.chunk(1, 0).load(fromByteOffset: 3 * 8, as: Double.self) == 7)
            #expect(try snapshot.chunk(1, 0).load(fromByteOffset: 4 * 8, as: Double.self) == 5)
        }
    }

    @Test("chunks that list their rows are replayed in their own order, and later commits find every row", arguments: [1, 2] as [UInt64])
    func rowsAreNotSlots(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let layout = RecordLayout(
            number: 1, entity: 1, fields: [], lanes: [Lane(name: "x"), Lane(name: "w", width: .float, isOptional: true)])
        let system = MemoryFileSystem()
        let log = try open(system)
        // Every third row is missing, and the rest is shuffled over two chunks.
        var rows = (0..<2500 as Range<Row>).filter { $0 % 3 != 1 }.shuffled(using: &generator)
        if seed == 2 { rows.removeLast(900) }
        var expected: [Row: Double] = [:]
        let heap = UnsafeMutableRawPointer.allocate(byteCount: layout.chunkByteCount, alignment: 64)
        defer { heap.deallocate() }
        try log.change { builder in
            builder.setCatalog(Catalog(version: 1, entities: [.init(code: 1, name: "P")], layouts: [layout]))
            for row in rows { builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .null } }
            for start in stride(from: 0, to: rows.count, by: slotsPerChunk) {
                let list = Array(rows[start..<min(start + slotsPerChunk, rows.count)])
                heap.initializeMemory(as: UInt8.self, repeating: 0, count: layout.chunkByteCount)
                for (index, row) in list.enumerated() {
                    heap.storeBytes(of: Double(row) / 2, toByteOffset: index * 8, as: Double.self)
                    expected[row] = Double(row) / 2
                }
                builder.appendChunk(layout: layout, rows: list, from: heap)
            }
        }
        try log.change { builder in
            for row in [rows[3], rows[700], 1, 2600] as [Row] {
                builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .null }
                builder.appendPatch(
                    layout: layout, lanes: [0, 1], rows: [row], bits: [(-1.0).bitPattern, UInt64(Float(3).bitPattern)])
                expected[row] = -1
            }
        }
        try log.close()
        // With its index the file would be as this process had it.
        #expect(try open(system).newest.slotMap(1) == nil)
        try system.remove("a-index")
        let again = try open(system)
        #expect(log.newest.slotMap(1) == nil)
        #expect(again.newest.slotMap(1) != nil)
        #expect(again.newest.row(1, slot: 0) == rows[0])
        let last = rows.count - 1
        #expect(again.newest.row(1, slot: last) == rows[last])
        func check(_ snapshot: LogSnapshot) throws {
            for (row, value) in expected {
                let slot = snapshot.slot(1, row)
                #expect(snapshot.row(1, slot: slot) == row)
                let chunk = try snapshot.chunk(1, slot / slotsPerChunk)
                #expect(chunk.load(fromByteOffset: slot % slotsPerChunk * 8, as: Double.self) == value)
            }
            #expect(Set(expected.keys.map { snapshot.slot(1, $0) }).count == expected.count)
        }
        try check(log.newest)
        try check(again.newest)
        try again.change { builder in
            for row in [rows[9], 2700] as [Row] {
                builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .null }
                builder.appendPatch(layout: layout, lanes: [0], rows: [row], bits: [(-2.0).bitPattern])
                expected[row] = -2
            }
        }
        try check(again.newest)
        #expect(try again.check() == [])
        let copy = MemoryFileSystem()
        try copy.setContents("a", try #require(system.contents("a")))
        try check(try open(copy).newest)
        // The index holds the permutation.
        try again.close()
        let indexed = try open(system)
        #expect(indexed.newest.checkpoint != nil && indexed.newest.slotMap(1) != nil)
        try check(indexed.newest)
        // And where it is bad, the log does.
        var bytes = try #require(system.contents("a-index"))
        for place in stride(from: IndexHeader.byteCount, to: bytes.count - 100, by: 512) { bytes[place] ^= 1 }
        try copy.setContents("a", try #require(system.contents("a")))
        try copy.setContents("a-index", bytes)
        try check(try open(copy).newest)
    }

    @Test("whole chunks of a bulk insert are mapped from the log, and merged when other rows share them")
    func wholeChunks() throws {
        let system = MemoryFileSystem()
        let log = try open(system)
        let layout = Drawing.jointLayout
        let heap = UnsafeMutableRawPointer.allocate(byteCount: layout.chunkByteCount, alignment: 64)
        defer { heap.deallocate() }
        heap.initializeMemory(as: UInt8.self, repeating: 0, count: layout.chunkByteCount)
        for slot in 0..<slotsPerChunk { heap.storeBytes(of: Double(slot), toByteOffset: slot * 8, as: Double.self) }
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<900 as Range<Row> { builder.appendRecord(layout: layout, row: row, isInsert: true) { _ in .null } }
            builder.appendChunk(layout: layout, firstRow: 0, count: 900, from: heap)
        }
        try log.change { $0.insertJoint(950, nil, (9, 9, 9)) }
        try log.change { $0.appendChunk(layout: layout, firstRow: 0, count: 600, from: heap) }
        try log.close()
        for snapshot in [log.newest, try open(system).newest] {
            #expect(try snapshot.position(950) == [9, 9, 9])
            #expect(try snapshot.position(899) == [899, 0, 0])
            #expect(try snapshot.position(0) == [0, 0, 0])
            #expect(snapshot.chunkCount(Drawing.joint) == 1)
        }
    }
}
