extension Log {
    /// Starts a compaction, on a thread of its own, when the log is longer than twice what lives in it and 32 MB; history that is to be kept
    /// is not counted.
    ///
    /// What lives is counted by that thread, and not again before the log has grown by a sixteenth of it or 4 MB: deleting everything that
    /// lives makes a log grow by more than that.
    func compactIfNeeded(_ snapshot: LogSnapshot) {
        guard options.compactsAutomatically, health.readOnlyReason == nil else { return }
        let isDue = checkpointing.lock.withLock {
            let state = checkpointing
            guard snapshot.endOffset > state.nextCompactionCheck, !state.isCheckingCompaction, !state.isCompacting,
                !state.isCancelled.load(ordering: .relaxed)
            else { return false }
            state.isCheckingCompaction = true
            return true
        }
        guard isDue else { return }
        let hasThread = DetachedThread.start { [weak self] in self?.compactInBackground() }
        if !hasThread { checkpointing.lock.withLock { checkpointing.isCheckingCompaction = false } }
    }

    private func compactInBackground() {
        let snapshot = newest
        let slack = options.compactionByteCount
        var nextCheck: UInt64
        do throws(LogError) {
            let base = try compactionBase(of: snapshot)
            // What history is kept from may hold much that was deleted since; so what lived then counts, and not what lives now.
            let mayGain = base.end > slack && (base.commit == snapshot.commitNumber || base.commit > Self.oldestHistory(of: snapshot))
            let start = mayGain ? try self.snapshot(of: base, in: snapshot) : snapshot
            let live = mayGain ? try start.liveByteCount() : 0
            let step = max(UInt64(slack / 8), live / 16)
            nextCheck = snapshot.endOffset + step
            if mayGain, base.end > 2 * live + UInt64(slack), try compact(known: start) != nil {
                nextCheck = newest.endOffset + step
                checkpointing.lock.withLock { checkpointing.compactionFailure = nil }
            }
        } catch {
            // A full disk, or one that fails, is not tried again at once. The compaction was nobody's wish, so its error is nobody's either, but
            // who asks is told.
            checkpointing.lock.withLock {
                if !checkpointing.isCancelled.load(ordering: .relaxed) { checkpointing.compactionFailure = error }
            }
            nextCheck = newest.endOffset + max(UInt64(slack), newest.endOffset / 2)
        }
        checkpointing.lock.withLock {
            checkpointing.nextCompactionCheck = nextCheck
            checkpointing.isCheckingCompaction = false
            checkpointing.lock.broadcast()
        }
    }
}

extension LogSnapshot {
    /// About how many bytes a file would have that holds what lives in this snapshot and nothing else. O(objects).
    func liveByteCount() throws(LogError) -> UInt64 {
        var sum = UInt64(Format.headerByteCount)
        var records = RecordBlockEstimate()
        for case let state? in entities {
            var live: [Int: Int] = [:]
            var block: RecordBlock?
            defer { withExtendedLifetime(block) {} }
            try state.records.forEachLeaf(0..<state.records.leafLimit) { (leaf, words) throws(LogError) in
                var count = 0
                for place in 0..<PagedArray.fanOut where words[place] != 0 {
                    records.add(try head(UInt64(words[place]), in: &block))
                    count += 1
                }
                if count > 0 { live[leaf * PagedArray.fanOut / slotsPerChunk, default: 0] += count }
                return true
            }
            guard let layout = table.newest(state.code), layout.chunkByteCount > 0 else { continue }
            for rows in live.values { sum += UInt64(layout.chunkByteCount * rows / slotsPerChunk) }
        }
        for index in links.values { sum += UInt64(index.members.byteCount) }
        return sum + records.byteCount()
    }
}
