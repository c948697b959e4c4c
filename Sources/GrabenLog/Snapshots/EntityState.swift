/// Where the objects of one entity are, as of one commit. Changed only by the assembler that made it, before any snapshot shows it.
final class EntityState: @unchecked Sendable {
    let code: EntityCode
    let owner: UInt64
    /// Row to the address of its record (`RecordAddress`).
    let records: PagedArray
    /// Chunk number to its handle.
    let chunks: PagedTree<ObjectPages>
    /// The chunks that `chunks` has no handle for may stand in an index file.
    let baseChunks: MappedChunks?
    // Exclusivity is unchecked: replay counts millions of records here, and nothing it does meanwhile calls back.
    /// -1 when there never was one.
    @exclusivity(unchecked) var highestRow: Int64
    @exclusivity(unchecked) var liveCount: Int
    var hasChunks: Bool
    @exclusivity(unchecked) var slotMap: SlotMap?

    init(code: EntityCode, owner: UInt64) {
        self.code = code
        self.owner = owner
        records = PagedArray()
        chunks = PagedTree(holdsObjects: true)
        baseChunks = nil
        (highestRow, liveCount, hasChunks) = (-1, 0, false)
    }

    /// An entity as an index file tells of it.
    init(_ entity: IndexRoot.Entity, checkpoint: Checkpoint) {
        code = entity.code
        // Nobody's: whoever changes the entity makes a copy first.
        owner = 0
        records = PagedArray(base: MappedRows(file: checkpoint.file, entity: entity, checkpoint: checkpoint))
        chunks = PagedTree(holdsObjects: true)
        baseChunks = entity.chunks.count > 0 ? MappedChunks(file: checkpoint.file, entity: entity, checkpoint: checkpoint) : nil
        (highestRow, liveCount, hasChunks) = (entity.highestRow, entity.liveCount, entity.chunks.count > 0)
        slotMap = entity.slots.count > 0 ? SlotMap(entity, checkpoint: checkpoint) : nil
    }

    init(copying other: EntityState, owner: UInt64) {
        code = other.code
        self.owner = owner
        records = other.records.copy()
        chunks = other.chunks.copy()
        baseChunks = other.baseChunks
        (highestRow, liveCount, hasChunks, slotMap) = (other.highestRow, other.liveCount, other.hasChunks, other.slotMap)
    }

    @inline(__always) func slot(_ row: Row) -> Int { slotMap?.slot(row) ?? Int(row) }
    @inline(__always) func row(_ slot: Int) -> Row { slotMap?.row(slot) ?? Row(truncatingIfNeeded: slot) }

    /// A chunk with its bytes checked; nil where no row has one. Throws when it is in the index or the log and neither has it whole.
    func chunk(_ index: Int) throws(LogError) -> ChunkHandle? {
        if let known = changedChunk(index) { return known }
        return try baseChunks?.chunk(index)
    }

    /// A chunk that is in memory or was read from the log when that was replayed; nil for one only an index file tells of.
    func changedChunk(_ index: Int) -> ChunkHandle? {
        UnsafeRawPointer(bitPattern: chunks[index]).map { Unmanaged<ChunkHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    func setChunk(_ index: Int, _ handle: ChunkHandle) {
        let word = UInt(bitPattern: Unmanaged.passRetained(handle).toOpaque())
        let old = chunks.exchange(index, word, owner: owner)
        if let object = UnsafeRawPointer(bitPattern: old) { Unmanaged<ChunkHandle>.fromOpaque(object).release() }
        hasChunks = true
    }

    /// A chunk for slots that have none yet. Rows that existed before the entity had lanes get the lanes' defaults; `before` is the file
    /// offset at which the commit being applied begins, for rows it inserts itself bring their values with them.
    func freshChunk(_ index: Int, _ layout: RecordLayout, _ table: LayoutTable, before: UInt64, owner: UInt64) -> ChunkHandle {
        let handle = ChunkHandle(layout: layout, owner: owner)
        guard table.hadNoLanes(code) else { return handle }
        for slot in 0..<slotsPerChunk {
            let word = UInt64(records[Int(row(index * slotsPerChunk + slot))])
            guard word != 0, RecordAddress(word).fileOffset < before else { continue }
            handle.usedSlots = slot + 1
            for lane in layout.lanes.indices {
                guard let bits = table.firstDefault(of: layout.lanes[lane], in: code) else { continue }
                handle.setValidity(lane, slot, true)
                handle.setBits(lane, slot, bits)
            }
        }
        return handle
    }
}

/// Layouts by number and the newest of each entity. One object for all snapshots of a catalog.
final class LayoutTable: @unchecked Sendable {
    let catalog: Catalog
    /// Where in the log the catalogs stand that this came from, oldest first.
    let places: [IndexRoot.CatalogPlace]
    private let byNumber: [RecordLayout?]
    /// The same without reference counts; the catalog keeps the layouts alive.
    private let unretainedByNumber: UnsafeMutablePointer<Unmanaged<RecordLayout>?>
    private let sparse: [UInt32: RecordLayout]
    private let newest: [EntityCode: RecordLayout]
    private let withoutLanes: Set<EntityCode>

    init(_ catalog: Catalog, places: [IndexRoot.CatalogPlace] = []) {
        self.catalog = catalog
        self.places = places
        var dense: [RecordLayout?] = []
        var sparse: [UInt32: RecordLayout] = [:]
        var newest: [EntityCode: RecordLayout] = [:]
        var withoutLanes = Set<EntityCode>()
        for layout in catalog.layouts {
            if layout.number < 65_536 {
                while dense.count <= Int(layout.number) { dense.append(nil) }
                dense[Int(layout.number)] = layout
            } else {
                sparse[layout.number] = layout
            }
            if newest[layout.entity].map({ $0.number < layout.number }) ?? true { newest[layout.entity] = layout }
            if layout.lanes.isEmpty { withoutLanes.insert(layout.entity) }
        }
        (byNumber, self.sparse, self.newest, self.withoutLanes) = (dense, sparse, newest, withoutLanes)
        unretainedByNumber = .allocate(capacity: max(dense.count, 1))
        for (number, layout) in dense.enumerated() {
            (unretainedByNumber + number).initialize(to: layout.map { Unmanaged.passUnretained($0) })
        }
    }

    deinit { unretainedByNumber.deallocate() }

    /// The table after the catalog section whose contents, at that offset of the file, the reader stands before.
    func following(_ reader: ByteReader, at offset: UInt64) throws(ByteError) -> LayoutTable {
        do {
            let read = try Catalog(decoding: UnsafeRawBufferPointer(start: reader.pointer, count: reader.remaining))
            let place = IndexRoot.CatalogPlace(offset: offset, byteCount: reader.remaining)
            return LayoutTable(try read.following(catalog), places: places + [place])
        } catch {
            throw .invalid
        }
    }

    @inline(__always)
    func unretained(_ number: UInt32) -> Unmanaged<RecordLayout>? {
        Int(number) < byNumber.count ? unretainedByNumber[Int(number)] : sparse[number].map { Unmanaged.passUnretained($0) }
    }

    @inline(__always)
    subscript(number: UInt32) -> RecordLayout? { Int(number) < byNumber.count ? byNumber[Int(number)] : sparse[number] }
    func newest(_ entity: EntityCode) -> RecordLayout? { newest[entity] }
    /// Whether the entity once had a layout without lanes, so that rows without a chunk may exist.
    func hadNoLanes(_ entity: EntityCode) -> Bool { withoutLanes.contains(entity) }

    /// The default the lane had in the version that added it.
    func firstDefault(of lane: Lane, in entity: EntityCode) -> UInt64? {
        for layout in catalog.layouts where layout.entity == entity {
            if let index = layout.laneIndex(lane.name), layout.lanes[index].width == lane.width { return layout.lanes[index].defaultBits }
        }
        return lane.defaultBits
    }
}
