/// Something wrong in a log file, or in one of the files beside it: what it is, and of which thing.
package struct LogFinding: Sendable, Equatable {
    /// What kind of thing is wrong; the words are part of what `graben check --json` writes.
    package enum Kind: String, Sendable, CaseIterable {
        case header, frame, block, section, metadata, catalog, record, value, patch, chunk, link, follower, index, sideFile
    }

    package let kind: Kind
    /// What is wrong, without the place.
    package let what: String
    /// Where, in bytes; in the log, but of findings about the index or the side file in that.
    package var offset: UInt64?
    /// Where the frame begins that the thing is in.
    package var frame: UInt64?
    package var commit: UInt64?
    package var entity: EntityCode?
    package var row: Row?
    /// A field, a lane or a relationship.
    package var field: String?

    init(_ kind: Kind, _ what: String, offset: UInt64? = nil) {
        self.kind = kind
        self.what = what
        self.offset = offset
    }
}

extension LogFinding: CustomStringConvertible {
    package var description: String {
        var place: [String] = []
        if let offset {
            switch kind {
            case .index: place.append("byte \(offset) of the index")
            case .sideFile: place.append("byte \(offset) of the side file")
            default: place.append("byte \(offset)")
            }
        }
        if let commit { place.append("commit \(commit)") }
        if let entity { place.append("entity \(entity)") }
        if let row { place.append("row \(row)") }
        if let field { place.append("'\(field)'") }
        return place.isEmpty ? what : "\(place.joined(separator: ", ")): \(what)"
    }
}

/// What a check of a log came to.
package struct LogReport: Sendable, Equatable {
    /// How many findings are listed; all of them are counted.
    package static let limit = 1000

    /// The first thousand, in the order they were found.
    package private(set) var findings: [LogFinding] = []
    package private(set) var counts: [LogFinding.Kind: Int] = [:]
    /// What is worth saying and is no damage: remains of an interrupted writer, an index that is out of date.
    package internal(set) var notes: [String] = []
    /// The remains of a commit that a crash interrupted; the next writer cuts them off.
    package internal(set) var tornTail: Range<UInt64>?
    /// How many bytes of the log were looked at.
    package internal(set) var byteCount: UInt64 = 0
    /// The number of the last commit that was found.
    package internal(set) var lastCommit: UInt64 = 0
    /// Whether the check was ended before it had seen everything.
    package internal(set) var isCancelled = false

    package var findingCount: Int { counts.values.reduce(0, +) }
    package var isClean: Bool { counts.isEmpty }

    mutating func add(_ finding: LogFinding) {
        counts[finding.kind, default: 0] += 1
        if findings.count < Self.limit { findings.append(finding) }
    }
}
