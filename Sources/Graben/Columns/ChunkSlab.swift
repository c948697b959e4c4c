#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Memory for overlay chunks, two megabytes at a time.
///
/// A drawing that moves has most of its chunks in overlays, and reads them at random: with 4 KB pages a third of the time of such a read
/// goes into finding the page. Slabs are aligned to large pages, and the system is asked to use them. A chunk keeps its slab alive.
final class ChunkSlab {
    private static let byteCount = 2 << 20

    /// A chunk's memory, and whose it is.
    struct Part {
        let slab: ChunkSlab
        let chunk: UnsafeMutableRawPointer
    }

    private let base: UnsafeMutableRawPointer
    private let chunkByteCount: Int
    private var used = 0
    /// Whether a chunk was taken since it was last asked whether the slab is idle.
    private var isActive = false
    private var returned: [UnsafeMutableRawPointer] = []

    /// A slab for chunks of a size, or nil where there is no memory or a chunk would not fit.
    init?(chunkByteCount: Int) {
        guard chunkByteCount > 0, chunkByteCount <= Self.byteCount else { return nil }
        var address: UnsafeMutableRawPointer?
        guard posix_memalign(&address, Self.byteCount, Self.byteCount) == 0, let address else { return nil }
        base = address
        self.chunkByteCount = chunkByteCount
        #if os(Linux)
            // Advice: where it is refused, small pages serve as well, only slower.
            _ = madvise(address, Self.byteCount, MADV_HUGEPAGE)
        #endif
    }

    deinit { free(base) }

    /// Memory for a chunk, or nil where the slab is full.
    func take() -> Part? {
        isActive = true
        if let chunk = returned.popLast() { return Part(slab: self, chunk: chunk) }
        guard (used + 1) * chunkByteCount <= Self.byteCount else { return nil }
        defer { used += 1 }
        return Part(slab: self, chunk: base + used * chunkByteCount)
    }

    /// Whether no chunk is in it, and none was taken since this was last asked.
    func isIdle() -> Bool {
        defer { isActive = false }
        return returned.count == used && !isActive
    }

    func give(_ chunk: UnsafeMutableRawPointer) { returned.append(chunk) }
}
