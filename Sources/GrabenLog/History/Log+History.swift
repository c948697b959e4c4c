internal import Synchronization

/// The commits of a log after one of them, oldest first: what each did is read from its frames when it is asked for.
package struct LogHistory: Sequence, Sendable {
    package let snapshot: LogSnapshot
    /// Where the first of them begins.
    let offset: UInt64
    let catalogs: CatalogTimeline

    package struct Iterator: IteratorProtocol {
        private var commits: CommitHistory.Iterator
        private let history: LogHistory

        init(_ history: LogHistory) {
            self.history = history
            commits = CommitHistory.Iterator(history.snapshot, from: history.offset)
        }

        package mutating func next() -> LogTransaction? {
            commits.next().map { LogTransaction(info: $0, snapshot: history.snapshot, catalogs: history.catalogs) }
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }
}

/// One commit of a log's history.
package struct LogTransaction: Sendable {
    package let info: CommitInfo
    let snapshot: LogSnapshot
    let catalogs: CatalogTimeline

    /// What the log said about itself after this commit: names are as they were then.
    package func catalog() throws(LogError) -> Catalog { try catalogs.catalog(before: info.offset + info.byteCount) }

    /// What the commit did, object by object. O(size of the commit).
    package func contents() throws(LogError) -> CommitContents {
        var reader = CommitReader(table: snapshot.table)
        var frames = SnapshotFrames(snapshot, from: info.offset)
        while let (frame, base) = frames.next() {
            guard snapshot.isChecked(frame, from: 0) else {
                throw .damaged(path: snapshot.path, offset: frame.payloadOffset, reason: "the checksum of a block is wrong")
            }
            try reader.read(base + Format.frameHeaderByteCount, frame, path: snapshot.path)
            if frame.hasCommitMark { break }
        }
        return reader.finish()
    }
}

/// The catalogs of a log by the places of the file they stand at, decoded when they are first asked for.
final class CatalogTimeline: Sendable {
    private let snapshot: LogSnapshot
    private let known = Mutex<[UInt64: Catalog]>([:])

    init(_ snapshot: LogSnapshot) { self.snapshot = snapshot }

    /// The catalog in force before an offset of the file; an empty one before the first.
    func catalog(before end: UInt64) throws(LogError) -> Catalog {
        guard let place = snapshot.table.places.last(where: { $0.offset < end }) else { return Catalog() }
        if let catalog = known.withLock({ $0[place.offset] }) { return catalog }
        try snapshot.checkpoint?.log.verify(place.offset, place.byteCount)
        guard let region = snapshot.region(place.offset, place.byteCount) else {
            throw .malformed(what: "a catalog lies outside of the log", path: snapshot.path, offset: place.offset)
        }
        let bytes = UnsafeRawBufferPointer(start: region.base + Int(place.offset - region.fileOffset), count: place.byteCount)
        let catalog: Catalog
        do { catalog = try Catalog(decoding: bytes) } catch {
            throw .malformed(what: "a catalog cannot be read: \(error)", path: snapshot.path, offset: place.offset)
        }
        known.withLock { $0[place.offset] = catalog }
        return catalog
    }
}

/// Where some of a log's commits begin, so that history since a late one is found without a walk over all of them.
struct HistoryMarks {
    private static let spacing: UInt64 = 64
    private var salt: UInt64 = 0
    /// Ascending; the first commit after each multiple of the spacing that a walk has come by.
    private var marks: [(commit: UInt64, offset: UInt64)] = []

    /// Where a commit begins that is no later than the one of this number; nil when a walk has to begin with the file.
    func place(notAfter commit: UInt64, of salt: UInt64) -> UInt64? {
        guard salt == self.salt else { return nil }
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].commit <= commit { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? marks[low - 1].offset : nil
    }

    mutating func note(_ commit: UInt64, at offset: UInt64, of salt: UInt64) {
        if salt != self.salt { (self.salt, marks) = (salt, []) }
        guard marks.last.map({ commit >= $0.commit + Self.spacing }) ?? true else { return }
        marks.append((commit, offset))
    }
}

extension Log {
    /// The commit after which history is complete: 0 where no compaction has taken any of it.
    package var oldestHistory: UInt64 { Self.oldestHistory(of: newest) }

    static func oldestHistory(of snapshot: LogSnapshot) -> UInt64 {
        guard snapshot.header.epoch > 1 else { return 0 }
        var frames = SnapshotFrames(snapshot, from: UInt64(Format.headerByteCount))
        return frames.next()?.header.commit ?? snapshot.commitNumber
    }

    /// The commits after the one of a number, up to the newest published one.
    ///
    /// `time` is when that commit was made, for telling it from another of the same number. Throws `historyExpired` when commits in between
    /// are no longer in the log, `historyForeign` when the log has no such commit, `damaged` when one cannot be read. O(commits since).
    package func history(since number: UInt64, madeAt time: Double? = nil) throws(LogError) -> LogHistory {
        let snapshot = newest
        let oldest = Self.oldestHistory(of: snapshot)
        guard number >= oldest else { throw .historyExpired(path: path, since: number, oldest: oldest) }
        guard number <= snapshot.commitNumber else {
            throw .historyForeign(
                path: path, since: number, reason: "the store ends with commit \(snapshot.commitNumber); it is an older copy, perhaps")
        }
        let salt = snapshot.header.salt
        let start = historyMarks.withLock { $0.place(notAfter: number, of: salt) } ?? UInt64(Format.headerByteCount)
        var found = number == 0 ? start : snapshot.endOffset
        var last = number
        // All are looked at once, so that going through them later cannot come upon bad bytes and end too early.
        var commits = CommitHistory(snapshot: snapshot, start: start).makeIterator()
        while let commit = commits.next() {
            historyMarks.withLock { $0.note(commit.number, at: commit.offset, of: salt) }
            if commit.number == number {
                if let time, time != commit.time {
                    throw .historyForeign(path: path, since: number, reason: "the store has another commit of that number")
                }
                found = commit.offset + commit.byteCount
            }
            last = max(last, commit.number)
        }
        guard last == snapshot.commitNumber else {
            throw .damaged(path: path, offset: found, reason: "commit \(last + 1) cannot be read, though the log goes on")
        }
        return LogHistory(snapshot: snapshot, offset: found, catalogs: CatalogTimeline(snapshot))
    }
}
