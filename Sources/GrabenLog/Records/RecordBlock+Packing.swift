extension RecordBlock {
    /// Room for what `pack` makes of a block.
    static func makeScratch() -> UnsafeMutableRawPointer {
        .allocate(byteCount: Compression.bound(Format.recordBlockLimit), alignment: 16)
    }

    /// Compresses records into scratch memory; answers how many bytes they came to, or nil where that does not save an eighth of them, or they are
    /// more than a block holds.
    static func pack(_ records: UnsafeRawBufferPointer, into scratch: UnsafeMutableRawPointer) -> Int? {
        let count = records.count
        guard count > 0, count <= Format.recordBlockLimit, let packed = Compression.compress(records, into: scratch),
            packed + ByteBuffer.varintSize(UInt64(count)) <= count - count / 8
        else { return nil }
        return packed
    }
}

/// How many bytes records will have in blocks, from compressing every fourth block and counting the others.
struct RecordBlockEstimate: ~Copyable {
    private let scratch = RecordBlock.makeScratch()
    private let buffer = ByteBuffer(capacity: Format.recordBlockLimit)
    private var number = 0
    private var blockByteCount = 0
    /// Of blocks, before they are compressed; and of records too long for one.
    private var total = 0
    private var alone = 0
    private var sampled = 0
    private var packed = 0

    deinit { scratch.deallocate() }

    mutating func add(_ head: RecordHead) {
        let bytes = head.bytes
        let size = ByteBuffer.varintSize(UInt64(bytes.count)) + bytes.count
        if blockByteCount + size > Format.recordBlockLimit { closeBlock() }
        if size > Format.recordBlockLimit {
            alone += size
            return
        }
        blockByteCount += size
        guard number % 4 == 0 else { return }
        buffer.appendVarint(UInt64(bytes.count))
        buffer.append(bytes)
    }

    private mutating func closeBlock() {
        guard blockByteCount > 0 else { return }
        if number % 4 == 0 {
            sampled += buffer.count
            packed += RecordBlock.pack(buffer.bytes, into: scratch) ?? buffer.count
            buffer.reset()
        }
        total += blockByteCount
        blockByteCount = 0
        number += 1
    }

    /// The estimate for everything added.
    mutating func byteCount() -> UInt64 {
        closeBlock()
        guard sampled > 0 else { return UInt64(total + alone) }
        return UInt64(alone) + UInt64(Double(total) * Double(packed) / Double(sampled))
    }
}
