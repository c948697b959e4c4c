import GrabenLog

/// Packed attributes: read through the chunk's entry, without firing the object's fault.
///
/// `lane` counts the entity's packed attributes from 0, inherited ones first; it has to be a literal for the getter to cost two loads. The
/// functions without "Float" in their name need every lane up to theirs to be a Double lane. `ManagedObject.packedAttributes` is how a
/// class has its numbers checked against the model when it is bound; a number beyond the entity's lanes is a mistake that debug builds trap
/// on and release builds do not look for.
extension ManagedObject {
    /// Whether packed getters can read through a word's entry.
    @inlinable @inline(__always)
    static func isFast(_ word: UInt64) -> Bool { word & 1 == 0 }

    /// Where a slot's value lies in the Double lane that begins `offset` bytes into the chunk.
    @inlinable @inline(__always)
    static func lanes(of word: UInt64, at offset: Int) -> UnsafeRawPointer {
        // Every word is made from an entry's address, and every entry points at a chunk (`ChunkTable`).
        UnsafePointer<UnsafeRawPointer>(bitPattern: UInt(truncatingIfNeeded: word >> 16) & ~15).unsafelyUnwrapped.pointee
            + (offset &+ slotOffset(word))
    }

    /// The slot's byte offset in a Double lane.
    @inlinable @inline(__always)
    static func slotOffset(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word & 0x1FF8) }

    /// Reads one Double lane. Complexity: O(1), two loads.
    @inlinable @inline(__always)
    public final func packed(_ lane: Int) -> Double {
        assert(hasLanes(doubles: lane &+ 1, floats: 0), "lane \(lane) is not a Double lane of the entity; declare packedAttributes")
        let word = _word
        guard Self.isFast(word) else { return packedSlow(lane) }
        return Self.lanes(of: word, at: lane &* 8192).load(as: Double.self)
    }

    /// Reads three Double lanes that follow one another, as a point. Complexity: O(1), four loads.
    @inlinable @inline(__always)
    public final func packed3(_ lane: Int) -> SIMD3<Double> {
        assert(
            hasLanes(doubles: lane &+ 3, floats: 0),
            "lanes \(lane) to \(lane + 2) are not Double lanes of the entity; declare packedAttributes")
        let word = _word
        guard Self.isFast(word) else { return SIMD3(packedSlow(lane), packedSlow(lane &+ 1), packedSlow(lane &+ 2)) }
        let base = Self.lanes(of: word, at: lane &* 8192)
        return SIMD3(
            base.load(as: Double.self), base.load(fromByteOffset: 8192, as: Double.self), base.load(fromByteOffset: 16384, as: Double.self))
    }

    /// Reads a Float lane; `doubles` and `floats` say how many lanes of each width stand before it. Complexity: O(1), two loads.
    @inlinable @inline(__always)
    public final func packedFloat(afterDoubles doubles: Int, floats: Int) -> Float {
        assert(hasLanes(doubles: doubles, floats: floats &+ 1), "lane \(doubles + floats) is not that Float lane of the entity")
        let word = _word
        guard Self.isFast(word) else { return Float(packedSlow(doubles &+ floats)) }
        return Self.lanes(of: word, at: doubles &* 8192 &+ floats &* 4096 &- Self.slotOffset(word) / 2).load(as: Float.self)
    }

    /// Reads an optional Double lane. Complexity: O(1).
    public final func packedOptional(_ lane: Int) -> Double? {
        if has(ObjectFlag.slow) { noteTrackedAccess(lane: lane) }
        if case .double(let value) = packedValue(lane) { return value }
        return nil
    }

    /// Reads an optional Float lane. Complexity: O(1).
    public final func packedOptionalFloat(_ lane: Int) -> Float? {
        if has(ObjectFlag.slow) { noteTrackedAccess(lane: lane) }
        if case .float(let value) = packedValue(lane) { return value }
        return nil
    }

    /// Reads a lane between `willAccessValue(forKey:)` and `didAccessValue(forKey:)`, for classes that observe access.
    public final func packedObserved(_ lane: Int) -> Double {
        guard let key = info.laneKey(lane) else { return packedSlow(lane) }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return packedSlow(lane)
    }

    /// Whether the entity's lanes begin with so many Doubles and Floats, in any order.
    @usableFromInline
    final func hasLanes(doubles: Int, floats: Int) -> Bool {
        // Where this is asked at all, in debug builds.
        _table.context?.checkOwner(self)
        let lanes = info.geometry.lanes.prefix(doubles + floats)
        return info.probe != nil
            || doubles >= 0 && floats >= 0 && lanes.count == doubles + floats && lanes.count(where: \.isDouble) == doubles
    }

    /// What the fast getters cannot read: objects outside a context, and those whose reads are noted. Runs no user code, because the compiler
    /// is told that it releases nothing (an opaque call would make it retain the object around every read). That it is told of no side
    /// effects either costs a noted read that nobody uses, which it may leave out.
    @inline(never) @usableFromInline @_effects(readonly)
    final func packedSlow(_ lane: Int) -> Double {
        if has(ObjectFlag.registered) { noteTrackedAccess(lane: lane) }
        return switch packedValue(lane) {
        case .double(let value): value
        case .float(let value): Double(value)
        default: 0
        }
    }

    /// Sets a Double lane, with the change announced and recorded.
    public final func setPacked(_ lane: Int, _ value: Double) {
        if !setLaneQuietly(lane, value), !changeLaneQuickly(lane, to: value) { setPackedValue(lane, .double(value)) }
    }
    /// Sets an optional Double lane, with the change announced and recorded.
    public final func setPacked(_ lane: Int, _ value: Double?) { setPackedValue(lane, value.map { .double($0) } ?? .null) }
    /// Sets a Float lane, with the change announced and recorded.
    public final func setPackedFloat(_ lane: Int, _ value: Float?) { setPackedValue(lane, value.map { .float($0) } ?? .null) }
    /// Sets three Double lanes, each with its change announced and recorded.
    public final func setPacked3(_ lane: Int, _ value: SIMD3<Double>) {
        setPacked(lane, value.x)
        setPacked(lane + 1, value.y)
        setPacked(lane + 2, value.z)
    }

    final func setPackedValue(_ lane: Int, _ value: Value) {
        guard lane < info.laneProperties.count else { return }
        change(info.properties[info.laneProperties[lane]], to: value)
    }

    @inline(never)
    private final func probedLane(_ lane: Int) -> Value {
        guard let probe = info.probe else { return .null }
        let keys = type(of: self).packedAttributes ?? []
        return probe.lane(lane < keys.count ? keys[lane] : "\(lane)")
    }

    /// A lane's value as the column (or the object outside a context) has it; never reads past a field of the class's own.
    final func packedValue(_ lane: Int) -> Value {
        if !isLoose, let value = withTable({ $0.laneValue(lane, of: _entry, slot) }) { return value }
        guard lane < info.laneProperties.count else { return probedLane(lane) }
        if isLoose {
            return _data?.values[info.laneProperties[lane]] ?? info.properties[info.laneProperties[lane]].defaultValue
        }
        return info.geometry.value(_entry.pointee, lane, slot)
    }
}
