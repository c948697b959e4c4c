import CGraben
public import GrabenLog
import GrabenModel

/// The packed attributes of one entity, chunk by chunk, as a context sees them: unsaved moves included, no objects made.
///
/// A sequence of chunks of up to 1,024 rows. It keeps the memory it reads for as long as it lives; changing packed values while lanes are
/// lent is a mistake that debug builds trap on.
public struct Columns: Sequence {
    let tables: [ObjectTable]
    /// The names of the packed attributes, by lane.
    public let names: [String]

    /// Walks the chunks from the first row on, entity by entity.
    public func makeIterator() -> ColumnsIterator { ColumnsIterator(tables) }

    /// The number of a packed attribute's lane.
    ///
    /// - Throws: `GrabenError.unknownKey`.
    public func lane(_ key: String) throws(GrabenError) -> Int {
        if let lane = names.firstIndex(of: key) { return lane }
        let info = tables.first?.info
        throw .unknownKey(entity: info?.name ?? "entity", key: key, nearest: info?.entity.nearestPropertyName(to: key))
    }

    /// The sum of a lane over all live rows; nil values, and a lane the entity does not have, count as 0. Complexity: O(rows), at memory speed.
    public func sum(_ lane: Int) -> Double {
        var total = 0.0
        for table in tables where table.info.geometry.lanes.indices.contains(lane) { total += table.sum(lane) }
        return total
    }

    /// The sums of all lanes, in one pass over memory. Complexity: O(rows), at memory speed.
    public func sums() -> [Double] {
        var totals = [Double](repeating: 0, count: names.count)
        for table in tables {
            for (lane, sum) in table.sums().enumerated() { totals[lane] += sum }
        }
        return totals
    }
}

/// Walks the chunks of an entity's columns.
public struct ColumnsIterator: IteratorProtocol {
    private let tables: [ObjectTable]
    private var table = 0
    private var chunk = 0
    /// Of the current table, as of the walk's first chunk of it.
    private var live: [SlotSet]?

    init(_ tables: [ObjectTable]) { self.tables = tables }

    /// The next chunk, or nil after the last.
    public mutating func next() -> Chunk? {
        while table < tables.count {
            if chunk < tables[table].columnChunkCount {
                if chunk == 0 { live = tables[table].liveSlots() }
                defer { chunk += 1 }
                // Chunks of rows inserted during the walk have no set yet.
                return Chunk(table: tables[table], index: chunk, live: live.map { chunk < $0.count ? $0[chunk] : SlotSet() })
            }
            table += 1
            chunk = 0
        }
        return nil
    }
}

/// Up to 1,024 rows of an entity's packed attributes.
public struct Chunk {
    let table: ObjectTable
    let index: Int
    /// Of an overlay that the context may drop meanwhile.
    let memory: ChunkMemory?
    let base: UnsafeRawPointer
    let owner: AnyObject?
    let lenders: [AnyObject]
    let live: SlotSet?
    /// How many slots the chunk has; those of deleted rows count.
    public let slotCount: Int

    init(table: ObjectTable, index: Int, live: SlotSet?) {
        self.table = table
        self.index = index
        base = table.columnChunk(index)
        memory = table.chunks.overlay(index)?.memory
        owner = table.chunks.owner
        self.live = live
        lenders = table.chunks.lenders
        // Kept, for a rollback or a reset may leave the table with fewer rows than the chunk was lent with.
        slotCount = table.slotCount(index)
    }

    /// How many rows of it exist.
    public var count: Int { live?.count ?? slotCount }

    /// Whether a slot holds a row that exists.
    public func isLive(_ slot: Int) -> Bool { slot >= 0 && slot < slotCount && (live?[slot] ?? true) }

    /// The id of the object in a slot.
    public func id(_ slot: Int) -> ObjectID {
        let place = index * ChunkGeometry.slotsPerChunk + slot
        guard let stored = table.stored else { return table.id(Row(place)) }
        return table.id(table.snapshot?.row(stored.code, slot: place) ?? Row(place))
    }

    /// A lane by number; a number the entity does not have is an empty lane.
    public subscript(lane: Int) -> ChunkLane { ChunkLane(chunk: self, lane: lane) }
}

/// One packed attribute's values in a chunk.
public struct ChunkLane {
    let chunk: Chunk
    let lane: Int

    private var geometry: ChunkGeometry.Lane? {
        chunk.table.info.geometry.lanes.indices.contains(lane) ? chunk.table.info.geometry.lanes[lane] : nil
    }

    /// Lends the lane's values, those of deleted rows included, to a loop of one's own; for a Float lane an empty span.
    ///
    /// Index with `[unchecked:]` where speed counts.
    public func withSpan<R>(_ body: (Span<Double>) throws -> R) rethrows -> R {
        guard let geometry, geometry.isDouble else { return try body(Span()) }
        let start = (chunk.base + geometry.offset).assumingMemoryBound(to: Double.self)
        chunk.table.chunks.lentCount += 1
        defer { chunk.table.chunks.lentCount -= 1 }
        return try withExtendedLifetime(chunk) {
            try body(UnsafeBufferPointer(start: start, count: chunk.slotCount).span)
        }
    }

    /// Lends a Float lane's values; for a Double lane an empty span.
    public func withFloatSpan<R>(_ body: (Span<Float>) throws -> R) rethrows -> R {
        guard let geometry, !geometry.isDouble else { return try body(Span()) }
        let start = (chunk.base + geometry.offset).assumingMemoryBound(to: Float.self)
        chunk.table.chunks.lentCount += 1
        defer { chunk.table.chunks.lentCount -= 1 }
        return try withExtendedLifetime(chunk) {
            try body(UnsafeBufferPointer(start: start, count: chunk.slotCount).span)
        }
    }

    /// One value; nil where the slot has none.
    public subscript(slot: Int) -> Double? {
        guard geometry != nil, chunk.isLive(slot) else { return nil }
        switch chunk.table.info.geometry.value(chunk.base, lane, slot) {
        case .double(let value): return value
        case .float(let value): return Double(value)
        default: return nil
        }
    }

    /// The sum of the live values; nil counts as 0. Complexity: O(1,024), by SIMD.
    public func sum() -> Double {
        withValues(0) { base, geometry, bits, count in
            geometry.isDouble
                ? graben_sum_f64(base.assumingMemoryBound(to: Double.self), bits, count)
                : graben_sum_f32(base.assumingMemoryBound(to: Float.self), bits, count)
        }
    }

    /// The least and greatest of the live values that are numbers; nil where there is none. Complexity: O(1,024), by SIMD.
    public func extent() -> ClosedRange<Double>? {
        withValues(nil) { base, geometry, bits, count in
            let extent =
                geometry.isDouble
                ? graben_extent_f64(base.assumingMemoryBound(to: Double.self), bits, count)
                : graben_extent_f32(base.assumingMemoryBound(to: Float.self), bits, count)
            return extent.count > 0 ? extent.minimum...extent.maximum : nil
        }
    }

    private func withValues<R>(_ none: R, _ body: (UnsafeRawPointer, ChunkGeometry.Lane, UnsafePointer<UInt64>?, Int) -> R) -> R {
        guard let geometry else { return none }
        let base = chunk.base + geometry.offset
        return withExtendedLifetime(chunk) {
            guard var live = chunk.selected(geometry) else { return body(base, geometry, nil, chunk.slotCount) }
            return withUnsafeBytes(of: &live.words) {
                body(base, geometry, $0.baseAddress?.assumingMemoryBound(to: UInt64.self), chunk.slotCount)
            }
        }
    }
}

extension Chunk {
    /// The slots whose row exists and has a value in the lane; nil where all do.
    fileprivate func selected(_ lane: ChunkGeometry.Lane) -> SlotSet? {
        guard let offset = lane.validityOffset else { return live }
        var valid = SlotSet()
        withUnsafeMutableBytes(of: &valid.words) { $0.copyMemory(from: UnsafeRawBufferPointer(start: base + offset, count: 128)) }
        if let live { valid.formIntersection(live) }
        return valid
    }
}
