/// Where the rows of an entity lie in its chunks when that is not in order of rows: a permutation of the rows below `count`; every later row
/// has the slot of its own number. Absent as long as all rows do.
package final class SlotMap: Sendable {
    private enum Storage {
        case arrays(slotOfRow: [UInt32], rowOfSlot: [UInt32])
        /// Two lists of 32-bit numbers in an index file, one behind the other.
        case mapped(offset: Int, entity: EntityCode, Checkpoint)
    }

    /// How many rows the map is about.
    let count: Int
    private let storage: Storage

    /// A map as an index file holds it; what is in a bad block comes from the log.
    init(_ entity: IndexRoot.Entity, checkpoint: Checkpoint) {
        count = entity.slots.count
        storage = .mapped(offset: entity.slots.offset, entity: entity.code, checkpoint)
    }

    /// Rows in the order of their chunks, each chunk's list at its slots; the rows below `count` that are in no list get the free slots.
    ///
    /// Answers nil when the lists name a row twice or beyond `count`.
    init?(count: Int, chunkLists: [[Row]]) {
        guard count % slotsPerChunk == 0, chunkLists.count * slotsPerChunk <= count else { return nil }
        var slots = [UInt32](repeating: .max, count: count)
        var rows = [UInt32](repeating: .max, count: count)
        for (chunk, list) in chunkLists.enumerated() {
            for (index, row) in list.enumerated() {
                guard Int(row) < count, slots[Int(row)] == .max, index < slotsPerChunk else { return nil }
                let slot = chunk * slotsPerChunk + index
                slots[Int(row)] = UInt32(slot)
                rows[slot] = row
            }
        }
        var free = 0
        for row in 0..<count where slots[row] == .max {
            while rows[free] != .max { free += 1 }
            slots[row] = UInt32(free)
            rows[free] = UInt32(row)
        }
        self.count = count
        storage = .arrays(slotOfRow: slots, rowOfSlot: rows)
    }

    package func slot(_ row: Row) -> Int {
        guard Int(row) < count else { return Int(row) }
        switch storage {
        case .arrays(let slotOfRow, _): return Int(slotOfRow[Int(row)])
        case .mapped(let offset, let entity, let checkpoint):
            if let slot = number(offset, Int(row), checkpoint) { return slot }
            return checkpoint.rebuilt(entity)?.slot(row) ?? Int(row)
        }
    }

    package func row(_ slot: Int) -> Row {
        guard slot >= 0, slot < count else { return Row(truncatingIfNeeded: slot) }
        switch storage {
        case .arrays(_, let rowOfSlot): return rowOfSlot[slot]
        case .mapped(let offset, let entity, let checkpoint):
            if let row = number(offset + count * 4, slot, checkpoint) { return Row(truncatingIfNeeded: row) }
            return checkpoint.rebuilt(entity)?.row(slot) ?? Row(truncatingIfNeeded: slot)
        }
    }

    /// A number of a mapped list; nil where it is not one of a permutation.
    private func number(_ offset: Int, _ index: Int, _ checkpoint: Checkpoint) -> Int? {
        guard let bytes = checkpoint.file.bytes(offset + index * 4, 4) else { return nil }
        let number = Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
        if number < count { return number }
        checkpoint.file.distrust()
        return nil
    }
}
