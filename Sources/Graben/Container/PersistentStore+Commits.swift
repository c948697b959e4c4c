public import FoundationEssentials
import GrabenLog

/// One commit of a store: when it was made, by whom, and how much it did.
public struct CommitSummary: Sendable, Equatable {
    /// The commit's number: 1 for a store's first, without gaps from then on. The first one after a compaction has the number of the last
    /// one before it, and all that lived then.
    public let number: UInt64
    /// The time of the machine that made it.
    public let date: Date
    /// Whether a compaction wrote it: it then holds all that lived after the commit of its number, and its counts are those of what lived.
    public let isCompacted: Bool
    /// The context's `transactionAuthor`, if it had one.
    public let author: String?
    /// How many objects it inserted.
    public let insertedCount: Int
    /// How many objects had unpacked attributes or to-one relationships changed; those only moved are not among them.
    public let updatedCount: Int
    /// How many objects it deleted.
    public let deletedCount: Int
    /// How many rows had packed attributes written, those of inserted objects included.
    public let movedCount: Int
    /// Its length in the file, in bytes.
    public let byteCount: UInt64
}

extension PersistentStore {
    /// The store's commits, oldest first; the ones that wrote a model are among them.
    ///
    /// Shows what was committed before the call, by any context. Complexity: O(commits); no record is read.
    /// - Throws: `GrabenError.store` where the file's own account of a commit cannot be read.
    public func commits() throws(GrabenError) -> [CommitSummary] {
        let history = log.commits()
        let commits = Array(history)
        // The walk ends where a frame cannot be read.
        guard commits.last?.number ?? 0 == history.newestCommit else {
            let end = commits.last.map { $0.offset + $0.byteCount } ?? 0
            let next = (commits.last?.number).map { "commit \($0 + 1)" } ?? "the first commit"
            throw .store(.malformed(what: "\(next) after this byte cannot be read", path: configuration.path, offset: end))
        }
        return commits.map { commit in
            CommitSummary(
                number: commit.number, date: Date(timeIntervalSinceReferenceDate: commit.time),
                isCompacted: commit.isCompacted, author: commit.author,
                insertedCount: commit.counts.inserted, updatedCount: commit.counts.updated, deletedCount: commit.counts.deleted,
                movedCount: commit.counts.moved, byteCount: commit.byteCount)
        }
    }
}
