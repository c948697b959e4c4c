import GrabenLog

/// Something wrong in a store: what it is, and of which thing.
public struct StoreFinding: Sendable, Equatable {
    /// What kind of thing is wrong.
    public enum Kind: String, Sendable, CaseIterable {
        /// The header page of the file.
        case header
        /// A frame of the log is missing, bad, or out of order.
        case frame
        /// Bytes of the log do not have the checksum they had when they were written.
        case block
        /// A part of a commit does not follow the format.
        case section
        /// What a commit says of itself.
        case metadata
        /// What the file says of its own layouts.
        case catalog
        /// An object's record.
        case record
        /// One value of a record.
        case value
        /// Packed values that a commit changed.
        case patch
        /// A whole chunk of packed values.
        case chunk
        /// A member of a relationship kept as links.
        case link
        /// An object that a commit says only followed another's change.
        case follower
        /// The index file says something else than the log. It can be removed: the next opening makes it anew.
        case index
        /// The side file of a writer.
        case sideFile
        /// The model in the file.
        case model
        /// An object that cannot be read.
        case object
        /// A reference that leads to no object, or to one of a wrong entity.
        case reference
        /// Two sides of a relationship that do not agree.
        case inverse
        /// Two objects with one unique key.
        case unique
        /// A relationship with fewer or more members than the model asks for. Nothing is wrong with the file: an older version of the model may have
        /// allowed it, or a repair had nothing better. Only in `StoreReport.incomplete`.
        case count
    }

    /// What kind of thing is wrong.
    public let kind: Kind
    /// What is wrong, in words.
    public let message: String
    /// The byte of the file, where the finding is about bytes: of the log, of the index or of the side file, as `kind` says.
    public var offset: UInt64?
    /// The offset of the frame that holds the byte.
    public var frame: UInt64?
    /// The number of the commit.
    public var commit: UInt64?
    /// The entity's name.
    public var entity: String?
    /// The object's row.
    public var row: UInt32?
    /// The property.
    public var property: String?

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// A finding of the log, whose entities are numbers.
    package init(_ finding: LogFinding, entityName: (EntityCode) -> String?) {
        self.init(Kind(rawValue: finding.kind.rawValue) ?? .object, finding.what)
        offset = finding.offset
        frame = finding.frame
        commit = finding.commit
        entity = finding.entity.map { entityName($0) ?? "entity \($0)" }
        row = finding.row
        property = finding.field
    }
}

/// What a check of a store came to.
public struct StoreReport: Sendable {
    /// How many findings are listed; all are counted.
    public static let limit = 1000

    /// The first thousand findings.
    public private(set) var findings: [StoreFinding] = []
    /// How many findings of each kind there are.
    public private(set) var counts: [StoreFinding.Kind: Int] = [:]
    /// The first thousand relationships with fewer or more members than the model asks for; no damage.
    public private(set) var incomplete: [StoreFinding] = []
    /// How many there are.
    public private(set) var incompleteCount = 0
    /// What is worth saying and is no damage, such as what an interrupted writer left.
    public package(set) var notes: [String] = []
    /// The bytes of a commit that was never finished; the next writer cuts them off. No damage.
    public package(set) var tornTail: Range<UInt64>?
    /// The number of the last commit found in the log.
    public package(set) var lastCommit: UInt64 = 0
    /// How many objects were looked at.
    public package(set) var objectCount = 0
    /// How many references were followed.
    public package(set) var referenceCount = 0
    /// References to deleted objects that the delete rule allows.
    public package(set) var danglingCount = 0
    /// Whether the check was ended before it had seen everything.
    public package(set) var isCancelled = false

    package init() {}

    /// How many findings there are.
    public var findingCount: Int { counts.values.reduce(0, +) }
    /// Whether nothing is wrong.
    public var isClean: Bool { counts.isEmpty }

    package mutating func add(_ finding: StoreFinding) {
        if finding.kind == .count {
            incompleteCount += 1
            if incomplete.count < Self.limit { incomplete.append(finding) }
            return
        }
        counts[finding.kind, default: 0] += 1
        if findings.count < Self.limit { findings.append(finding) }
    }

    /// Takes over what a check of the log came to.
    package mutating func add(_ report: LogReport, entityName: (EntityCode) -> String?) {
        for finding in report.findings { add(StoreFinding(finding, entityName: entityName)) }
        // Those that were counted and not listed.
        for (kind, count) in report.counts {
            guard let kind = StoreFinding.Kind(rawValue: kind.rawValue) else { continue }
            counts[kind] = max(counts[kind] ?? 0, count)
        }
        notes += report.notes
        tornTail = report.tornTail
        lastCommit = report.lastCommit
        isCancelled = isCancelled || report.isCancelled
    }
}
