/// Writes the entries of a run into leaves, and at the end the fences.
private struct RunEncoder {
    let stream: IndexStream
    private let keyWords: Int
    private let entriesPerLeaf: Int
    private var fences: [UInt64] = []
    private(set) var count = 0

    init(_ stream: IndexStream, keyWords: Int, entriesPerLeaf: Int = MappedRun.entriesPerLeaf) {
        self.stream = stream
        self.keyWords = keyWords
        self.entriesPerLeaf = entriesPerLeaf
    }

    /// Begins a leaf where the next entry is the first of one; its key then stands in the fence.
    @inline(__always)
    mutating func beginsLeaf(_ key: UInt64, _ second: UInt64 = 0) throws(LogError) -> Bool {
        defer { count += 1 }
        guard count % entriesPerLeaf == 0 else { return false }
        try begin(key, second)
        return true
    }

    /// Begins a leaf of so many entries, all of which the caller writes.
    mutating func beginLeaf(_ key: UInt64, entryCount: Int) throws(LogError) {
        try begin(key, 0)
        count += entryCount
    }

    private mutating func begin(_ key: UInt64, _ second: UInt64) throws(LogError) {
        try stream.flushIfLarge()
        fences.append(key)
        if keyWords == 2 { fences.append(second) }
        fences.append(UInt64(stream.offset))
    }

    func finish() throws(LogError) -> IndexRoot.Run {
        let end = stream.offset
        stream.align(8)
        let table = IndexRoot.Table(offset: stream.offset, count: fences.count / (keyWords + 1))
        for word in fences {
            stream.buffer.append(word)
            try stream.flushIfLarge()
        }
        return IndexRoot.Run(entryCount: count, fences: table, leavesEnd: end)
    }
}

private struct PairEncoder {
    private var leaves: RunEncoder
    private var last: UInt64 = 0

    init(_ stream: IndexStream) { leaves = RunEncoder(stream, keyWords: 1) }

    @inline(__always)
    mutating func add(_ word: UInt64) throws(LogError) {
        if try !leaves.beginsLeaf(word) {
            let step = word >> 32 - last >> 32
            leaves.stream.buffer.appendVarint(step)
            leaves.stream.buffer.appendVarint(step == 0 ? word - last : word & 0xFFFF_FFFF)
        }
        last = word
    }

    /// Adds ascending pairs to a run that has none yet.
    mutating func add(_ pairs: [UInt64]) throws(LogError) {
        let buffer = leaves.stream.buffer
        var next = 0
        while next < pairs.count {
            let end = min(next + MappedRun.entriesPerLeaf, pairs.count)
            try leaves.beginLeaf(pairs[next], entryCount: end - next)
            pairs.withUnsafeBufferPointer { pairs in
                for index in next + 1..<end {
                    let step = pairs[index] >> 32 - pairs[index - 1] >> 32
                    buffer.appendVarint(step)
                    buffer.appendVarint(step == 0 ? pairs[index] - pairs[index - 1] : pairs[index] & 0xFFFF_FFFF)
                }
            }
            next = end
        }
    }

    func finish() throws(LogError) -> IndexRoot.Run { try leaves.finish() }
}

private struct LinkEncoder {
    private var leaves: RunEncoder
    private var last: (key: UInt64, other: UInt64) = (0, 0)

    init(_ stream: IndexStream) { leaves = RunEncoder(stream, keyWords: 2) }

    mutating func add(_ entry: LinkEntry) throws(LogError) {
        let buffer = leaves.stream.buffer
        if try !leaves.beginsLeaf(entry.key, entry.other) {
            buffer.appendVarint(entry.key - last.key)
            if entry.key == last.key {
                buffer.appendVarint(entry.other - last.other)
            } else {
                let isOtherEntity = entry.other >> 32 != last.other >> 32
                buffer.appendVarint((entry.other & 0xFFFF_FFFF) << 1 | (isOtherEntity ? 1 : 0))
                if isOtherEntity { buffer.appendVarint(entry.other >> 32) }
            }
        }
        buffer.appendVarint(Zigzag.encode(entry.order))
        last = (entry.key, entry.other)
    }

    func finish() throws(LogError) -> IndexRoot.Run { try leaves.finish() }
}

private struct KeyEncoder {
    private var leaves: RunEncoder
    private var last: [UInt8] = []

    init(_ stream: IndexStream) { leaves = RunEncoder(stream, keyWords: 1, entriesPerLeaf: MappedKeys.entriesPerLeaf) }

    mutating func add(_ key: UnsafeRawBufferPointer, _ row: Row) throws(LogError) {
        let buffer = leaves.stream.buffer
        var shared = 0
        if try !leaves.beginsLeaf(keyPrefix(key)) {
            while shared < min(last.count, key.count), last[shared] == key[shared] { shared += 1 }
            buffer.appendVarint(UInt64(shared))
        }
        buffer.appendVarint(UInt64(key.count - shared))
        buffer.append(UnsafeRawBufferPointer(rebasing: key[shared...]))
        buffer.appendVarint(UInt64(row))
        last.removeSubrange(min(shared, last.count)...)
        last.append(contentsOf: key[shared...])
    }

    func finish() throws(LogError) -> IndexRoot.Run { try leaves.finish() }
}

extension IndexWriter {
    func write(_ index: KeyIndex) throws(LogError) -> IndexRoot.Run {
        var encoder = KeyEncoder(stream)
        try index.forEach { (key, row) throws(LogError) in try encoder.add(key, row) }
        return try encoder.finish()
    }

    func write(_ index: ReverseIndex) throws(LogError) -> IndexRoot.Run {
        var encoder = PairEncoder(stream)
        if index.runs.isEmpty, case .mapped(let base) = index.base {
            var failure: LogError?
            try base.forEach(from: 0) { word in
                do throws(LogError) { try encoder.add(word) } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
        } else {
            try encoder.add(try index.all())
        }
        return try encoder.finish()
    }

    func write(_ runs: LinkRuns) throws(LogError) -> IndexRoot.Run {
        var encoder = LinkEncoder(stream)
        if let base = runs.soleBase {
            var failure: LogError?
            base.forEach(from: (0, 0)) { entry in
                do throws(LogError) { try encoder.add(entry) } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
        } else {
            for entry in runs.all() { try encoder.add(entry) }
        }
        return try encoder.finish()
    }
}
