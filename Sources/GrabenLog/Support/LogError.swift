/// What went wrong in the log, by what the caller can do about it.
public enum LogError: Error, Sendable, Equatable {
    /// A call to the operating system failed. `number` is `errno`.
    case system(operation: String, path: String, number: Int32)
    case noSuchFile(path: String)
    case alreadyExists(path: String)
    /// The file is something else than a store of ours.
    case notAStore(path: String, reason: String)
    /// The file was written by a newer version of the format, or by version 0, which was never released.
    case unsupportedVersion(path: String, version: UInt32)
    /// Bytes that were once durable are bad. Only a read-only opening is possible, up to `offset`.
    case damaged(path: String, offset: UInt64, reason: String)
    /// Another process, or another handle of this one, writes the store.
    case locked(path: String, holder: String)
    case readOnly(path: String, reason: String)
    /// A sync failed earlier; nothing can be written through this handle any more.
    case poisoned(path: String, cause: String)
    /// The sync of this commit failed: it may or may not be there after the store is opened again.
    case inDoubt(path: String, commit: UInt64, cause: String)
    case closed(path: String)
    /// The log was opened before this process was forked from process `process`.
    case forked(path: String, process: Int32)
    /// A reader cannot follow the writer any further: another file stands at the path, or what is there now cannot be read as before.
    case replaced(path: String, reason: String)
    /// The log has no such commit: it was compacted away, or is not there yet. `oldest` and `newest` are the numbers of those it has.
    case noSuchCommit(path: String, wanted: String, oldest: UInt64, newest: UInt64)
    /// History after commit `since` was asked for, and a compaction has removed some of it: what is there begins after commit `oldest`.
    case historyExpired(path: String, since: UInt64, oldest: UInt64)
    /// History after a commit was asked for that the log never had, or not as this one.
    case historyForeign(path: String, since: UInt64, reason: String)
    /// A stated limit of the format was passed.
    case limit(what: String, path: String)
    /// Bytes whose checksum is right do not follow the format.
    case malformed(what: String, path: String, offset: UInt64)
    /// The recovery of a store was ended by who opened it; nothing was changed.
    case cancelled(path: String)
    /// The caller handed the log something it cannot write.
    case invalid(what: String, path: String)
}

extension LogError: CustomStringConvertible {
    /// What was being done, to which file, and what to do next.
    public var description: String {
        switch self {
        case .system(let operation, let path, let number): "\(operation) '\(path)' failed: \(Platform.message(number))"
        case .noSuchFile(let path): "there is no store at '\(path)'; check the path, or open it for writing to create it"
        case .alreadyExists(let path): "cannot create '\(path)': the file already exists"
        case .notAStore(let path, let reason): "'\(path)' is not a Graben store: \(reason)"
        case .unsupportedVersion(let path, 0):
            "'\(path)' is written in format version 0, which was never released and is not read any more; with the build that wrote it, "
                + "'graben export' (or 'graben dump --jsonl') writes its objects, and 'graben load' of this one reads them into a new store"
        case .unsupportedVersion(let path, let version):
            "'\(path)' is written in format version \(version), which this version of Graben cannot read; use a newer one"
        case .damaged(let path, let offset, let reason):
            "'\(path)' is damaged at byte \(offset): \(reason). Open it read-only to read everything before that, or run 'graben repair'"
        case .locked(let path, let holder): "'\(path)' is being written by \(holder); close it there first, or open the store read-only"
        case .readOnly(let path, let reason): "cannot write '\(path)': \(reason)"
        case .poisoned(let path, let cause): "cannot write '\(path)' any more after a failed sync (\(cause)); close it and open it again"
        case .inDoubt(let path, let commit, let cause):
            "it is not known whether commit \(commit) of '\(path)' is durable: \(cause). Close the store, open it again and look"
        case .closed(let path): "'\(path)' has been closed"
        case .forked(let path, let process):
            "'\(path)' was opened by process \(process), before this one was forked from it; open it again here"
        case .replaced(let path, let reason): "'\(path)' cannot be followed any further: \(reason). Open the store again"
        case .noSuchCommit(let path, let wanted, let oldest, let newest):
            "'\(path)' has no \(wanted) to be opened as of; "
                + (newest == 0 ? "it has no commits yet" : "it has the commits \(oldest) to \(newest)")
        case .historyExpired(let path, let since, let oldest):
            "the history of '\(path)' after commit \(since) is no longer complete: what is kept begins after commit \(oldest). Read the "
                + "objects themselves and go on from a new token, or keep more history"
        case .historyForeign(let path, let since, let reason):
            "the history of '\(path)' after commit \(since) cannot be told: \(reason). Read the objects themselves and go on from a new token"
        case .limit(let what, let path): "a limit of the file format was passed in '\(path)': \(what)"
        case .malformed(let what, let path, let offset):
            "'\(path)' holds something malformed at byte \(offset): \(what); run 'graben check'"
        case .cancelled(let path): "opening '\(path)' was given up before it was recovered; nothing was changed, and it can be opened again"
        case .invalid(let what, let path): "cannot write to '\(path)': \(what)"
        }
    }
}

/// The error of a commit: the caller's own, thrown by its body, or the log's.
package enum CommitError<Failure: Error>: Error {
    /// The body threw; nothing was appended.
    case body(Failure)
    case log(LogError)
    /// What `Log.approve` was given threw; nothing was appended.
    case refused(any Error)
}

extension CommitError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .body(let error): "\(error)"
        case .log(let error): error.description
        case .refused(let error): "\(error)"
        }
    }
}
