/// What a compaction came to.
package struct LogCompaction: Sendable, Equatable {
    /// The log's length before and after, in bytes; zeros written ahead are not counted.
    package let byteCountBefore: UInt64
    package let byteCountAfter: UInt64
    /// Commits that were made while the new file was written, and are in it as they were.
    package let carriedCommits: Int
}

extension Log {
    /// The path of the file a compaction writes. One that is there while nobody compacts is the trace of an interrupted one.
    static func compactionPath(of path: String) -> String { path + "-compact" }

    /// Writes what lives into a new file and puts that in the log's place; commits and readers go on meanwhile.
    ///
    /// The new file has the next epoch and a salt of its own. It begins with what lived after one commit, under that commit's number: the
    /// newest, or with `LogOptions.retention` or `bound` the last one before the history that is kept. Later commits follow as they are; what
    /// came before is history no more. Snapshots taken before keep reading the old file, and the chain of commits leads from them to those
    /// after. Where all history is to be kept nothing is done.
    ///
    /// With `bound` the history after that commit is kept, whatever the options say, and none before.
    ///
    /// `progress` gets the fraction done, from 0 to 1, now and then, and ends the compaction by answering false, which leaves everything as it
    /// was; the answer is then nil. So does a failure before the exchange. O(live data), and of the log where history is kept; memory is bounded by
    /// a part of a commit and eight bytes for each row, where history is kept twice those.
    ///
    /// Throws `readOnly`, `closed`, `invalid` when a compaction is running, `damaged`, and what fails of the file system. `poisoned` says that
    /// the exchange itself failed: the store is whole, and has to be opened again.
    @discardableResult
    package func compact(
        keepingAfter bound: UInt64? = nil, progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(LogError) -> LogCompaction? {
        try compact(keepingAfter: bound, known: nil, progress: progress)
    }

    /// `known` is the store as of a base that was found before, so that it need not be replayed again; it counts while the log is still in the
    /// file it came from.
    func compact(
        keepingAfter bound: UInt64? = nil, known: LogSnapshot?, progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(LogError) -> LogCompaction? {
        try refuseFork()
        try beginCompaction()
        defer { endCompaction() }
        let newest = newest
        if let known, known.header.salt == newest.header.salt { return try compact(from: known, newest: newest, progress) }
        let base = try compactionBase(of: newest, keepingAfter: bound)
        let isUseful = base.commit == newest.commitNumber || base.commit > Self.oldestHistory(of: newest)
        guard newest.commitNumber > 0, base.commit > 0, isUseful else {
            return LogCompaction(byteCountBefore: newest.endOffset, byteCountAfter: newest.endOffset, carriedCommits: 0)
        }
        return try compact(from: try snapshot(of: base, in: newest), newest: newest, progress)
    }

    /// Writes a snapshot into a new file, and the commits since.
    private func compact(
        from start: LogSnapshot, newest: LogSnapshot, _ progress: @escaping (Double) -> Bool
    ) throws(LogError) -> LogCompaction? {
        let fresh = Self.compactionPath(of: path)
        let file = try system.open(fresh, .replace)
        var isInPlace = false
        defer { if !isInPlace { try? system.remove(fresh) } }
        let total = Double(max(1, start.entities.reduce(0) { $0 + ($1?.liveCount ?? 0) }))
        var header = start.header
        guard header.epoch < .max else { throw .limit(what: "it has been compacted as often as can be numbered", path: path) }
        header.epoch += 1
        header.salt = Platform.random().0
        let writer = CompactionWriter(
            path: path, header: header, file: file, partLimit: min(options.partByteCount, 4 << 20)
        ) { [checkpointing] done in
            !checkpointing.isCancelled.load(ordering: .relaxed) && progress(min(Double(done) / total, 1))
        }
        do throws(LogError) {
            guard try file.lockExclusive() else { throw .locked(path: fresh, holder: "another handle of it") }
            try writer.write(start)
            try file.sync()
            let (reached, copied) = try prepare(writer, file, from: start, indexesOf: newest)
            return try exchange(file, writer, reached: reached, copied: copied, start: newest, isInPlace: &isInPlace)
        } catch {
            if writer.isCancelled {
                // A log that is being closed says so.
                if checkpointing.isCancelled.load(ordering: .relaxed) { throw .closed(path: path) }
                return nil
            }
            throw error
        }
    }

    private func beginCompaction() throws(LogError) {
        try writerLock.withLock { () throws(LogError) in _ = try prepareToAppend() }
        let begins = checkpointing.lock.withLock {
            guard !checkpointing.isCompacting, !checkpointing.isCancelled.load(ordering: .relaxed) else { return false }
            checkpointing.isCompacting = true
            return true
        }
        if !begins { throw .invalid(what: "it is being compacted already, or closed", path: path) }
    }

    private func endCompaction() {
        checkpointing.lock.withLock {
            checkpointing.isCompacting = false
            checkpointing.lock.broadcast()
        }
    }

    /// Reads the new file back, as an opening would, and carries over what was committed since, as long as that is much. Answers the snapshot of
    /// the old file that the new one has reached, and the new one's own.
    private func prepare(
        _ writer: CompactionWriter, _ file: any LogFile, from start: LogSnapshot, indexesOf used: LogSnapshot
    ) throws(LogError) -> (reached: LogSnapshot, copied: LogSnapshot) {
        let region = try Self.map(file, 0, writer.tail, options)
        let replay = try Self.replay(
            path: path, header: writer.header, region: region, limit: writer.tail, knownDurable: writer.tail, checkpoint: nil)
        if let damage = replay.health.damage {
            throw .damaged(path: Self.compactionPath(of: path), offset: damage.offset, reason: damage.reason)
        }
        var (reached, copied) = (start, replay.snapshot)
        try checkCopy(copied, of: start)
        // The indexes that are in use are made before anyone waits for them. An older catalog may not know what they are of.
        if copied.catalog.version == used.catalog.version {
            for key in used.reverseIndexes.withLock({ Array($0.keys) }) { _ = try copied.reverseIndex(key) }
            for declaration in used.keyIndexes.withLock({ Array($0.keys) }) { _ = try copied.keyIndex(declaration) }
        }
        for round in 0..<8 {
            let target = newest
            guard target.endOffset - reached.endOffset > (round == 0 ? 0 : 1 << 16) else { break }
            copied = try carry(writer, file, copied, from: reached, to: target) { () throws(LogError) in try writer.askWhetherToGoOn() }
            reached = target
        }
        return (reached, copied)
    }

    /// Compares what is cheap to compare: a compaction that lost something must not take the place of the store.
    func checkCopy(_ copy: LogSnapshot, of original: LogSnapshot) throws(LogError) {
        var isRight = copy.commitNumber == original.commitNumber
        for case let state? in original.entities {
            let other = copy.state(state.code)
            isRight = isRight && other?.liveCount ?? 0 == state.liveCount && other?.highestRow ?? -1 == state.highestRow
            guard let map = state.slotMap, isRight else { continue }
            // Later rows have their own numbers in both.
            let count = max(map.count, other?.slotMap?.count ?? 0)
            isRight = (0..<count).allSatisfy { other?.slot(Row(truncatingIfNeeded: $0)) == map.slot(Row(truncatingIfNeeded: $0)) }
        }
        guard isRight else {
            throw .invalid(what: "the compacted file does not hold what the store does; the store stays as it is", path: path)
        }
    }

    /// Writes commits of the old file to the new one and answers the new one's snapshot after them.
    func carry(
        _ writer: CompactionWriter, _ file: any LogFile, _ copied: LogSnapshot, from reached: LogSnapshot, to target: LogSnapshot,
        goOn: () throws(LogError) -> Void = {}
    ) throws(LogError) -> LogSnapshot {
        var snapshot = copied
        let permuted = target.permutedEntities
        try writer.carry(from: reached, to: target) { (commit, frames) throws(LogError) in
            try goOn()
            guard let first = frames.first, let last = frames.last else { return }
            var regions = snapshot.regions
            if let mapping = regions.last, !mapping.covers(first.offset, Int(last.end - first.offset)) {
                let start = first.offset / mappingGranularity * mappingGranularity
                regions.append(try Self.map(file, start, last.end, options))
            }
            guard let region = regions.last, region.covers(first.offset, Int(last.end - first.offset)) else {
                throw .limit(what: "the store has outgrown its memory", path: path)
            }
            let assembler = SnapshotAssembler(path: path, purpose: .commit, header: writer.header, from: snapshot, permuted: permuted) {
                offset in
                region.covers(offset, 1) ? region.base + Int(offset - region.fileOffset) : nil
            }
            assembler.beginCommit(at: first.offset)
            let parts = frames.map { (base: region.base + Int($0.payloadOffset - region.fileOffset), header: $0) }
            // What the store permuted when it was opened has to be so in the copy, for contexts move across by slots.
            try assembler.adoptOrder(parts)
            for part in parts { try assembler.apply(part.base, part.header) }
            let next = assembler.makeSnapshot(commit: commit, endOffset: last.end, regions: regions)
            try next.carryReverseIndexes(from: snapshot)
            try next.carryKeyIndexes(from: snapshot)
            snapshot = next
        }
        return snapshot
    }
}
