import Graben
import GrabenLog
import GrabenModel
import GrabenPredicate

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The library's errors as the command line reports them.
extension CLIError {
    init(_ error: any Error) {
        switch error {
        case let error as CLIError: self = error
        case let error as GrabenError: self.init(graben: error)
        case let error as LogError: self.init(log: error)
        case let error as ModelError: self.init(model: error)
        case let error as ObjectPredicateError: self.init(predicate: error)
        default: self.init(.badData, "failed", "\(error)")
        }
    }

    private init(graben error: GrabenError) {
        switch error {
        case .store(let error): self.init(log: error)
        case .model(let error): self.init(model: error)
        case .predicate(let error): self.init(predicate: error)
        case .unknownKey: self.init(.usage, "key.unknown", "\(error)")
        case .unknownEntity: self.init(.notFound, "entity.unknown", "\(error)")
        case .objectNotFound: self.init(.notFound, "object.not-found", "\(error)")
        case .invalidRequest: self.init(.usage, "request.invalid", "\(error)")
        case .validation: self.init(.badData, "object.invalid", "\(error)")
        case .wrongType: self.init(.badData, "value.wrong-type", "\(error)")
        case .conflict: self.init(.tryAgain, "object.conflict", "\(error)")
        case .incompatibleModel(let path, _): self.init(.badData, "model.incompatible", "\(error)", file: path)
        case .fetchedProperty: self.init(.badData, "fetched-property.predicate", "\(error)")
        case .fetchedPropertyCycle: self.init(.badData, "fetched-property.cycle", "\(error)")
        case .readOnly: self.init(.inputOutput, "store.read-only", "\(error)")
        case .cancelled: self.init(.interrupted, "interrupted", "\(error)")
        default: self.init(.badData, "object.refused", "\(error)")
        }
    }

    private init(log error: LogError) {
        switch error {
        case .system(let operation, let path, let number):
            let exit: ExitCode =
                switch number {
                case ENOENT, ENOTDIR: operation == "creating" ? .cannotCreate : .noSuchFile
                case EAGAIN, EINTR: .tryAgain
                default: operation == "creating" ? .cannotCreate : .inputOutput
                }
            self.init(exit, number == EAGAIN ? "store.busy" : "file.system", error.description, file: path)
        case .noSuchFile(let path):
            self.init(.noSuchFile, "file.missing", "there is no store at '\(path)'", file: path, hint: "check the path")
        case .alreadyExists(let path): self.init(.cannotCreate, "file.exists", error.description, file: path)
        case .notAStore(let path, _): self.init(.badData, "store.not-a-store", error.description, file: path)
        case .unsupportedVersion(let path, _): self.init(.badData, "store.version", error.description, file: path)
        case .damaged(let path, let offset, _):
            self.init(.badData, "store.damaged", error.description, file: path, offset: offset, hint: "graben check '\(path)'")
        case .malformed(_, let path, let offset):
            self.init(.badData, "store.malformed", error.description, file: path, offset: offset, hint: "graben check '\(path)'")
        case .locked(let path, _): self.init(.locked, "store.locked", error.description, file: path)
        case .readOnly(let path, _): self.init(.inputOutput, "store.read-only", error.description, file: path)
        case .poisoned(let path, _): self.init(.inputOutput, "store.poisoned", error.description, file: path)
        case .inDoubt(let path, _, _): self.init(.inputOutput, "store.in-doubt", error.description, file: path)
        case .closed(let path): self.init(.inputOutput, "store.closed", error.description, file: path)
        case .forked(let path, _): self.init(.inputOutput, "store.forked", error.description, file: path)
        case .replaced(let path, _): self.init(.tryAgain, "store.replaced", error.description, file: path)
        case .noSuchCommit(let path, _, _, _):
            self.init(.notFound, "commit.not-found", error.description, file: path, hint: "graben log '\(path)'")
        case .historyExpired(let path, _, _): self.init(.notFound, "history.expired", error.description, file: path)
        case .historyForeign(let path, _, _): self.init(.notFound, "history.foreign", error.description, file: path)
        case .limit(_, let path): self.init(.badData, "store.limit", error.description, file: path)
        case .cancelled(let path): self.init(.interrupted, "interrupted", error.description, file: path)
        case .invalid(_, let path): self.init(.badData, "store.refused", error.description, file: path)
        }
    }

    private init(model error: ModelError) {
        switch error {
        case .invalid: self.init(.badData, "model.invalid", error.description)
        case .malformed, .notImported: self.init(.badData, "model.malformed", error.description)
        case .notExportable: self.init(.badData, "model.not-exportable", error.description)
        case .unwritable(let path, _): self.init(.cannotCreate, "file.unwritable", error.description, file: path)
        case .unreadable(let path, _): self.init(.noSuchFile, "file.missing", error.description, file: path)
        }
    }

    private init(predicate error: ObjectPredicateError) {
        switch error {
        case .syntax: self.init(.usage, "predicate.syntax", error.description)
        case .unknownKey: self.init(.usage, "predicate.unknown-key", error.description)
        case .unboundVariable: self.init(.usage, "predicate.unbound-variable", error.description)
        case .evaluation: self.init(.badData, "predicate.evaluation", error.description)
        case .reading: self.init(.badData, "predicate.reading", error.description)
        }
    }
}
