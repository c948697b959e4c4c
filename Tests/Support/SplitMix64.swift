/// The seeded generator of every randomised test and benchmark: SplitMix64, whose whole state is one word, so a failing run is repeated by its seed.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A double in [0, 1) from the top 53 bits of one draw.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A number below `bound` (which must be positive), by multiplication: one draw, no loop, so C code draws the same.
    package mutating func below(_ bound: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: ((next() >> 32) &* UInt64(bound)) >> 32) }

    /// A number below `limit`, which must be positive.
    package mutating func pick(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// True in so many of a hundred draws.
    package mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }
}
