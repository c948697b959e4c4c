/// The benchmark's drawing: joints at random places and lines between two uniformly random joints each (the worst locality).
///
/// Everything follows from the seed. Names have twelve lower-case letters; at a million joints of seed 42 they are all different. The
/// memory is allocated once and lives as long as the network, so C code may keep its addresses.
package final class RandomNetwork: @unchecked Sendable {  // written by init only
    package static let nameByteCount = 12
    /// Coordinates lie in [0, extent) on each axis.
    package static let extent = 1000.0

    package let count: Int
    package let x, y, z: UnsafePointer<Double>
    /// The names one after the other, without terminators.
    package let names: UnsafePointer<UInt8>
    /// Rows of the joints at the two ends of each line.
    package let starts, ends: UnsafePointer<UInt32>

    /// - Precondition: `count` is positive and below 2^32.
    package init(count: Int, seed: UInt64 = 42) {
        precondition(count > 0 && count < 1 << 32, "A network has 1 to 2^32 - 1 joints.")
        self.count = count
        var random = SplitMix64(seed: seed)
        let lanes = (0..<3).map { _ in UnsafeMutablePointer<Double>.allocate(capacity: count) }
        let letters = UnsafeMutablePointer<UInt8>.allocate(capacity: count * Self.nameByteCount)
        for i in 0..<count {
            for lane in lanes { lane[i] = random.unit() * Self.extent }
            for k in 0..<Self.nameByteCount {
                letters[i * Self.nameByteCount + k] = UInt8(ascii: "a") + UInt8(truncatingIfNeeded: random.below(26))
            }
        }
        let from = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
        let to = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
        for i in 0..<count {
            from[i] = random.below(UInt32(count))
            to[i] = random.below(UInt32(count))
        }
        (x, y, z) = (UnsafePointer(lanes[0]), UnsafePointer(lanes[1]), UnsafePointer(lanes[2]))
        (names, starts, ends) = (UnsafePointer(letters), UnsafePointer(from), UnsafePointer(to))
    }

    deinit {
        for lane in [x, y, z] { lane.deallocate() }
        names.deallocate()
        for ends in [starts, ends] { ends.deallocate() }
    }

    package func name(_ row: Int) -> String {
        let letters = UnsafeBufferPointer(start: names + row * Self.nameByteCount, count: Self.nameByteCount)
        return String(unsafeUninitializedCapacity: Self.nameByteCount) { $0.initialize(fromContentsOf: letters) }
    }

    /// `count` rows drawn at random, with repetition, for look-ups.
    package func randomRows(_ count: Int, seed: UInt64 = 43) -> [UInt32] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in random.below(UInt32(self.count)) }
    }

    /// `count` different rows in random order, for updates: the head of a shuffle.
    ///
    /// - Precondition: `count` is at most the network's.
    package func distinctRows(_ count: Int, seed: UInt64 = 44) -> [UInt32] {
        var random = SplitMix64(seed: seed)
        var rows = (0..<UInt32(self.count)).map { $0 }
        for i in 0..<count { rows.swapAt(i, i + Int(random.below(UInt32(rows.count - i)))) }
        return Array(rows.prefix(count))
    }
}
