import Graben
import GrabenLog
import GrabenModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Fills a store from tables: all rows in one commit, or nothing.
enum LoadCommand {
    static func run(_ session: Session) throws {
        if session.invocation.has("append") { try append(session) } else { try create(session) }
    }

    // MARK: A new store

    /// The store is made under another name and gets its own only when it is whole.
    private static func create(_ session: Session) throws {
        let path = session.invocation.store
        guard let modelPath = session.invocation.value("model") else {
            throw CLIError.usage("missing-option", "a new store needs a model: --model FILE", hint: "graben help load")
        }
        guard !FileBytes.exists(path) else { throw exists(path) }
        let model = try ModelInput(modelPath).model
        let files = try tables(session, model.resolved())
        let draft = "\(path).loading-\(getpid())"
        let drafts = ["", "-lock", "-index"].map { draft + $0 }
        Interruption.setDrafts(drafts)
        defer {
            for file in drafts { unlink(file) }
            Interruption.setDrafts([])
        }
        let result = try at(path, draft) {
            let container = try PersistentContainer(model: model, stores: [StoreConfiguration(.file(draft))])
            let result = try load(files, into: container, session)
            try container.close()
            return result
        }
        try publish(draft, as: path)
        try report(result, session)
    }

    /// Errors about the draft are errors about the store it will be.
    private static func at<R>(_ path: String, _ draft: String, _ body: () throws -> R) throws -> R {
        do { return try body() } catch {
            var error = CLIError(error)
            error.message = error.message.replacing(draft, with: path)
            if error.file == draft { error.file = path }
            throw error
        }
    }

    private static func publish(_ draft: String, as path: String) throws {
        if link(draft, path) != 0 {
            let number = errno
            if number == EEXIST { throw exists(path) }
            // A file system without links: the little time between looking and renaming has to do.
            guard !FileBytes.exists(path), rename(draft, path) == 0 else {
                throw CLIError(.cannotCreate, "file.create", "creating '\(path)' failed: \(String(cString: strerror(number)))", file: path)
            }
        }
        unlink(draft)
        // The index is of the log whatever both are called; without it the next opening only takes longer.
        _ = rename(draft + "-index", path + "-index")
        try RealFileSystem().syncDirectory(of: path)
    }

    private static func exists(_ path: String) -> CLIError {
        CLIError(
            .cannotCreate, "file.exists", "'\(path)' exists already; load makes a new store", file: path,
            hint: "--append adds to a store that exists")
    }

    // MARK: A store that exists

    private static func append(_ session: Session) throws {
        let path = session.invocation.store
        let modelPath = session.invocation.value("model")
        let given = try modelPath.map { try ModelInput($0).resolved() }
        try Interruption.deferred {
            let container = try PersistentContainer(selfDescribing: StoreConfiguration(.file(path)))
            let result: Result
            do {
                if let given, given.versionHash != container.model.versionHash {
                    throw CLIError(
                        .badData, "model.incompatible", "the model of '\(path)' is not the one in '\(modelPath ?? "")'", file: path,
                        hint: "leave --model out to use the store's own")
                }
                result = try load(try tables(session, container.model), into: container, session)
            } catch {
                try? container.close()
                throw error
            }
            try container.close()
            try report(result, session)
        }
    }

    // MARK: Both

    private struct Result {
        let counts: [(entity: String, count: Int)]
        let commit: UInt64
    }

    private static func tables(_ session: Session, _ model: ResolvedModel) throws -> [TableFile] {
        try session.invocation.operands.dropFirst().map { try TableFile($0, model) }
    }

    private static func load(_ files: [TableFile], into container: PersistentContainer, _ session: Session) throws -> Result {
        let loader = TableLoader(container)
        loader.context.transactionAuthor = session.invocation.value("author")
        for file in files where loader.problems.count < TableLoader.problemLimit { try loader.read(file) }
        if loader.problems.isEmpty { try loader.finish() }
        if var first = loader.problems.first {
            first.others = loader.problems.dropFirst().prefix(TableLoader.problemLimit - 1).map(\.message)
            if loader.problems.count >= TableLoader.problemLimit { first.others.append("further rows were not looked at") }
            first.hint = first.hint ?? "nothing was written; mend the tables and load them again"
            throw first
        }
        try Interruption.check()
        try loader.context.save()
        return Result(counts: loader.counts, commit: container.coordinator.stores.first?.log.newest.commitNumber ?? 0)
    }

    private static func report(_ result: Result, _ session: Session) throws {
        let path = session.invocation.store
        guard session.invocation.has("json") else {
            let counts = result.counts.map { "\(ValueText.grouped($0.count)) \($0.entity)" }
            let what = counts.isEmpty ? "nothing" : counts.joined(separator: ", ")
            return try session.output.write("loaded \(what) into \(path), commit \(result.commit)\n")
        }
        let json = JSONWriter(session.output)
        try json.beginObject()
        try json.field("store", path)
        try json.field("commit", result.commit)
        try json.key("loaded")
        try json.beginObject()
        for (entity, count) in result.counts { try json.field(entity, count) }
        try json.endObject()
        try json.endObject()
        try json.newline()
    }
}
