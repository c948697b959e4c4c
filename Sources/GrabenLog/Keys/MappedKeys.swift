internal import CGraben

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

    /// Some of the fences, for many look-ups.
    func sample() throws(ByteError) -> FenceSample { try FenceSample(run) }

    private func firstKey(_ leaf: Int) throws(ByteError) -> UnsafeRawBufferPointer {
        var reader = try run.reader(ofLeaf: leaf)
        return try reader.bytes(try reader.count(atMost: reader.remaining))
    }

    /// The last leaf whose first key is before `key`, or the first leaf.
    private func leaf(for key: UnsafeRawBufferPointer, _ sample: FenceSample? = nil) throws(ByteError) -> Int {
        let leaves = sample?.leaves(around: keyPrefix(key), of: run.leafCount)
        return try leaf(for: key, in: leaves ?? 0..<run.leafCount, isFew: leaves != nil)
    }

    /// The same, of leaves among which it is known to be; of few all fences are looked at.
    private func leaf(for key: UnsafeRawBufferPointer, in leaves: Range<Int>, isFew: Bool) throws(ByteError) -> Int {
        let prefix = keyPrefix(key)
        if isFew {
            var equal = 0
            let below = graben_count_fences(try run.fences(leaves), leaves.count, prefix, &equal)
            if equal == 0 { return leaves.lowerBound + max(below - 1, 0) }
        }
        var (low, high) = (leaves.lowerBound, leaves.upperBound)
        while high - low > 1 {
            let middle = (low + high) >> 1
            let fence = try run.fence(middle, 0)
            let isBefore = fence != prefix ? fence < prefix : compareKeys(try firstKey(middle), key) < 0
            if isBefore { low = middle } else { high = middle }
        }
        return low
    }

    /// The leaves that have keys of a range, and of these the ones that have no others.
    private func leaves(_ range: KeyRange) throws(ByteError) -> (all: Range<Int>, whole: Range<Int>) {
        let first = try Self.lend(range.lower) { (lower) throws(ByteError) in try self.leaf(for: lower) }
        guard let upper = range.upper else { return (first..<run.leafCount, first + 1..<run.leafCount) }
        let last = try Self.lend(upper) { (upper) throws(ByteError) in try self.leaf(for: upper) }
        return (first..<max(first, last) + 1, first + 1..<max(first + 1, last))
    }

    /// Calls `body` with every key in the range, ascending, until it answers false. Throws at bytes that cannot be right.
    func forEach(_ range: KeyRange, _ body: (UnsafeRawBufferPointer, Row) -> Bool) throws(ByteError) {
        guard run.entryCount > 0, run.leafCount > 0 else { return }
        let first = try Self.lend(range.lower) { (lower) throws(ByteError) in try self.leaf(for: lower) }
        try forEach(range, in: first..<run.leafCount, body)
    }

    private func forEach(
        _ range: KeyRange, in leaves: Range<Int>, _ body: (UnsafeRawBufferPointer, Row) -> Bool
    ) throws(ByteError) {
        var key: [UInt8] = []
        for leaf in leaves {
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
        }
    }

    /// Appends the rows of the keys in the range, by key, till there are so many. Keys of leaves within the range are not looked at.
    func append(_ range: KeyRange, upTo limit: Int, to rows: inout [Row]) throws(ByteError) {
        guard run.entryCount > 0, run.leafCount > 0, rows.count < limit else { return }
        let (all, whole) = try leaves(range)
        func compare(_ leaves: Range<Int>) throws(ByteError) {
            try forEach(range, in: leaves) { _, row in
                rows.append(row)
                return rows.count < limit
            }
        }
        try compare(all.lowerBound..<all.lowerBound + 1)
        for leaf in whole where rows.count < limit {
            let reader = try run.reader(ofLeaf: leaf)
            let count = run.entryCount(ofLeaf: leaf)
            let isRead = withUnsafeTemporaryAllocation(of: Row.self, capacity: Self.entriesPerLeaf) { found in
                guard let start = found.baseAddress,
                    graben_leaf_rows(reader.base.assumingMemoryBound(to: UInt8.self), reader.end, count, start) != 0
                else { return false }
                rows.append(contentsOf: UnsafeBufferPointer(start: start, count: min(count, limit - rows.count)))
                return true
            }
            guard isRead else { throw .invalid }
        }
        if all.count > 1 + whole.count, rows.count < limit { try compare(all.upperBound - 1..<all.upperBound) }
    }

    /// About how many keys are in the range: whole leaves are counted.
    func estimate(_ range: KeyRange) throws(ByteError) -> Int {
        guard run.entryCount > 0, run.leafCount > 0 else { return 0 }
        let all = try leaves(range).all
        // What lies within one leaf is a part of it.
        return all.count == 1 ? Self.entriesPerLeaf / 4 : min((all.count - 1) * Self.entriesPerLeaf, run.entryCount)
    }

    /// As `forEach`, descending.
    func forEachDescending(_ range: KeyRange, _ body: (UnsafeRawBufferPointer, Row) -> Bool) throws(ByteError) {
        guard run.entryCount > 0, run.leafCount > 0 else { return }
        // The keys of a leaf, one behind the other.
        var bytes: [UInt8] = []
        var entries: [(key: Range<Int>, row: Row)] = []
        for leaf in try leaves(range).all.reversed() {
            var reader = try run.reader(ofLeaf: leaf)
            bytes.removeAll(keepingCapacity: true)
            entries.removeAll(keepingCapacity: true)
            for index in 0..<run.entryCount(ofLeaf: leaf) {
                let before = entries.last?.key ?? 0..<0
                let shared = index == 0 ? 0 : try reader.count(atMost: before.count)
                let rest = try reader.bytes(try reader.count(atMost: reader.remaining))
                let start = bytes.count
                bytes.append(contentsOf: bytes[before.lowerBound..<before.lowerBound + shared])
                bytes.append(contentsOf: rest)
                entries.append((start..<bytes.count, try reader.varint32()))
            }
            let isDone = bytes.withUnsafeBytes { bytes in
                for entry in entries.reversed() {
                    let key = UnsafeRawBufferPointer(rebasing: bytes[entry.key])
                    if let upper = range.upper, upper.withUnsafeBytes({ compareKeys(key, $0) }) >= 0 { continue }
                    if range.lower.withUnsafeBytes({ compareKeys(key, $0) }) < 0 { return true }
                    if !body(key, entry.row) { return true }
                }
                return false
            }
            if isDone { return }
        }
    }

    /// A row of one key, but for some; nil where there is none.
    func firstRow(equalTo key: UnsafeRawBufferPointer, notIn gone: [Row], _ sample: FenceSample?) throws(ByteError) -> Row? {
        guard run.entryCount > 0, run.leafCount > 0, let sought = key.baseAddress else { return nil }
        var found: Row?
        guard gone.isEmpty else {
            try forEach(KeyRange(lower: Array(key), upper: KeyCoding.successor(Array(key)), isExact: true)) { _, row in
                if !gone.contains(row) { found = row }
                return found == nil
            }
            return found
        }
        return try firstRow(sought, key.count, from: try leaf(for: key, sample))
    }

    /// A row of one key in a leaf, or where all its keys are before that, in one of the next.
    private func firstRow(_ key: UnsafeRawPointer, _ count: Int, from leaf: Int) throws(ByteError) -> Row? {
        for leaf in leaf..<run.leafCount {
            if case .row(let row) = try look(for: key, count, in: leaf, try run.reader(ofLeaf: leaf)) { return row }
        }
        return nil
    }

    /// What a leaf says of a key.
    private enum Answer {
        /// The row of the first entry that has it, or that none has it.
        case row(Row?)
        /// All keys of the leaf are before it.
        case behind
    }

    @inline(__always)
    private func look(for key: UnsafeRawPointer, _ count: Int, in leaf: Int, _ reader: ByteReader) throws(ByteError) -> Answer {
        var row: Row = 0
        let answer = graben_find_key(
            reader.base.assumingMemoryBound(to: UInt8.self), reader.end, run.entryCount(ofLeaf: leaf),
            key.assumingMemoryBound(to: UInt8.self), count, &row)
        switch Int(answer) {
        case GRABEN_KEY_FOUND: return .row(row)
        case GRABEN_KEY_ABSENT: return .row(nil)
        case GRABEN_KEY_BEHIND: return .behind
        default: throw .invalid
        }
    }

    /// For every key of a batch a row that has it. Each step is taken for all of them before the next one, so that the memory it begins to read
    /// for one key comes while the others have their turn.
    func look(for batch: KeyBatch, _ sample: FenceSample, _ rows: inout [Row?]) throws(ByteError) {
        guard run.entryCount > 0, run.leafCount > 0 else { return }
        var prefixes: [UInt64] = []
        prefixes.reserveCapacity(batch.count)
        batch.forEach { _, key in prefixes.append(keyPrefix(key)) }
        let candidates = sample.leaves(aroundEach: prefixes, of: run.leafCount)
        for few in candidates {
            let fences = try run.fences(few)
            for line in stride(from: 0, to: min(few.count * run.fenceByteCount, 512), by: 64) { graben_prefetch(fences + line) }
        }
        var leaves: [(number: Int, reader: ByteReader)] = []
        leaves.reserveCapacity(batch.count)
        try batch.forEach { (index, key) throws(ByteError) in
            let number = try leaf(for: key, in: candidates[index], isFew: true)
            let reader = try run.reader(ofLeaf: number)
            graben_prefetch_leaf(reader.base.assumingMemoryBound(to: UInt8.self), reader.end)
            leaves.append((number, reader))
        }
        try batch.forEach { (index, key) throws(ByteError) in
            guard let sought = key.baseAddress else { return }
            let (number, reader) = leaves[index]
            switch try look(for: sought, key.count, in: number, reader) {
            case .row(let row): rows[batch.places[index]] = row
            case .behind: rows[batch.places[index]] = try firstRow(sought, key.count, from: number + 1)
            }
        }
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

/// Every sixteenth fence of a run of keys, in memory: a look-up then touches a few lines of the index, where halving touches one at each step.
final class FenceSample: Sendable {
    private static let spacing = 16
    private let words: [UInt64]

    init(_ run: MappedRun) throws(ByteError) {
        var words: [UInt64] = []
        words.reserveCapacity(run.leafCount / Self.spacing + 1)
        for leaf in stride(from: 0, to: run.leafCount, by: Self.spacing) { words.append(try run.fence(leaf, 0)) }
        self.words = words
    }

    /// The leaves among which the last one is whose fence is below `prefix`, and all those whose fence equals it; at least one.
    func leaves(around prefix: UInt64, of count: Int) -> Range<Int> {
        words.withUnsafeBufferPointer { words in
            leaves(around: prefix, below: graben_lower_bound_u64(words.baseAddress, words.count, prefix), of: count)
        }
    }

    /// The same for several prefixes.
    func leaves(aroundEach prefixes: [UInt64], of count: Int) -> [Range<Int>] {
        let below = [Int](unsafeUninitializedCapacity: prefixes.count) { below, initialized in
            words.withUnsafeBufferPointer {
                graben_lower_bounds_u64($0.baseAddress, $0.count, prefixes, prefixes.count, below.baseAddress)
            }
            initialized = prefixes.count
        }
        return zip(prefixes, below).map { leaves(around: $0, below: $1, of: count) }
    }

    /// The same where it is known how many of the words are below the prefix.
    @inline(__always)
    private func leaves(around prefix: UInt64, below: Int, of count: Int) -> Range<Int> {
        words.withUnsafeBufferPointer { words in
            var next = below
            // Many keys may begin alike.
            if next < words.count, words[next] == prefix {
                let behind = prefix == .max ? words.count : graben_lower_bound_u64(words.baseAddress, words.count, prefix + 1)
                // Of fences that are in no order, which only a damaged index has, anything may be found.
                next = max(below, behind)
            }
            // The first word may be the only one, and then there may be fewer leaves than it stands for.
            return max(below - 1, 0) * Self.spacing..<(next < words.count ? min(max(next, 1) * Self.spacing, count) : count)
        }
    }
}
