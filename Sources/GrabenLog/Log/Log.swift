package import FoundationEssentials
internal import Synchronization

/// An open store file: the log, its index in memory, and the snapshots made from them.
///
///     commit:  writer lock [ body -> frame -> index -> one write ]  then outside it: one sync for all who wait -> publication
///
/// The writer lock orders commits and covers their check; the sync lock orders syncs and publication. A thread may take the sync lock while it
/// holds the writer lock, never the other way round.
package final class Log: Sendable {
    package let path: String
    package let options: LogOptions
    package let health: LogHealth
    let system: any LogFileSystem

    /// How many commits are under way.
    let committing = Atomic<Int>(0)
    let writerLock = ConditionLock()
    /// Guarded by `writerLock`.
    let writer: Writer
    ///
    /// Who waits for a commit to be durable does so in queue 1 or 2, of which each sync has the other than the one before; everybody else in 0.
    let syncLock = ConditionLock(queues: 3)
    /// Guarded by `syncLock`.
    let publication: Publication
    private let reservations = Mutex<[EntityCode: UInt64]>([:])
    let counters = Mutex(LogStatistics())
    let checkpointing: Checkpointing
    let historyMarks = Mutex(HistoryMarks())
    let pins = SnapshotPins()
    /// The process that opened the log; one that was forked from it shares its files and their lock, and none of its threads.
    private let processID = Platform.processID

    /// What only the holder of the writer lock touches.
    final class Writer: @unchecked Sendable {
        /// nil once the log is closed.
        var file: (any LogFile)?
        /// Whether the side file has been made.
        var hasSideFile: Bool
        var tail: UInt64
        /// Zeros have been written up to here.
        var preallocatedEnd: UInt64
        /// Bytes after the tail must be cut off before anything is appended: those of a write that failed.
        var needsCut = false
        /// The newest appended snapshot, durable or not.
        var appended: LogSnapshot
        var regions: [MappedRegion]
        let buffer = ByteBuffer()
        /// Asked before a commit is told of; what it throws keeps that out.
        var approval: ((LogSnapshot) throws -> Void)?
        /// Whether the last frame is a close marker.
        var endsWithMarker: Bool

        init(file: any LogFile, hasSideFile: Bool, tail: UInt64, preallocatedEnd: UInt64, appended: LogSnapshot, endsWithMarker: Bool) {
            self.file = file
            self.hasSideFile = hasSideFile
            self.tail = tail
            self.preallocatedEnd = preallocatedEnd
            self.appended = appended
            regions = appended.regions
            self.endsWithMarker = endsWithMarker
        }
    }

    /// What only the holder of the sync lock touches.
    final class Publication: @unchecked Sendable {
        var newest: LogSnapshot
        /// Appended and not yet published, oldest first.
        var pending: [LogSnapshot] = []
        var appendedEnd: UInt64
        var durableEnd: UInt64
        /// The same as commits: who waits counts in these, for a compaction gives the same commits other offsets.
        var appendedCommit: UInt64
        var durableCommit: UInt64
        var isSyncing = false
        /// How many syncs have begun, and up to which commit the last one goes.
        var syncNumber = 0
        var syncTarget: UInt64 = 0
        var isTimerSet = false
        /// What the side file says of pinned snapshots.
        var toldPins = PinnedSnapshots()
        /// The failed sync after which nothing can be trusted to reach the disk.
        var poison: LogError?
        var file: (any LogFile)?
        var sideFile: SideFile?
        /// A compacted file that commits already go to, and the first snapshot of it, as long as it is not in the log's place.
        var successor: (file: any LogFile, first: LogSnapshot)?

        init(newest: LogSnapshot, durableEnd: UInt64, file: (any LogFile)?, sideFile: SideFile?) {
            self.newest = newest
            appendedEnd = durableEnd
            self.durableEnd = durableEnd
            (appendedCommit, durableCommit) = (newest.commitNumber, newest.commitNumber)
            self.file = file
            self.sideFile = sideFile
        }
    }

    init(
        path: String, options: LogOptions, system: any LogFileSystem, file: any LogFile, replay: Replay,
        size: UInt64, sideFile: SideFile?
    ) {
        self.path = path
        self.options = options
        self.system = system
        health = replay.health
        writer = Writer(
            file: file, hasSideFile: sideFile != nil, tail: replay.tail, preallocatedEnd: max(size, replay.tail), appended: replay.snapshot,
            endsWithMarker: replay.health.wasClosedCleanly)
        checkpointing = Checkpointing(coveredEnd: replay.checkpoint?.durableEnd ?? 0, byteCount: replay.checkpoint?.file.byteCount ?? 0)
        checkpointing.nextCompactionCheck = UInt64(options.compactionByteCount)
        publication = Publication(newest: replay.snapshot, durableEnd: replay.tail, file: file, sideFile: sideFile)
        pins.add(replay.snapshot)
    }

    deinit {
        guard processID == Platform.processID else { return }
        // A log let go of without being closed: what deferred commits promised is kept; the rest is as after a crash.
        if publication.poison == nil, publication.durableEnd < publication.appendedEnd { try? publication.file?.sync() }
    }

    /// Refuses what a forked process may not do. Comes before any lock, for the thread that holds one may not have been forked along.
    func refuseFork() throws(LogError) {
        guard processID == Platform.processID else { throw .forked(path: path, process: processID) }
    }

    /// Of the newest snapshot's file: a compaction puts another in its place.
    var header: FileHeader { newest.header }
    package var storeUUID: UUID { header.uuid }
    package var epoch: UInt64 { header.epoch }
    package var salt: UInt64 { header.salt }
    /// When the file was created, in seconds since the first instant of 2001.
    package var creationTime: Double { header.created }
    /// The newest catalog; empty in a new file.
    package var catalog: Catalog { newest.catalog }
    /// The newest published snapshot; with full durability also a durable one.
    package var newest: LogSnapshot { syncLock.withLock { publication.newest } }
    package var statistics: LogStatistics { counters.withLock { $0 } }
    /// Bytes that were once durable and are bad.
    package var damage: LogHealth.Damage? {
        if let damage = health.damage { return damage }
        // Opened from the index, a log is found damaged when the bad bytes are read.
        guard case .damaged(_, let offset, let reason)? = newest.checkpoint?.failure else { return nil }
        return LogHealth.Damage(offset: offset, reason: reason)
    }
    /// Every byte before this offset is known durable.
    package var durableEnd: UInt64 { syncLock.withLock { publication.durableEnd } }

    /// The file's length, preallocated zeros included.
    package func fileSize() throws(LogError) -> UInt64 {
        guard let file = syncLock.withLock({ publication.file }) else { throw .closed(path: path) }
        return try file.size()
    }

    // MARK: Rows

    /// Reserves rows above every row that was ever saved or reserved. They are the caller's until it commits them or gives them back.
    package func reserveRows(entity: EntityCode, count: Int) throws(LogError) -> Range<Row> {
        guard count > 0 else { throw .invalid(what: "\(count) rows cannot be reserved", path: path) }
        let saved = (newest.highestRow(entity).map { UInt64($0) + 1 } ?? 0)
        let first: UInt64? = reservations.withLock { next in
            let first = max(next[entity] ?? 0, saved)
            guard UInt64(count) <= UInt64(Format.highestRow) + 1, first + UInt64(count) <= UInt64(Format.highestRow) + 1 else { return nil }
            next[entity] = first + UInt64(count)
            return first
        }
        guard let first else { throw .limit(what: "entity \(entity) has no \(count) rows left of its 2^32 - 1", path: path) }
        return Row(first)..<Row(first + UInt64(count))
    }

    /// Gives back rows that were reserved and not used. Only the last ones reserved can be handed out again; others are simply lost.
    package func releaseRows(entity: EntityCode, _ rows: Range<Row>) {
        reservations.withLock { next in
            if next[entity] == UInt64(rows.upperBound) { next[entity] = UInt64(rows.lowerBound) }
        }
    }
}
