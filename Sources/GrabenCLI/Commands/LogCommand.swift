import GrabenLog

/// The commits, newest first.
enum LogCommand {
    static func run(_ session: Session) throws {
        let path = session.invocation.store
        let format = try RowFormat(session.invocation)
        let limit = try session.invocation.count("limit") ?? .max
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
        try write(session, kept.suffix(limit).reversed(), format)
    }

    private static func write(_ session: Session, _ commits: [CommitInfo], _ format: RowFormat) throws {
        let titles = ["commit", "time", "author", "inserted", "updated", "deleted", "moved", "links", "bytes", "offset"]
        let json = JSONWriter(session.output)
        switch format {
        case .text:
            let table = TextTable(
                session, titles.enumerated().map { .init(title: $1, isNumber: $0 != 1 && $0 != 2, isWhole: $0 == 1) },
                isWide: session.invocation.has("wide"))
            try table.begin()
            for commit in commits { try table.row(cells(commit, DateText.shortText(commit.time))) }
            try table.end()
        case .csv:
            try session.output.write(CSVText.line(titles))
            for commit in commits {
                let time = DateText.text(commit.time) ?? "\(commit.time)"
                try session.output.write(CSVText.line(cells(commit, time).map { $0.isEmpty ? nil : $0 }))
            }
        case .jsonLines:
            for commit in commits {
                try object(commit, json)
                try json.newline()
            }
        case .json:
            try json.beginObject()
            try json.key("commits")
            try json.beginArray()
            for commit in commits {
                try json.breakLine()
                try object(commit, json)
            }
            try json.newline()
            try json.endArray()
            try json.endObject()
            try json.newline()
        }
    }

    private static func cells(_ commit: CommitInfo, _ time: String) -> [String] {
        let counts = commit.counts
        return [
            "\(commit.number)", time, commit.author ?? "", "\(counts.inserted)", "\(counts.updated)", "\(counts.deleted)",
            "\(counts.moved)",
            "\(counts.links)", "\(commit.byteCount)", "\(commit.offset)",
        ]
    }

    private static func object(_ commit: CommitInfo, _ json: JSONWriter) throws(CLIError) {
        try json.beginObject()
        try json.field("commit", commit.number)
        try json.key("time")
        try json.date(commit.time)
        try json.field("author", commit.author)
        try json.field("inserted", commit.counts.inserted)
        try json.field("updated", commit.counts.updated)
        try json.field("deleted", commit.counts.deleted)
        try json.field("moved", commit.counts.moved)
        try json.field("links", commit.counts.links)
        try json.field("bytes", commit.byteCount)
        try json.field("offset", commit.offset)
        try json.endObject()
    }
}
