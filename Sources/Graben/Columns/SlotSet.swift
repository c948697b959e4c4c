/// 1,024 bits, one for each slot of a chunk.
package struct SlotSet: Sendable {
    package var words: InlineWords

    package typealias InlineWords = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )

    package init() { words = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }

    @inline(__always)
    package subscript(slot: Int) -> Bool {
        get {
            let word = withUnsafeBytes(of: words) { $0.load(fromByteOffset: slot / 64 * 8, as: UInt64.self) }
            return (word >> UInt64(slot & 63)) & 1 == 1
        }
        set {
            withUnsafeMutableBytes(of: &words) {
                let word = $0.load(fromByteOffset: slot / 64 * 8, as: UInt64.self)
                let bit = UInt64(1) << UInt64(slot & 63)
                $0.storeBytes(of: newValue ? word | bit : word & ~bit, toByteOffset: slot / 64 * 8, as: UInt64.self)
            }
        }
    }

    package var isEmpty: Bool { count == 0 }

    package var count: Int {
        withUnsafeBytes(of: words) { bytes in
            var total = 0
            for word in 0..<16 { total += bytes.load(fromByteOffset: word * 8, as: UInt64.self).nonzeroBitCount }
            return total
        }
    }

    package mutating func formIntersection(_ other: SlotSet) {
        withUnsafeMutableBytes(of: &words) { mine in
            withUnsafeBytes(of: other.words) { theirs in
                for word in 0..<16 {
                    let both = mine.load(fromByteOffset: word * 8, as: UInt64.self) & theirs.load(fromByteOffset: word * 8, as: UInt64.self)
                    mine.storeBytes(of: both, toByteOffset: word * 8, as: UInt64.self)
                }
            }
        }
    }

    /// Calls `body` with each member, ascending.
    package func forEach(_ body: (Int) -> Void) {
        withUnsafeBytes(of: words) { bytes in
            for index in 0..<16 {
                var word = bytes.load(fromByteOffset: index * 8, as: UInt64.self)
                while word != 0 {
                    body(index * 64 + word.trailingZeroBitCount)
                    word &= word - 1
                }
            }
        }
    }
}
