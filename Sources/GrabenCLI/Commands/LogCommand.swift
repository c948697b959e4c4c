import Graben
import GrabenLog

/// The commits, newest first; with --changes what each did; with --follow the last few, and then every new one as it is made.
enum LogCommand {
    static func run(_ session: Session) throws {
        let invocation = session.invocation
        let format = try RowFormat(invocation)
        let showsChanges = invocation.has("changes")
        guard !showsChanges || format != .csv else {
            throw CLIError.usage("conflict", "--csv is the form of one table and has no place for --changes; use --jsonl")
        }
        if invocation.has("follow") { return try FollowedLog.run(session, format) }
        let path = invocation.store
        let limit = try invocation.count("limit") ?? .max
        let log = try OpenStore.log(path: path)
        if let damage = log.damage {
            session.flaw("'\(path)' is damaged at byte \(damage.offset): \(damage.reason); later commits are not shown")
        }
        // The log is read forwards; only the newest are kept.
        var kept: [CommitInfo] = []
        for commit in log.commits() {
            kept.append(commit)
            if limit < 1 << 20, kept.count >= 2 * limit + 16 { kept.removeFirst(kept.count - limit) }
        }
        let changes = showsChanges ? try CommitChanges(path: path, log: log) : nil
        try write(session, kept.suffix(limit).reversed(), format, changes)
    }

    private static func write(
        _ session: Session, _ commits: [CommitInfo], _ format: RowFormat, _ changes: CommitChanges?
    ) throws {
        let json = JSONWriter(session.output)
        switch format {
        case .text where changes != nil:
            for commit in commits { try CommitText.write(commit, changes, session) }
        case .text:
            let table = TextTable(
                session,
                CommitText.titles.enumerated().map { .init(title: $1, isNumber: $0 != 1 && $0 != 2, isWhole: $0 == 1) },
                isWide: session.invocation.has("wide"))
            try table.begin()
            for commit in commits { try table.row(CommitText.cells(commit, DateText.shortText(commit.time))) }
            try table.end()
        case .csv:
            try session.output.write(CSVText.line(CommitText.titles))
            for commit in commits {
                let time = DateText.text(commit.time) ?? "\(commit.time)"
                try session.output.write(CSVText.line(CommitText.cells(commit, time).map { $0.isEmpty ? nil : $0 }))
            }
        case .jsonLines:
            for commit in commits {
                try CommitText.object(commit, changes, json)
                try json.newline()
            }
        case .json:
            try json.beginObject()
            try json.key("commits")
            try json.beginArray()
            for commit in commits {
                try json.breakLine()
                try CommitText.object(commit, changes, json)
            }
            try json.newline()
            try json.endArray()
            try json.endObject()
            try json.newline()
        }
    }
}

/// What commits did, object by object, named by the models of their time.
struct CommitChanges {
    private let store: PersistentStore
    private let log: Log
    /// Of the model whose names are known.
    let catalogVersion: UInt32
    private var known: [UInt64: StoreTransaction] = [:]
    private var token: HistoryToken?

    /// Opens the store of a log, which it takes over.
    init(path: String, log: Log) throws {
        let opened = try OpenStore(path: path, log: log)
        guard let store = opened.coordinator.stores.first else {
            throw CLIError(.badData, "store.unusable", "'\(path)' holds no store", file: path)
        }
        self.store = store
        self.log = opened.log
        catalogVersion = opened.log.newest.catalog.version
        try readOn(after: 0)
    }

    /// Learns of the transactions made since it last looked, or of all when some of those are history no more, and forgets those up to a commit.
    mutating func readOn(after number: UInt64) throws {
        try log.advance()
        known = known.filter { $0.key > number }
        for transaction in try history() {
            known[transaction.number] = transaction
            token = transaction.token
        }
    }

    private func history() throws -> StoreHistory {
        do { return try store.history(since: token) } catch {
            guard case .store(.historyExpired) = error else { throw error }
            return try store.history()
        }
    }

    /// nil of a commit that is no transaction: a compaction's.
    func changes(of commit: CommitInfo) throws -> TransactionChanges? { try known[commit.number]?.changes() }
}

/// A commit as `log` shows it.
enum CommitText {
    static let titles = ["commit", "time", "author", "inserted", "updated", "deleted", "moved", "links", "bytes", "offset"]

    static func cells(_ commit: CommitInfo, _ time: String) -> [String] {
        let counts = commit.counts
        return [
            "\(commit.number)", time, commit.author ?? "", "\(counts.inserted)", "\(counts.updated)", "\(counts.deleted)",
            "\(counts.moved)", "\(counts.links)", "\(commit.byteCount)", "\(commit.offset)",
        ]
    }

    /// A line for the commit and one for each object it changed: `+` inserted, `~` updated with what of it, `-` deleted.
    static func write(_ commit: CommitInfo, _ changes: CommitChanges?, _ session: Session) throws {
        let author = commit.author.map { " by \($0)" } ?? ""
        let note = commit.isCompacted ? ", which a compaction wrote" : ""
        let line = "commit \(commit.number) at \(DateText.shortText(commit.time))\(author)\(note)"
        try session.output.write(session.terminal.heading(line.withoutControls) + "\n")
        guard let changes = try changes?.changes(of: commit) else { return }
        if changes.changedModel { try session.output.write("  * model\n") }
        for change in changes {
            let mark =
                switch change.kind {
                case .insert: "+"
                case .update: "~"
                case .delete: "-"
                }
            let names = change.changedProperties.isEmpty ? "" : ": " + change.changedProperties.joined(separator: ", ")
            try session.output.write("  \(mark) \("\(change.entity)/\(change.row)\(names)".withoutControls)\n")
        }
    }

    static func object(_ commit: CommitInfo, _ changes: CommitChanges?, _ json: JSONWriter) throws {
        try json.beginObject()
        try json.field("commit", commit.number)
        try json.key("time")
        try json.date(commit.time)
        try json.field("author", commit.author)
        let counts = commit.counts
        try json.counts(
            inserted: counts.inserted, updated: counts.updated, deleted: counts.deleted, moved: counts.moved, links: counts.links)
        try json.field("bytes", commit.byteCount)
        try json.field("offset", commit.offset)
        try json.field("compacted", commit.isCompacted)
        if let changes { try write(try changes.changes(of: commit), json) }
        try json.endObject()
    }

    private static func write(_ changes: TransactionChanges?, _ json: JSONWriter) throws {
        try json.field("changedModel", changes?.changedModel ?? false)
        try json.key("changes")
        guard let changes else { return try json.null() }
        try json.beginArray()
        for change in changes {
            try json.beginObject()
            try json.field("kind", change.kind.rawValue)
            try json.field("entity", change.entity)
            try json.field("row", change.row)
            try json.field("id", change.objectID?.uriRepresentation)
            if change.kind == .update {
                try json.key("properties")
                try json.beginArray()
                for name in change.changedProperties { try json.string(name) }
                try json.endArray()
            }
            try json.endObject()
        }
        try json.endArray()
    }
}
