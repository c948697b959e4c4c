/// A set of small numbers (fields of a layout, lanes, relationships); the first 64 cost no memory of their own.
package struct FieldMask: Hashable, Sendable {
    package private(set) var low: UInt64
    private var high: [UInt64]

    package init() { (low, high) = (0, []) }
    package init(low: UInt64) { (self.low, high) = (low, []) }
    package init(_ members: some Sequence<Int>) {
        self.init()
        for member in members { insert(member) }
    }

    package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    package func contains(_ index: Int) -> Bool {
        guard index >= 0 else { return false }
        if index < 64 { return low >> UInt64(index) & 1 != 0 }
        let word = index / 64 - 1
        return word < high.count && high[word] >> UInt64(index % 64) & 1 != 0
    }

    package mutating func insert(_ index: Int) {
        guard index >= 0 else { return }
        if index < 64 {
            low |= 1 << UInt64(index)
        } else {
            let word = index / 64 - 1
            while high.count <= word { high.append(0) }
            high[word] |= 1 << UInt64(index % 64)
        }
    }

    package mutating func formUnion(_ other: FieldMask) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for (word, bits) in other.high.enumerated() { high[word] |= bits }
    }

    package func union(_ other: FieldMask) -> FieldMask {
        var result = self
        result.formUnion(other)
        return result
    }

    /// The members in ascending order.
    package var members: [Int] {
        var result: [Int] = []
        for (word, bits) in ([low] + high).enumerated() {
            var rest = bits
            while rest != 0 {
                result.append(word * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return result
    }

    /// The mask as bytes, bit 0 of the first byte being member 0; as many bytes as `count` members need.
    func encode(into buffer: ByteBuffer, count: Int) {
        for byte in 0..<((count + 7) / 8) {
            let word = byte / 8
            let bits = word == 0 ? low : (word - 1 < high.count ? high[word - 1] : 0)
            buffer.append(UInt8(truncatingIfNeeded: bits >> UInt64(byte % 8 * 8)))
        }
    }

    init(bytes: UnsafeRawBufferPointer) {
        self.init()
        for (index, byte) in bytes.enumerated() where byte != 0 {
            for bit in 0..<8 where byte >> UInt8(bit) & 1 != 0 { insert(index * 8 + bit) }
        }
    }
}
