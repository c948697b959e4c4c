package import FoundationEssentials

/// When a commit counts as done.
package enum Durability: Sendable {
    /// Synced before the commit returns.
    case full
    /// Atomic and in order, synced within a second, at close and by `synchronize()`.
    case deferred
}

package struct LogOptions: Sendable {
    package var readOnly: Bool
    package var createIfMissing: Bool
    package var durability: Durability
    /// Zeros are written this many bytes ahead of the tail, because a sync that need not grow the file is faster; 0 for none.
    package var preallocation: Int
    /// Who writes, for commits that do not say.
    package var author: String?
    /// Whether the index file is written, at close and from time to time; of no use to a store in memory.
    package var writesIndex: Bool
    /// Whether the log is compacted, by a thread of its own, when it is longer than twice what lives in it and 32 MB.
    package var compactsAutomatically: Bool
    /// The identity of a log that is created; nil for one of its own.
    package var storeUUID: UUID?
    /// How much history compactions leave in the log.
    package var retention = LogRetention.nothing
    /// The log is opened as it was at this point of its history, for reading only; nil for as it is.
    package var asOf: LogMoment?
    /// Told how far a recovery is, as a fraction from 0 to 1, when it takes longer than a second; ends it by answering false, and opening then throws
    /// `cancelled`. Called by the thread that opens, ten times a second at most.
    package var recovery: (@Sendable (Double) -> Bool)?
    /// That second.
    package var recoveryDelay = Duration.seconds(1)
    /// Those 32 MB.
    package var compactionByteCount = 32 << 20
    /// The index is written when so much of the log came after the last one, or a quarter of the index's own size if that is more.
    package var checkpointByteCount: UInt64 = 4 << 20
    /// How long after the commit that makes it due the index is written, in microseconds.
    package var checkpointDelay: UInt32 = 250_000
    /// For tests of commits in several parts.
    package var partByteCount = Format.partByteCount
    /// A part of a commit that is not its last and at least so long is written by a thread of its own while the next one is encoded.
    package var overlapByteCount = 1 << 20
    /// How much address space is mapped beyond the end of the file; for tests of several mappings.
    package var mappingByteCount = 256 << 20

    package init(
        readOnly: Bool = false, createIfMissing: Bool = true, durability: Durability = .full, preallocation: Int = 1 << 20,
        author: String? = nil, writesIndex: Bool = true, compactsAutomatically: Bool = false,
        retention: LogRetention = .nothing, asOf: LogMoment? = nil
    ) {
        self.readOnly = readOnly
        self.createIfMissing = createIfMissing
        self.durability = durability
        self.preallocation = preallocation
        self.author = author
        self.writesIndex = writesIndex
        self.compactsAutomatically = compactsAutomatically
        self.retention = retention
        self.asOf = asOf
    }
}

/// What a log has done since it was opened.
package struct LogStatistics: Sendable, Equatable {
    package var commits = 0
    package var syncs = 0
    package var writes = 0
    package var bytesWritten = 0
}

/// What was found at opening.
package struct LogHealth: Sendable, Equatable {
    package struct Damage: Sendable, Equatable {
        package let offset: UInt64
        package let reason: String
    }

    /// Bytes that were once durable and are bad; what comes after them is not read.
    package internal(set) var damage: Damage?
    /// The remains of a commit that a crash interrupted; the next writer cuts them off.
    package internal(set) var tornTail: Range<UInt64>?
    /// Whether the last writer closed the store.
    package internal(set) var wasClosedCleanly = false
    /// The commit the log was asked to be opened as of; nil when it was opened as it is.
    package internal(set) var asOf: UInt64?
    /// Why nothing can be written; nil when it can.
    package internal(set) var readOnlyReason: String?
}

/// A commit, as the log's history tells it.
package struct CommitInfo: Sendable, Equatable {
    package let number: UInt64
    /// Seconds since the first instant of 2001.
    package let time: Double
    package let author: String?
    package let counts: CommitCounts
    /// Whether a compaction wrote it: it then holds what lived after the commit of its number, and nothing of what that commit did.
    package let isCompacted: Bool
    /// Where the commit's first frame begins, and how many bytes all of its frames have.
    package let offset: UInt64
    package let byteCount: UInt64
}
