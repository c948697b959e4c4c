internal import FoundationEssentials

/// What lies at the path of a model file: the one place where importing touches the file system.
enum ModelFolder {
    enum Kind { case versions, model, file }

    static let versionsExtension = ".xcdatamodeld"
    static let modelExtension = ".xcdatamodel"
    static let currentVersionFile = ".xccurrentversion"

    static func kind(of path: String) throws(ModelError) -> Kind {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .unreadable(path: path, reason: "there is no such file or folder")
        }
        guard isFolder else { return .file }
        let names = try entries(of: path)
        return names.contains("contents") || !names.contains { $0.hasSuffix(modelExtension) } ? .model : .versions
    }

    /// The names in a folder, sorted.
    static func entries(of path: String) throws(ModelError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw .unreadable(path: path, reason: error.modelReason)
        }
    }

    /// The file that holds a model.
    static func contents(of path: String) throws(ModelError) -> String {
        guard try kind(of: path) == .model else { return path }
        let names = try entries(of: path)
        if names.contains("contents") { return join(path, "contents") }
        if names.contains(where: { $0.hasSuffix(".mom") || $0.hasSuffix(".omo") }) {
            throw .unreadable(path: path, reason: "it holds compiled models; import the \(versionsExtension) folder they were made from")
        }
        // The form before Xcode 4 has these two instead.
        if names.contains("elements") {
            throw .unreadable(
                path: path, reason: "it is in the binary form of before Xcode 4; saving it in a newer Xcode makes it readable")
        }
        throw .unreadable(path: path, reason: "the folder has no file named contents, and no \(modelExtension) folder")
    }

    static func bytes(of path: String) throws(ModelError) -> [UInt8] {
        let bytes = try ModelFile.bytes(of: path)
        if bytes.starts(with: "bplist".utf8) {
            throw .unreadable(
                path: path,
                reason: path.hasSuffix(currentVersionFile)
                    ? "it is a binary property list; \"plutil -convert xml1\" makes it readable"
                    : "it is a compiled model; import the \(modelExtension) it was made from")
        }
        return bytes
    }

    /// The last part of a path, without the extension of a model.
    static func name(of path: String) -> String {
        var name = URL(filePath: path).lastPathComponent
        if name == "contents" { name = URL(filePath: path).deletingLastPathComponent().lastPathComponent }
        for ending in [versionsExtension, modelExtension, ".xml"] where name.hasSuffix(ending) && name != ending {
            return String(name.dropLast(ending.count))
        }
        return name
    }

    static func join(_ folder: String, _ name: String) -> String { folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)" }
}
