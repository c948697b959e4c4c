/// Packed getters behind any lanes: those of superclasses, and Float lanes among them. `@Entity` calls them.
extension ManagedObject {
    /// Reads the Double lane at a place. Complexity: O(1), two loads.
    @inlinable @inline(__always)
    public final func packed(at place: AccessorPlace) -> Double {
        assert(hasLanes(doubles: place.doubles &+ 1, floats: place.floats), "lane \(place.lane) is not a Double lane of the entity")
        let word = _word
        guard Self.isFast(word) else { return packedSlow(place.lane) }
        return Self.lanes(of: word, at: place.offset).load(as: Double.self)
    }

    /// Reads the two Double lanes at a place. Complexity: O(1), three loads.
    @inlinable @inline(__always)
    public final func packed2(at place: AccessorPlace) -> SIMD2<Double> {
        assert(hasLanes(doubles: place.doubles &+ 2, floats: place.floats), "lane \(place.lane) does not begin two Double lanes")
        let (word, lane) = (_word, place.lane)
        guard Self.isFast(word) else { return SIMD2(packedSlow(lane), packedSlow(lane &+ 1)) }
        let base = Self.lanes(of: word, at: place.offset)
        return SIMD2(base.load(as: Double.self), base.load(fromByteOffset: 8192, as: Double.self))
    }

    /// Reads the three Double lanes at a place. Complexity: O(1), four loads.
    @inlinable @inline(__always)
    public final func packed3(at place: AccessorPlace) -> SIMD3<Double> {
        assert(hasLanes(doubles: place.doubles &+ 3, floats: place.floats), "lane \(place.lane) does not begin three Double lanes")
        let (word, lane) = (_word, place.lane)
        guard Self.isFast(word) else { return SIMD3(packedSlow(lane), packedSlow(lane &+ 1), packedSlow(lane &+ 2)) }
        let base = Self.lanes(of: word, at: place.offset)
        return SIMD3(
            base.load(as: Double.self), base.load(fromByteOffset: 8192, as: Double.self), base.load(fromByteOffset: 16384, as: Double.self))
    }

    /// Reads the four Double lanes at a place. Complexity: O(1), five loads.
    @inlinable @inline(__always)
    public final func packed4(at place: AccessorPlace) -> SIMD4<Double> {
        assert(hasLanes(doubles: place.doubles &+ 4, floats: place.floats), "lane \(place.lane) does not begin four Double lanes")
        let (word, lane) = (_word, place.lane)
        guard Self.isFast(word) else {
            return SIMD4(packedSlow(lane), packedSlow(lane &+ 1), packedSlow(lane &+ 2), packedSlow(lane &+ 3))
        }
        let base = Self.lanes(of: word, at: place.offset)
        return SIMD4(
            base.load(as: Double.self), base.load(fromByteOffset: 8192, as: Double.self),
            base.load(fromByteOffset: 16384, as: Double.self), base.load(fromByteOffset: 24576, as: Double.self))
    }

    /// Reads the Float lane at a place. Complexity: O(1), two loads.
    @inlinable @inline(__always)
    public final func packedFloat(at place: AccessorPlace) -> Float {
        packedFloat(afterDoubles: place.doubles, floats: place.floats)
    }

    /// Reads the two Float lanes at a place. Complexity: O(1), four loads.
    @inlinable @inline(__always)
    public final func packedFloat2(at place: AccessorPlace) -> SIMD2<Float> {
        SIMD2(packedFloat(at: place), packedFloat(at: place + AccessorPlace(floats: 1)))
    }

    /// Reads the three Float lanes at a place. Complexity: O(1), six loads.
    @inlinable @inline(__always)
    public final func packedFloat3(at place: AccessorPlace) -> SIMD3<Float> {
        SIMD3(
            packedFloat(at: place), packedFloat(at: place + AccessorPlace(floats: 1)), packedFloat(at: place + AccessorPlace(floats: 2)))
    }

    /// Reads the four Float lanes at a place. Complexity: O(1), eight loads.
    @inlinable @inline(__always)
    public final func packedFloat4(at place: AccessorPlace) -> SIMD4<Float> {
        SIMD4(
            packedFloat(at: place), packedFloat(at: place + AccessorPlace(floats: 1)), packedFloat(at: place + AccessorPlace(floats: 2)),
            packedFloat(at: place + AccessorPlace(floats: 3)))
    }
}
