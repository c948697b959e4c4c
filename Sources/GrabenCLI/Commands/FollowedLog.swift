import GrabenLog

/// `log --follow`: the last commits, oldest first, and then every new one as its writer makes it durable, until interrupted.
enum FollowedLog {
    static func run(_ session: Session, _ format: RowFormat) throws {
        guard format == .text || format == .jsonLines else {
            throw CLIError.usage("conflict", "--follow has no end, so it takes --jsonl or text", hint: "graben help log")
        }
        let path = session.invocation.store
        let limit = try session.invocation.count("limit") ?? 10
        let log = try OpenStore.log(path: path)
        if let damage = log.damage { throw LogError.damaged(path: path, offset: damage.offset, reason: damage.reason) }
        var last = log.newest.commitNumber
        var changes: CommitChanges?
        func show(since number: UInt64) throws {
            let commits = try log.history(since: number).map(\.info)
            if session.invocation.has("changes"), !commits.isEmpty {
                // Opened again where a commit has brought another model, which has names for what came with it.
                if changes?.catalogVersion != log.newest.catalog.version {
                    changes = try CommitChanges(path: path, log: try OpenStore.log(path: path))
                } else {
                    try changes?.readOn(after: number)
                }
            }
            try write(commits, changes, session, format)
        }
        try show(since: max(log.oldestHistory, last - min(UInt64(limit), last)))
        while true {
            guard let newest = try log.waitForCommit(after: last, seconds: 3600) else { continue }
            if log.oldestHistory > last {
                session.flaw("the commits \(last + 1) to \(log.oldestHistory) were compacted away before they could be shown")
            }
            try show(since: max(log.oldestHistory, last))
            last = newest.commitNumber
        }
    }

    private static func write(_ commits: [CommitInfo], _ changes: CommitChanges?, _ session: Session, _ format: RowFormat) throws {
        let json = JSONWriter(session.output)
        for commit in commits {
            if format == .jsonLines {
                try CommitText.object(commit, changes, json)
                try json.newline()
            } else {
                try CommitText.write(commit, changes, session)
            }
        }
        try session.output.flush()
    }
}
