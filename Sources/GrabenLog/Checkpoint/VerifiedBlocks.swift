internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Zeroed atomic words that cost nothing until they are touched: the system hands out large ones as pages it has yet to make.
func zeroedWords(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    guard let memory = calloc(max(count, 1), MemoryLayout<UInt>.size) else {
        // As every other allocation of this size would end.
        preconditionFailure("no memory for \(count) words")
    }
    return memory.bindMemory(to: Atomic<UInt>.self, capacity: max(count, 1))
}

func freeWords(_ words: UnsafeMutablePointer<Atomic<UInt>>) { free(words) }

/// Which blocks of a file have been compared with their checksums: a bit for each, set once and never cleared.
///
/// Unchecked because of the pointer to its words, which are atomic and its own.
final class VerifiedBlocks: @unchecked Sendable {
    let words: UnsafeMutablePointer<Atomic<UInt>>
    let count: Int

    init(count: Int) {
        self.count = count
        words = zeroedWords((count + UInt.bitWidth - 1) / UInt.bitWidth)
    }

    deinit { freeWords(words) }

    /// No ordering is needed: the bit says something about bytes of a file that nobody changes.
    @inline(__always)
    func contains(_ block: Int) -> Bool { words[block / UInt.bitWidth].load(ordering: .relaxed) >> UInt(block % UInt.bitWidth) & 1 != 0 }

    func insert(_ block: Int) { words[block / UInt.bitWidth].bitwiseOr(1 << UInt(block % UInt.bitWidth), ordering: .relaxed) }
}
