extension IndexWriter {
    /// Begins a leaf every 64 entries and keeps the fences until all leaves are written.
    private struct Leaves {
        private var fences: [UInt64] = []
        private(set) var count = 0
        private let keyWords: Int

        init(keyWords: Int) { self.keyWords = keyWords }

        /// Whether the entry that comes next is the first of a leaf.
        var beginsLeaf: Bool { count % MappedRun.entriesPerLeaf == 0 }

        mutating func begin(_ key: [UInt64], at offset: Int) { fences += key + [UInt64(offset)] }
        mutating func note() { count += 1 }

        func finish(_ stream: IndexStream) throws(LogError) -> IndexRoot.Run {
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

    func write(_ index: ReverseIndex) throws(LogError) -> IndexRoot.Run {
        let stream = stream
        var leaves = Leaves(keyWords: 1)
        var last: UInt64 = 0
        var failure: LogError?
        func add(_ word: UInt64) -> Bool {
            if leaves.beginsLeaf {
                do throws(LogError) { try stream.flushIfLarge() } catch {
                    failure = error
                    return false
                }
                leaves.begin([word], at: stream.offset)
            } else {
                let step = word >> 32 - last >> 32
                stream.buffer.appendVarint(step)
                stream.buffer.appendVarint(step == 0 ? word - last : word & 0xFFFF_FFFF)
            }
            leaves.note()
            last = word
            return true
        }
        if index.runs.isEmpty, case .mapped(let base) = index.base {
            try base.forEach(from: 0, add)
        } else {
            for word in try index.all() where !add(word) { break }
        }
        if let failure { throw failure }
        return try leaves.finish(stream)
    }

    func write(_ runs: LinkRuns) throws(LogError) -> IndexRoot.Run {
        let stream = stream
        var leaves = Leaves(keyWords: 2)
        var last: (key: UInt64, other: UInt64) = (0, 0)
        var failure: LogError?
        func add(_ entry: LinkEntry) -> Bool {
            if leaves.beginsLeaf {
                do throws(LogError) { try stream.flushIfLarge() } catch {
                    failure = error
                    return false
                }
                leaves.begin([entry.key, entry.other], at: stream.offset)
            } else {
                stream.buffer.appendVarint(entry.key - last.key)
                if entry.key == last.key {
                    stream.buffer.appendVarint(entry.other - last.other)
                } else {
                    let isOtherEntity = entry.other >> 32 != last.other >> 32
                    stream.buffer.appendVarint((entry.other & 0xFFFF_FFFF) << 1 | (isOtherEntity ? 1 : 0))
                    if isOtherEntity { stream.buffer.appendVarint(entry.other >> 32) }
                }
            }
            stream.buffer.appendVarint(Zigzag.encode(entry.order))
            leaves.note()
            last = (entry.key, entry.other)
            return true
        }
        if let base = runs.soleBase {
            base.forEach(from: (0, 0), add)
        } else {
            for entry in runs.all() where !add(entry) { break }
        }
        if let failure { throw failure }
        return try leaves.finish(stream)
    }
}
