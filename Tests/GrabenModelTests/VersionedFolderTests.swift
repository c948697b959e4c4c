import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

@Suite struct VersionedFolderTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "graben-models-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    private func reason(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    private func version(_ number: Int) -> ManagedObjectModel {
        ManagedObjectModel(entities: [EntityDescription("Joint")], versionIdentifier: "\(number)")
    }

    @Test("a folder of versions is written whole, lists its versions as people count, and yields the current one or any other")
    func versions() throws {
        try inFolder { folder in
            let path = folder + "/Town.xcdatamodeld"
            let names = ["Town 10", "Town", "Town 2"]
            try VersionedModelFolder.write(names.enumerated().map { .init($1, version($0)) }, current: "Town 2", to: path)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Town.xcdatamodeld"])
            let read = try VersionedModelFolder(path: path)
            #expect(read.name == "Town" && read.versionNames == ["Town", "Town 2", "Town 10"] && read.currentVersionName == "Town 2")
            #expect(try read.version().model == version(2) && read.version("Town 10").model == version(0))
            #expect(try ManagedObjectModel(contentsOfXcodeModel: path) == version(2))
            #expect(try ImportedModel(contentsOf: path, version: "Town").name == "Town")
            #expect(try ManagedObjectModel(contentsOfXcodeModel: path + "/Town.xcdatamodel/") == version(1))
            let file = try ImportedModel(contentsOf: path + "/Town.xcdatamodel/contents")
            #expect(file.model == version(1) && file.name == "Town")
            #expect(
                reason { _ = try read.version("Town 3") }
                    == "reading a model from \(path): it has no version Town 3; it has Town, Town 2, Town 10")
            #expect(
                reason { _ = try ImportedModel(contentsOf: path + "/Town.xcdatamodel", version: "x") }
                    == "reading a model from \(path)/Town.xcdatamodel: it is one model, Town, and has no version x")
            #expect(
                reason { try VersionedModelFolder.write([.init("a", version(1))], current: "a", to: path) }
                    == "writing a model to \(path): something of this name is there already")
        }
    }

    @Test("the current version is the only one, or the one the folder names, and else has to be asked for by name")
    func current() throws {
        try inFolder { folder in
            let path = folder + "/Town.xcdatamodeld"
            try VersionedModelFolder.write([.init("A", version(1))], current: "A", to: path)
            let list = path + "/.xccurrentversion"
            try FileManager.default.removeItem(atPath: list)
            #expect(try ManagedObjectModel(contentsOfXcodeModel: path) == version(1))
            try version(2).writeXcodeModel(to: path + "/B.xcdatamodel")
            #expect(
                reason { _ = try ManagedObjectModel(contentsOfXcodeModel: path) }
                    == "reading a model from \(path): it has several versions and does not say which is current; name one: it has A, B")
            #expect(try ManagedObjectModel(contentsOfXcodeModel: path, version: "B") == version(2))
            func current(_ text: String) throws -> String {
                try Data(text.utf8).write(to: URL(filePath: list))
                return reason { _ = try VersionedModelFolder(path: path) }
            }
            let head =
                "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n"
            #expect(try current(head + "<dict><key>_XCCurrentVersionName</key><string>B.xcdatamodel</string></dict></plist>") == "no error")
            #expect(
                try current(head + "<dict><key>_XCCurrentVersionName</key><string>C.xcdatamodel</string></dict></plist>")
                    == "importing a model: \(list), line 3: the current version is \"C\"; the folder has A, B")
            let meaningless = "it is a property list with a text for the key _XCCurrentVersionName, or it means nothing"
            for text in ["<dict/></plist>", "<dict><key>_XCCurrentVersionName</key></dict></plist>", "<array/></plist>"] {
                #expect(try current(head + text) == "importing a model: \(list), line 2: \(meaningless)")
            }
            #expect(try current(head).hasPrefix("importing a model: \(list), line "))
            #expect(
                try current("bplist00")
                    == "reading a model from \(list): it is a binary property list; \"plutil -convert xml1\" makes it readable")
        }
    }

    @Test("a path that leads to no model is an error that says what is there instead")
    func otherPaths() throws {
        try inFolder { folder in
            func path(_ name: String, with file: String? = nil, _ content: String = "") throws -> String {
                let path = "\(folder)/\(name)"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                if let file { try Data(content.utf8).write(to: URL(filePath: "\(path)/\(file)")) }
                return path
            }
            func reading(_ path: String) -> String { reason { _ = try ImportedModel(contentsOf: path) } }
            #expect(reading(folder + "/none") == "reading a model from \(folder)/none: there is no such file or folder")
            let empty = try path("Empty.xcdatamodel")
            #expect(reading(empty).hasSuffix("the folder has no file named contents, and no .xcdatamodel folder"))
            #expect(reason { _ = try VersionedModelFolder(path: empty) }.hasSuffix("the folder has no .xcdatamodel folder in it"))
            #expect(reading(try path("Old.xcdatamodel", with: "elements")).contains("it is in the binary form of before Xcode 4"))
            #expect(reading(try path("Town.momd", with: "Town.mom")).contains("it holds compiled models"))
            let compiled = try path("Bin.xcdatamodel", with: "contents", "bplist00")
            #expect(
                reading(compiled)
                    == "reading a model from \(compiled)/contents: it is a compiled model; import the .xcdatamodel it was made from")
            let bare = try path("Bare", with: "model.xml", "<model/>") + "/model.xml"
            #expect(try ImportedModel(contentsOf: bare) == ImportedModel(xml: "<model/>".utf8, name: "model", file: bare))
            #expect(
                reason { try version(1).writeXcodeModel(to: folder + "/none/a.xcdatamodel") }
                    == "writing a model to \(folder)/none/a.xcdatamodel: No such file or directory")
        }
    }

    @Test("versions have names of their own that folders can have, and the current one is among them")
    func names() {
        func writing(_ names: [String], _ current: String) -> String {
            reason { try VersionedModelFolder.write(names.map { .init($0, version(1)) }, current: current, to: "/nowhere/a.xcdatamodeld") }
        }
        for name in ["", ".a", "a/b"] {
            #expect(writing([name], name) == "writing a model: version \"\(name)\": this is no name of a folder")
        }
        #expect(writing(["a", "a"], "a") == "writing a model: version \"a\": there is another version of this name")
        #expect(writing(["b", "a"], "c") == "writing a model: version \"c\": it is to be the current one and is none of a, b")
        #expect(writing(["a"], "a") == "writing a model to /nowhere/a.xcdatamodeld: No such file or directory")
    }
}
