internal import CGraben
internal import FoundationEssentials

/// The first 4,096 bytes of an index file: which log it belongs to, and up to where.
///
///       0  magic 8 | 8 version u32 | 12 flags u32 | 16 store UUID 16 | 32 epoch u64 | 40 salt u64 | 48 durable end u64 | 56 commit u64
///      64  offset of the last frame before the durable end u64 | 72 its CRC u32 | 76 zero u32
///      80  length of the file u64 | 88 length of the payload u64 | 96 offset of the root u64 | 104 length of the root u64
///     112  zeros ... 4092 CRC32C of the bytes before it, then of the second table
///    4096  payload in blocks of 16 KB | zeros up to 8 | first table: a CRC for each block | second table: a CRC for each 16 KB of the first
struct IndexHeader: Equatable {
    var uuid: UUID
    var epoch: UInt64
    var salt: UInt64
    /// The index tells what the frames before this offset of the log come to.
    var durableEnd: UInt64
    var commit: UInt64
    /// The frame that ends at the durable end, and the checksum it has: another log of the same salt, restored from a copy, has another.
    var lastFrame: UInt64
    var lastFrameChecksum: UInt32
    var fileLength: UInt64 = 0
    var payloadLength: UInt64 = 0
    var rootOffset: UInt64 = 0
    var rootLength: UInt64 = 0

    static let byteCount = 4096
    static let version: UInt32 = 1
    static let magic: [UInt8] = [0x89, 0x47, 0x52, 0x49, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Where the first table begins, for so long a payload.
    static func tableOffset(_ payloadLength: Int) -> Int { byteCount + (payloadLength + 7) / 8 * 8 }
    static func blockCount(_ length: Int) -> Int { (length + Format.blockByteCount - 1) / Format.blockByteCount }

    /// The header page of a file with that second table.
    func encoded(secondTable: UnsafeRawBufferPointer) -> ByteBuffer {
        let buffer = ByteBuffer(capacity: Self.byteCount)
        Self.magic.withUnsafeBytes { buffer.append($0) }
        buffer.append(Self.version)
        buffer.append(UInt32(0))
        withUnsafeBytes(of: uuid.uuid) { buffer.append($0) }
        for number in [epoch, salt, durableEnd, commit, lastFrame] { buffer.append(number) }
        buffer.append(lastFrameChecksum)
        buffer.append(UInt32(0))
        for number in [fileLength, payloadLength, rootOffset, rootLength] { buffer.append(number) }
        buffer.appendZeros(Self.byteCount - 4 - buffer.count)
        let checksum = graben_crc32c(0, buffer.base, buffer.count)
        buffer.append(graben_crc32c(checksum, secondTable.baseAddress, secondTable.count))
        return buffer
    }

    /// The header of a mapped index file of `size` bytes; nil when it is not whole, not right, or of another version.
    init?(_ base: UnsafeRawPointer, size: UInt64) {
        func u32(_ place: Int) -> UInt32 { UInt32(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
        func u64(_ place: Int) -> UInt64 { UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
        guard size >= UInt64(Self.byteCount), size <= UInt64(Int.max) / 2,
            UnsafeRawBufferPointer(start: base, count: 8).elementsEqual(Self.magic), u32(8) == Self.version, u32(12) == 0
        else { return nil }
        fileLength = u64(80)
        payloadLength = u64(88)
        guard fileLength == size, payloadLength <= size - UInt64(Self.byteCount) else { return nil }
        let payload = Int(payloadLength)
        let table = Self.tableOffset(payload)
        let blocks = Self.blockCount(payload)
        let second = Self.blockCount(blocks * 4) * 4
        guard table + blocks * 4 + second == Int(size) else { return nil }
        let checksum = graben_crc32c(0, base, Self.byteCount - 4)
        guard graben_crc32c(checksum, base + table + blocks * 4, second) == u32(Self.byteCount - 4) else { return nil }
        uuid = UUID(uuid: base.loadUnaligned(fromByteOffset: 16, as: uuid_t.self))
        epoch = u64(32)
        salt = u64(40)
        durableEnd = u64(48)
        commit = u64(56)
        lastFrame = u64(64)
        lastFrameChecksum = u32(72)
        rootOffset = u64(96)
        rootLength = u64(104)
    }

    init(uuid: UUID, epoch: UInt64, salt: UInt64, durableEnd: UInt64, commit: UInt64, lastFrame: UInt64, lastFrameChecksum: UInt32) {
        self.uuid = uuid
        self.epoch = epoch
        self.salt = salt
        self.durableEnd = durableEnd
        self.commit = commit
        self.lastFrame = lastFrame
        self.lastFrameChecksum = lastFrameChecksum
    }
}
