internal import CGraben

/// The records of one entity in a snapshot, 1,024 slots at a time, tested where they lie.
///
/// A batch is a chunk's slots, so that bitmaps of lanes and of records meet. Rows stand in slots in order of their numbers, but where a compaction
/// has ordered chunks anew. Used by one thread.
package final class RecordScan {
    /// A bit for each slot of a batch.
    package typealias Bits = UnsafeMutablePointer<UInt64>
    package static let wordsPerBatch = slotsPerChunk / 64

    private let snapshot: LogSnapshot
    private let entity: EntityCode
    private let state: EntityState?
    /// Whether every row up to the highest exists and stands in its own slot.
    private let isDense: Bool
    private let rowCount: Int
    private let addresses: UnsafeMutablePointer<UInt>
    // Exclusivity is unchecked: a scan belongs to one thread and nothing it calls comes back to it.
    @exclusivity(unchecked) private var batch = -1
    @exclusivity(unchecked) private var isLoaded = false
    @exclusivity(unchecked) private var block: RecordBlock?
    @exclusivity(unchecked) private var window = CheckedWindow()

    package init(_ snapshot: LogSnapshot, _ entity: EntityCode) {
        self.snapshot = snapshot
        self.entity = entity
        state = snapshot.state(entity)
        rowCount = state.map { Int($0.highestRow + 1) } ?? 0
        isInRowOrder = state?.slotMap == nil
        isDense = state.map { $0.slotMap == nil && $0.liveCount == Int($0.highestRow + 1) } ?? false
        addresses = .allocate(capacity: slotsPerChunk)
        addresses.initialize(repeating: 0, count: slotsPerChunk)
    }

    deinit { addresses.deallocate() }

    /// How many batches hold all rows.
    package var batchCount: Int {
        (max(rowCount, state?.slotMap?.count ?? 0) + slotsPerChunk - 1) / slotsPerChunk
    }

    /// Whether rows stand in slots in the order of their numbers.
    package let isInRowOrder: Bool

    /// The row in a slot of the current batch.
    @inline(__always)
    package func row(_ slot: Int) -> Row {
        state?.row(batch * slotsPerChunk + slot) ?? Row(truncatingIfNeeded: batch * slotsPerChunk + slot)
    }

    /// Where a row stands.
    package func place(_ row: Row) -> (batch: Int, slot: Int) {
        let slot = state?.slot(row) ?? Int(row)
        return (slot / slotsPerChunk, slot % slotsPerChunk)
    }

    /// Whether any row of a batch can exist: a file of a few objects can claim four billion rows.
    package func hasRows(_ batch: Int) -> Bool {
        guard let state, !isDense, isInRowOrder else { return true }
        let leaves = slotsPerChunk / PagedArray.fanOut
        return (batch * leaves..<(batch + 1) * leaves).contains { state.records.hasLeaf($0) }
    }

    /// Moves to a batch, and sets the bits of the slots whose rows exist.
    package func begin(_ batch: Int, live bits: Bits) throws(LogError) {
        move(to: batch)
        let first = batch * slotsPerChunk
        if isDense {
            let count = max(0, min(slotsPerChunk, rowCount - first))
            for word in 0..<Self.wordsPerBatch {
                let inWord = min(max(count - word * 64, 0), 64)
                bits[word] = inWord == 64 ? .max : (1 << UInt64(inWord)) - 1
            }
        } else {
            load()
            addresses.withMemoryRebound(to: UInt64.self, capacity: slotsPerChunk) { _ = graben_present_u64($0, slotsPerChunk, bits) }
        }
        if let failure = snapshot.checkpoint?.failure { throw failure }
    }

    /// Moves to a batch of which some rows are of interest.
    package func move(to batch: Int) {
        guard batch != self.batch else { return }
        self.batch = batch
        isLoaded = false
    }

    private func load() {
        guard !isLoaded, let state else { return }
        isLoaded = true
        let first = batch * slotsPerChunk
        if let map = state.slotMap {
            for slot in 0..<slotsPerChunk { addresses[slot] = state.records[Int(map.row(first + slot))] }
            return
        }
        for leaf in 0..<slotsPerChunk / PagedArray.fanOut {
            state.records.copyLeaf(first / PagedArray.fanOut + leaf, into: addresses + leaf * PagedArray.fanOut)
        }
    }

    /// Clears the bits of slots whose field does not pass, and moves those to `unsure` whose record the test cannot answer for: one of a layout that
    /// lacks the field or holds another kind of value in it.
    package func keep(_ bits: Bits, unsure: Bits, where field: FieldScan) throws(LogError) {
        guard let state else { return }
        let (first, isIdentity) = (batch * slotsPerChunk, isInRowOrder)
        // A few addresses cost less to look up than all of them to copy.
        if !isLoaded, (0..<Self.wordsPerBatch).reduce(0, { $0 + bits[$1].nonzeroBitCount }) >= 64 { load() }
        for index in 0..<Self.wordsPerBatch {
            var rest = bits[index]
            if rest == 0 { continue }
            var kept: UInt64 = 0
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest &- 1
                let slot = index * 64 + bit
                let row = isIdentity ? Row(truncatingIfNeeded: first + slot) : self.row(slot)
                let word = UInt64(isLoaded ? addresses[slot] : state.records[Int(row)])
                if word == 0 { continue }
                let head = try snapshot.head(word, in: &block, &window)
                guard head.row == row else { throw snapshot.unreadable(word, .invalid) }
                if head.layoutNumber != field.layoutNumber {
                    guard let layout = snapshot.table[head.layoutNumber], layout.entity == entity else {
                        throw snapshot.unreadable(word, .invalid)
                    }
                    field.prepare(layout)
                }
                guard let locator = field.locator else {
                    unsure[index] |= 1 << UInt64(bit)
                    continue
                }
                do throws(ByteError) {
                    if try field.passes(head, locator) { kept |= 1 << UInt64(bit) }
                } catch { throw snapshot.unreadable(word, error) }
            }
            bits[index] = kept
        }
    }
}
