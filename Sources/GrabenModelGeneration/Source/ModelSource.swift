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
        let read: Result<Data, ModelError>
        do throws(ModelError) { read = .success(Data(try ModelFile.bytes(of: file))) } catch { read = .failure(error) }
        let data = (try? read.get()) ?? Data()
        let places = ModelPlaces(text: data)
        self.file = file
        self.places = places
        do throws(ModelError) {
            guard file == path, version == nil, !Self.isFolder(path) else {
                form = .xcode
                let imported = try ImportedModel(contentsOf: path, version: version)
                (model, warnings) = (imported.model, imported.warnings.map(\.note))
                return
            }
            let data = try read.get()
            form = Self.form(of: data, path: path)
            if form == .xcode {
                let imported = try ImportedModel(xml: data, name: path, file: file)
                (model, warnings) = (imported.model, imported.warnings.map(\.note))
            } else {
                (model, warnings) = (try ManagedObjectModel.load(json: data), [])
            }
        } catch {
            throw Failure(error: error, notes: Self.notes(of: error, places, file: file))
        }
    }

    /// What a file is in: what its name says where that says anything, else what its text begins like.
    private static func form(of data: Data, path: String) -> Form {
        if path.hasSuffix(".json") { return .json }
        if path.hasSuffix(".xml") { return .xcode }
        return ModelPlaces.isXML(data) ? .xcode : .json
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
            let line = places.line(ofPlace: place, reason: reason)
            // The reason says the line itself where the text is no JSON.
            let said = "line \(line), "
            return [
                Note(
                    file: file, line: line,
                    message: place.isEmpty && reason.hasPrefix(said) ? String(reason.dropFirst(said.count)) : error.reason)
            ]
        }
        // Which may be another file than the model's text, such as the list of versions.
        if case .unreadable(let path, let reason) = error { return [Note(file: path, line: nil, message: reason)] }
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
