public import GrabenLog

extension ManagedObjectContext {
    // MARK: Moving

    /// Adds `delta` to the first three packed attributes of objects: one undo step together with the rest of the event, one notification,
    /// one column patch at save. Fields of the objects' own classes and observers follow.
    ///
    /// Complexity: O(objects).
    public func translate(_ objects: some Sequence<ManagedObject>, by delta: SIMD3<Double>) {
        for object in objects {
            guard object.context === self else {
                refuse(.noContext(entity: object.info.name, doing: "moving"))
                continue
            }
            move(object._row, by: delta, in: object._table)
        }
    }

    /// As `translate(_:by:)` for objects by id, which need not be known to the context; no object is made. An id that is named twice is moved
    /// twice.
    ///
    /// Complexity: O(ids).
    public func translate(_ ids: [ObjectID], by delta: SIMD3<Double>) {
        guard !isClosed else { return refuse(.noContext(entity: "context", doing: "moving")) }
        // Ids mostly come in long runs of one entity.
        var start = 0
        while start < ids.count {
            let first = ids[start]
            var end = start + 1
            while end < ids.count, ids[end].storeNumber == first.storeNumber, ids[end].entityNumber == first.entityNumber { end += 1 }
            if let table = table(for: first) {
                if table.movesInBulk, isCalm {
                    move(ids[start..<end], by: delta, in: table)
                } else {
                    for id in ids[start..<end] { move(id.row, by: delta, in: table) }
                }
            }
            start = end
        }
    }

    private func move(_ row: Row, by delta: SIMD3<Double>, in table: ObjectTable) {
        guard table.info.geometry.hasPoint else {
            return refuse(
                .wrongType(
                    entity: table.info.name, key: "position", expected: "three packed Double attributes first", found: "another layout"))
        }
        let (entry, slot) = table.place(of: row)
        let chunk = UnsafeRawPointer(entry.pointee)
        let geometry = table.info.geometry
        var values = geometry.lanes.indices.map { geometry.value(chunk, $0, slot) }
        for lane in 0..<3 {
            if case .double(let value) = values[lane] { values[lane] = .double(value + delta[lane]) }
        }
        setPacked(values, chunk: table.chunkIndex(of: row), slot: slot, in: table)
    }

    /// Moves rows of a table chunk by chunk: ids come in any order, and memory is slow in any order.
    private func move(_ ids: ArraySlice<ObjectID>, by delta: SIMD3<Double>, in table: ObjectTable) {
        var slots = ids.map { table.slotNumber($0.row) }
        if slots.count > 16 { slots = Self.byChunk(slots) }
        var chunk = -1
        var overlay: OverlayChunk?
        var entry: ChunkTable.Entry?
        for number in slots {
            if number / ChunkGeometry.slotsPerChunk != chunk || entry == nil {
                chunk = number / ChunkGeometry.slotsPerChunk
                entry = table.place(of: table.row(slotNumber: number)).entry
                overlay = table.chunks.overlay(chunk)
            }
            guard let entry else { continue }
            let slot = number % ChunkGeometry.slotsPerChunk
            let object = table.registered(table.row(slotNumber: number))
            // Whoever may hear of it, or has announced a change, is told.
            if table.isTracked || object.map({ !table.isQuiet || $0.has(ObjectFlag.cell) }) == true {
                move(table.row(slotNumber: number), by: delta, in: table)
                overlay = table.chunks.overlay(chunk)
                continue
            }
            let old = Self.point(entry.pointee, slot)
            let new = old + delta
            guard Self.isAnyOther(old, new) else { continue }
            let copy = overlay ?? table.chunks.makeOverlay(chunk)
            overlay = copy
            noteEvent(copy, slot: slot, index: chunk, in: table)
            copy.dirty[slot] = true
            copy.kept[slot] = false
            for lane in 0..<3 where old[lane].bitPattern != new[lane].bitPattern {
                copy.writable(lane: lane).storeBytes(of: new[lane], toByteOffset: lane * 8192 + slot * 8, as: Double.self)
            }
            if let object { object.markUpdated(self) } else { table.hasLooseRows = true }
        }
    }

    @inline(__always)
    private static func point(_ chunk: UnsafeRawPointer, _ slot: Int) -> SIMD3<Double> {
        SIMD3(
            chunk.load(fromByteOffset: slot * 8, as: Double.self), chunk.load(fromByteOffset: 8192 + slot * 8, as: Double.self),
            chunk.load(fromByteOffset: 16384 + slot * 8, as: Double.self))
    }

    /// Whether a number is another than before, as stored values are: by their bits, but that NaN is NaN.
    @inline(__always)
    private static func isAnyOther(_ old: SIMD3<Double>, _ new: SIMD3<Double>) -> Bool {
        for lane in 0..<3 where old[lane].bitPattern != new[lane].bitPattern && !(old[lane].isNaN && new[lane].isNaN) { return true }
        return false
    }

    /// The same slots by ascending chunk, those of one chunk in the order in which they came.
    private static func byChunk(_ slots: [Int]) -> [Int] {
        let shift = 10
        let chunks = (slots.max() ?? 0) >> shift + 1
        guard chunks <= 4 * slots.count + 1024 else { return slots }
        var starts = [Int](repeating: 0, count: chunks + 1)
        for slot in slots { starts[slot >> shift + 1] += 1 }
        for chunk in 0..<chunks { starts[chunk + 1] += starts[chunk] }
        var sorted = [Int](repeating: 0, count: slots.count)
        for slot in slots {
            sorted[starts[slot >> shift]] = slot
            starts[slot >> shift] += 1
        }
        return sorted
    }
}

extension ObjectTable {
    /// Whether rows can be moved without a word to their objects' fields: there are none, and the first three lanes always have a value.
    fileprivate var movesInBulk: Bool { stored != nil && !info.hasAccessors && plainLaneCount >= 3 }
}
