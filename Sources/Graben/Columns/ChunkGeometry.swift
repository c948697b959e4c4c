import GrabenLog

/// Where the lanes and validity bitmaps of an entity's chunks lie in memory.
///
///     0            8192         16384        24576     24704
///     | x × 1,024  | y × 1,024  | z × 1,024  | valid x | …     rounded up to 64
///
/// A Double lane takes 8,192 bytes, a Float lane 4,096; each optional lane has a bitmap of 128 bytes behind the lanes, bit set = has a
/// value. It is the layout of a chunk in the file, so a chunk can be used where it lies.
package struct ChunkGeometry: Sendable, Equatable {
    package struct Lane: Sendable, Equatable {
        package var offset: Int
        package var isDouble: Bool
        /// The byte offset of the validity bitmap, or nil where every value is valid.
        package var validityOffset: Int?
    }

    package static let slotsPerChunk = 1024
    package let lanes: [Lane]
    package let byteCount: Int

    package init(lanes widths: [(isDouble: Bool, isOptional: Bool)]) {
        var lanes: [Lane] = []
        var offset = 0
        for (isDouble, _) in widths {
            lanes.append(Lane(offset: offset, isDouble: isDouble, validityOffset: nil))
            offset += Self.slotsPerChunk * (isDouble ? 8 : 4)
        }
        for (index, (_, isOptional)) in widths.enumerated() where isOptional {
            lanes[index].validityOffset = offset
            offset += Self.slotsPerChunk / 8
        }
        self.lanes = lanes
        byteCount = (offset + 63) & ~63
    }

    /// The bits of one value as they are stored; a float in the low half.
    @inline(__always)
    func bits(_ chunk: UnsafeRawPointer, _ lane: Int, _ slot: Int) -> UInt64 {
        let lane = lanes[lane]
        return lane.isDouble
            ? chunk.load(fromByteOffset: lane.offset + slot * 8, as: UInt64.self)
            : UInt64(chunk.load(fromByteOffset: lane.offset + slot * 4, as: UInt32.self))
    }

    @inline(__always)
    func setBits(_ chunk: UnsafeMutableRawPointer, _ lane: Int, _ slot: Int, _ bits: UInt64) {
        let lane = lanes[lane]
        if lane.isDouble {
            chunk.storeBytes(of: bits, toByteOffset: lane.offset + slot * 8, as: UInt64.self)
        } else {
            chunk.storeBytes(of: UInt32(truncatingIfNeeded: bits), toByteOffset: lane.offset + slot * 4, as: UInt32.self)
        }
    }

    @inline(__always)
    func isValid(_ chunk: UnsafeRawPointer, _ lane: Int, _ slot: Int) -> Bool {
        guard let offset = lanes[lane].validityOffset else { return true }
        return chunk.load(fromByteOffset: offset + slot / 8, as: UInt8.self) & (1 << UInt8(slot & 7)) != 0
    }

    @inline(__always)
    func setValid(_ chunk: UnsafeMutableRawPointer, _ lane: Int, _ slot: Int, _ valid: Bool) {
        guard let offset = lanes[lane].validityOffset else { return }
        let byte = chunk.load(fromByteOffset: offset + slot / 8, as: UInt8.self)
        let mask = UInt8(1) << UInt8(slot & 7)
        chunk.storeBytes(of: valid ? byte | mask : byte & ~mask, toByteOffset: offset + slot / 8, as: UInt8.self)
    }

    /// One value; `.null` where the lane is optional and the slot has none.
    func value(_ chunk: UnsafeRawPointer, _ lane: Int, _ slot: Int) -> Value {
        guard isValid(chunk, lane, slot) else { return .null }
        let bits = bits(chunk, lane, slot)
        return lanes[lane].isDouble
            ? .double(Double(bitPattern: bits)) : .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    /// Writes one value; `.null` clears the bits too, so that equal values have equal bytes.
    func setValue(_ chunk: UnsafeMutableRawPointer, _ lane: Int, _ slot: Int, _ value: Value) {
        switch value {
        case .double(let value): setBits(chunk, lane, slot, value.bitPattern)
        case .float(let value): setBits(chunk, lane, slot, UInt64(value.bitPattern))
        default:
            setBits(chunk, lane, slot, 0)
            setValid(chunk, lane, slot, false)
            return
        }
        setValid(chunk, lane, slot, true)
    }

    /// Copies every lane of one slot from a chunk to another.
    func copySlot(_ slot: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        for lane in lanes.indices {
            setBits(target, lane, slot, bits(source, lane, slot))
            setValid(target, lane, slot, isValid(source, lane, slot))
        }
    }

    /// Whether every lane is of doubles that are always there.
    var isPlain: Bool { lanes.count <= 64 && lanes.allSatisfy { $0.isDouble && $0.validityOffset == nil } }

    /// Whether two chunks hold the same values in a slot; NaN equals itself whatever its payload.
    func slotsEqual(_ slot: Int, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        lanes.indices.allSatisfy { valuesEqual($0, slot, a, b) }
    }

    func valuesEqual(_ lane: Int, _ slot: Int, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        let x = bits(a, lane, slot)
        let y = bits(b, lane, slot)
        let validX = isValid(a, lane, slot)
        guard validX == isValid(b, lane, slot) else { return false }
        if !validX || x == y { return true }
        return lanes[lane].isDouble
            ? Double(bitPattern: x).isNaN && Double(bitPattern: y).isNaN
            : Float(bitPattern: UInt32(truncatingIfNeeded: x)).isNaN && Float(bitPattern: UInt32(truncatingIfNeeded: y)).isNaN
    }
}
