/// The commits of a log, oldest first, as of one snapshot. Reads the headers and metadata only.
package struct CommitHistory: Sequence {
    let snapshot: LogSnapshot
    /// Where the first of them begins.
    var start = UInt64(Format.headerByteCount)

    package struct Iterator: IteratorProtocol {
        private var cursor: SnapshotFrames
        private let snapshot: LogSnapshot
        private var start: UInt64?

        init(_ snapshot: LogSnapshot, from offset: UInt64) {
            self.snapshot = snapshot
            cursor = SnapshotFrames(snapshot, from: offset)
        }

        package mutating func next() -> CommitInfo? {
            while let (frame, base) = cursor.next() {
                guard frame.kind == .commit else { continue }
                let first = start ?? frame.offset
                guard frame.hasCommitMark else {
                    start = first
                    continue
                }
                start = nil
                guard snapshot.isChecked(frame, from: frame.metadataOffset), let metadata = CommitMetadata(checked: frame, at: base) else {
                    return nil
                }
                return CommitInfo(
                    number: frame.commit, time: metadata.time, author: metadata.author, counts: metadata.counts,
                    isCompacted: snapshot.header.epoch > 1 && first == UInt64(Format.headerByteCount), offset: first,
                    byteCount: frame.end - first)
            }
            return nil
        }
    }

    /// The number of the last commit of the snapshot, 0 in an empty log.
    package var newestCommit: UInt64 { snapshot.commitNumber }
    package func makeIterator() -> Iterator { Iterator(snapshot, from: start) }
}

/// The frames of a snapshot's log from a frame's offset on, each with its first byte in memory.
struct SnapshotFrames {
    private let snapshot: LogSnapshot
    private let salt: UInt64
    private(set) var offset: UInt64

    init(_ snapshot: LogSnapshot, from offset: UInt64) {
        self.snapshot = snapshot
        self.offset = offset
        salt = snapshot.header.salt
    }

    mutating func next() -> (header: FrameHeader, base: UnsafeRawPointer)? {
        guard offset < snapshot.endOffset, let region = snapshot.region(offset, Format.frameHeaderByteCount) else { return nil }
        let limit = min(snapshot.endOffset, region.fileOffset + UInt64(region.length))
        let base = region.base + Int(offset - region.fileOffset)
        guard let frame = FrameHeader(base, offset: offset, limit: limit, salt: salt) else { return nil }
        offset = frame.end
        return (frame, base)
    }
}

/// How many objects of an entity there are.
package struct EntitySummary: Sendable, Equatable {
    package let entity: CatalogEntity
    package let liveCount: Int
    /// nil when there never was an object.
    package let highestRow: Row?
}

/// What `graben info` shows of a log.
package struct LogSummary: Sendable, Equatable {
    /// Preallocated zeros included.
    package let fileSize: UInt64
    /// Where the log ends: the bytes of it that count.
    package let logSize: UInt64
    package let commits: UInt64
    package let catalogVersion: UInt32
    package let entities: [EntitySummary]
    /// nil when there is no index file that this log was opened from or has written.
    package let index: IndexSummary?
    /// Why the index file could not be written the last time that was tried; nothing is lost by it.
    package let indexFailure: LogError?
    /// Why the last automatic compaction came to nothing; nil after one that did not. Nothing is lost by it but room.
    package let compactionFailure: LogError?
    /// The commit after which history is complete.
    package let oldestHistory: UInt64
    /// What this process still reads of earlier commits.
    package let pinned: PinnedSnapshots
}

/// What `graben info` shows of an index file.
package struct IndexSummary: Sendable, Equatable {
    package let byteCount: UInt64
    /// How much of the log the next opening has to replay.
    package let tailByteCount: UInt64
}

extension Log {
    /// The commits up to the newest published one, oldest first.
    package func commits() -> CommitHistory { CommitHistory(snapshot: newest) }

    package func summary() throws(LogError) -> LogSummary {
        let snapshot = newest
        let (covered, byteCount, failure, compactionFailure) = checkpointing.lock.withLock {
            (checkpointing.coveredEnd, checkpointing.byteCount, checkpointing.failure, checkpointing.compactionFailure)
        }
        return LogSummary(
            fileSize: try fileSize(), logSize: snapshot.endOffset, commits: snapshot.commitNumber, catalogVersion: snapshot.catalog.version,
            entities: snapshot.catalog.entities.map {
                EntitySummary(entity: $0, liveCount: snapshot.liveCount($0.code), highestRow: snapshot.highestRow($0.code))
            },
            index: covered > 0
                ? IndexSummary(byteCount: byteCount, tailByteCount: snapshot.endOffset - min(snapshot.endOffset, covered)) : nil,
            indexFailure: failure, compactionFailure: compactionFailure, oldestHistory: Self.oldestHistory(of: snapshot),
            pinned: pins.summary(besides: snapshot))
    }
}
