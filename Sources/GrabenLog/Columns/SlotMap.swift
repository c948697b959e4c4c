/// Where the rows of an entity lie in its chunks when that is not in order of rows: a permutation of the rows below `count`; every later row
/// has the slot of its own number. Absent as long as all rows do.
final class SlotMap: Sendable {
    let slotOfRow: [UInt32]
    let rowOfSlot: [UInt32]

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
        slotOfRow = slots
        rowOfSlot = rows
    }

    @inline(__always) func slot(_ row: Row) -> Int { Int(row) < slotOfRow.count ? Int(slotOfRow[Int(row)]) : Int(row) }
    @inline(__always) func row(_ slot: Int) -> Row {
        slot < rowOfSlot.count ? rowOfSlot[slot] : Row(truncatingIfNeeded: slot)
    }
}
