/// Rows as coalesced ranges, so that a bulk insert of millions is one range.
package struct RowList: Sendable, Sequence, Equatable {
    package private(set) var ranges: [Range<Row>] = []
    package private(set) var count = 0

    package init() {}
    package init(_ rows: some Sequence<Row>) {
        var (first, end): (Row, Row) = (0, 0)
        for row in rows {
            if row == end, first < end {
                end += 1
            } else if row < first || row >= end {
                append(first..<end)
                (first, end) = (row, row + 1)
            }
        }
        append(first..<end)
    }

    package var isEmpty: Bool { count == 0 }

    /// Adds a row at the end; a row already the last one is not added twice.
    package mutating func append(_ row: Row) { append(row..<(row + 1)) }

    package mutating func append(_ rows: Range<Row>) {
        guard !rows.isEmpty else { return }
        if let last = ranges.last {
            if last.upperBound == rows.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<rows.upperBound
                count += rows.count
                return
            }
            if rows.count == 1, last.contains(rows.lowerBound) { return }
        }
        ranges.append(rows)
        count += rows.count
    }

    /// Sorts the ranges and removes doubles. O(r log r) for r ranges, and nothing when they already ascend.
    package mutating func normalize() {
        guard zip(ranges, ranges.dropFirst()).contains(where: { $0.upperBound > $1.lowerBound }) else { return }
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        ranges = []
        count = 0
        for range in sorted {
            let floor = ranges.last?.upperBound ?? 0
            if range.upperBound > floor { append(Swift.max(range.lowerBound, floor)..<range.upperBound) }
        }
    }

    /// Whether the row is in the list. O(log r); the list must be normalised, as all lists of a change set are.
    package func contains(_ row: Row) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= row { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(row)
    }

    package struct Iterator: IteratorProtocol {
        private let ranges: [Range<Row>]
        private var index = 0
        private var offset: Row = 0
        init(_ ranges: [Range<Row>]) { self.ranges = ranges }

        package mutating func next() -> Row? {
            while index < ranges.count {
                let range = ranges[index]
                if offset < Row(range.count) {
                    defer { offset += 1 }
                    return range.lowerBound + offset
                }
                index += 1
                offset = 0
            }
            return nil
        }
    }

    package func makeIterator() -> Iterator { Iterator(ranges) }
    package var underestimatedCount: Int { count }
}
