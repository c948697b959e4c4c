internal import Synchronization

/// The columns of 1,024 slots: mapped from the log, or in memory once patched.
///
/// A mapped chunk stays readable because every snapshot that reaches the handle also holds the mapping. A heap chunk is changed only by the
/// owner that made it, before any snapshot can see it.
package final class ChunkHandle: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let layout: RecordLayout
    /// Slots at and above this were never written.
    @exclusivity(unchecked) var usedSlots: Int
    /// Who may change the bytes in place; 0 for a mapped chunk.
    let owner: UInt64
    /// Where in the log the bytes stand; 0 when they are not there.
    let logOffset: UInt64
    /// What the bytes belong to where somebody else made them; nil for a chunk of its own, or a mapped one.
    private let keeper: AnyObject?
    /// Chunks of the same slots in the lane order of later layouts, made on demand and kept as long as this one.
    private let conversions = Mutex<[ChunkHandle]>([])
    /// The bounds of each lane, found when they are first asked for; they are asked for only of a chunk that nobody changes any more.
    private let extents = Mutex<[LaneExtent?]>([])

    /// A chunk mapped from the log at an offset, or with 0 from an index file.
    init(mapped base: UnsafeRawPointer, at logOffset: UInt64, layout: RecordLayout, usedSlots: Int) {
        self.base = UnsafeMutableRawPointer(mutating: base)
        self.layout = layout
        self.usedSlots = usedSlots
        owner = 0
        self.logOffset = logOffset
        keeper = nil
    }

    /// A chunk of zeros on the heap.
    init(layout: RecordLayout, owner: UInt64) {
        let size = max(layout.chunkByteCount, 64)
        base = .allocate(byteCount: size, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        self.layout = layout
        usedSlots = 0
        self.owner = owner
        logOffset = 0
        keeper = nil
    }

    /// A copy of a chunk on the heap.
    private init(copying other: ChunkHandle, owner: UInt64) {
        let size = max(other.layout.chunkByteCount, 64)
        base = .allocate(byteCount: size, alignment: 64)
        base.copyMemory(from: other.base, byteCount: other.layout.chunkByteCount)
        layout = other.layout
        usedSlots = other.usedSlots
        self.owner = owner
        logOffset = 0
        keeper = nil
    }

    /// What a commit makes of a chunk, as it was handed over; nobody changes it.
    init(_ ready: ReadyChunk, madeOf other: ChunkHandle) {
        base = ready.data
        layout = other.layout
        usedSlots = other.usedSlots
        owner = Self.nobody
        logOffset = 0
        keeper = ready.keeper
    }

    deinit { if owner != 0, keeper == nil { base.deallocate() } }

    /// Whether it was handed over.
    var isReady: Bool { keeper != nil }

    /// A heap copy in the same layout.
    func copy(owner: UInt64) -> ChunkHandle { ChunkHandle(copying: self, owner: owner) }

    @inline(__always)
    func setValidity(_ lane: Int, _ slot: Int, _ isValid: Bool) {
        guard let offset = layout.validityOffsets[lane] else { return }
        let place = base + offset + slot >> 3
        let bit = UInt8(1) << UInt8(slot & 7)
        let old = place.load(as: UInt8.self)
        place.storeBytes(of: isValid ? old | bit : old & ~bit, as: UInt8.self)
    }

    @inline(__always)
    func setBits(_ lane: Int, _ slot: Int, _ bits: UInt64) {
        switch layout.lanes[lane].width {
        case .double: base.storeBytes(of: bits, toByteOffset: layout.laneOffsets[lane] + slot * 8, as: UInt64.self)
        case .float:
            base.storeBytes(of: UInt32(truncatingIfNeeded: bits), toByteOffset: layout.laneOffsets[lane] + slot * 4, as: UInt32.self)
        }
    }

    /// Writes values of a patch, from the one at `start` on, into a lane at these places.
    func write(_ source: PatchLane, from start: Int, _ lane: Int, _ places: [Int]) {
        let width = layout.lanes[lane].width
        guard width == .double, source.width == .double, source.validity == nil, layout.validityOffsets[lane] == nil else {
            for (index, place) in places.enumerated() {
                let isValid = source.isValid(start + index)
                setValidity(lane, place, isValid)
                setBits(lane, place, isValid ? source.bits(start + index, as: width) : 0)
            }
            return
        }
        let target = base + layout.laneOffsets[lane]
        let values = source.values + start * 8
        for (index, place) in places.enumerated() {
            target.storeBytes(
                of: values.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self), toByteOffset: place * 8, as: UInt64.self)
        }
    }

    /// Whether it has values of a patch, from the one at `start` on, in a lane at these places.
    func holds(_ source: PatchLane, from start: Int, _ lane: Int, _ places: [Int]) -> Bool {
        let width = layout.lanes[lane].width
        guard width == .double, source.width == .double, source.validity == nil, layout.validityOffsets[lane] == nil else {
            return places.indices.allSatisfy { index in
                let isValid = source.isValid(start + index)
                return self.isValid(lane, places[index]) == isValid
                    && bits(lane, places[index]) == (isValid ? source.bits(start + index, as: width) : 0)
            }
        }
        let target = base + layout.laneOffsets[lane]
        let values = source.values + start * 8
        var different: UInt64 = 0
        for (index, place) in places.enumerated() {
            different |=
                values.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) ^ target.load(fromByteOffset: place * 8, as: UInt64.self)
        }
        return different == 0
    }

    func bits(_ lane: Int, _ slot: Int) -> UInt64 {
        switch layout.lanes[lane].width {
        case .double: base.loadUnaligned(fromByteOffset: layout.laneOffsets[lane] + slot * 8, as: UInt64.self)
        case .float: UInt64(base.loadUnaligned(fromByteOffset: layout.laneOffsets[lane] + slot * 4, as: UInt32.self))
        }
    }

    /// Whether a slot has a value; always true in a lane that is never null.
    func isValid(_ lane: Int, _ slot: Int) -> Bool {
        guard let offset = layout.validityOffsets[lane] else { return true }
        return base.load(fromByteOffset: offset + slot >> 3, as: UInt8.self) >> UInt8(slot & 7) & 1 != 0
    }

    /// The bounds of a lane. O(1) but for the first time, which reads the lane.
    func extent(_ lane: Int) -> LaneExtent {
        if let known = extents.withLock({ $0.isEmpty ? nil : $0[lane] }) { return known }
        let found = LaneExtent(of: lane, in: base, layout)
        extents.withLock { known in
            if known.isEmpty { known = Array(repeating: nil, count: layout.lanes.count) }
            known[lane] = found
        }
        return found
    }

    /// This chunk in the lane order of a later layout; itself when it is in that layout. `catalog` tells which layout first had a lane.
    func inLayout(_ target: RecordLayout, catalog: Catalog) -> ChunkHandle {
        if layout.number == target.number { return self }
        return conversions.withLock { converted in
            if let known = converted.first(where: { $0.layout.number == target.number }) { return known }
            let fresh = convert(to: target, catalog: catalog, owner: ChunkHandle.nobody)
            converted.append(fresh)
            return fresh
        }
    }

    /// An owner no commit has, for chunks nobody may change any more.
    static let nobody = UInt64.max

    func convert(to target: RecordLayout, catalog: Catalog, owner: UInt64) -> ChunkHandle {
        let result = ChunkHandle(layout: target, owner: owner)
        result.usedSlots = usedSlots
        for (index, lane) in target.lanes.enumerated() {
            if let source = layout.laneIndex(lane.name) {
                for slot in 0..<usedSlots {
                    let valid = isValid(source, slot)
                    result.setValidity(index, slot, valid)
                    if valid { result.setBits(index, slot, Self.convert(bits(source, slot), layout.lanes[source].width, lane.width)) }
                }
            } else {
                // The default of the version that added the lane holds for older rows, whatever later versions say.
                let first = catalog.layouts.first { other in
                    other.entity == layout.entity && other.number > layout.number && other.laneIndex(lane.name) != nil
                }
                let origin = first.flatMap { layout in layout.laneIndex(lane.name).map { layout.lanes[$0] } } ?? lane
                guard let defaultBits = origin.defaultBits else { continue }
                let bits = Self.convert(defaultBits, origin.width, lane.width)
                for slot in 0..<usedSlots {
                    result.setValidity(index, slot, true)
                    result.setBits(index, slot, bits)
                }
            }
        }
        return result
    }

    private static func convert(_ bits: UInt64, _ from: LaneWidth, _ to: LaneWidth) -> UInt64 {
        switch (from, to) {
        case (.double, .double), (.float, .float): bits
        case (.float, .double): Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))).bitPattern
        case (.double, .float): UInt64(Float(Double(bitPattern: bits)).bitPattern)
        }
    }
}
