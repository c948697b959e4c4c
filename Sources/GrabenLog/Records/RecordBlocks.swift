internal import Synchronization

/// The last few blocks of a file that were decompressed: at most 256 of 16 KB, 4 MB in all, and none before the first is read.
///
/// Sixteen stripes, each with a lock and sixteen blocks of which the oldest makes room; where a block belongs is a hash of its section's offset. A
/// lock is held for some comparisons and a reference count, which takes a fiftieth of the time a block's decompression does, so readers hardly
/// ever meet at one.
final class RecordBlocks: Sendable {
    private final class Stripe: Sendable {
        let entries = Mutex(Entries())
    }

    private struct Entries {
        /// Offsets of sections, apart from the blocks so that a search touches two lines of memory; 0 where there is none.
        var offsets: [UInt64] = []
        var blocks: [RecordBlock?] = []
        var oldest = 0
    }

    private final class Stripes: Sendable {
        static let count: UInt64 = 16
        private let all = (0..<count).map { _ in Stripe() }

        subscript(sectionOffset: UInt64) -> Stripe { all[Int((sectionOffset &* 0x9E37_79B9_7F4A_7C15) >> 32 % Self.count)] }
    }

    private static let blocksPerStripe = 16
    /// Made with the first block, for most stores have none.
    private let stripes = AtomicLazyReference<Stripes>()

    subscript(sectionOffset: UInt64) -> RecordBlock? {
        stripes.load()?[sectionOffset].entries.withLock { entries in
            entries.offsets.firstIndex(of: sectionOffset).flatMap { entries.blocks[$0] }
        }
    }

    func insert(_ block: RecordBlock) {
        // What makes room may end with this; not under the lock.
        let stripes = stripes.load() ?? stripes.storeIfNil(Stripes())
        let old = stripes[block.sectionOffset].entries.withLock { entries -> RecordBlock? in
            if entries.offsets.isEmpty {
                entries.offsets = Array(repeating: 0, count: Self.blocksPerStripe)
                entries.blocks = Array(repeating: nil, count: Self.blocksPerStripe)
            }
            let place = entries.offsets.firstIndex(of: block.sectionOffset) ?? entries.oldest
            if place == entries.oldest { entries.oldest = (entries.oldest + 1) % Self.blocksPerStripe }
            let old = entries.blocks[place]
            entries.offsets[place] = block.sectionOffset
            entries.blocks[place] = block
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
