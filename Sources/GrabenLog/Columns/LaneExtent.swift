internal import CGraben

/// Between what bounds the values of one lane of a chunk lie: what a range cannot meet is skipped, what it covers is taken whole.
///
/// It is about all 1,024 slots, those of dead rows too, so it may be wider than need be and never too narrow.
package struct LaneExtent: Sendable {
    /// The least and greatest number; infinity and -infinity where there is none.
    package let minimum: Double
    package let maximum: Double
    /// Whether every slot has a value and none is NaN.
    package let isFull: Bool

    init(of lane: Int, in chunk: UnsafeMutableRawPointer, _ layout: RecordLayout) {
        let values = chunk + layout.laneOffsets[lane]
        // A bitmap begins at a multiple of 8: lanes take kilobytes, and bitmaps 128 bytes each.
        let bits = layout.validityOffsets[lane].map { UnsafePointer((chunk + $0).assumingMemoryBound(to: UInt64.self)) }
        let found =
            switch layout.lanes[lane].width {
            case .double: graben_extent_f64(values.assumingMemoryBound(to: Double.self), bits, slotsPerChunk)
            case .float: graben_extent_f32(values.assumingMemoryBound(to: Float.self), bits, slotsPerChunk)
            }
        minimum = found.minimum
        maximum = found.maximum
        isFull = found.count == slotsPerChunk
    }
}

extension LogSnapshot {
    /// The extent of one lane of a chunk, by the newest layout's numbers. O(1) but for the first time in a chunk's life, which reads the lane.
    ///
    /// Precondition: the entity has a lane of that number.
    package func extent(_ entity: EntityCode, _ index: Int, lane: Int) throws(LogError) -> LaneExtent {
        try handle(entity, index).extent(lane)
    }
}
