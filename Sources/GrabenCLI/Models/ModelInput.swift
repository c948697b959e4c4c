import FoundationEssentials
import Graben
import GrabenLog
import GrabenModel
import GrabenModelGeneration

/// A model from wherever a command is given one: a file in the JSON form, or a store.
struct ModelInput {
    enum Kind: String { case json, store }

    let path: String
    let kind: Kind
    let model: ManagedObjectModel
    /// The lines of its parts; nil where there is no text.
    let places: ModelPlaces?

    init(_ path: String) throws {
        self.path = path
        if ModelInput.isStore(path) {
            kind = .store
            model = try ManagedObjectModel(ofStoreAt: path)
            places = nil
            return
        }
        kind = .json
        let bytes = try FileBytes.read(path)
        let places = ModelPlaces(text: bytes)
        do { model = try ManagedObjectModel.load(json: Data(bytes)) } catch {
            throw ModelInput.error(error, path: path, places: places)
        }
        self.places = places
    }

    /// Whether the file begins as a store does.
    private static func isStore(_ path: String) -> Bool {
        guard let bytes = try? FileBytes.read(path, limit: Format.fileMagic.count) else { return false }
        return bytes.elementsEqual(Format.fileMagic)
    }

    /// The error with file and line.
    private static func error(_ error: ModelError, path: String, places: ModelPlaces) -> CLIError {
        var result = CLIError(error)
        result.file = path
        if case .malformed(let place, let reason) = error {
            let line = places.line(ofPlace: place, reason: reason)
            result.line = line
            result.message = "reading the model in '\(path)', line \(line): \(place.isEmpty ? "" : "\(place): ")\(reason)"
        }
        return result
    }

    /// `path:line` of an entity or property, as compilers write it.
    func place(entity: String?, property: String?) -> String {
        places.map { "\(path):\($0.line(entity: entity, property: property))" } ?? path
    }

    /// The model checked, or the error that lists what is wrong in it.
    func resolved() throws(CLIError) -> ResolvedModel {
        do { return try model.resolved() } catch {
            var result = CLIError(error)
            result.file = path
            if case .invalid(let problems) = error, let first = problems.first {
                result.message = "the model in '\(path)' cannot be used: \(first)"
                result.line = places?.line(of: first)
                result.others = problems.dropFirst().map { "\($0)" }
                result.hint = "graben model check '\(path)'"
            }
            throw result
        }
    }
}

extension ModelInput {
    /// The model of a session's first operand.
    init(_ session: Session) throws { try self.init(session.invocation.operand(0) ?? "") }

    /// The entity of a name, or the error that suggests another.
    func entity(_ name: String, of resolved: ResolvedModel) throws(CLIError) -> Entity {
        if let entity = resolved.entity(named: name) { return entity }
        throw CLIError(
            .notFound, "entity.unknown", "'\(path)' has no entity \(name.shown)\(suggestion(resolved.nearestEntityName(to: name)))",
            file: path)
    }
}
