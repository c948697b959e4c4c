import GrabenLog

extension [Row] {
    /// Puts rows in order, each once. Many among not many more become bits of a map, which takes a tenth of the time.
    mutating func arrange() {
        guard count >= 128, let highest = self.max(), Int(highest) / 64 < 8 * count else {
            sort()
            var kept = 0
            for index in indices where index == 0 || self[index] != self[kept - 1] {
                self[kept] = self[index]
                kept += 1
            }
            return removeSubrange(kept...)
        }
        var map = [UInt64](repeating: 0, count: Int(highest) / 64 + 1)
        map.withUnsafeMutableBufferPointer { map in
            for row in self { map[Int(row / 64)] |= 1 << UInt64(row % 64) }
        }
        removeAll(keepingCapacity: true)
        for (index, word) in map.enumerated() {
            var rest = word
            while rest != 0 {
                append(Row(truncatingIfNeeded: index * 64 + rest.trailingZeroBitCount))
                rest &= rest &- 1
            }
        }
    }
}
