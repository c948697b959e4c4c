/// How much of its history a compaction leaves in a log, besides what lives.
package enum LogRetention: Sendable, Hashable {
    /// None: what lives is all that is left.
    case nothing
    /// All of it: a compaction has nothing to do.
    case everything
    /// The last so many commits.
    case commits(UInt64)
    /// From the first commit made at or after a time on, in seconds since the first instant of 2001.
    case since(Double)
    /// From the first commit made within so many seconds on.
    case duration(Double)
}

/// The commit that a compaction makes of everything before it and itself; later ones are carried over as they are.
struct CompactionBase {
    let commit: UInt64
    /// Where its last frame ends.
    let end: UInt64
}

extension Log {
    /// Where the history begins that a compaction leaves: after which commit. With `bound`, all history after that commit is left and
    /// nothing before it. O(commits) where it depends on times, or on a number that is not the newest.
    func compactionBase(of snapshot: LogSnapshot, keepingAfter bound: UInt64? = nil) throws(LogError) -> CompactionBase {
        let oldest = Self.oldestHistory(of: snapshot)
        let newest = CompactionBase(commit: snapshot.commitNumber, end: snapshot.endOffset)
        switch (bound, options.retention) {
        case (let bound?, _): return try base(atOrBefore: min(max(bound, oldest), newest.commit), of: snapshot)
        case (nil, .nothing): return newest
        case (nil, .everything): return try base(atOrBefore: oldest, of: snapshot)
        case (nil, .commits(let count)):
            let first = newest.commit - min(count, newest.commit)
            return try base(atOrBefore: max(first, oldest), of: snapshot)
        case (nil, .since(let time)): return try base(madeBefore: time, of: snapshot)
        case (nil, .duration(let seconds)): return try base(madeBefore: Platform.now() - seconds, of: snapshot)
        }
    }

    private func base(atOrBefore number: UInt64, of snapshot: LogSnapshot) throws(LogError) -> CompactionBase {
        if number == snapshot.commitNumber { return CompactionBase(commit: number, end: snapshot.endOffset) }
        return try base(of: snapshot) { $0.number <= number }
    }

    /// A clock that was set back makes later commits look older; the first that is young enough decides, so more is kept rather than less.
    private func base(madeBefore time: Double, of snapshot: LogSnapshot) throws(LogError) -> CompactionBase {
        try base(of: snapshot) { $0.time < time }
    }

    /// The last of the commits from the first on that are past. Where there is none, the first commit of a compacted file, or nothing.
    private func base(of snapshot: LogSnapshot, while isPast: (CommitInfo) -> Bool) throws(LogError) -> CompactionBase {
        var base = CompactionBase(commit: 0, end: UInt64(Format.headerByteCount))
        var commits = CommitHistory(snapshot: snapshot).makeIterator()
        while base.commit < snapshot.commitNumber {
            guard let commit = commits.next() else {
                throw .damaged(path: path, offset: base.end, reason: "commit \(base.commit + 1) cannot be read, though the log goes on")
            }
            guard commit.isCompacted || isPast(commit) else { break }
            base = CompactionBase(commit: commit.number, end: commit.offset + commit.byteCount)
        }
        return base
    }

    /// The store as of a compaction's base: a replay up to it.
    func snapshot(of base: CompactionBase, in newest: LogSnapshot) throws(LogError) -> LogSnapshot {
        if base.commit == newest.commitNumber { return newest }
        guard let file = syncLock.withLock({ publication.file }) else { throw .closed(path: path) }
        let region = try Self.map(file, 0, base.end, options)
        let replay = try Self.replay(
            path: path, header: newest.header, region: region, limit: base.end, knownDurable: base.end,
            checkpoint: newest.checkpoint.flatMap { $0.durableEnd <= base.end ? $0 : nil }, permuted: newest.permutedEntities)
        if let damage = replay.health.damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
        guard replay.snapshot.commitNumber == base.commit else {
            throw .damaged(path: path, offset: replay.tail, reason: "the log ends before commit \(base.commit)")
        }
        return replay.snapshot
    }
}

extension LogSnapshot {
    /// The entities whose slots are in another order than their rows.
    var permutedEntities: Set<EntityCode> { Set(entities.lazy.compactMap { $0 }.filter { $0.slotMap != nil }.map(\.code)) }
}
