import GrabenLog

/// The chunks of one entity as one context sees them: the snapshot's, or the context's overlay of them.
///
/// Objects hold the address of their chunk's *entry*, so that exchanging a chunk stores one pointer however many objects look at it. The
/// blocks of entries never move and live as long as the table, which every object keeps alive.
///
///     object ──▶ entry ──▶ chunk in the mapped log, or in an overlay
///     object ──▶ entry ─┘
///
/// Invariant: every entry points at `geometry.byteCount` readable bytes that the table keeps alive: a chunk of `owner`'s snapshot, an
/// overlay, or the table's zero chunk where nothing is bound. So no read through an entry can reach memory that is gone.
final class ChunkTable {
    /// Where a chunk's entry stands: four addresses, all but the first 0 where there is none: of the chunk's lanes, of the cells of its
    /// objects, of the values of its fresh objects, and of its overlay.
    typealias Entry = UnsafeMutablePointer<UnsafeMutableRawPointer>
    /// The cells of a chunk's objects by slot, and before them how many are not empty.
    typealias Cells = UnsafeMutablePointer<ObjectCell>

    /// A block is 8,192 bytes at an address that is a multiple of them: the table it belongs to, the number of its first chunk, zeros up to
    /// 64 bytes, and the entries of 32. So an object finds its table and its chunk's number from the address of its entry.
    private static let blockByteCount = 8192
    private static let blockHeaderByteCount = 64
    private static let entryByteCount = 32
    static let entriesPerBlock = (blockByteCount - blockHeaderByteCount) / entryByteCount

    @inline(__always)
    private static func block(of entry: Entry) -> UnsafeRawPointer {
        // Every entry stands in a block that `entry(_:)` made.
        UnsafeRawPointer(bitPattern: UInt(bitPattern: entry) & ~UInt(blockByteCount - 1)).unsafelyUnwrapped
    }

    /// The table whose block an entry stands in.
    @inline(__always)
    static func home(of entry: Entry) -> Unmanaged<ObjectTable> { block(of: entry).load(as: Unmanaged<ObjectTable>.self) }

    /// The number of the chunk whose entry it is.
    @inline(__always)
    static func index(of entry: Entry) -> Int {
        let block = block(of: entry)
        return block.load(fromByteOffset: 8, as: Int.self) + (UnsafeRawPointer(entry) - block - blockHeaderByteCount) / entryByteCount
    }

    /// The table this belongs to, for the headers of the blocks; set by the table itself before the first block is made.
    unowned(unsafe) var home: ObjectTable?

    let geometry: ChunkGeometry
    /// Where the values of fresh objects lie, and how many bytes a chunk's take; no lanes where no object of the entity is ever fresh.
    let freshLanes: [FreshLane]
    let freshByteCount: Int
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var blocks: ContiguousArray<Entry> = []
    @exclusivity(unchecked) private(set) var overlays: [OverlayChunk?] = []
    /// Spans being lent; packed values must not change meanwhile, and debug builds trap where they do.
    @exclusivity(unchecked) var lentCount = 0
    private let zero: UnsafeMutableRawPointer
    private static let overlaysWithoutSlab = 32
    private var overlayCount = 0
    /// The last one is taken from first.
    private var slabs: [ChunkSlab] = []
    /// What keeps the bound chunks alive: the snapshot they belong to.
    private(set) var owner: AnyObject?
    /// What a parent context lent: its snapshots, and copies of its overlays. Whoever lends a chunk on keeps this list too.
    private(set) var lenders: [AnyObject] = []

    init(geometry: ChunkGeometry, freshLanes: [FreshLane], freshByteCount: Int) {
        self.geometry = geometry
        self.freshLanes = freshLanes
        self.freshByteCount = freshByteCount
        let byteCount = max(geometry.byteCount, 64)
        zero = .allocate(byteCount: byteCount, alignment: 64)
        zero.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    deinit {
        for index in 0..<count {
            Self.releaseCells(of: entry(index))
            releaseFresh(of: entry(index))
        }
        for block in blocks { (UnsafeMutableRawPointer(block) - Self.blockHeaderByteCount).deallocate() }
        zero.deallocate()
    }

    /// The address of a chunk's entry; stable for the life of the table.
    @inline(__always)
    func entry(_ index: Int) -> Entry {
        index < count ? blocks[index / Self.entriesPerBlock] + index % Self.entriesPerBlock * 4 : makeEntry(index)
    }

    @inline(never)
    private func makeEntry(_ index: Int) -> Entry {
        while index >= blocks.count * Self.entriesPerBlock {
            guard let home else { preconditionFailure("the chunk table's home is set when its object table is made") }
            let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.blockByteCount, alignment: Self.blockByteCount)
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.blockByteCount)
            memory.initializeMemory(as: Unmanaged<ObjectTable>.self, to: Unmanaged.passUnretained(home))
            memory.storeBytes(of: blocks.count * Self.entriesPerBlock, toByteOffset: 8, as: Int.self)
            for place in 0..<Self.entriesPerBlock {
                memory.storeBytes(
                    of: zero, toByteOffset: Self.blockHeaderByteCount + place * Self.entryByteCount, as: UnsafeMutableRawPointer.self)
            }
            blocks.append((memory + Self.blockHeaderByteCount).assumingMemoryBound(to: UnsafeMutableRawPointer.self))
        }
        if index >= count {
            overlays.append(contentsOf: repeatElement(nil, count: index + 1 - count))
            count = index + 1
        }
        return blocks[index / Self.entriesPerBlock] + index % Self.entriesPerBlock * 4
    }

    func isBound(_ index: Int) -> Bool { index < count && entry(index).pointee != zero }

    @inline(__always)
    func isBound(_ entry: Entry) -> Bool { entry.pointee != zero }

    func chunk(_ index: Int) -> UnsafeRawPointer { UnsafeRawPointer(entry(index).pointee) }

    func overlay(_ index: Int) -> OverlayChunk? { index < count ? overlays[index] : nil }

    /// Lets an entry point at a chunk of the owner's.
    func bind(_ index: Int, to chunk: UnsafeRawPointer) {
        entry(index).pointee = UnsafeMutableRawPointer(mutating: chunk)
    }

    /// Keeps a snapshot alive whose chunks were bound one by one.
    func keepAlive(_ lender: AnyObject) {
        if lenders.last !== lender { lenders.append(lender) }
    }

    /// Binds an entry to a copy of a chunk that may change or go.
    func bindCopy(_ index: Int, of chunk: UnsafeRawPointer) {
        let copy = ChunkCopy(of: chunk, byteCount: geometry.byteCount)
        lenders.append(copy)
        bind(index, to: copy.data)
    }

    /// Binds every chunk anew; overlays keep their unsaved changes on top of it, and what `isWanted` says of a chunk and a slot. What was lent
    /// before stays alive until that is done.
    func rebindAll(keeping isWanted: (Int, Int) -> Bool, _ bind: (Int) -> Void) {
        let before = lenders
        defer { withExtendedLifetime(before) {} }
        lenders = []
        for index in 0..<count where entry(index).pointee != zero {
            let entry = entry(index)
            let overlay = overlays[index]
            overlay?.forgetKept { isWanted(index, $0) }
            entry.pointee = zero
            bind(index)
            guard let overlay else { continue }
            if overlay.isRedundant, overlay.event.isEmpty {
                setOverlay(index, nil)
            } else {
                overlay.rebase(onto: entry.pointee, ownedBy: owner)
                entry.pointee = overlay.memory.base
            }
        }
    }

    /// The context's own copy of a chunk, made at the first call.
    func makeOverlay(_ index: Int) -> OverlayChunk {
        assert(lentCount == 0, "a packed attribute is set while its column is lent to a closure; change it after the loop")
        if index < count, let overlay = overlays[index] { return overlay }
        let entry = entry(index)
        let overlay = OverlayChunk(copying: entry.pointee, ownedBy: owner, geometry: geometry, index: index, in: memoryForNext())
        setOverlay(index, overlay)
        entry.pointee = overlay.memory.base
        return overlay
    }

    /// The overlay of an entry's chunk, found without the table. Its lanes are where the entry points.
    @inline(__always)
    static func overlay(of entry: Entry) -> Unmanaged<OverlayChunk>? {
        UnsafeMutableRawPointer(entry + 3).load(as: UnsafeRawPointer?.self).map { Unmanaged.fromOpaque($0) }
    }

    private func setOverlay(_ index: Int, _ overlay: OverlayChunk?) {
        overlays[index] = overlay
        let address = overlay.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        UnsafeMutableRawPointer(entry(index) + 3).storeBytes(of: address, as: UnsafeRawPointer?.self)
    }

    /// Memory for the next overlay: of a slab, but for the first few, for a slab takes two megabytes.
    private func memoryForNext() -> ChunkMemory {
        overlayCount += 1
        return (overlayCount > Self.overlaysWithoutSlab ? memoryOfSlab() : nil) ?? ChunkMemory(byteCount: geometry.byteCount)
    }

    private func memoryOfSlab() -> ChunkMemory? {
        if let memory = slabs.last?.take() { return memory }
        for index in slabs.indices.dropLast() {
            guard let memory = slabs[index].take() else { continue }
            slabs.swapAt(index, slabs.count - 1)
            return memory
        }
        guard let slab = ChunkSlab(chunkByteCount: geometry.byteCount) else { return nil }
        slabs.append(slab)
        return slab.take()
    }

    /// Lets go of overlays that were offered to a commit and are the store's chunks now: their entries point at the same bytes. Whoever holds the
    /// commit's snapshot keeps those till the table has moved onto it.
    func dropHandedOver(_ indexes: [Int]) {
        for index in indexes { setOverlay(index, nil) }
    }

    /// Gives overlays memory of their own again, where a commit may hold theirs.
    func takeBack(_ indexes: [Int]) {
        for index in indexes {
            guard let overlay = overlays[index] else { continue }
            overlay.leaveMemory()
            entry(index).pointee = overlay.memory.base
        }
    }

    /// Gives back the memory in which nothing has been of late. What has just been saved is likely to be changed again, and
    /// memory that the system has to clear costs more than the copy that goes there.
    private func releaseIdleSlabs() { slabs.removeAll { $0.isIdle() } }

    /// Drops overlays that hold nothing of their own.
    func dropRedundantOverlays() {
        for index in overlays.indices {
            guard let overlay = overlays[index], overlay.isRedundant, overlay.event.isEmpty else { continue }
            entry(index).pointee = UnsafeMutableRawPointer(mutating: overlay.base)
            setOverlay(index, nil)
        }
        releaseIdleSlabs()
    }

    /// Moves the table onto another snapshot: every bound entry and overlay is pointed at the snapshot's chunk before the old owner is let
    /// go.
    ///
    /// - Parameter chunk: the new snapshot's chunk, or nil where it has none or cannot be read.
    func advance(to newOwner: AnyObject?, discardingOverlays: Bool, chunk: (Int) -> UnsafeRawPointer?) {
        for index in 0..<count {
            let entry = entry(index)
            if let overlay = overlays[index] {
                let base = chunk(index) ?? UnsafeRawPointer(zero)
                if discardingOverlays || (overlay.isRedundant && overlay.event.isEmpty) {
                    entry.pointee = UnsafeMutableRawPointer(mutating: base)
                    setOverlay(index, nil)
                } else {
                    overlay.rebase(onto: base, ownedBy: newOwner)
                }
            } else if entry.pointee != zero {
                entry.pointee = UnsafeMutableRawPointer(mutating: chunk(index) ?? UnsafeRawPointer(zero))
            }
        }
        owner = newOwner
        releaseIdleSlabs()
    }
}

/// A copy of a chunk that may change or go.
private final class ChunkCopy {
    let data: UnsafeMutableRawPointer

    init(of chunk: UnsafeRawPointer, byteCount: Int) {
        data = .allocate(byteCount: byteCount, alignment: 64)
        data.copyMemory(from: chunk, byteCount: byteCount)
    }

    deinit { data.deallocate() }
}
