import Synchronization

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
///
/// Chunks are taken by the thread that has the table, and given back by any: a store's snapshot may be the last that holds one.
final class ChunkSlab {
    private static let byteCount = 2 << 20

    private let base: UnsafeMutableRawPointer
    private let chunkByteCount: Int
    private var used = 0
    /// How often it has still to be asked whether the slab is idle since a chunk was last taken: what is handed over to a save's snapshot comes back
    /// with the next save, and is wanted again for the one after.
    private var patience = 0
    private let returned = Mutex<[Address]>([])

    /// Of a chunk that nobody uses. Unchecked because what it points at belongs to whoever takes it from the list.
    private struct Address: @unchecked Sendable { let chunk: UnsafeMutableRawPointer }

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
    func take() -> ChunkMemory? {
        patience = 2
        if let free = returned.withLock({ $0.popLast() }) { return ChunkMemory(free.chunk, of: self) }
        guard (used + 1) * chunkByteCount <= Self.byteCount else { return nil }
        defer { used += 1 }
        return ChunkMemory(base + used * chunkByteCount, of: self)
    }

    /// Whether no chunk is in it, and none was taken since this was last asked but one.
    func isIdle() -> Bool {
        defer { patience = max(0, patience - 1) }
        return patience == 0 && returned.withLock { $0.count } == used
    }

    fileprivate func give(_ chunk: UnsafeMutableRawPointer) {
        let address = Address(chunk: chunk)
        returned.withLock { $0.append(address) }
    }
}

/// The memory of one chunk, given back with the last reference to it.
final class ChunkMemory {
    let base: UnsafeMutableRawPointer
    /// Whose memory it is; nil where it is the chunk's own.
    private let slab: ChunkSlab?

    fileprivate init(_ base: UnsafeMutableRawPointer, of slab: ChunkSlab) {
        self.base = base
        self.slab = slab
    }

    init(byteCount: Int) {
        base = .allocate(byteCount: byteCount, alignment: 64)
        slab = nil
    }

    deinit {
        if let slab { slab.give(base) } else { base.deallocate() }
    }
}
