internal import CGraben
package import FoundationEssentials

/// The first 4,096 bytes of a store, written once.
///
///     0  magic 8 | 8 version u32 | 12 flags u32 | 16 UUID 16 | 32 epoch u64 | 40 salt u64 | 48 created f64 | 56 slots a chunk u32
///     60 zeros ... 4092 CRC32C of the bytes before it
package struct FileHeader: Sendable, Equatable {
    package var uuid: UUID
    /// Raised by compaction; an index of another epoch is not this file's.
    package var epoch: UInt64
    /// In every frame, so that no stale or foreign bytes pass for one.
    package var salt: UInt64
    package var created: Double

    package static func fresh() -> FileHeader {
        let (random, _) = Platform.random()
        return FileHeader(uuid: UUID(), epoch: 1, salt: random, created: Platform.now())
    }

    package func encoded() -> [UInt8] {
        let buffer = ByteBuffer(capacity: Format.headerByteCount)
        Format.fileMagic.withUnsafeBytes { buffer.append($0) }
        buffer.append(Format.version)
        buffer.append(UInt32(0))
        withUnsafeBytes(of: uuid.uuid) { buffer.append($0) }
        buffer.append(epoch)
        buffer.append(salt)
        buffer.append(created.bitPattern)
        buffer.append(UInt32(slotsPerChunk))
        buffer.appendZeros(Format.headerByteCount - 4 - buffer.count)
        buffer.append(graben_crc32c(0, buffer.base, buffer.count))
        return Array(buffer.bytes)
    }

    /// Precondition: `bytes` holds the header page.
    package init(_ bytes: UnsafeRawBufferPointer, path: String) throws(LogError) {
        guard bytes.count == Format.headerByteCount, let base = bytes.baseAddress else {
            throw .notAStore(path: path, reason: "it is shorter than a header")
        }
        guard bytes.prefix(8).elementsEqual(Format.fileMagic) else {
            throw .notAStore(path: path, reason: "it does not begin with the mark of one")
        }
        let checksum = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: Format.headerByteCount - 4, as: UInt32.self))
        guard graben_crc32c(0, base, Format.headerByteCount - 4) == checksum else {
            throw .damaged(path: path, offset: 0, reason: "the checksum of the header is wrong")
        }
        let version = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let flags = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard version == Format.version, flags == 0 else { throw .unsupportedVersion(path: path, version: version) }
        guard UInt32(littleEndian: base.loadUnaligned(fromByteOffset: 56, as: UInt32.self)) == UInt32(slotsPerChunk) else {
            throw .notAStore(path: path, reason: "its chunks have another size than \(slotsPerChunk)")
        }
        uuid = UUID(uuid: base.loadUnaligned(fromByteOffset: 16, as: uuid_t.self))
        epoch = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
        salt = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
        created = Double(bitPattern: UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 48, as: UInt64.self)))
        // The first file of a store has epoch 1, and 0 would be what comes after the last.
        guard epoch > 0 else { throw .notAStore(path: path, reason: "its epoch is 0, which no writer gives") }
    }

    init(uuid: UUID, epoch: UInt64, salt: UInt64, created: Double) {
        self.uuid = uuid
        self.epoch = epoch
        self.salt = salt
        self.created = created
    }
}
