import GrabenFixtures

/// A random lane and what a plain loop makes of it: the reference the kernels are compared with.
struct KernelLane {
    let doubles: [Double]
    let floats: [Float]
    let bits: [UInt64]

    /// - Parameter special: whether NaN, infinities and both zeros are among the values.
    init(count: Int, random: inout GrabenFixtures.SplitMix64, special: Bool) {
        let odd: [Double] = [.nan, .infinity, -.infinity, 0, -0.0]
        let values = (0..<count).map { _ in
            special && random.below(6) == 0 ? odd[Int(random.below(5))] : random.unit() * 2000 - 1000
        }
        doubles = values
        floats = values.map(Float.init)
        // One word more than needed, and bits set beyond the count: they must be ignored.
        bits = (0..<(count + 63) / 64 + 1).map { _ in random.next() }
    }

    /// Lends the doubles at an address that is a multiple of 8 and of nothing larger.
    func withShiftedDoubles<R>(_ body: (UnsafePointer<Double>) -> R) -> R {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 * (doubles.count + 2), alignment: 64)
        defer { memory.deallocate() }
        let lane = (memory + 8).assumingMemoryBound(to: Double.self)
        lane.initialize(from: doubles, count: doubles.count)
        return body(lane)
    }

    static func isSet(_ bits: [UInt64]?, _ slot: Int) -> Bool { bits.map { $0[slot / 64] >> UInt64(slot % 64) & 1 == 1 } ?? true }

    /// Adds value i to accumulator i % 16, the order the kernels promise.
    static func add(_ values: [Double], _ bits: [UInt64]?, to sums: inout [Double]) {
        for i in values.indices where isSet(bits, i) { sums[i % 16] += values[i] }
    }

    static func fold(_ sums: [Double]) -> Double {
        sums.count == 1 ? sums[0] : fold((0..<sums.count / 2).map { sums[$0] + sums[$0 + sums.count / 2] })
    }

    static func sum(_ values: [Double], _ bits: [UInt64]?) -> Double {
        var sums = [Double](repeating: 0, count: 16)
        add(values, bits, to: &sums)
        return fold(sums)
    }

    /// Tells 0 from -0 and makes every NaN the same, whose payload arithmetic does not fix.
    static func key(_ value: Double) -> UInt64 { value.isNaN ? .max : value.bitPattern }
}
