internal import FoundationEssentials
package import GrabenModel

/// A model read from a file in the JSON form, or from what a model editor wrote, with the places of its parts.
package struct ModelSource: Sendable {
    package enum Form: String, Sendable { case json, xcode }

    /// A sentence about a place in a file.
    package struct Note: Sendable, Equatable {
        package let file: String
        /// Counted from 1; nil where it is about the file as a whole.
        package let line: Int?
        package let message: String

        package init(file: String, line: Int?, message: String) {
            self.file = file
            self.line = line
            self.message = message
        }
    }

    /// Why a model cannot be read, also as notes with their places.
    package struct Failure: Error, Sendable {
        package let error: ModelError
        package let notes: [Note]
    }

    /// The file that the lines are of: the path itself, or the `contents` of the version read.
    package let file: String
    package let form: Form
    package let model: ManagedObjectModel
    /// What was read otherwise than it may have been meant.
    package let warnings: [Note]
    package let places: ModelPlaces

    /// Reads a JSON file, an `.xcdatamodel` or `.xcdatamodeld` folder (the version named, else the current one) or a `contents` file.
    package init(path: String, version: String? = nil) throws(Failure) {
        let file = Self.file(at: path, version: version)
        // Once, so that a pipe will do.
        let data = try? Data(contentsOf: URL(filePath: file))
        let isXML = ModelPlaces.isXML(data ?? Data())
        let places = ModelPlaces(text: data ?? Data())
        self.file = file
        self.places = places
        do throws(ModelError) {
            guard file == path, version == nil, let data else {
                // A folder, or what cannot be read, for a reason that is found again here.
                form = file == path && version == nil && !Self.isFolder(path) ? .json : .xcode
                let read = try form == .json ? (ManagedObjectModel.load(path: path), []) : Self.imported(path, version)
                (model, warnings) = (read.0, read.1)
                return
            }
            form = isXML ? .xcode : .json
            if isXML {
                let imported = try ImportedModel(xml: data, name: path, file: file)
                (model, warnings) = (imported.model, imported.warnings.map(\.note))
            } else {
                (model, warnings) = (try ManagedObjectModel.load(json: data), [])
            }
        } catch {
            throw Failure(error: error, notes: Self.notes(of: error, places, file: file))
        }
    }

    private static func imported(_ path: String, _ version: String?) throws(ModelError) -> (ManagedObjectModel, [Note]) {
        let imported = try ImportedModel(contentsOf: path, version: version)
        return (imported.model, imported.warnings.map(\.note))
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// The problems of the model, each with its place; none where it can be used.
    package func problems() -> [Note] {
        model.problems().map { Note(file: file, line: places.line(of: $0), message: "\($0)") }
    }

    /// A problem of generation with its place.
    package func note(_ problem: GenerationProblem) -> Note {
        Note(file: file, line: places.line(of: problem), message: "\(problem)")
    }

    private static func notes(of error: ModelError, _ places: ModelPlaces, file: String) -> [Note] {
        if case .malformed(let place, let reason) = error {
            return [Note(file: file, line: places.line(ofPlace: place, reason: reason), message: error.reason)]
        }
        guard case .notImported(let problems) = error else { return [Note(file: file, line: nil, message: error.reason)] }
        return problems.map { problem in
            let element = problem.place.element.map { "\($0): " } ?? ""
            return Note(file: problem.place.file, line: problem.place.line, message: element + problem.reason)
        }
    }

    /// The file with the text of a model.
    private static func file(at path: String, version: String?) -> String {
        func inside(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }
        if FileManager.default.fileExists(atPath: inside("contents")) { return inside("contents") }
        guard let folder = try? VersionedModelFolder(path: path), let name = version ?? folder.currentVersionName else { return path }
        return inside("\(name).xcdatamodel/contents")
    }
}

extension ModelImportWarning {
    fileprivate var note: ModelSource.Note {
        ModelSource.Note(file: place.file, line: place.line, message: (place.element.map { "\($0): " } ?? "") + reason)
    }
}

extension ModelError {
    /// What is wrong, without the file, which is told beside it.
    fileprivate var reason: String {
        switch self {
        case .malformed(let place, let reason): (place.isEmpty ? "" : "\(place): ") + reason
        case .unreadable(_, let reason), .unwritable(_, let reason): reason
        default: "\(self)"
        }
    }
}
