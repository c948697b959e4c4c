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
    /// The address of each slot's record; of some slots only unless `isLoaded`.
    private let words: UnsafeMutablePointer<UInt64>
    /// The row of each slot, where that is not its number.
    private let rows: UnsafeMutablePointer<Row>?
    /// What is left to look at of a batch, and what a kernel has found to pass.
    private let left: Bits
    private let passed: Bits
    // Exclusivity is unchecked: a scan belongs to one thread and nothing it calls comes back to it.
    @exclusivity(unchecked) private var batch = -1
    @exclusivity(unchecked) private var isLoaded = false
    @exclusivity(unchecked) private var block: RecordBlock?
    @exclusivity(unchecked) private var window = graben_window()
    /// The block `window` lies in, which `block` may be no longer where a record could not be read; nil for a mapping.
    @exclusivity(unchecked) private(set) var windowBlock: RecordBlock?
    /// The windows and layouts that kernels have tested for in this call of `keep`.
    @exclusivity(unchecked) private var tested: [Tested] = []
    /// How often a kernel was asked.
    @exclusivity(unchecked) private(set) var kernelCount = 0

    private struct Tested: Equatable {
        let start: UInt64
        let layoutNumber: UInt32
    }

    package init(_ snapshot: LogSnapshot, _ entity: EntityCode) {
        self.snapshot = snapshot
        self.entity = entity
        state = snapshot.state(entity)
        rowCount = state.map { Int($0.highestRow + 1) } ?? 0
        isInRowOrder = state?.slotMap == nil
        isDense = state.map { $0.slotMap == nil && $0.liveCount == Int($0.highestRow + 1) } ?? false
        words = .allocate(capacity: slotsPerChunk)
        words.initialize(repeating: 0, count: slotsPerChunk)
        rows = isInRowOrder ? nil : .allocate(capacity: slotsPerChunk)
        rows?.initialize(repeating: 0, count: slotsPerChunk)
        left = .allocate(capacity: 2 * Self.wordsPerBatch)
        left.initialize(repeating: 0, count: 2 * Self.wordsPerBatch)
        passed = left + Self.wordsPerBatch
    }

    deinit {
        words.deallocate()
        rows?.deallocate()
        left.deallocate()
    }

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
            _ = graben_present_u64(words, slotsPerChunk, bits)
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
        if let map = state.slotMap, let rows {
            for slot in 0..<slotsPerChunk {
                rows[slot] = map.row(first + slot)
                words[slot] = UInt64(state.records[Int(rows[slot])])
            }
            return
        }
        words.withMemoryRebound(to: UInt.self, capacity: slotsPerChunk) { words in
            for leaf in 0..<slotsPerChunk / PagedArray.fanOut {
                state.records.copyLeaf(first / PagedArray.fanOut + leaf, into: words + leaf * PagedArray.fanOut)
            }
        }
    }

    /// Finds the addresses of some slots' records: a few cost less to look up than all of them to copy.
    private func loadAddresses(of bits: Bits, _ state: EntityState) {
        if isLoaded { return }
        if (0..<Self.wordsPerBatch).reduce(0, { $0 + bits[$1].nonzeroBitCount }) >= 64 { return load() }
        for index in 0..<Self.wordsPerBatch {
            var rest = bits[index]
            while rest != 0 {
                let slot = index * 64 + rest.trailingZeroBitCount
                rest &= rest &- 1
                let row = row(slot)
                rows?[slot] = row
                words[slot] = UInt64(state.records[Int(row)])
            }
        }
    }

    /// Clears the bits of slots whose field does not pass, and moves those to `unsure` whose record the test cannot answer for: one of a layout that
    /// lacks the field or holds another kind of value in it.
    package func keep(_ bits: Bits, unsure: Bits, where field: FieldScan) throws(LogError) {
        guard let state else { return }
        loadAddresses(of: bits, state)
        left.update(from: bits, count: Self.wordsPerBatch)
        bits.update(repeating: 0, count: Self.wordsPerBatch)
        var isVerified = false
        tested.removeAll(keepingCapacity: true)
        // Kernels test what lies in one window and has one layout; what they leave is looked at one by one, till another window or layout is met.
        // One that was met before is not tested for again: where records lie by turns in a mapping and in a block, each would be another.
        while true {
            if field.isAnswered, window.bytes != nil {
                let unchecked = test(field, bits)
                if unchecked.first <= unchecked.last, !isVerified {
                    isVerified = true
                    snapshot.verify(unchecked)
                    continue
                }
            }
            var current = Tested(start: window.start, layoutNumber: field.layoutNumber)
            tested.append(current)
            var isMoved = false
            var index = 0
            while index < Self.wordsPerBatch, !isMoved {
                while left[index] != 0, !isMoved {
                    let bit = left[index].trailingZeroBitCount
                    left[index] &= left[index] &- 1
                    switch try look(index * 64 + bit, field, state) {
                    case true?: bits[index] |= 1 << UInt64(bit)
                    case false?: break
                    case nil: unsure[index] |= 1 << UInt64(bit)
                    }
                    let next = Tested(start: window.start, layoutNumber: field.layoutNumber)
                    if next != current {
                        current = next
                        isMoved = !tested.contains(next)
                    }
                }
                index += 1
            }
            if !isMoved { return }
        }
    }

    /// Asks a kernel for the slots in `left`, and adds those that pass to `bits`.
    private func test(_ field: FieldScan, _ bits: Bits) -> graben_unchecked {
        kernelCount += 1
        var unchecked = graben_unchecked(first: .max, last: 0)
        let firstRow = Row(truncatingIfNeeded: batch * slotsPerChunk)
        var slots = graben_batch(words: words, rows: rows.map { UnsafePointer($0) }, first_row: firstRow)
        var (place, quick) = (field.place, field.quick)
        graben_test_records(&window, &slots, &place, &quick, left, passed, left, field.found, &unchecked)
        for index in 0..<Self.wordsPerBatch {
            guard let found = field.found else {
                bits[index] |= passed[index]
                continue
            }
            var rest = passed[index]
            while rest != 0 {
                let bit = rest.trailingZeroBitCount
                rest &= rest &- 1
                let place = found[index * 64 + bit]
                if field.passes(UnsafeRawBufferPointer(start: place.bytes, count: place.count)) { bits[index] |= 1 << UInt64(bit) }
            }
        }
        return unchecked
    }

    /// Whether the record in a slot passes; nil where the test has no answer for it.
    private func look(_ slot: Int, _ field: FieldScan, _ state: EntityState) throws(LogError) -> Bool? {
        let word = UInt64(words[slot])
        if word == 0 { return false }
        let head = try snapshot.head(word, in: &block)
        guard head.row == row(slot) else { throw snapshot.unreadable(word, .invalid) }
        if !(word >= window.start && word < window.end) {
            window = snapshot.window(around: word, in: block)
            windowBlock = RecordAddress(word).isInBlock ? block : nil
        }
        if head.layoutNumber != field.layoutNumber {
            guard let layout = snapshot.table[head.layoutNumber], layout.entity == entity else { throw snapshot.unreadable(word, .invalid) }
            field.prepare(layout)
        }
        guard field.isAnswered else { return nil }
        do throws(ByteError) { return try field.passes(head) } catch { throw snapshot.unreadable(word, error) }
    }
}

extension LogSnapshot {
    /// Compares what lies between two records with its checksums. Where that fails, each record is asked for by itself: what is bad may be none.
    func verify(_ unchecked: graben_unchecked) {
        // Records that lie further apart are not likely to have only records of the batch between them.
        guard unchecked.last - unchecked.first < 1 << 20 else { return }
        try? checkpoint?.log.verify(unchecked.first, Int(unchecked.last - unchecked.first) + 1)
    }

    /// The memory around a record: its block, where that has been read, or the mapping it lies in.
    func window(around word: UInt64, in block: RecordBlock?) -> graben_window {
        var window = graben_window()
        if RecordAddress(word).isInBlock {
            guard let block, let start = try? RecordAddress.wordOfBlock(at: block.sectionOffset) else { return window }
            window.bytes = block.base.assumingMemoryBound(to: UInt8.self)
            (window.start, window.end) = (start, start + UInt64(block.count))
            return window
        }
        guard let region = region(word, 1) else { return window }
        window.bytes = region.base.assumingMemoryBound(to: UInt8.self)
        (window.start, window.end) = (region.fileOffset, min(endOffset, region.fileOffset + UInt64(region.length)))
        guard let log = checkpoint?.log else { return window }
        window.unchecked_end = log.end
        window.checked = UnsafeRawPointer(log.verified.words).assumingMemoryBound(to: UInt64.self)
        window.unit_bits = UInt32(LogBlocks.unitBits)
        return window
    }
}
