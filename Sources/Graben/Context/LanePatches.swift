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
        if let last, last.mask == mask { return last.append(row, slot, overlay.data, geometry) }
        let patch: LanePatch
        if let known = places[mask] {
            patch = known
        } else {
            patch = LanePatch(mask)
            places[mask] = patch
            patches.append(patch)
        }
        last = patch
        patch.append(row, slot, overlay.data, geometry)
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

    /// Writes the patch lane by lane, as it stands in a file.
    func write(_ layout: RecordLayout, _ commit: inout CommitBuilder) {
        let (laneCount, rowCount) = (lanes.count, rows.count)
        let turned = [UInt64](unsafeUninitializedCapacity: bits.count) { buffer, count in
            for lane in 0..<laneCount {
                for row in 0..<rowCount { buffer[lane * rowCount + row] = bits[row * laneCount + lane] }
            }
            count = bits.count
        }
        var valid: [Bool]?
        if !nulls.isEmpty {
            var flags = [Bool](repeating: true, count: bits.count)
            for place in nulls { flags[place % laneCount * rowCount + place / laneCount] = false }
            valid = flags
        }
        commit.appendPatch(layout: layout, lanes: lanes, rows: Array(rows), bits: turned, valid: valid)
    }
}
