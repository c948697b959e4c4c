internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension Log {
    /// What is known of the index file, and whether one is being written. Guarded by its lock.
    final class Checkpointing: @unchecked Sendable {
        let lock = ConditionLock()
        let isCancelled = Atomic<Bool>(false)
        enum Activity { case none, waiting, writing }
        var activity = Activity.none
        /// Whether a compaction is running.
        var isCompacting = false
        /// Whether a thread is finding out if one is due.
        var isCheckingCompaction = false
        /// That is not done again before the log is this long.
        var nextCompactionCheck: UInt64 = 0
        /// The newest index covers the log up to here; 0 when there is none.
        var coveredEnd: UInt64
        var byteCount: UInt64
        /// After a failure the next attempt waits until the log is this long.
        var retryEnd: UInt64 = 0
        var failure: LogError?
        /// Why the last automatic compaction came to nothing.
        var compactionFailure: LogError?

        init(coveredEnd: UInt64, byteCount: UInt64) {
            self.coveredEnd = coveredEnd
            self.byteCount = byteCount
        }
    }

    /// Starts writing the index, on a thread of its own, when the log has grown enough since the last one.
    func checkpointIfNeeded(_ snapshot: LogSnapshot) {
        guard options.writesIndex, health.readOnlyReason == nil, snapshot.commitNumber > 0 else { return }
        let isDue = checkpointing.lock.withLock {
            let state = checkpointing
            guard state.activity == .none, !state.isCancelled.load(ordering: .relaxed), snapshot.endOffset > state.retryEnd else {
                return false
            }
            let tail = snapshot.endOffset - min(snapshot.endOffset, state.coveredEnd)
            guard tail > max(options.checkpointByteCount, state.byteCount / 4) else { return false }
            state.activity = .waiting
            return true
        }
        guard isDue else { return }
        let delay = options.checkpointDelay
        let hasThread = DetachedThread.start { [weak self] in
            // Large commits rarely come alone, and who has just made one has work to do. A log let go of meanwhile needs no index.
            usleep(delay)
            self?.checkpointInBackground()
        }
        if !hasThread { checkpointing.lock.withLock { checkpointing.activity = .none } }
    }

    private func checkpointInBackground() {
        let begins = checkpointing.lock.withLock {
            guard !checkpointing.isCancelled.load(ordering: .relaxed) else { return false }
            checkpointing.activity = .writing
            return true
        }
        guard begins else { return }
        let snapshot = newest
        do throws(LogError) {
            // The log first: an index must never speak of what a crash can take back.
            try waitUntilDurable(snapshot)
            try writeIndex(snapshot, upTo: snapshot.endOffset, regions: snapshot.regions, lastResort: false)
        } catch {
            note(checkpointFailure: error)
        }
        checkpointing.lock.withLock {
            checkpointing.activity = .none
            checkpointing.lock.broadcast()
        }
    }

    /// Returns once no index is being written nor about to be, so that what tests record has one order.
    package func waitUntilIndexIsWritten() {
        checkpointing.lock.withLock {
            while checkpointing.activity != .none, !checkpointing.isCancelled.load(ordering: .relaxed) { checkpointing.lock.wait() }
        }
    }

    /// Lets no index begin that is not asked for and no compaction, and waits for those under way to be given up.
    func endCheckpointing() {
        checkpointing.isCancelled.store(true, ordering: .relaxed)
        checkpointing.lock.withLock {
            while checkpointing.activity == .writing || checkpointing.isCompacting { checkpointing.lock.wait() }
        }
    }

    /// Writes the index when the log is closed, its marker and all before it being durable. A failure costs the next opening time and is no
    /// error of the close.
    func checkpointAtClose(upTo end: UInt64) {
        let snapshot = writer.appended
        guard options.writesIndex, snapshot.commitNumber > 0 else { return }
        let (coveredEnd, byteCount) = checkpointing.lock.withLock { (checkpointing.coveredEnd, checkpointing.byteCount) }
        // So little is replayed faster than a large index is written.
        guard end > coveredEnd, end - coveredEnd > min(byteCount / 256, 16_384) else { return }
        do throws(LogError) { try writeIndex(snapshot, upTo: end, regions: writer.regions, lastResort: true) } catch {
            note(checkpointFailure: error)
        }
    }

    private func note(checkpointFailure error: LogError) {
        let end = newest.endOffset
        checkpointing.lock.withLock {
            if !checkpointing.isCancelled.load(ordering: .relaxed) { checkpointing.failure = error }
            checkpointing.retryEnd = end + UInt64(options.checkpointByteCount)
        }
    }

    /// Writes the index beside the old one and puts it in its place. Whoever maps the old one keeps it.
    private func writeIndex(
        _ snapshot: LogSnapshot, upTo end: UInt64, regions: [MappedRegion], lastResort: Bool
    ) throws(LogError) {
        let path = IndexFile.path(of: path)
        let fresh = path + "-new"
        let file = try system.open(fresh, .replace)
        let stream = IndexStream(file) { [checkpointing] in !lastResort && checkpointing.isCancelled.load(ordering: .relaxed) }
        var writer = IndexWriter(snapshot, header: snapshot.header, stream: stream, regions: regions)
        let byteCount: UInt64
        do throws(LogError) {
            byteCount = try writer.write(upTo: end)
            try file.sync()
            try system.rename(fresh, to: path)
        } catch {
            // What is left of it would only take room.
            try? system.remove(fresh)
            throw error
        }
        try system.syncDirectory(of: path)
        // An index of the file before a compaction is nobody's.
        let isCurrent = lastResort || newest.isOfSameFile(as: snapshot)
        checkpointing.lock.withLock {
            checkpointing.coveredEnd = isCurrent ? end : 0
            checkpointing.byteCount = isCurrent ? byteCount : 0
            checkpointing.failure = nil
        }
    }
}
