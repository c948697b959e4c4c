import Graben
import GrabenLog
import GrabenModel
import GrabenModelGeneration

/// A model from wherever a command is given one: a file in the JSON form, a Core Data model, or a store.
struct ModelInput {
    let path: String
    let model: ManagedObjectModel
    /// Where the model's text is; nil for a store.
    let source: ModelSource?

    init(_ path: String, version: String? = nil) throws {
        self.path = path
        if version == nil, Self.isStore(path) {
            model = try ManagedObjectModel(ofStoreAt: path)
            source = nil
            return
        }
        do throws(ModelSource.Failure) {
            let source = try ModelSource(path: path, version: version)
            model = source.model
            self.source = source
        } catch {
            throw Self.error(error, path: path)
        }
    }

    /// The model of a session's first operand, of the version the session asks for; what the file does not say clearly is warned of.
    init(_ session: Session) throws {
        try self.init(session.invocation.operand(0) ?? "", version: session.invocation.value("version"))
        for note in source?.warnings ?? [] { session.warn("warning: \(note.file)\(note.line.map { ":\($0)" } ?? ""): \(note.message)") }
    }

    /// Whether the file begins as a store does.
    private static func isStore(_ path: String) -> Bool {
        guard FileBytes.isOrdinary(path), let bytes = try? FileBytes.read(path, limit: Format.fileMagic.count) else { return false }
        return bytes.elementsEqual(Format.fileMagic)
    }

    /// The error with file and line.
    private static func error(_ failure: ModelSource.Failure, path: String) -> CLIError {
        var result = CLIError(failure.error)
        let lines = failure.notes.map { "\($0.file)\($0.line.map { ", line \($0)" } ?? ""): \($0.message)" }
        result.file = failure.notes.first?.file ?? path
        result.line = failure.notes.first?.line
        result.message = "reading a model: \(lines.first ?? "\(failure.error)")"
        result.others = Array(lines.dropFirst())
        return result
    }

    /// `file:line` of an entity or property, as compilers write it.
    func place(entity: String?, property: String?) -> String {
        source.map { "\($0.file):\($0.places.line(entity: entity, property: property))" } ?? path
    }

    /// The line of an entity or property; nil in a store.
    func line(entity: String?, property: String?) -> Int? { source?.places.line(entity: entity, property: property) }

    /// The model checked, or the error that lists what is wrong in it.
    func resolved() throws(CLIError) -> ResolvedModel {
        do { return try model.resolved() } catch {
            var result = CLIError(error)
            result.file = source?.file ?? path
            if case .invalid(let problems) = error, let first = problems.first {
                result.message = "the model in '\(path)' cannot be used: \(first)"
                result.line = line(entity: first.entity, property: first.property)
                result.others = problems.dropFirst().map { "\($0)" }
                result.hint = "graben model check '\(path)'"
            }
            throw result
        }
    }

    /// The entity of a name, or the error that suggests another.
    func entity(_ name: String, of resolved: ResolvedModel) throws(CLIError) -> Entity {
        if let entity = resolved.entity(named: name) { return entity }
        throw CLIError(
            .notFound, "entity.unknown", "'\(path)' has no entity \(name.shown)\(suggestion(resolved.nearestEntityName(to: name)))",
            file: path)
    }
}
