import GrabenLog

/// Writes what lives in a store into a new file that takes the old one's place.
enum CompactCommand {
    static func run(_ session: Session) throws {
        let path = session.invocation.store
        let log = try Log.open(
            path: path, in: RealFileSystem(), options: LogOptions(createIfMissing: false, retention: try retention(session.invocation)))
        let progress = Progress(session)
        // Ctrl-C ends it between two blocks, with the store as it was and nothing left beside it.
        let result = try Interruption.deferred {
            do {
                let result = try log.compact { fraction in
                    progress.show("compacting", fraction)
                    do { try Interruption.check() } catch { return false }
                    return true
                }
                progress.end()
                // Whatever the close throws, an interruption has been asked for.
                if result == nil { try? log.close() } else { try log.close() }
                return result
            } catch {
                progress.end()
                try? log.close()
                throw error
            }
        }
        guard let result else { throw CLIError.interrupted }
        try report(result, path, session)
    }

    /// What `--keep` says: a number of commits, or a time.
    private static func retention(_ invocation: Invocation) throws(CLIError) -> LogRetention {
        guard let text = invocation.value("keep") else { return .nothing }
        if let count = UInt64(text) { return .commits(count) }
        guard let seconds = DateText.seconds(text) else {
            throw .usage(
                "bad-value", "--keep takes a number of commits or a time such as 2024-03-10T12:00:00Z, not \(text.shown)",
                hint: "graben help compact")
        }
        return .since(seconds)
    }

    private static func report(_ result: LogCompaction, _ path: String, _ session: Session) throws(CLIError) {
        guard session.invocation.has("json") else {
            try session.output.write(
                "\(path): \(ValueText.grouped(result.byteCountBefore)) bytes became \(ValueText.grouped(result.byteCountAfter))\n")
            return
        }
        let json = JSONWriter(session.output)
        try json.beginObject()
        try json.field("file", path)
        try json.field("bytesBefore", result.byteCountBefore)
        try json.field("bytesAfter", result.byteCountAfter)
        try json.endObject()
        try json.newline()
    }
}
