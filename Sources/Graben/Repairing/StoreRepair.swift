import GrabenLog

/// What a repair saved of a damaged store, and what it could not.
public struct StoreRepair: Sendable {
    /// How many losses are listed; all are counted.
    public static let limit = LogRepair.limit

    /// Something of an object that is lost.
    public struct Loss: Sendable, Equatable {
        /// What is lost.
        public enum Kind: String, Sendable, CaseIterable {
            /// The object: no record of it can be read.
            case object
            /// Its newest version; an older one, if there is one, was kept.
            case newest
            /// A packed value; the one before it, or none, was kept.
            case packed
            /// A reference, made null because what it led to is lost or does not lead back.
            case reference
            /// A member of a relationship, the other end of which is lost or does not lead back.
            case link
            /// A value of a unique key that a newer object has too, made null.
            case key
        }
        /// What is lost.
        public let kind: Kind
        /// The entity's name.
        public let entity: String
        /// The object's row.
        public let row: UInt32
        /// The property, where only that is concerned.
        public let property: String?
    }

    /// A commit of which something is lost.
    public struct DamagedCommit: Sendable, Equatable {
        /// Its number; nil where the bytes that would say so are bad.
        public let number: UInt64?
        /// Where it, or the bad bytes, begin in the old file.
        public let offset: UInt64
        /// What is wrong.
        public let message: String
        /// How many insertions, updates, deletions, moves and links of it could not be read; nil where the commit's own account is lost.
        public let lost: Counts?

        /// Numbers of what a commit did.
        public struct Counts: Sendable, Equatable {
            /// Objects inserted.
            public let inserted: Int
            /// Objects changed.
            public let updated: Int
            /// Objects deleted; those may be there again.
            public let deleted: Int
            /// Rows whose packed attributes were written.
            public let moved: Int
            /// Members added to, moved in or removed from relationships.
            public let links: Int
        }
    }

    /// The first thousand losses of objects.
    public let losses: [Loss]
    /// How many losses of each kind there are.
    public let counts: [Loss.Kind: Int]
    /// The first thousand commits of which something is lost.
    public let commits: [DamagedCommit]
    /// How many there are.
    public let commitCount: Int
    /// How many bytes of the old file could not be made out.
    public let lostByteCount: UInt64
    /// What is worth saying and lost nothing.
    public let notes: [String]
    /// The bytes of a commit that was never finished; no loss.
    public let tornTail: Range<UInt64>?
    /// How many objects the new store has.
    public let objectCount: Int
    /// Whether all that was ever acknowledged is in the new store.
    public let isLossless: Bool
    /// Whether `progress` ended the repair; then there is no new store.
    public let isCancelled: Bool

    init(_ repair: LogRepair, entityName: (EntityCode) -> String) {
        losses = repair.objects.map { object in
            Loss(
                kind: Loss.Kind(rawValue: object.loss.rawValue) ?? .object, entity: entityName(object.entity), row: object.row,
                property: object.field)
        }
        var counts: [Loss.Kind: Int] = [:]
        for (loss, count) in repair.counts { counts[Loss.Kind(rawValue: loss.rawValue) ?? .object, default: 0] += count }
        self.counts = counts
        commits = repair.commits.map { commit in
            DamagedCommit(
                number: commit.number, offset: commit.offset, message: commit.what,
                lost: commit.lost.map {
                    .init(inserted: $0.inserted, updated: $0.updated, deleted: $0.deleted, moved: $0.moved, links: $0.links)
                })
        }
        commitCount = repair.commitCount
        lostByteCount = repair.lostByteCount
        notes = repair.notes
        tornTail = repair.tornTail
        objectCount = repair.keptObjects
        isLossless = repair.isLossless
        isCancelled = repair.isCancelled
    }
}

extension PersistentStore {
    /// Copies what can be read of a store, damaged or not, into a new file, and says what cannot. The old file and what lies beside it stay as they
    /// are.
    ///
    /// Every object is kept as of its newest readable version. References to objects that are lost are made null, and so is one side of a
    /// relationship whose other side does not agree any more, so that the new store passes a check.
    ///
    /// - Parameters:
    ///   - path: the store; it need not be one that can be opened.
    ///   - newPath: where the new store goes; no file may be there.
    ///   - progress: gets the fraction done, from 0 to 1, on the calling thread; answering false ends the repair, and nothing is left of the new
    ///     file.
    /// - Throws: `GrabenError.store` when a file is at `newPath`, the store is being written, is no store of this version, holds no readable
    ///   description of itself, or the disk is full or fails.
    ///
    /// Complexity: O(size of the file).
    public static func repair(
        storeAt path: String, to newPath: String, progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(GrabenError) -> StoreRepair {
        var names: [EntityCode: String] = [:]
        do {
            let repair = try Log.repair(path: path, to: newPath, in: RealFileSystem(), progress: progress) {
                (log, report) throws(LogError) in
                for entity in log.catalog.entities { names[entity.code] = entity.name }
                try StoreMender.mend(log, newPath, &report)
            }
            if names.isEmpty, !repair.objects.isEmpty {
                // Nothing was mended, so the log was not shown.
                for entity in (try? Log.catalog(ofStoreAt: newPath))?.entities ?? [] { names[entity.code] = entity.name }
            }
            return StoreRepair(repair) { names[$0] ?? "entity \($0)" }
        } catch {
            throw .store(error)
        }
    }
}

extension Log {
    fileprivate static func catalog(ofStoreAt path: String) throws(LogError) -> Catalog {
        try open(path: path, in: RealFileSystem(), options: LogOptions(readOnly: true)).catalog
    }
}
