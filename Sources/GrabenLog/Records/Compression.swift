internal import CLZ4

/// LZ4, for single values and for blocks of records. What does not shrink by an eighth is stored as it is.
enum Compression {
    /// Appends `varint(stored length << 1 | compressed)` and the bytes; compressed ones begin with their original length.
    static func append(_ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        if bytes.count > Format.compressionThreshold {
            let scratch = UnsafeMutableRawPointer.allocate(byteCount: bound(bytes.count), alignment: 16)
            defer { scratch.deallocate() }
            let prefix = ByteBuffer.varintSize(UInt64(bytes.count))
            if let packed = compress(bytes, into: scratch), packed + prefix <= bytes.count - bytes.count / 8 {
                buffer.appendVarint(UInt64(packed + prefix) << 1 | 1)
                buffer.appendVarint(UInt64(bytes.count))
                buffer.append(UnsafeRawBufferPointer(start: scratch, count: packed))
                return
            }
        }
        buffer.appendVarint(UInt64(bytes.count) << 1)
        buffer.append(bytes)
    }

    /// The original length a compressed value claims and where its LZ4 bytes begin; refused before anything is allocated when LZ4 could
    /// not produce that much.
    static func claim(_ stored: UnsafeRawBufferPointer) throws(ByteError) -> (length: Int, packed: UnsafeRawBufferPointer) {
        guard let base = stored.baseAddress else { throw .truncated }
        var reader = ByteReader(base, to: stored.count)
        let length = try reader.count(atMost: Format.valueLimit)
        guard length <= reader.remaining * 255 else { throw .outOfRange }
        return (length, try reader.bytes(reader.remaining))
    }

    static func withDecompressed<R>(_ stored: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R) throws(ByteError) -> R {
        let (length, packed) = try claim(stored)
        let scratch = UnsafeMutableRawPointer.allocate(byteCount: max(length, 1), alignment: 16)
        defer { scratch.deallocate() }
        try decompress(packed, into: scratch, count: length)
        return body(UnsafeRawBufferPointer(start: scratch, count: length))
    }

    /// Decompresses an LZ4 block that has to come to just so many bytes, or the first so many of one.
    static func decompress(
        _ packed: UnsafeRawBufferPointer, into memory: UnsafeMutableRawPointer, count: Int, isPart: Bool = false
    ) throws(ByteError) {
        guard let source = packed.baseAddress, let packedSize = Int32(exactly: packed.count), let size = Int32(exactly: count) else {
            throw .invalid
        }
        let (from, to) = (source.assumingMemoryBound(to: CChar.self), memory.assumingMemoryBound(to: CChar.self))
        let produced =
            isPart ? LZ4_decompress_safe_partial(from, to, packedSize, size, size) : LZ4_decompress_safe(from, to, packedSize, size)
        guard produced == size else { throw .invalid }
    }

    /// Compresses bytes into `scratch`, which has room for `bound(bytes.count)`; answers how many that came to, or nil for bytes LZ4 refuses.
    static func compress(_ bytes: UnsafeRawBufferPointer, into scratch: UnsafeMutableRawPointer) -> Int? {
        guard let source = bytes.baseAddress, let size = Int32(exactly: bytes.count) else { return nil }
        let packed = LZ4_compress_default(
            source.assumingMemoryBound(to: CChar.self), scratch.assumingMemoryBound(to: CChar.self), size, Int32(bound(bytes.count)))
        return packed > 0 ? Int(packed) : nil
    }

    /// The most bytes that so many can come to when they are compressed.
    static func bound(_ count: Int) -> Int { Int(LZ4_compressBound(Int32(clamping: count))) }
}
