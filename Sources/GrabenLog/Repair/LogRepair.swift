/// What a repair saved of a log, and what it could not.
package struct LogRepair: Sendable {
    /// How many of anything are listed; all are counted.
    package static let limit = 1000

    /// A commit, or what is left of one.
    package struct Commit: Sendable, Equatable {
        /// nil where the frame that would say so is bad.
        package var number: UInt64?
        /// Where its first frame begins, or the bytes in which it should.
        package var offset: UInt64
        /// What is known to be lost of it, by what it says of itself; nil where that is lost as well.
        package var lost: CommitCounts?
        package var what: String
    }

    /// An object of which something is lost.
    package struct Object: Sendable, Hashable {
        package enum Loss: String, Sendable {
            /// There is no readable record of it.
            case object
            /// Its newest record cannot be read; an older one was kept.
            case newest
            /// A packed value cannot be read; the one before it, or none, was kept.
            case packed
            /// A reference to an object that is lost was made null.
            case reference
            /// It was taken out of a relationship, the other end of which is lost.
            case link
            /// It had the same unique key as a newer object, since a version was lost.
            case key
        }
        package var loss: Loss
        package var entity: EntityCode
        package var row: Row
        package var field: String?
    }

    package internal(set) var commits: [Commit] = []
    package private(set) var objects: [Object] = []
    package private(set) var counts: [Object.Loss: Int] = [:]
    package private(set) var commitCount = 0
    /// What is worth saying and lost nothing.
    package var notes: [String] = []
    /// How many bytes of the log could not be made out.
    package internal(set) var lostByteCount: UInt64 = 0
    /// The remains of a commit that was never finished; they are no loss.
    package internal(set) var tornTail: Range<UInt64>?
    /// How many objects the new store has.
    package internal(set) var keptObjects = 0
    /// The number of the last commit of which something was found.
    package internal(set) var lastCommit: UInt64 = 0
    /// Whether `progress` ended it; then nothing was written.
    package internal(set) var isCancelled = false
    private var seen = Set<Object>()

    /// How many losses of objects were noted.
    var lossCount: Int { counts.values.reduce(0, +) }

    /// Whether everything the log ever acknowledged is in the new store.
    package var isLossless: Bool { commitCount == 0 && counts.isEmpty && lostByteCount == 0 }

    mutating func add(_ commit: Commit) {
        commitCount += 1
        if commits.count < Self.limit { commits.append(commit) }
    }

    package mutating func add(_ loss: Object.Loss, _ entity: EntityCode, _ row: Row, _ field: String? = nil) {
        let object = Object(loss: loss, entity: entity, row: row, field: field)
        // An object is often lost in several ways at once; each is told of once as long as there are few.
        if seen.count < Self.limit * 16, !seen.insert(object).inserted { return }
        counts[loss, default: 0] += 1
        if objects.count < Self.limit { objects.append(object) }
    }
}
