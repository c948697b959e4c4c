internal import FoundationEssentials

/// A model read from a Core Data model file, with what there is to say about the file.
public struct ImportedModel: Sendable, Equatable {
    /// The model's or version's name: the folder's or file's, without its extension.
    public let name: String
    /// What was read. It may be wrong as any model may: `resolved()` and `problems()` say how.
    public let model: ManagedObjectModel
    /// What was read otherwise than it may have been meant, or kept without being used, in the order of the file.
    public let warnings: [ModelImportWarning]

    init(name: String, model: ManagedObjectModel, warnings: [ModelImportWarning]) {
        self.name = name
        self.model = model
        self.warnings = warnings
    }

    /// Reads an `.xcdatamodeld` folder, an `.xcdatamodel` folder, or a `contents` file by whatever name.
    ///
    /// Of a folder of versions it reads the one named, else the current one.
    /// - Throws: `ModelError.unreadable`, and `.notImported` with everything in the file that cannot be read.
    public init(contentsOf path: String, version: String? = nil) throws(ModelError) {
        if try ModelFolder.kind(of: path) == .versions {
            self = try VersionedModelFolder(path: path).version(version)
            return
        }
        let name = ModelFolder.name(of: path)
        if let version, version != name {
            throw .unreadable(path: path, reason: "it is one model, \(name), and has no version \(version)")
        }
        let file = try ModelFolder.contents(of: path)
        try self.init(xml: try ModelFolder.bytes(of: file), name: name, file: file)
    }

    /// Reads the text of a `contents` file; `file` is what messages call it.
    ///
    /// - Throws: `ModelError.notImported` with everything that cannot be read.
    /// Complexity: linear in the length of the text.
    public init(xml bytes: some Sequence<UInt8>, name: String, file: String) throws(ModelError) {
        let root: XMLNode
        do throws(XMLTreeReader.Mistake) {
            root = try XMLTreeReader.tree(of: Array(bytes))
        } catch {
            let element = error.element.map { "in the element \($0)" }
            throw .notImported([.init(place: ModelFilePlace(file, line: error.line, element: element), reason: error.reason)])
        }
        let log = ImportLog(file: file)
        let model = ModelFileReader(log: log).model(root)
        guard let model, log.problems.isEmpty else { throw .notImported(log.sortedProblems) }
        self.init(name: name, model: model, warnings: log.sortedWarnings)
    }
}

extension ManagedObjectModel {
    /// Reads a Core Data model: an `.xcdatamodeld` folder (the version named, else the current one), an `.xcdatamodel` folder, or a `contents`
    /// file by whatever name.
    ///
    /// `warn` is told what was read otherwise than it may have been meant, or kept without being used; `ImportedModel` keeps that instead.
    /// - Throws: `ModelError.unreadable`, and `.notImported` with everything in the file that cannot be read.
    public init(
        contentsOfXcodeModel path: String, version: String? = nil, warn: (ModelImportWarning) -> Void = { _ in }
    ) throws(ModelError) {
        let imported = try ImportedModel(contentsOf: path, version: version)
        for warning in imported.warnings { warn(warning) }
        self = imported.model
    }
}
