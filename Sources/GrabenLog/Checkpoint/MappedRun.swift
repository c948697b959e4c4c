/// Sorted entries in an index file, in leaves with a fence key for each: what reverse indexes, links and keys have in common.
///
///     fence:  key words u64... | offset of the leaf u64
///     leaf:   the first entry's key stands in its fence; the others are differences
struct MappedRun: Sendable {
    static let entriesPerLeaf = 64

    let file: IndexFile
    let run: IndexRoot.Run
    /// Words of a key in a fence.
    let keyWords: Int
    var entriesPerLeaf = Self.entriesPerLeaf

    var entryCount: Int { run.entryCount }
    var leafCount: Int { run.fences.count }
    var fenceByteCount: Int { (keyWords + 1) * 8 }

    /// How many entries a leaf has.
    func entryCount(ofLeaf leaf: Int) -> Int { max(0, min(entriesPerLeaf, run.entryCount - leaf * entriesPerLeaf)) }

    /// A word of a leaf's fence key, or behind those the leaf's offset.
    @inline(__always)
    func fence(_ leaf: Int, _ word: Int) throws(ByteError) -> UInt64 {
        guard let bytes = file.bytes(run.fences.offset + leaf * fenceByteCount + word * 8, 8) else { throw .truncated }
        return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    /// The fences of some leaves, one after the other.
    @inline(__always)
    func fences(_ leaves: Range<Int>) throws(ByteError) -> UnsafeRawPointer {
        guard let bytes = file.bytes(run.fences.offset + leaves.lowerBound * fenceByteCount, leaves.count * fenceByteCount) else {
            throw .truncated
        }
        return bytes
    }

    /// The last leaf whose fence key is at or before `key`, or the first leaf.
    func leaf(for key: (UInt64, UInt64)) throws(ByteError) -> Int {
        var low = 0
        var high = leafCount
        while high - low > 1 {
            let middle = (low + high) >> 1
            let first = try fence(middle, 0)
            let isAtOrBefore = first != key.0 ? first < key.0 : keyWords == 1 ? true : try fence(middle, 1) <= key.1
            if isAtOrBefore { low = middle } else { high = middle }
        }
        return low
    }

    func reader(ofLeaf leaf: Int) throws(ByteError) -> ByteReader {
        guard let start = Int(exactly: try fence(leaf, keyWords)), run.fences.count * entriesPerLeaf >= run.entryCount else {
            throw .outOfRange
        }
        let end: Int
        if leaf + 1 < leafCount {
            guard let next = Int(exactly: try fence(leaf + 1, keyWords)) else { throw .outOfRange }
            end = next
        } else {
            end = run.leavesEnd
        }
        // A leaf of one entry may have no bytes at all.
        guard start <= end, let bytes = file.bytes(start, end - start) else { throw .truncated }
        return ByteReader(bytes, to: end - start)
    }
}

/// (target, source) pairs in an index file; a pair is one word, target above source.
///
///     leaf, for each pair but the first:  varint difference of the targets | varint: where that is 0 the difference of the sources, else
///                                         the source
struct MappedPairs: Sendable {
    private let run: MappedRun

    init(file: IndexFile, run: IndexRoot.Run) { self.run = MappedRun(file: file, run: run, keyWords: 1) }

    var file: IndexFile { run.file }
    var count: Int { run.entryCount }
    var place: IndexRoot.Run { run.run }

    /// Calls `body` with every pair at or behind `start`, ascending, until it answers false. Throws at bytes that cannot be right.
    @inline(__always)
    func forEach(from start: UInt64, _ body: (UInt64) -> Bool) throws(ByteError) {
        guard run.entryCount > 0, run.leafCount > 0 else { return }
        for leaf in try run.leaf(for: (start, 0))..<run.leafCount {
            var reader = try run.reader(ofLeaf: leaf)
            var word = try run.fence(leaf, 0)
            if word >= start, !body(word) { return }
            for _ in 1..<max(run.entryCount(ofLeaf: leaf), 1) {
                let step = try reader.varint()
                let source = try reader.varint()
                guard step <= UInt64(UInt32.max) - word >> 32, source <= UInt64(UInt32.max) else { throw .outOfRange }
                if step == 0 {
                    guard source > 0, source <= UInt64(UInt32.max) - (word & 0xFFFF_FFFF) else { throw .outOfRange }
                    word += source
                } else {
                    word = (word >> 32 + step) << 32 | source
                }
                if word >= start, !body(word) { return }
            }
        }
    }
}

/// Links in an index file, seen from one end, sorted by key and other end.
///
///     leaf, for the first link:  zigzag order key
///     for each other one:        varint difference of the keys | the other end: where that is 0, varint difference of the other ends, else
///                                varint row << 1 | whether its entity is another than in the link before, and then varint entity |
///                                zigzag order key
struct MappedLinks: Sendable {
    private let run: MappedRun

    init(file: IndexFile, run: IndexRoot.Run) { self.run = MappedRun(file: file, run: run, keyWords: 2) }

    var file: IndexFile { run.file }
    var count: Int { run.entryCount }
    var place: IndexRoot.Run { run.run }

    /// As for pairs; the start is a key and another end.
    @inline(__always)
    func forEach(from start: (key: UInt64, other: UInt64), _ body: (LinkEntry) -> Bool) throws(ByteError) {
        guard run.entryCount > 0, run.leafCount > 0 else { return }
        for leaf in try run.leaf(for: start)..<run.leafCount {
            var reader = try run.reader(ofLeaf: leaf)
            var key = try run.fence(leaf, 0)
            var other = try run.fence(leaf, 1)
            for index in 0..<run.entryCount(ofLeaf: leaf) {
                if index > 0 {
                    let step = try reader.varint()
                    guard step <= UInt64.max - key else { throw .outOfRange }
                    key += step
                    let rest = try reader.varint()
                    if step == 0 {
                        guard rest > 0, rest <= UInt64.max - other else { throw .outOfRange }
                        other += rest
                    } else {
                        guard rest >> 1 <= UInt64(UInt32.max) else { throw .outOfRange }
                        let entity = rest & 1 == 0 ? other >> 32 : UInt64(try reader.varint16())
                        other = entity << 32 | rest >> 1
                    }
                }
                let order = try reader.signedVarint()
                guard (key, other) >= start else { continue }
                if !body(LinkEntry(key: key, other: other, order: order, isRemoved: false)) { return }
            }
        }
    }
}
