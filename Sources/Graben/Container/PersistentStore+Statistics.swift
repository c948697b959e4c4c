import GrabenLog

/// What a store has done since it was opened, and how its file is.
public struct StoreStatistics: Sendable, Equatable {
    /// The length of the log in its file, in bytes; zeros written ahead are not counted.
    public let byteCount: UInt64
    /// The number of the newest commit that can be read.
    public let newestCommit: UInt64
    /// The commit after which history is complete: 0 where no compaction has taken any of it.
    public let oldestHistory: UInt64
    /// How many commits were made, by any context.
    public let commits: Int
    /// How many syncs they took.
    public let syncs: Int
    /// The oldest commit besides the newest that a context, an object or a lent column of this process still reads; nil when there is none.
    public let oldestPinnedCommit: UInt64?
    /// The room of files that compactions replaced and that are still being read here: it is free when the last of their readers moves on.
    public let pinnedByteCount: UInt64
    /// Why the last automatic compaction came to nothing; nil after one that did not. Nothing is lost by it, and it is tried again.
    public let compactionFailure: GrabenError?
    /// Why the index beside the file could not be written the last time; the next opening takes longer, and nothing is lost.
    public let indexFailure: GrabenError?

    /// Whether both say the same.
    public static func == (a: StoreStatistics, b: StoreStatistics) -> Bool {
        a.byteCount == b.byteCount && a.newestCommit == b.newestCommit && a.oldestHistory == b.oldestHistory && a.commits == b.commits
            && a.syncs == b.syncs && a.oldestPinnedCommit == b.oldestPinnedCommit && a.pinnedByteCount == b.pinnedByteCount
            && a.compactionFailure?.description == b.compactionFailure?.description
            && a.indexFailure?.description == b.indexFailure?.description
    }
}

extension PersistentStore {
    /// What the store has done since it was opened, and how its file is.
    ///
    /// - Throws: `GrabenError.store` when it is closed.
    public func statistics() throws(GrabenError) -> StoreStatistics {
        let summary: LogSummary
        do { summary = try log.summary() } catch { throw .store(error) }
        let done = log.statistics
        return StoreStatistics(
            byteCount: summary.logSize, newestCommit: summary.commits, oldestHistory: summary.oldestHistory, commits: done.commits,
            syncs: done.syncs, oldestPinnedCommit: summary.pinned.oldestCommit, pinnedByteCount: summary.pinned.byteCount,
            compactionFailure: summary.compactionFailure.map { .store($0) }, indexFailure: summary.indexFailure.map { .store($0) })
    }
}
