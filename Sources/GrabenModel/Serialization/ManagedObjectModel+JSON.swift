public import FoundationEssentials
package import GrabenLog

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension ManagedObjectModel {
    /// Reads a model from its JSON form.
    ///
    /// Throws `ModelError.malformed`, naming the spot, for text that is no JSON, an unknown or missing key or a value of the wrong kind.
    /// Whether the model makes sense is not looked at: `resolved()` does that.
    public static func load(json: Data) throws(ModelError) -> ManagedObjectModel {
        let tree: CBOR
        do {
            tree = try JSONText.tree(of: json)
        } catch {
            throw .malformed(place: "", reason: "\(error)")
        }
        return try ManagedObjectModel(tree: tree)
    }

    /// Reads a model from a file in its JSON form.
    ///
    /// Throws `ModelError.unreadable` for a file that cannot be read, and as `load(json:)` for what is in it.
    public static func load(path: String) throws(ModelError) -> ManagedObjectModel {
        try load(json: Data(try ModelFile.bytes(of: path)))
    }

    /// The model in its JSON form: keys sorted, indented, the same bytes for equal models.
    ///
    /// Throws `ModelError.malformed` where a default or bound is no value of its attribute's type; any other wrong model can be written.
    public func jsonData() throws(ModelError) -> Data {
        Data(JSONText.text(of: try tree()).utf8)
    }
}

extension ManagedObjectModel {
    /// What the JSON form is called in the form itself, with its version.
    static let formatName = "graben-model-1"

    /// The model as plain data, as JSON and a store's catalog hold it.
    ///
    /// Throws as `jsonData()`.
    package func tree() throws(ModelError) -> CBOR {
        var writer = ModelTreeWriter()
        writer.put("format", Self.formatName)
        var trees: [CBOR] = []
        for (index, entity) in entities.enumerated() { trees.append(try entity.tree(at: "entities[\(index)]")) }
        writer.put("entities", CBOR.array(trees))
        trees = []
        for (index, composite) in composites.enumerated() { trees.append(try composite.tree(at: "composites[\(index)]")) }
        writer.put("composites", trees)
        writer.put("fetchRequests", fetchRequestTemplates.map(\.tree))
        writer.put("configurations", configurations.map(\.tree))
        writer.put("versionIdentifier", versionIdentifier)
        writer.put(userInfo: userInfo)
        writer.put(foreign: foreign)
        return writer.tree
    }

    /// The model that plain data stands for.
    ///
    /// Throws `ModelError.malformed`, naming the spot, where it does not.
    package init(tree: CBOR) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: "")
        try reader.allow([
            "format", "entities", "composites", "fetchRequests", "configurations", "versionIdentifier", "userInfo", "foreign",
        ])
        if let format = try reader.string("format"), format != Self.formatName {
            throw .malformed(place: "format", reason: "\"\(format)\" is not \"\(Self.formatName)\", the only form this version reads")
        }
        guard reader.tree("entities") != nil else { throw .malformed(place: "", reason: "the key \"entities\" is missing") }
        self.init(
            entities: try reader.list("entities").map { (element) throws(ModelError) in
                try EntityDescription(tree: element.tree, at: element.place)
            },
            composites: try reader.list("composites").map { (element) throws(ModelError) in
                try CompositeDescription(tree: element.tree, at: element.place)
            },
            fetchRequestTemplates: try reader.list("fetchRequests").map { (element) throws(ModelError) in
                try FetchRequestTemplate(tree: element.tree, at: element.place)
            },
            configurations: try reader.list("configurations").map { (element) throws(ModelError) in
                try ConfigurationDescription(tree: element.tree, at: element.place)
            },
            versionIdentifier: try reader.string("versionIdentifier"), userInfo: try reader.userInfo())
        foreign = try reader.foreign()
    }
}

extension Error {
    /// What the system says where it says anything, else what the code stands for.
    var modelReason: String {
        guard let error = self as? CocoaError else { return "\(self)" }
        if let cause = error.underlying as? POSIXError { return String(cString: strerror(cause.code.rawValue)) }
        switch error.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: return "no such file"
        case .fileReadNoPermission, .fileWriteNoPermission: return "no permission"
        case .fileWriteOutOfSpace: return "no space is left"
        case .fileWriteFileExists: return "it exists already"
        default: return "error \(error.code.rawValue) of the file system"
        }
    }
}
