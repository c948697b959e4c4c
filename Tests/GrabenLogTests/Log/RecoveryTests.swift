import CGraben
import GrabenFixtures
import Testing

@testable import GrabenLog

/// A log of a few commits, as bytes.
private struct Sample {
    var bytes: [UInt8]
    /// Where each commit's frame begins, and at last where the log ends.
    var frames: [Int]

    init(preallocation: Int, close: Bool = false) throws {
        let system = MemoryFileSystem()
        let log = try Log.open(path: "a", in: system)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<20 as Range<Row> { builder.insertJoint(row, "J\(row)", (1, 2, 3)) }
        }
        try log.change { $0.rename(3, "second") }
        try log.change { builder in
            builder.rename(4, "third")
            builder.move(5, (9, 9, 9))
            builder.appendTombstone(layout: Drawing.jointLayout, row: 6)
        }
        frames = log.commits().map { Int($0.offset) }
        frames.append(Int(log.newest.endOffset))
        if close { try log.close() }
        bytes = try #require(system.contents("a"))
        bytes.append(contentsOf: [UInt8](repeating: 0, count: preallocation))
    }
}

private func open(_ bytes: [UInt8], readOnly: Bool = false) throws -> Log {
    let system = MemoryFileSystem(reservation: 1 << 28)
    try system.setContents("a", bytes)
    return try Log.open(path: "a", in: system, options: LogOptions(readOnly: readOnly))
}

/// Makes the checksums of the frame at `offset` right again, so that only what the format means can be wrong.
func reseal(_ bytes: inout [UInt8], at offset: Int) {
    func put(_ value: UInt32, _ place: Int) {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
    }
    guard offset + 64 <= bytes.count else { return }
    let length = bytes[offset + 24..<offset + 28].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard length <= bytes.count, offset + FrameHeader.frameLength(length) <= bytes.count else { return }
    let table = offset + FrameHeader.tableOffset(length)
    for block in 0..<FrameHeader.blockCount(length) {
        let start = offset + 64 + block * Format.blockByteCount
        let size = min(Format.blockByteCount, length - block * Format.blockByteCount)
        put(bytes.withUnsafeBytes { graben_crc32c(0, $0.baseAddress.map { $0 + start }, size) }, table + block * 4)
    }
    put(
        bytes.withUnsafeBytes { raw in
            let header = graben_crc32c(0, raw.baseAddress.map { $0 + offset }, 60)
            return graben_crc32c(header, raw.baseAddress.map { $0 + table }, FrameHeader.blockCount(length) * 4)
        }, offset + 60)
}

@Suite struct RecoveryTests {
    @Test("of several bad blocks of a long frame, which several threads look through, the first one is named")
    func longFrame() throws {
        let system = MemoryFileSystem()
        var options = LogOptions()
        options.writesIndex = false
        let log = try Log.open(path: "a", in: system, options: options)
        let text = String(repeating: "x", count: 1000)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<6000 as Range<Row> { builder.insertJoint(row, text) }
        }
        try log.change { $0.rename(0, "later") }
        let bytes = try #require(system.contents("a"))
        for block in [[7, 300], [300, 7, 8], [0], [340], []] {
            var changed = bytes
            for number in block { changed[Format.headerByteCount + Format.frameHeaderByteCount + number * Format.blockByteCount] ^= 1 }
            try system.setContents("b", changed)
            let damage = try Log.open(path: "b", in: system, options: LogOptions(readOnly: true)).damage
            let expected = block.min().map { Format.headerByteCount + Format.frameHeaderByteCount + $0 * Format.blockByteCount }
            #expect(damage?.offset == expected.map(UInt64.init))
        }
    }

    @Test("a tail torn at any byte of the last frame leaves the commit before it or the whole last one", arguments: [0, 512])
    func tornTail(preallocation: Int) throws {
        let sample = try Sample(preallocation: preallocation)
        let end = sample.frames[3]
        for cut in sample.frames[2]...end {
            // Cut by length, and cut by bytes that never reached the disk.
            for zeros in [false, true] {
                var bytes = sample.bytes
                if zeros {
                    for index in cut..<end { bytes[index] = 0 }
                } else {
                    bytes.removeLast(bytes.count - cut)
                }
                let log = try open(bytes)
                let number = log.newest.commitNumber
                // Zeros at the end of a frame may be what was there.
                #expect(number == 2 || (number == 3 && (cut == end || zeros)))
                #expect(try log.newest.name(4) == (number == 3 ? "third" : "J4"))
                #expect(try log.newest.name(3) == "second")
                #expect(log.newest.contains(Drawing.joint, 6) == (number == 2))
                if cut % 16 == 3 {
                    try log.change { $0.rename(1, "after") }
                    #expect(try log.newest.name(1) == "after")
                    #expect(try log.newest.name(4) == (number == 3 ? "third" : "J4"))
                    #expect(try log.check() == [])
                    let image = try #require((log.system as? MemoryFileSystem)?.contents("a"))
                    let again = try open(image)
                    #expect(again.newest.commitNumber == number + 1)
                    #expect(again.health.tornTail == nil)
                    #expect(try again.newest.name(1) == "after")
                }
            }
        }
    }

    @Test("a reader cuts nothing")
    func readerLeavesBytesAlone() throws {
        var bytes = try Sample(preallocation: 0).bytes
        bytes.removeLast(5)
        let log = try open(bytes, readOnly: true)
        #expect(log.newest.commitNumber == 2)
        #expect(log.health.tornTail != nil)
        try log.close()
        #expect((log.system as? MemoryFileSystem)?.contents("a") == bytes)
        #expect(throws: CommitError<Never>.self) { try log.commit { (_, builder: inout CommitBuilder) in builder.rename(1, "x") } }
    }

    @Test("bad bytes in what was once durable are damage: refused for writing, readable up to there")
    func damage() throws {
        for close in [false, true] {
            let sample = try Sample(preallocation: 64, close: close)
            // Without a close marker nothing says that the last commit ever was durable.
            let end = close ? sample.frames[3] : sample.frames[2]
            var generator = SplitMix64(seed: 7)
            for _ in 0..<400 {
                var bytes = sample.bytes
                let place = sample.frames[0] + generator.pick(end - sample.frames[0])
                bytes[place] ^= 1 << UInt8(generator.pick(8))
                let frame = try #require(sample.frames.lastIndex { $0 <= place })
                do {
                    let log = try open(bytes)
                    // Only padding that no checksum covers may change unnoticed.
                    #expect(log.newest.commitNumber == 3, "flip at \(place)")
                    #expect(try log.newest.name(4) == "third")
                } catch let error as LogError {
                    guard case .damaged(_, let offset, _) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                    #expect(offset >= sample.frames[frame] && offset <= place)
                    let reader = try open(bytes, readOnly: true)
                    #expect(reader.damage?.offset == offset)
                    #expect(reader.newest.commitNumber == UInt64(frame))
                    #expect(try !reader.check().isEmpty)
                }
            }
        }
    }

    // A frame is written before it is applied. One that could not be applied, of a writer that died before it had cut it off again, left a store
    // that was called damaged and could not be written to any more.
    @Test("contents that do not follow the format are damage where they were once durable, and else are cut off")
    func malformedContents() throws {
        for close in [false, true] {
            let sample = try Sample(preallocation: 64, close: close)
            for frame in 0..<3 {
                var bytes = sample.bytes
                // A section of a kind that there is not.
                bytes[sample.frames[frame] + Format.frameHeaderByteCount] = 99
                reseal(&bytes, at: sample.frames[frame])
                let reader = try open(bytes, readOnly: true)
                #expect(reader.newest.commitNumber == UInt64(frame))
                guard frame == 2, !close else {
                    #expect(reader.damage != nil && reader.health.tornTail == nil)
                    #expect(throws: LogError.self) { try open(bytes) }
                    continue
                }
                #expect(reader.damage == nil && reader.health.tornTail?.lowerBound == UInt64(sample.frames[2]))
                let log = try open(bytes)
                try log.change { $0.rename(1, "after") }
                #expect(try log.check() == [])
                let again = try open(try #require((log.system as? MemoryFileSystem)?.contents("a")))
                #expect(again.newest.commitNumber == 3 && again.damage == nil)
                #expect(try again.newest.name(1) == "after" && again.newest.name(4) == "J4")
            }
        }
    }

    @Test("zeros over a durable frame are damage, not the end of the log")
    func zeroedFrame() throws {
        let sample = try Sample(preallocation: 0)
        var bytes = sample.bytes
        for index in sample.frames[1]..<sample.frames[2] { bytes[index] = 0 }
        #expect(throws: LogError.self) { try open(bytes) }
        #expect(try open(bytes, readOnly: true).newest.commitNumber == 1)
    }

    @Test("no bytes can make opening, reading or checking trap")
    func hostileBytes() throws {
        let sample = try Sample(preallocation: 256, close: true)
        var generator = SplitMix64(seed: 11)
        for round in 0..<1500 {
            var bytes = sample.bytes
            switch round % 4 {
            case 0:
                // Flips whose checksums are made right again.
                let frame = generator.pick(3)
                for _ in 0...generator.pick(3) {
                    let size = sample.frames[frame + 1] - sample.frames[frame] - 64
                    let place = sample.frames[frame] + 64 + generator.pick(size)
                    bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                }
                reseal(&bytes, at: sample.frames[frame])
            case 1:
                let frame = generator.pick(3)
                let place = sample.frames[frame] + 4 + generator.pick(56)
                bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                reseal(&bytes, at: sample.frames[frame])
            case 2:
                let start = generator.pick(bytes.count)
                for index in start..<min(bytes.count, start + generator.pick(300)) {
                    bytes[index] = UInt8(truncatingIfNeeded: generator.next())
                }
            default: bytes.removeLast(generator.pick(bytes.count))
            }
            for readOnly in [true, false] {
                do {
                    let log = try open(bytes, readOnly: readOnly)
                    _ = try? StoreModel(reading: log.newest)
                    _ = try log.check()
                    _ = Array(log.commits())
                } catch is LogError {}
            }
        }
    }

    @Test("byte soup, an empty file and a foreign file are refused or begun anew as they should be")
    func soup() throws {
        var generator = SplitMix64(seed: 3)
        for size in [1, 7, 8, 60, 4095, 4096, 4097, 9000] {
            let soup = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            #expect(throws: LogError.self) { try open(soup) }
            #expect(throws: LogError.self) { try open(soup, readOnly: true) }
        }
        #expect(try open([]).newest.commitNumber == 0)
        #expect(try open([UInt8](repeating: 0, count: 4096)).newest.commitNumber == 0)
        // The page of a creation that a power loss interrupted.
        let header = FileHeader.fresh().encoded()
        #expect(try open(Array(header.prefix(100))).newest.commitNumber == 0)
        #expect(throws: LogError.self) { try open(Array("a short text of somebody's".utf8)) }
        #expect(throws: LogError.self) { try open(header.enumerated().map { $0 == 8 ? $1 ^ 1 : $1 } + [1]) }
    }
}

extension StoreModel {
    /// Reads everything a hostile file may hold, whatever it is.
    init(reading snapshot: LogSnapshot) throws {
        for entity in snapshot.catalog.entities {
            var rows: [Row] = []
            snapshot.forEachLiveRow(entity.code) { row in
                rows.append(row)
                return rows.count < 1000
            }
            for row in rows {
                guard let record = try snapshot.record(entity.code, row) else { continue }
                for field in record.layout.fields.indices { _ = try? record.value(at: field) }
                _ = record.changedFields
            }
            for index in 0..<min(snapshot.chunkCount(entity.code), 4) { _ = try snapshot.chunk(entity.code, index) }
        }
        for key in snapshot.catalog.references { _ = try snapshot.sources(of: 1, through: key) }
        for link in snapshot.catalog.links { _ = snapshot.members(of: ObjectKey(Drawing.group, 1), through: link) }
    }
}
