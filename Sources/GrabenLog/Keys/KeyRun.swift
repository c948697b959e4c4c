/// Keys of a range of commits, sorted by key and row: which (key, row) pairs were added, and which removed.
final class KeyRun: Sendable {
    struct Entry {
        /// The key's first eight bytes; equal ones are compared whole.
        let prefix: UInt64
        let start: Int
        let count: Int32
        let row: Row
        let isRemoved: Bool
    }

    let bytes: [UInt8]
    let entries: [Entry]

    /// Keys being collected.
    struct Builder {
        fileprivate var bytes: [UInt8] = []
        fileprivate var entries: [Entry] = []
        private var last = 0

        mutating func reserve(_ count: Int) {
            entries.reserveCapacity(count)
            bytes.reserveCapacity(count * 16)
        }

        /// Adds a key, which the closure appends to the bytes before it.
        @inline(__always)
        mutating func add(_ row: Row, isRemoved: Bool = false, _ key: (inout [UInt8]) throws(LogError) -> Void) throws(LogError) {
            let start = bytes.count
            try key(&bytes)
            let count = bytes.count - start
            let prefix = bytes.withUnsafeBytes { keyPrefix(UnsafeRawBufferPointer(rebasing: $0[start...])) }
            entries.append(Entry(prefix: prefix, start: start, count: Int32(truncatingIfNeeded: count), row: row, isRemoved: isRemoved))
        }

        var isEmpty: Bool { entries.isEmpty }
    }

    init(_ builder: Builder) {
        bytes = builder.bytes
        entries = bytes.withUnsafeBytes { raw in
            builder.entries.sorted { a, b in
                if a.prefix != b.prefix { return a.prefix < b.prefix }
                let order = compareKeys(Self.key(a, raw), Self.key(b, raw))
                return order == 0 ? a.row < b.row : order < 0
            }
        }
    }

    @inline(__always)
    private static func key(_ entry: Entry, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.start + Int(entry.count)])
    }

    /// The entries in the range.
    func indexes(_ range: KeyRange) -> Range<Int> {
        bytes.withUnsafeBytes { raw in
            let low = firstIndex(notBefore: range.lower, raw)
            let high = range.upper.map { firstIndex(notBefore: $0, raw) } ?? entries.count
            return low..<max(low, high)
        }
    }

    private func firstIndex(notBefore key: [UInt8], _ raw: UnsafeRawBufferPointer) -> Int {
        key.withUnsafeBytes { key in
            let prefix = keyPrefix(key)
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) >> 1
                let entry = entries[middle]
                let isBefore = entry.prefix != prefix ? entry.prefix < prefix : compareKeys(Self.key(entry, raw), key) < 0
                if isBefore { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Calls `body` with the rows of one key, and whether each was removed, until it answers false.
    @inline(__always)
    func forEachEqual(_ key: UnsafeRawBufferPointer, _ body: (Row, Bool) -> Bool) {
        let prefix = keyPrefix(key)
        bytes.withUnsafeBytes { raw in
            entries.withUnsafeBufferPointer { entries in
                var low = 0
                var high = entries.count
                while low < high {
                    let middle = (low + high) >> 1
                    let found = entries[middle].prefix
                    let isBefore = found != prefix ? found < prefix : compareKeys(Self.key(entries[middle], raw), key) < 0
                    if isBefore { low = middle + 1 } else { high = middle }
                }
                while low < entries.count, entries[low].prefix == prefix, compareKeys(Self.key(entries[low], raw), key) == 0 {
                    if !body(entries[low].row, entries[low].isRemoved) { return }
                    low += 1
                }
            }
        }
    }

    /// Appends the rows of the entries in the range, till there are so many.
    func append(_ range: KeyRange, upTo limit: Int, to rows: inout [Row]) {
        let indexes = indexes(range)
        for index in indexes.prefix(max(limit - rows.count, 0)) { rows.append(entries[index].row) }
    }

    /// Calls `body` with every entry in the range, ascending or descending, until it answers false.
    func forEach(_ range: KeyRange, descending: Bool = false, _ body: (UnsafeRawBufferPointer, Entry) -> Bool) {
        let indexes = indexes(range)
        bytes.withUnsafeBytes { raw in
            if descending {
                for index in indexes.reversed() where !body(Self.key(entries[index], raw), entries[index]) { return }
            } else {
                for index in indexes where !body(Self.key(entries[index], raw), entries[index]) { return }
            }
        }
    }
}
