public import FoundationEssentials

extension ManagedObjectModel {
    /// The model as the `contents` file of an `.xcdatamodel` folder, laid out as Xcode does; the same bytes for equal models.
    ///
    /// What the format has no word for goes into userInfo, as `Documentation/ModelFormat.md` says, so that reading it gives the same model
    /// again. (Empty texts and null defaults are none, and the greatest count 1 of a to-one is not kept.)
    /// - Throws: `ModelError.notExportable`, naming the description, where XML cannot hold a character or the format cannot say a rule.
    public func xcodeContents() throws(ModelError) -> Data {
        Data(try ModelFileWriter.draft(of: self).document().utf8)
    }

    /// Writes a new `.xcdatamodel` folder.
    ///
    /// The folder appears whole or not at all.
    /// - Throws: `ModelError.notExportable`, and `.unwritable` where something is there already or the file system refuses.
    public func writeXcodeModel(to path: String) throws(ModelError) {
        let contents = try xcodeContents()
        try ModelFolder.make(path) { folder throws(ModelError) in try ModelFolder.write(contents, to: ModelFolder.join(folder, "contents"))
        }
    }
}

extension VersionedModelFolder {
    /// A version to be written.
    public struct Version: Sendable {
        /// The version's name, which becomes its folder's.
        public var name: String
        /// The version.
        public var model: ManagedObjectModel

        /// Names a version.
        public init(_ name: String, _ model: ManagedObjectModel) {
            self.name = name
            self.model = model
        }
    }

    /// Writes a new `.xcdatamodeld` folder of versions, one of which is the current one.
    ///
    /// The folder appears whole or not at all.
    /// - Throws: `ModelError.notExportable` for a model or a name that cannot be written, and `.unwritable` where something is there already
    ///   or the file system refuses.
    @discardableResult
    public static func write(_ versions: [Version], current: String, to path: String) throws(ModelError) -> VersionedModelFolder {
        var names: Set<String> = []
        for version in versions {
            let name = version.name
            let place = "version \"\(name)\""
            guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/"), !name.contains("\0") else {
                throw .notExportable(place: place, reason: "this is no name of a folder")
            }
            guard names.insert(name).inserted else { throw .notExportable(place: place, reason: "there is another version of this name") }
        }
        guard names.contains(current) else {
            let known = names.sorted().joined(separator: ", ")
            throw .notExportable(place: "version \"\(current)\"", reason: "it is to be the current one and is none of \(known)")
        }
        let property = XcodeDraft("plist", place: "version \"\(current)\"")
        property.put("version", "1.0")
        let entries = property.add("dict")
        entries.add("key").write("_XCCurrentVersionName")
        entries.add("string").write(current + ModelFolder.modelExtension)
        let list = Data(try property.document().utf8)
        var contents: [(name: String, data: Data)] = []
        for version in versions { contents.append((version.name, try version.model.xcodeContents())) }
        try ModelFolder.make(path) { folder throws(ModelError) in
            for (name, data) in contents {
                let inner = ModelFolder.join(folder, name + ModelFolder.modelExtension)
                try ModelFolder.makeFolder(inner)
                try ModelFolder.write(data, to: ModelFolder.join(inner, "contents"))
            }
            try ModelFolder.write(list, to: ModelFolder.join(folder, ModelFolder.currentVersionFile))
        }
        return try VersionedModelFolder(path: path)
    }
}
