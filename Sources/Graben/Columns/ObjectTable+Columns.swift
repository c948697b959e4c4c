import CGraben
import GrabenLog

/// The chunks of a table as columns: bound, counted, and with the rows that exist.
extension ObjectTable {
    /// A lane's value in a slot; nil where the entity has no such lane.
    @inline(__always)
    func laneValue(_ lane: Int, of entry: ChunkTable.Entry, _ slot: Int) -> Value? {
        guard lane < info.geometry.lanes.count else { return nil }
        let place = info.geometry.lanes[lane]
        let chunk = UnsafeRawPointer(entry.pointee)
        if place.isDouble, place.validityOffset == nil {
            return .double(chunk.load(fromByteOffset: place.offset + slot * 8, as: Double.self))
        }
        return info.geometry.value(chunk, lane, slot)
    }

    /// Gives a new object's lanes their defaults, as something to save. For classes that keep nothing in fields of their own.
    func applyPackedDefaults(_ object: ManagedObject) {
        guard !info.laneProperties.isEmpty else { return }
        let slot = object.slot
        let entry = object._entry
        if let overlay = ChunkTable.overlay(of: entry), info.hasZeroLanes {
            overlay._withUnsafeGuaranteedRef { overlay in
                let data = overlay.writable()
                for lane in 0..<plainLaneCount {
                    data.storeBytes(of: 0, toByteOffset: (lane * ChunkGeometry.slotsPerChunk + slot) * 8, as: UInt64.self)
                }
                overlay.dirty[slot] = true
                overlay.kept[slot] = false
            }
            return
        }
        let overlay = chunks.makeOverlay(ChunkTable.index(of: entry))
        for (lane, value) in info.laneDefaults.enumerated() { info.geometry.setValue(overlay.writable(), lane, slot, value) }
        overlay.dirty[slot] = true
        overlay.kept[slot] = false
    }

    /// How many slots the columns have: those of the snapshot's rows and of new objects.
    var columnSlotCount: Int {
        guard let stored, info.geometry.byteCount > 0 else { return 0 }
        let saved = rootSnapshot?.highestRow(stored.code).map { Int($0) + 1 } ?? 0
        guard let context, context.parent != nil else { return max(saved, newRowEnd) }
        // A child's columns reach as far as those of the contexts above it.
        var end = newRowEnd
        var level = context.parent
        while let current = level {
            end = max(end, current.table(stored, info).newRowEnd)
            level = current.parent
        }
        return max(saved, end)
    }

    var columnChunkCount: Int { (columnSlotCount + ChunkGeometry.slotsPerChunk - 1) / ChunkGeometry.slotsPerChunk }

    func slotCount(_ index: Int) -> Int { max(0, min(ChunkGeometry.slotsPerChunk, columnSlotCount - index * ChunkGeometry.slotsPerChunk)) }

    func columnChunk(_ index: Int) -> UnsafeRawPointer {
        if !chunks.isBound(index) { bind(index) }
        return chunks.chunk(index)
    }

    /// The slots whose rows exist in the context, chunk by chunk; nil where all do. Complexity: O(chunks + changed objects), so it is asked
    /// for once for a walk and not for each chunk.
    func liveSlots() -> [SlotSet]? { allSlotsLive ? nil : liveSets() }

    /// Whether every slot up to the last holds a row that exists: the snapshot has no gap, and nothing was inserted or deleted since.
    private var allSlotsLive: Bool {
        guard let stored, let context, context.parent == nil, let snapshot, !hasPendingRows else { return false }
        return snapshot.liveCount(stored.code) == snapshot.highestRow(stored.code).map { Int($0) + 1 } ?? 0
    }

    private func liveSets() -> [SlotSet] {
        var sets = [SlotSet](repeating: SlotSet(), count: columnChunkCount)
        guard let stored, let context, let snapshot = rootSnapshot else { return sets }
        if let cached = liveCache, cached.snapshot === snapshot {
            for (index, set) in cached.sets.enumerated() where index < sets.count { sets[index] = set }
        } else {
            snapshot.forEachLiveRow(stored.code) { row in
                let slot = slotNumber(row)
                sets[slot / ChunkGeometry.slotsPerChunk][slot % ChunkGeometry.slotsPerChunk] = true
                return true
            }
            liveCache = (snapshot, sets)
        }
        context.forEachChanged(of: stored) { object, _ in
            let index = chunkIndex(of: object._row)
            if index < sets.count { sets[index][object.slot] = !object.has(ObjectFlag.deleted) }
        }
        return sets
    }

    /// The sum of one lane over the rows that exist.
    func sum(_ lane: Int) -> Double { sums(of: lane..<lane + 1).first ?? 0 }

    /// The sums of all lanes.
    func sums() -> [Double] { sums(of: info.geometry.lanes.indices) }

    /// Chunk by chunk, so that memory is read in the order in which it lies.
    private func sums(of lanes: Range<Int>) -> [Double] {
        let geometry = info.geometry
        guard lanes.upperBound <= geometry.lanes.count else { return [] }
        var totals = [Double](repeating: 0, count: lanes.count)
        guard allSlotsLive, geometry.lanes[lanes].allSatisfy({ $0.isDouble && $0.validityOffset == nil }) else {
            let live = liveSlots()
            for index in 0..<columnChunkCount {
                let chunk = Chunk(table: self, index: index, live: live?[index])
                for lane in lanes { totals[lane - lanes.lowerBound] += chunk[lane].sum() }
            }
            return totals
        }
        let offsets = geometry.lanes[lanes].map(\.offset)
        let slots = columnSlotCount
        for index in 0..<columnChunkCount {
            let base = columnChunk(index)
            let count = min(ChunkGeometry.slotsPerChunk, slots - index * ChunkGeometry.slotsPerChunk)
            for (place, offset) in offsets.enumerated() {
                totals[place] += graben_sum_f64((base + offset).assumingMemoryBound(to: Double.self), nil, count)
            }
        }
        return totals
    }

    /// Writes the first three Double lanes of rows into `points`, at the places the ids have; zeros stay where the columns have no such row.
    func gather(_ ids: ArraySlice<ObjectID>, into points: inout [SIMD3<Double>]) {
        let count = columnChunkCount
        let slotCount = columnSlotCount
        let isIdentity = slotsAreRows
        withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: max(1, count)) { chunks in
            for index in 0..<count { chunks[index] = columnChunk(index) }
            for index in ids.indices {
                let row = ids[index].row
                let slot = isIdentity ? Int(row) : slotNumber(row)
                guard slot < slotCount else { continue }
                let base = chunks[slot / ChunkGeometry.slotsPerChunk] + slot % ChunkGeometry.slotsPerChunk * 8
                points[index] = SIMD3(
                    base.load(as: Double.self), base.load(fromByteOffset: 8192, as: Double.self),
                    base.load(fromByteOffset: 16384, as: Double.self))
            }
        }
    }
}
