import GrabenLog

/// Changed rows by the lanes that changed: a few sets of lanes, each with many rows.
struct LanePatches {
    private let geometry: ChunkGeometry
    private var patches: [LanePatch] = []
    private var places: [FieldMask: LanePatch] = [:]
    /// The patch of the last row; the next one mostly has the same lanes.
    private var last: LanePatch?

    init(_ geometry: ChunkGeometry) { self.geometry = geometry }

    /// Adds a row with the lanes that `isChanged` says; none adds nothing.
    @inline(__always)
    mutating func append(_ row: Row, _ slot: Int, _ overlay: OverlayChunk, _ isChanged: (Int) -> Bool) {
        var mask = FieldMask()
        for lane in 0..<geometry.lanes.count where isChanged(lane) { mask.insert(lane) }
        guard !mask.isEmpty else { return }
        patch(mask).append(row, slot, overlay.data, geometry)
    }

    private mutating func patch(_ mask: FieldMask) -> LanePatch {
        if let last, last.mask == mask { return last }
        let patch = places[mask] ?? LanePatch(mask)
        if places.updateValue(patch, forKey: mask) == nil { patches.append(patch) }
        last = patch
        return patch
    }

    /// Adds the unsaved slots of a chunk with the lanes in which they differ from the base, where all lanes are plain. `row` is a slot's row;
    /// those above `last` are left out.
    ///
    /// Answers whether the chunk is now, bit by bit, what its base becomes by what was added: a NaN of other bits than the one before is no change.
    mutating func append(_ overlay: OverlayChunk, upTo last: Int, row: (Int) -> Row) -> Bool {
        let (data, base, lanes) = (overlay.data, overlay.base, overlay.lanes)
        let laneCount = min(geometry.lanes.count, 64 - lanes.leadingZeroBitCount)
        var isExact = true
        var current = self.last
        overlay.dirty.forEach { slot in
            let row = row(slot)
            guard Int(row) <= last else {
                isExact = false
                return
            }
            var mask: UInt64 = 0
            for lane in 0..<laneCount where lanes >> UInt64(lane) & 1 != 0 {
                let offset = (lane * ChunkGeometry.slotsPerChunk + slot) * 8
                let (new, old) = (data.load(fromByteOffset: offset, as: Double.self), base.load(fromByteOffset: offset, as: Double.self))
                guard new.bitPattern != old.bitPattern else { continue }
                if new.isNaN, old.isNaN { isExact = false } else { mask |= 1 << UInt64(lane) }
            }
            guard mask != 0 else { return }
            if current?.mask.low != mask { current = patch(FieldMask(low: mask)) }
            current?.append(row, slot, data)
        }
        return isExact
    }

    func write(_ layout: RecordLayout, _ commit: inout CommitBuilder) {
        for patch in patches.sorted(by: { $0.lanes.lexicographicallyPrecedes($1.lanes) }) { patch.write(layout, &commit) }
    }
}

/// Rows whose same lanes changed. A class, so that a row is added in place. Exclusivity is unchecked: adding one calls nobody.
private final class LanePatch {
    let mask: FieldMask
    let lanes: [Int]
    @exclusivity(unchecked) private var rows: ContiguousArray<Row> = []
    /// Row by row the bits of each lane.
    @exclusivity(unchecked) private var bits: ContiguousArray<UInt64> = []
    /// The places in `bits` that stand for nil.
    @exclusivity(unchecked) private var nulls: [Int] = []

    init(_ mask: FieldMask) {
        self.mask = mask
        lanes = mask.members
    }

    @inline(__always)
    func append(_ row: Row, _ slot: Int, _ chunk: UnsafeRawPointer, _ geometry: ChunkGeometry) {
        rows.append(row)
        for lane in lanes {
            if !geometry.isValid(chunk, lane, slot) { nulls.append(bits.count) }
            bits.append(geometry.bits(chunk, lane, slot))
        }
    }

    /// The same where all lanes are plain.
    @inline(__always)
    func append(_ row: Row, _ slot: Int, _ chunk: UnsafeRawPointer) {
        rows.append(row)
        for lane in lanes { bits.append(chunk.load(fromByteOffset: (lane * ChunkGeometry.slotsPerChunk + slot) * 8, as: UInt64.self)) }
    }

    /// Writes the patch lane by lane, as it stands in a file.
    func write(_ layout: RecordLayout, _ commit: inout CommitBuilder) {
        let (laneCount, rowCount) = (lanes.count, rows.count)
        var turned = bits
        if laneCount > 1 {
            turned = ContiguousArray(unsafeUninitializedCapacity: bits.count) { buffer, count in
                for lane in 0..<laneCount {
                    for row in 0..<rowCount { buffer[lane * rowCount + row] = bits[row * laneCount + lane] }
                }
                count = bits.count
            }
        }
        var valid: [Bool]?
        if !nulls.isEmpty {
            var flags = [Bool](repeating: true, count: bits.count)
            for place in nulls { flags[place % laneCount * rowCount + place / laneCount] = false }
            valid = flags
        }
        rows.withUnsafeBufferPointer { rows in
            turned.withUnsafeBufferPointer { bits in
                if let valid {
                    valid.withUnsafeBufferPointer { commit.appendPatch(layout: layout, lanes: lanes, rows: rows, bits: bits, valid: $0) }
                } else {
                    commit.appendPatch(layout: layout, lanes: lanes, rows: rows, bits: bits, valid: nil)
                }
            }
        }
    }
}
