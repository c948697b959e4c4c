internal import Synchronization

/// The last few blocks of a file that were decompressed: at most 256 of 16 KB, 4 MB in all, and none before the first is read.
///
/// Sixteen locks, each over sixteen places; a block has one place it can be in. A lock is held for a comparison and a reference count, which
/// takes a fiftieth of the time a block's decompression does, so readers hardly ever meet at one.
final class RecordBlocks: Sendable {
    private final class Stripe: Sendable {
        let blocks = Mutex<[RecordBlock?]>([])
    }

    private static let width: UInt64 = 16
    private let stripes = (0..<RecordBlocks.width).map { _ in Stripe() }

    /// The stripe and the place in it where a block would be: by a hash, for sections stand at offsets of any kind.
    private func place(_ sectionOffset: UInt64) -> (stripe: Int, index: Int) {
        let hash = (sectionOffset &* 0x9E37_79B9_7F4A_7C15) >> 56
        return (Int(hash % Self.width), Int(hash / Self.width))
    }

    subscript(sectionOffset: UInt64) -> RecordBlock? {
        let (stripe, index) = place(sectionOffset)
        return stripes[stripe].blocks.withLock { blocks in
            guard index < blocks.count, let block = blocks[index], block.sectionOffset == sectionOffset else { return nil }
            return block
        }
    }

    func insert(_ block: RecordBlock) {
        let (stripe, index) = place(block.sectionOffset)
        // What was there may end with this; not under the lock.
        let old = stripes[stripe].blocks.withLock { blocks -> RecordBlock? in
            if blocks.isEmpty { blocks = Array(repeating: nil, count: Int(Self.width)) }
            let old = blocks[index]
            blocks[index] = block
            return old
        }
        _ = old
    }
}

/// The bytes of one record out of a block, for a view that outlives its maker's hold on the block: a thousand objects of a thousand blocks then
/// keep a thousand records in memory, and not sixteen megabytes.
///
/// Unchecked because of the pointer to its bytes, which are its own and never change.
final class RecordCopy: @unchecked Sendable {
    /// The block's section in the file.
    let sectionOffset: UInt64
    let base: UnsafeRawPointer

    init(_ bytes: UnsafeRawBufferPointer, sectionOffset: UInt64) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
        base = UnsafeRawPointer(memory)
        self.sectionOffset = sectionOffset
    }

    deinit { base.deallocate() }
}
