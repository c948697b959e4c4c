import GrabenFixtures
import StoreCrashing
import Synchronization
import Testing

@testable import GrabenLog

@Suite struct RecordBlockTests {
    /// A store of that many joints with names, and its model.
    private func fill(_ log: Log, rows: Row, name: (Row) -> String?) throws -> StoreModel {
        var model = StoreModel()
        model.hasCatalog = true
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<rows {
                builder.insertJoint(row, name(row), (Double(row), 0, 1))
                model.joints[row] = StoreModel.Joint(name: name(row), position: [Double(row), 0, 1], weight: nil)
            }
        }
        return model
    }

    /// The kinds of all sections of a file that hold records, in order, and where each begins.
    private func sections(_ bytes: [UInt8], of log: Log) throws -> [(kind: SectionKind, offset: Int, byteCount: Int)] {
        var result: [(SectionKind, Int, Int)] = []
        try bytes.withUnsafeBytes { raw in
            let base = try #require(raw.baseAddress)
            var cursor = FrameCursor(base, limit: UInt64(raw.count), header: log.newest.header)
            while let frame = cursor.next() {
                let payload = Int(frame.payloadOffset)
                var sections = SectionCursor(base + payload, to: frame.payloadLength)
                while let (kind, contents) = try sections.next() {
                    guard kind == .records || kind == .recordBlock else { continue }
                    result.append((kind, payload + contents.position - Format.sectionHeadByteCount, contents.remaining))
                }
            }
        }
        return result
    }

    private func blockCount(_ system: MemoryFileSystem, _ log: Log) throws -> Int {
        try sections(#require(system.contents("a")), of: log).count { $0.kind == .recordBlock }
    }

    @Test(
        "a log whose records lie in blocks agrees with dictionaries: compacted, changed, closed, opened with and without its index, compacted again",
        arguments: [1, 2, 3] as [UInt64])
    func randomStores(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let system = MemoryFileSystem(reservation: 1 << 30)
        var options = LogOptions()
        options.partByteCount = seed == 2 ? 20_000 : Format.partByteCount
        options.mappingByteCount = seed == 3 ? 1 : 256 << 20
        var log = try Log.open(path: "a", in: system, options: options)
        var model = try fill(log, rows: 3000) { $0 % 7 == 3 ? nil : "J\($0 % 1000)" }
        for round in 0..<(TestShare.isBrief ? 2 : 4) {
            try log.compact()
            #expect(try blockCount(system, log) > 1)
            #expect(try StoreModel(log.newest) == model)
            let pinned = (log.newest, model)
            for step in 0..<60 {
                let base = model
                model = try log.commit { (_, builder: inout CommitBuilder) in
                    var next = base
                    next.change(&builder, &generator)
                    return next
                }.0
                if step % 20 == 9 {
                    try log.close()
                    if round % 2 == 1 { try system.remove("a-index") }
                    log = try Log.open(path: "a", in: system, options: options)
                }
            }
            #expect(try StoreModel(log.newest) == model)
            try model.checkIndexes(log.newest)
            #expect(try log.check() == [])
            #expect(try StoreModel(pinned.0) == pinned.1)
            try pinned.1.checkIndexes(pinned.0)
        }
    }

    @Test("records go into blocks only where that saves an eighth, and no block holds more than 16 KB")
    func rule() throws {
        for isRandom in [true, false] {
            var generator = SplitMix64(seed: 5)
            let system = MemoryFileSystem(reservation: 1 << 30)
            let log = try Log.open(path: "a", in: system)
            let names = (0..<4000).map { number in
                // Scalars of four random bytes: nothing LZ4 could find again.
                isRandom
                    ? String(
                        String.UnicodeScalarView(
                            (0..<8).compactMap { _ in Unicode.Scalar(0x10000 + UInt32(generator.pick(0x100000))) }))
                    : "a joint with the number \(number)"
            }
            var model = try fill(log, rows: 4000) { names[Int($0)] }
            // One that is larger than a block, and compresses by itself.
            let long = String(repeating: "long ", count: 40_000)
            try log.change { builder in builder.rename(77, long) }
            model.joints[77]?.name = long
            try log.compact()
            let found = try sections(#require(system.contents("a")), of: log)
            #expect(found.contains { $0.kind == .recordBlock } != isRandom)
            for section in found where section.kind == .recordBlock { #expect(section.byteCount <= 16_384 - 16_384 / 8 + 3) }
            #expect(try StoreModel(log.newest) == model)
        }
    }

    @Test("a flipped bit in a block is found when the log is opened, and when it is first read below an index")
    func flips() throws {
        var generator = SplitMix64(seed: 8)
        let system = MemoryFileSystem(reservation: 1 << 30)
        let log = try Log.open(path: "a", in: system)
        let model = try fill(log, rows: 2500) { "joint \($0)" }
        try log.compact()
        try log.close()
        let bytes = try #require(system.contents("a"))
        let blocks = try sections(bytes, of: log).filter { $0.kind == .recordBlock }
        #expect(blocks.count > 2)
        for round in 0..<120 {
            let block = blocks[generator.pick(blocks.count)]
            var bad = bytes
            let place = block.offset + generator.pick(block.byteCount + Format.sectionHeadByteCount)
            bad[place] ^= 1 << UInt8(generator.pick(8))
            let copy = MemoryFileSystem(reservation: 1 << 30)
            try copy.setContents("a", bad)
            if round % 2 == 0 {
                #expect(throws: LogError.self) { try Log.open(path: "a", in: copy) }
                continue
            }
            try copy.setContents("a-index", #require(system.contents("a-index")))
            let reader = try Log.open(path: "a", in: copy, options: LogOptions(readOnly: true))
            // The catalog's checksum block, which opening reads, ends in the first of the sections.
            if reader.health.damage != nil { continue }
            var failures = 0
            for (row, joint) in model.joints {
                do throws(LogError) {
                    #expect(try reader.newest.record(Drawing.joint, row)?.string(0) == joint.name)
                } catch { failures += 1 }
            }
            #expect(failures > 0)
        }
    }

    @Test("a block that claims more than it may, holds no LZ4, or is led to from outside its records is refused")
    func malformedBlocks() throws {
        func refused(_ body: [UInt8]) -> Bool {
            body.withUnsafeBytes { raw in
                guard let base = raw.baseAddress else { return true }
                do throws(ByteError) {
                    let block = try RecordBlock(ByteReader(base, to: raw.count), sectionOffset: 4096)
                    return block.count > Format.recordBlockLimit
                } catch { return true }
            }
        }
        let buffer = ByteBuffer()
        for count in [0, 1, 256, 16_385, 1 << 30] as [UInt64] {
            buffer.reset()
            buffer.appendVarint(count)
            buffer.append(UInt8(0))
            #expect(refused(Array(buffer.bytes)), "\(count) bytes out of one")
        }
        var generator = SplitMix64(seed: 3)
        for _ in 0..<20_000 {
            // Whatever it is, it must not trap or read outside; the address sanitizer watches.
            _ = refused((0..<generator.pick(60)).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        }
        #expect(throws: ByteError.self) { _ = try RecordAddress.wordOfBlock(at: RecordAddress.sectionLimit) }
        for offset in [0, 4096, RecordAddress.sectionLimit - 1] as [UInt64] {
            let address = RecordAddress(try RecordAddress.wordOfBlock(at: offset) + 16_383)
            #expect(address.isInBlock && address.sectionOffset == offset && address.place == 16_383)
        }
        #expect(!RecordAddress(RecordAddress.sectionLimit << 8).isInBlock)
    }

    @Test("an address that leads nowhere is an error that names the block's place, whatever bytes are there")
    func wildAddresses() throws {
        let system = MemoryFileSystem(reservation: 1 << 30)
        let log = try Log.open(path: "a", in: system)
        _ = try fill(log, rows: 2500) { "joint \($0)" }
        try log.compact()
        let snapshot = log.newest
        var generator = SplitMix64(seed: 4)
        let good = snapshot.word(Drawing.joint, 1200)
        for _ in 0..<20_000 {
            let word = generator.chance(50) ? good ^ UInt64(generator.pick(1 << 20)) : generator.next() | 1 << 63
            var block: RecordBlock?
            do throws(LogError) { _ = try snapshot.bind(word, in: &block) } catch {
                guard case .malformed(_, _, RecordAddress(word).fileOffset) = error else { return #expect(Bool(false), "\(error)") }
            }
        }
    }

    /// A block of one byte: an LZ4 token that says how many literals follow, and those.
    private func block(of byte: UInt8, sectionOffset: UInt64) throws -> RecordBlock {
        try ([1, 0x10, byte] as [UInt8]).withUnsafeBytes { raw in
            try RecordBlock(ByteReader(try #require(raw.baseAddress), to: raw.count), sectionOffset: sectionOffset)
        }
    }

    // A view of a record in a block points at memory that is no part of the mapped file, and the cache drops blocks.
    @Test("views of records stay readable after their blocks have left the cache")
    func views() throws {
        let system = MemoryFileSystem(reservation: 1 << 30)
        let log = try Log.open(path: "a", in: system)
        let model = try fill(log, rows: 6000) { "a joint with a long name and the number \($0), so that there are some blocks" }
        try log.compact()
        let snapshot = log.newest
        let views = try (0..<6000 as Range<Row>).map { try #require(try snapshot.record(Drawing.joint, $0)) }
        for round in 0..<3000 as Range<UInt64> {
            snapshot.blocks.insert(try block(of: UInt8(truncatingIfNeeded: round), sectionOffset: 1 << 40 + round * 8))
        }
        for (row, view) in views.enumerated() { #expect(view.string(0) == model.joints[Row(row)]?.name) }
    }

    @Test("threads that read blocks at the same time read what is there")
    func threads() throws {
        let system = MemoryFileSystem(reservation: 1 << 30)
        let log = try Log.open(path: "a", in: system)
        let model = try fill(log, rows: 6000) { "a joint with a long name and the number \($0), so that there are some blocks" }
        try log.compact()
        let snapshot = log.newest
        let wrong = Atomic<Int>(0)
        let workers = (0..<4 as Range<UInt64>).map { seed in
            CrashThread {
                var generator = SplitMix64(seed: seed)
                for _ in 0..<4000 {
                    let row = Row(generator.pick(6000))
                    let name = try? snapshot.record(Drawing.joint, row)?.string(0)
                    if name != model.joints[row]?.name { wrong.wrappingAdd(1, ordering: .relaxed) }
                }
            }
        }
        for worker in workers { worker.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
