internal import CGraben
internal import Synchronization

/// The 64 bytes before a frame's payload; the table of block checksums comes after the payload, so that a frame is written in one pass.
///
///      0 magic u32 | 4 kind u8 | 5 flags u8 (bit 0: commit mark) | 6 zero u16 | 8 salt u64 | 16 own offset u64
///     24 payload length u32 | 28 metadata offset u32 | 32 commit u64 | 40 part u32 | 44 table before u32 | 48 durable end u64 | 56 zero u32
///     60 CRC32C of bytes 0-59 and then the table
///     64 payload, zeros up to 8, table of u32 (one for each 16 KB of payload), zeros up to 8
package struct FrameHeader: Sendable, Equatable {
    package var kind: FrameKind
    package var hasCommitMark: Bool
    package var offset: UInt64
    package var payloadLength: Int
    /// Where in the payload the metadata section begins; 0 in frames without the commit mark.
    package var metadataOffset: Int
    /// Less than 2^64 - 1, so that adding one to it never overflows.
    package var commit: UInt64
    package var part: UInt32
    /// The CRC32C of the table of the part before this one, which stands for all of its payload; 0 in a first part, and where it is not said.
    ///
    /// Parts of a commit that failed may be on the disk still when others of the same number are written in their place, and a power loss then leave
    /// some of both.
    var tableBefore: UInt32 = 0
    /// Every byte before this offset was known durable when the frame was written.
    package var durableEnd: UInt64

    static func blockCount(_ payload: Int) -> Int { (payload + Format.blockByteCount - 1) / Format.blockByteCount }
    static func tableOffset(_ payload: Int) -> Int { Format.frameHeaderByteCount + (payload + 7) / 8 * 8 }
    /// The bytes from the frame's offset to the next one's.
    static func frameLength(_ payload: Int) -> Int { tableOffset(payload) + (blockCount(payload) * 4 + 7) / 8 * 8 }

    package var payloadOffset: UInt64 { offset + UInt64(Format.frameHeaderByteCount) }
    package var length: Int { Self.frameLength(payloadLength) }
    package var end: UInt64 { offset + UInt64(length) }

    /// Completes a frame whose payload stands in the buffer after 64 bytes left for the header.
    func seal(_ buffer: ByteBuffer, salt: UInt64) {
        buffer.appendZeros(Self.tableOffset(payloadLength) - buffer.count)
        let tableStart = buffer.count
        for block in 0..<Self.blockCount(payloadLength) {
            let start = block * Format.blockByteCount
            let size = min(Format.blockByteCount, payloadLength - start)
            buffer.append(graben_crc32c(0, buffer.base + Format.frameHeaderByteCount + start, size))
        }
        let tableEnd = buffer.count
        buffer.appendZeros(length - buffer.count)
        buffer.set(Format.frameMagic, at: 0)
        buffer.set(kind.rawValue, at: 4)
        buffer.set(UInt8(hasCommitMark ? 1 : 0), at: 5)
        buffer.set(UInt16(0), at: 6)
        buffer.set(salt, at: 8)
        buffer.set(offset, at: 16)
        buffer.set(UInt32(payloadLength), at: 24)
        buffer.set(UInt32(metadataOffset), at: 28)
        buffer.set(commit, at: 32)
        buffer.set(part, at: 40)
        buffer.set(tableBefore, at: 44)
        buffer.set(durableEnd, at: 48)
        buffer.set(UInt32(0), at: 56)
        var checksum = graben_crc32c(0, buffer.base, 60)
        checksum = graben_crc32c(checksum, buffer.base + tableStart, tableEnd - tableStart)
        buffer.set(checksum, at: 60)
    }

    /// The frame at `offset` of a file whose bytes up to `limit` stand at `base`; nil when there is none that is whole and of this salt.
    /// Checks the header and the table, not the payload.
    package init?(_ base: UnsafeRawPointer, offset: UInt64, limit: UInt64, salt: UInt64) {
        func u32(_ place: Int) -> UInt32 { UInt32(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
        func u64(_ place: Int) -> UInt64 { UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
        let header = UInt64(Format.frameHeaderByteCount)
        guard limit >= header, offset <= limit - header, u32(0) == Format.frameMagic, u64(8) == salt, u64(16) == offset else { return nil }
        guard let kind = FrameKind(rawValue: base.load(fromByteOffset: 4, as: UInt8.self)) else { return nil }
        let flags = base.load(fromByteOffset: 5, as: UInt8.self)
        let payload = Int(u32(24))
        guard flags <= 1, payload <= Format.payloadLimit, UInt64(Self.frameLength(payload)) <= limit - offset else { return nil }
        var checksum = graben_crc32c(0, base, 60)
        checksum = graben_crc32c(checksum, base + Self.tableOffset(payload), Self.blockCount(payload) * 4)
        guard checksum == u32(60), Int(u32(28)) <= payload, u64(32) < .max else { return nil }
        self.kind = kind
        hasCommitMark = flags & 1 != 0
        self.offset = offset
        payloadLength = payload
        metadataOffset = Int(u32(28))
        commit = u64(32)
        part = u32(40)
        tableBefore = u32(44)
        durableEnd = u64(48)
    }

    init(
        kind: FrameKind, hasCommitMark: Bool, offset: UInt64, payloadLength: Int, metadataOffset: Int, commit: UInt64, part: UInt32,
        durableEnd: UInt64
    ) {
        self.kind = kind
        self.hasCommitMark = hasCommitMark
        self.offset = offset
        self.payloadLength = payloadLength
        self.metadataOffset = metadataOffset
        self.commit = commit
        self.part = part
        self.durableEnd = durableEnd
    }

    /// The CRC32C of the table of this frame, the first byte of which is at `base`.
    func tableChecksum(_ base: UnsafeRawPointer) -> UInt32 {
        graben_crc32c(0, base + Self.tableOffset(payloadLength), Self.blockCount(payloadLength) * 4)
    }

    /// Whether this part may stand behind one whose table has a checksum.
    func follows(table checksum: UInt32) -> Bool { part == 0 || tableBefore == 0 || tableBefore == checksum }

    /// Gives a frame, the first byte of which is at `base`, another salt, and its header the checksum that goes with it.
    func setSalt(_ salt: UInt64, _ base: UnsafeMutableRawPointer) {
        base.storeBytes(of: salt.littleEndian, toByteOffset: 8, as: UInt64.self)
        var checksum = graben_crc32c(0, base, 60)
        checksum = graben_crc32c(checksum, base + Self.tableOffset(payloadLength), Self.blockCount(payloadLength) * 4)
        base.storeBytes(of: checksum.littleEndian, toByteOffset: 60, as: UInt32.self)
    }

    /// The first payload block whose checksum is wrong; nil when all are right. `base` is the frame's first byte. Several threads look through a
    /// long frame.
    package func firstBadBlock(_ base: UnsafeRawPointer) -> Int? {
        let count = Self.blockCount(payloadLength)
        let shares = count < Self.threadedBlockCount ? 1 : min(Platform.processorCount, 4)
        if shares == 1 { return (0..<count).first { !isBlockRight($0, base) } }
        // Read only, and mapped as long as the caller waits.
        nonisolated(unsafe) let base = base
        let found = Mutex<Int?>(nil)
        DetachedThread.forEach(shares) { share in
            let blocks = share * count / shares..<(share + 1) * count / shares
            if let bad = blocks.first(where: { !isBlockRight($0, base) }) { found.withLock { $0 = min($0 ?? bad, bad) } }
        }
        return found.withLock { $0 }
    }

    /// Below so many blocks, 4 MB, threads cost more than they save.
    private static let threadedBlockCount = 256

    /// Whether a payload block has the checksum the table says. `base` is the frame's first byte.
    @inline(__always)
    func isBlockRight(_ block: Int, _ base: UnsafeRawPointer) -> Bool {
        let start = block * Format.blockByteCount
        let size = min(Format.blockByteCount, payloadLength - start)
        let place = Self.tableOffset(payloadLength) + block * 4
        let expected = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        return graben_crc32c(0, base + Format.frameHeaderByteCount + start, size) == expected
    }

    /// The checksum in the header of the frame at `base`.
    static func checksum(_ base: UnsafeRawPointer) -> UInt32 {
        UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 60, as: UInt32.self))
    }
}
