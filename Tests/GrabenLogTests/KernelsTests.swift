import CGraben
import GrabenFixtures
import Testing

/// Every kernel against a naive loop, at every dispatch level the processor has, over every tail length and alignment.
///
/// Serialised because the level is one for the process. Other suites may run meanwhile: results do not depend on the level.
@Suite(.serialized) struct KernelsTests {
    static let levels = [GRABEN_LEVEL_BASELINE, GRABEN_LEVEL_CRC, GRABEN_LEVEL_AVX2].map { Int32($0) }
    /// Lengths 0...63 reach every tail; the others pass through whole steps, words and chunks with and without one.
    static let lengths = Array(0...63) + [64, 65, 127, 128, 1000, 1023, 1024, 1025, 3001]

    func atEachLevel(_ body: () throws -> Void) rethrows {
        defer { graben_set_dispatch_level(Self.levels[2]) }
        for level in Self.levels where graben_set_dispatch_level(level) == level { try body() }
    }

    @Test("CRC32C is the bit-by-bit one at every level, length, alignment and split")
    func checksum() {
        func naive(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
            var crc = ~UInt32(0)
            for byte in bytes {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = (crc >> 1) ^ (0x82F6_3B78 & (0 &- (crc & 1))) }
            }
            return ~crc
        }
        var random = GrabenFixtures.SplitMix64(seed: 1)
        let bytes = (0..<40_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        bytes.withUnsafeBytes { all in
            // Around each size at which the streams of a block are joined: 3 × 80, 336, 1,360 and 5,456 bytes.
            var lengths = Array(0...130)
            for size in [240, 1008, 4080, 16368] { lengths += [size - 1, size, size + 1, size + 9, 2 * size + 3] }
            for length in lengths {
                for offset in [0, 1, 7] {
                    let part = UnsafeRawBufferPointer(rebasing: all[offset..<offset + length])
                    let expected = naive(part)
                    atEachLevel {
                        #expect(graben_crc32c(0, part.baseAddress, length) == expected, "length \(length), offset \(offset)")
                        let cut = length / 3
                        let first = graben_crc32c(0, part.baseAddress, cut)
                        #expect(graben_crc32c(first, part.baseAddress.map { $0 + cut }, length - cut) == expected)
                    }
                }
            }
        }
        // The check value published with the polynomial.
        atEachLevel { #expect(graben_crc32c(0, "123456789", 9) == 0xE306_9283) }
    }

    @Test("a lane's sum is the same at every level, bit for bit, with and without a bitmap, one lane or many")
    func sums() {
        var random = GrabenFixtures.SplitMix64(seed: 2)
        for length in Self.lengths {
            let lane = KernelLane(count: length, random: &random, special: false)
            for bits in [nil, lane.bits] {
                let expected = KernelLane.sum(lane.doubles, bits)
                let expectedFloats = KernelLane.sum(lane.floats.map(Double.init), bits)
                atEachLevel {
                    lane.withShiftedDoubles { #expect(graben_sum_f64($0, bits, length) == expected) }
                    #expect(graben_sum_f32(lane.floats, bits, length) == expectedFloats)
                }
            }
        }
        let lanes = Self.lengths.map { KernelLane(count: $0, random: &random, special: false) }
        var sums = [Double](repeating: 0, count: 16)
        for lane in lanes { KernelLane.add(lane.doubles, nil, to: &sums) }
        let pointers = lanes.map { lane -> UnsafePointer<Double>? in
            let copy = UnsafeMutablePointer<Double>.allocate(capacity: max(1, lane.doubles.count))
            copy.initialize(from: lane.doubles, count: lane.doubles.count)
            return UnsafePointer(copy)
        }
        defer { for pointer in pointers { pointer?.deallocate() } }
        atEachLevel {
            #expect(graben_sum_lanes_f64(pointers, Self.lengths.map { UInt32($0) }, lanes.count) == KernelLane.fold(sums))
        }
    }

    @Test("sums let NaN and infinities through, but not those whose bit is clear")
    func sumsOfSpecialValues() {
        for place in 0..<40 {
            var lane = [Double](repeating: 1, count: 40)
            var bits = [UInt64.max]
            lane[place] = .infinity
            atEachLevel { #expect(graben_sum_f64(lane, nil, 40) == .infinity) }
            lane[place] = .nan
            atEachLevel { #expect(graben_sum_f64(lane, nil, 40).isNaN && graben_sum_f64(lane, bits, 40).isNaN) }
            bits[0] &= ~(1 << UInt64(place))
            atEachLevel { #expect(graben_sum_f64(lane, bits, 40) == 39) }
        }
    }

    @Test("the extent ignores NaN and cleared slots, and counts what it saw")
    func extents() {
        var random = GrabenFixtures.SplitMix64(seed: 3)
        for length in Self.lengths {
            let lane = KernelLane(count: length, random: &random, special: true)
            for bits in [nil, lane.bits] {
                func expected(_ values: [Double]) -> (Double, Double, Int) {
                    let seen = values.indices.filter { KernelLane.isSet(bits, $0) && !values[$0].isNaN }.map { values[$0] }
                    return (seen.min() ?? .infinity, seen.max() ?? -.infinity, seen.count)
                }
                let (least, greatest, count) = expected(lane.doubles)
                let narrow = expected(lane.floats.map(Double.init))
                atEachLevel {
                    let extent = lane.withShiftedDoubles { graben_extent_f64($0, bits, length) }
                    #expect((extent.minimum, extent.maximum, extent.count) == (least, greatest, count))
                    let floats = graben_extent_f32(lane.floats, bits, length)
                    #expect((floats.minimum, floats.maximum, floats.count) == narrow)
                }
            }
        }
    }

    @Test("a range test sets exactly the bits of the values inside, at both bounds, and never a NaN's")
    func ranges() {
        var random = GrabenFixtures.SplitMix64(seed: 4)
        let bounds: [(Double, Double)] = [
            (-100, 100), (0, 0), (100, -100), (-.infinity, .infinity), (.nan, 5), (-5, .nan), (.infinity, .infinity),
        ]
        for length in Self.lengths {
            let lane = KernelLane(count: length, random: &random, special: true)
            let wordCount = (length + 63) / 64
            for (low, high) in bounds + [(lane.doubles.first ?? 0, lane.doubles.last ?? 0)] {
                for bits in [nil, lane.bits] {
                    func expected(_ values: [Double]) -> [UInt64] {
                        var words = [UInt64](repeating: 0, count: wordCount)
                        for i in values.indices where KernelLane.isSet(bits, i) && values[i] >= low && values[i] <= high {
                            words[i / 64] |= 1 << UInt64(i % 64)
                        }
                        return words
                    }
                    let (wide, narrow) = (expected(lane.doubles), expected(lane.floats.map(Double.init)))
                    atEachLevel {
                        var result = [UInt64](repeating: .max, count: wordCount + 1)
                        let found = lane.withShiftedDoubles { graben_range_f64($0, bits, length, low, high, &result) }
                        #expect(result == wide + [.max] && found == wide.reduce(0) { $0 + $1.nonzeroBitCount })
                        _ = graben_range_f32(lane.floats, bits, length, low, high, &result)
                        #expect(result == narrow + [.max])
                    }
                }
            }
        }
    }

    @Test("translating moves the chosen values only and leaves every other byte as it was")
    func translations() {
        var random = GrabenFixtures.SplitMix64(seed: 5)
        for length in Self.lengths {
            let lane = KernelLane(count: length, random: &random, special: true)
            for bits in [nil, lane.bits] {
                let wide = lane.doubles.indices.map { KernelLane.isSet(bits, $0) ? lane.doubles[$0] + 0.1 : lane.doubles[$0] }
                let narrow = lane.floats.indices.map {
                    KernelLane.isSet(bits, $0) ? Float(Double(lane.floats[$0]) + 0.1) : lane.floats[$0]
                }
                atEachLevel {
                    var (doubles, floats) = (lane.doubles + [7], lane.floats + [7])
                    graben_translate_f64(&doubles, bits, length, 0.1)
                    graben_translate_f32(&floats, bits, length, 0.1)
                    #expect(doubles.map(KernelLane.key) == (wide + [7]).map(KernelLane.key))
                    #expect(floats.map { KernelLane.key(Double($0)) } == (narrow + [7]).map { KernelLane.key(Double($0)) })
                }
            }
        }
        var (lane, floats) = ((0..<1024).map(Double.init), (0..<1024).map(Float.init))
        let slots: [UInt32] = [3, 1024 * 7 + 5, 1023, 3]
        graben_translate_slots_f64(&lane, slots, 4, 0.5)
        graben_translate_slots_f32(&floats, slots, 4, 0.5)
        var moved = (0..<1024).map(Double.init)
        for slot in [3, 5, 1023, 3] { moved[slot] += 0.5 }
        #expect(lane == moved && floats.map(Double.init) == moved)
    }

    @Test("gathering gives the three lanes of each place, and zeros where there is no chunk")
    func gathers() {
        var random = GrabenFixtures.SplitMix64(seed: 6)
        let chunkBytes = 3 * 8192
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 3 * chunkBytes, alignment: 64)
        defer { memory.deallocate() }
        let values = memory.assumingMemoryBound(to: Double.self)
        for i in 0..<3 * chunkBytes / 8 { values[i] = Double(i) + 0.25 }
        let chunks: [UnsafeRawPointer?] = [UnsafeRawPointer(memory), nil, UnsafeRawPointer(memory + 2 * chunkBytes)]
        let lanes = graben_lane_offsets(x: 8192, y: 0, z: 16384)
        for count in [0, 1, 2, 23, 500] {
            // Beyond the last chunk too: such a slot must not be looked up.
            let slots = (0..<count).map { _ in random.below(4 * 1024) }
            let expected = slots.map { slot -> [Double] in
                guard slot / 1024 != 1, slot / 1024 < 3 else { return [0, 0, 0] }
                let base = Int(slot / 1024) * chunkBytes / 8 + Int(slot % 1024)
                return [values[base + 1024], values[base], values[base + 2048]]
            }
            var packed = [Double](repeating: -1, count: 3 * count)
            graben_gather_slots_f64(chunks, 3, slots, count, lanes, &packed, 3)
            #expect(packed == expected.flatMap { $0 })
            let places = slots.map { graben_place(chunk: $0 / 1024 < 3 ? chunks[Int($0 / 1024)] : nil, slot: $0) }
            var vectors = [SIMD3<Double>](repeating: [-1, -1, -1], count: count)
            vectors.withUnsafeMutableBytes { bytes in
                graben_gather_f64(places, count, lanes, bytes.baseAddress?.assumingMemoryBound(to: Double.self), 4)
            }
            #expect(vectors == expected.map { SIMD3($0) })
        }
        let floats = (0..<3 * 1024).map(Float.init)
        floats.withUnsafeBytes { bytes in
            let places = [graben_place(chunk: bytes.baseAddress, slot: 9), graben_place(chunk: nil, slot: 2)]
            var result = [Float](repeating: -1, count: 6)
            graben_gather_f32(places, 2, graben_lane_offsets(x: 0, y: 4096, z: 8192), &result, 3)
            #expect(result == [9, 1033, 2057, 0, 0, 0])
        }
    }

    @Test("a level the processor lacks gives the highest it has")
    func unsupportedLevels() {
        let highest = graben_set_dispatch_level(.max)
        #expect(graben_set_dispatch_level(-5) == 0 && graben_dispatch_level() == 0)
        #expect(graben_set_dispatch_level(highest) == highest)
    }
}
