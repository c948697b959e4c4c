/// A test of one field of a record, in terms of what the record holds. Null fields pass `isNull` only.
package enum FieldTest: Sendable {
    case isNull
    case numbers(FieldNumbers)
    case text(FieldText)
}

/// Ranges of numbers, bounds included; each list ascending and without overlaps, so that a number is found by halving.
package struct FieldNumbers: Sendable, Equatable {
    /// For whole numbers and Booleans.
    package var integers: [ClosedRange<Int64>]
    /// For doubles, floats and dates; NaN lies in none, 0 and -0 are one number.
    package var doubles: [ClosedRange<Double>]

    package init(integers: [ClosedRange<Int64>], doubles: [ClosedRange<Double>]) {
        self.integers = integers
        self.doubles = doubles
    }

    package func contains(_ number: Int64) -> Bool { Self.contains(number, integers) }
    package func contains(_ number: Double) -> Bool { Self.contains(number, doubles) }

    @inline(__always)
    static func contains<T: Comparable>(_ number: T, _ ranges: [ClosedRange<T>]) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(number)
    }
}

/// A test of the bytes of a text.
package enum FieldText: Sendable {
    case equal([UInt8])
    /// The empty prefix is that of every text.
    case prefix([UInt8])
    case bytes(@Sendable (UnsafeRawBufferPointer) -> Bool)

    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .equal(let bytes): text.elementsEqual(bytes)
        case .prefix(let bytes): text.starts(with: bytes)
        case .bytes(let test): test(text)
        }
    }
}
