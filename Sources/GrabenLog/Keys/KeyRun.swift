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

/// Keys in an index file.
///
///     leaf, for the first entry:  varint length of the key, the key, varint row
///     for each other one:         varint bytes it shares with the key before | varint length of the rest | the rest | varint row
///     fence:                      the first eight bytes of the leaf's first key, as a number that sorts as they do
struct MappedKeys: Sendable {
    /// Fewer than in other runs: a look-up by key reads half a leaf, and keys are long.
    static let entriesPerLeaf = 16

    private let run: MappedRun

    init(file: IndexFile, run: IndexRoot.Run) {
        self.run = MappedRun(file: file, run: run, keyWords: 1, entriesPerLeaf: Self.entriesPerLeaf)
    }

    var file: IndexFile { run.file }
    var count: Int { run.entryCount }

    private func firstKey(_ leaf: Int) throws(ByteError) -> UnsafeRawBufferPointer {
        var reader = try run.reader(ofLeaf: leaf)
        return try reader.bytes(try reader.count(atMost: reader.remaining))
    }

    /// The last leaf whose first key is before `key`, or the first leaf.
    private func leaf(for key: UnsafeRawBufferPointer) throws(ByteError) -> Int {
        let prefix = keyPrefix(key)
        var low = 0
        var high = run.leafCount
        while high - low > 1 {
            let middle = (low + high) >> 1
            let fence = try run.fence(middle, 0)
            let isBefore = fence != prefix ? fence < prefix : compareKeys(try firstKey(middle), key) < 0
            if isBefore { low = middle } else { high = middle }
        }
        return low
    }

    /// Calls `body` with every key in the range, ascending, until it answers false. Throws at bytes that cannot be right.
    func forEach(_ range: KeyRange, _ body: (UnsafeRawBufferPointer, Row) -> Bool) throws(ByteError) {
        guard run.entryCount > 0, run.leafCount > 0 else { return }
        var key: [UInt8] = []
        var leaf = try Self.lend(range.lower) { (lower) throws(ByteError) in try self.leaf(for: lower) }
        while leaf < run.leafCount {
            var reader = try run.reader(ofLeaf: leaf)
            key.removeAll(keepingCapacity: true)
            for index in 0..<run.entryCount(ofLeaf: leaf) {
                let shared = index == 0 ? 0 : try reader.count(atMost: key.count)
                let rest = try reader.bytes(try reader.count(atMost: reader.remaining))
                key.removeSubrange(shared...)
                key.append(contentsOf: rest)
                let row = try reader.varint32()
                if Self.compare(key, range.lower) < 0 { continue }
                if let upper = range.upper, Self.compare(key, upper) >= 0 { return }
                if !key.withUnsafeBytes({ body($0, row) }) { return }
            }
            leaf += 1
        }
    }

    /// About how many keys are in the range: whole leaves are counted.
    func estimate(_ range: KeyRange) throws(ByteError) -> Int {
        guard run.entryCount > 0, run.leafCount > 0 else { return 0 }
        let first = try Self.lend(range.lower) { (lower) throws(ByteError) in try self.leaf(for: lower) }
        var last = run.leafCount - 1
        if let upper = range.upper { last = try Self.lend(upper) { (upper) throws(ByteError) in try self.leaf(for: upper) } }
        // What lies within one leaf is a part of it.
        return last <= first ? Self.entriesPerLeaf / 4 : min((last - first) * Self.entriesPerLeaf, run.entryCount)
    }

    /// As `forEach`, descending.
    func forEachDescending(_ range: KeyRange, _ body: (UnsafeRawBufferPointer, Row) -> Bool) throws(ByteError) {
        guard run.entryCount > 0, run.leafCount > 0 else { return }
        var leaf = run.leafCount - 1
        if let upper = range.upper { leaf = try Self.lend(upper) { (upper) throws(ByteError) in try self.leaf(for: upper) } }
        var keys: [(key: [UInt8], row: Row)] = []
        while leaf >= 0 {
            var reader = try run.reader(ofLeaf: leaf)
            keys.removeAll(keepingCapacity: true)
            for index in 0..<run.entryCount(ofLeaf: leaf) {
                let before = keys.last?.key ?? []
                let shared = index == 0 ? 0 : try reader.count(atMost: before.count)
                let rest = try reader.bytes(try reader.count(atMost: reader.remaining))
                keys.append((Array(before.prefix(shared)) + Array(rest), try reader.varint32()))
            }
            for (key, row) in keys.reversed() {
                if let upper = range.upper, Self.compare(key, upper) >= 0 { continue }
                if Self.compare(key, range.lower) < 0 { return }
                if !key.withUnsafeBytes({ body($0, row) }) { return }
            }
            leaf -= 1
        }
    }

    /// A row of one key, but for some; nil where there is none. Keys are compared piece by piece, so that none is put together.
    func firstRow(equalTo key: UnsafeRawBufferPointer, notIn gone: [Row]) throws(ByteError) -> Row? {
        guard run.entryCount > 0, run.leafCount > 0 else { return nil }
        var leaf = try self.leaf(for: key)
        while leaf < run.leafCount {
            var reader = try run.reader(ofLeaf: leaf)
            // How much of the sought key the entry before begins with, and whether it is after it.
            var matched = 0
            var length = 0
            for index in 0..<run.entryCount(ofLeaf: leaf) {
                let shared = index == 0 ? 0 : try reader.count(atMost: length)
                let rest = try reader.bytes(try reader.count(atMost: reader.remaining))
                let row = try reader.varint32()
                length = shared + rest.count
                // An entry that shares more with the one before than that did with the sought key is before it too.
                if shared > matched { continue }
                // One that shares less is behind it.
                if shared < matched { return nil }
                let wanted = UnsafeRawBufferPointer(rebasing: key[matched...])
                var common = 0
                while common < rest.count, common < wanted.count, rest[common] == wanted[common] { common += 1 }
                if common == wanted.count {
                    // Keys end themselves, so none is the beginning of another.
                    guard common == rest.count else { return nil }
                    if !gone.contains(row) { return row }
                    matched = key.count
                    continue
                }
                if common < rest.count, rest[common] > wanted[common] { return nil }
                matched += common
            }
            leaf += 1
        }
        return nil
    }

    private static func lend<R>(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws(ByteError) -> R) throws(ByteError) -> R {
        let result: Result<R, ByteError> = key.withUnsafeBytes { raw in Result { () throws(ByteError) in try body(raw) } }
        return try result.get()
    }

    @inline(__always)
    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.withUnsafeBytes { a in b.withUnsafeBytes { compareKeys(a, $0) } }
    }
}
