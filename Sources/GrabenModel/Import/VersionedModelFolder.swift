/// An `.xcdatamodeld` folder: versions of a model, one of which is the current one.
public struct VersionedModelFolder: Sendable, Equatable {
    /// The folder.
    public let path: String
    /// The folder's name, without its extension.
    public let name: String
    /// The names of the versions, in the order people count in: `Town`, `Town 2`, `Town 10`.
    public let versionNames: [String]
    /// The name of the version in use; nil where the folder holds several and names none.
    public let currentVersionName: String?

    /// Looks at a folder without reading the versions.
    ///
    /// - Throws: `ModelError.unreadable` where it is no such folder, and `.notImported` where it names its current version in a way that cannot
    ///   be read, or names one that is not there.
    public init(path: String) throws(ModelError) {
        let entries = try ModelFolder.entries(of: path)
        let names = entries.filter { $0.hasSuffix(ModelFolder.modelExtension) }.map {
            String($0.dropLast(ModelFolder.modelExtension.count))
        }
        guard !names.isEmpty else {
            throw .unreadable(path: path, reason: "the folder has no \(ModelFolder.modelExtension) folder in it")
        }
        self.path = path
        self.name = ModelFolder.name(of: path)
        versionNames = names.sorted(by: Self.isBefore)
        guard entries.contains(ModelFolder.currentVersionFile) else {
            currentVersionName = names.count == 1 ? names[0] : nil
            return
        }
        let file = ModelFolder.join(path, ModelFolder.currentVersionFile)
        currentVersionName = try Self.currentVersion(in: file, of: versionNames)
    }

    /// Reads a version, the current one unless another is named.
    ///
    /// - Throws: `ModelError.unreadable` where there is none of that name or no current one, and as `ImportedModel.init(contentsOf:version:)`.
    public func version(_ name: String? = nil) throws(ModelError) -> ImportedModel {
        let known = "it has \(versionNames.joined(separator: ", "))"
        guard let name = name ?? currentVersionName else {
            throw .unreadable(path: path, reason: "it has several versions and does not say which is current; name one: \(known)")
        }
        guard versionNames.contains(name) else { throw .unreadable(path: path, reason: "it has no version \(name); \(known)") }
        return try ImportedModel(contentsOf: ModelFolder.join(path, name + ModelFolder.modelExtension))
    }

    /// The name in the property list, whose one entry leads to it.
    private static func currentVersion(in file: String, of names: [String]) throws(ModelError) -> String {
        func refusal(_ reason: String, _ line: Int?) -> ModelError {
            .notImported([.init(place: ModelFilePlace(file, line: line), reason: reason)])
        }
        let bytes = try ModelFolder.bytes(of: file)
        let root: XMLNode
        do throws(XMLTreeReader.Mistake) { root = try XMLTreeReader.tree(of: bytes) } catch { throw refusal(error.reason, error.line) }
        let entries = root.name == "plist" ? root.children.first { $0.name == "dict" }?.children ?? [] : []
        let key = "_XCCurrentVersionName"
        guard let place = entries.firstIndex(where: { $0.name == "key" && $0.trimmedText == key }), place + 1 < entries.count,
            entries[place + 1].name == "string"
        else { throw refusal("it is a property list with a text for the key \(key), or it means nothing", root.line) }
        var name = entries[place + 1].trimmedText
        if name.hasSuffix(ModelFolder.modelExtension) { name.removeLast(ModelFolder.modelExtension.count) }
        guard names.contains(name) else {
            throw refusal("the current version is \"\(name)\"; the folder has \(names.joined(separator: ", "))", entries[place + 1].line)
        }
        return name
    }

    /// Runs of digits count by their value.
    static func isBefore(_ a: String, _ b: String) -> Bool {
        var (x, y) = (Substring(a), Substring(b))
        while let first = x.first, let second = y.first {
            if first.isASCII, first.isNumber, second.isASCII, second.isNumber {
                let (left, right) = (digits(&x), digits(&y))
                if left.count != right.count { return left.count < right.count }
                if left != right { return left < right }
            } else {
                if first != second { return first < second }
                x.removeFirst()
                y.removeFirst()
            }
        }
        return x.isEmpty == y.isEmpty ? a < b : x.isEmpty
    }

    /// Takes the digits off the beginning; zeros before others do not count.
    private static func digits(_ text: inout Substring) -> Substring {
        let run = text.prefix { $0.isASCII && $0.isNumber }
        text = text.dropFirst(run.count)
        return run.drop { $0 == "0" }
    }
}
