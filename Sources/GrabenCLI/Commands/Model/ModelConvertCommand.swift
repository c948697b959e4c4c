import FoundationEssentials
import Graben
import GrabenModel
import GrabenPredicate

/// A model in another form: ours in JSON, or Core Data's.
enum ModelConvertCommand {
    private enum Target {
        case json, contents, folder, versions

        /// By what is asked for, else by the ending of the path.
        init(_ path: String, form: String?) throws(CLIError) {
            let byEnding: Target? =
                path.hasSuffix(".json")
                ? .json
                : path.hasSuffix(".xcdatamodel")
                    ? .folder : path.hasSuffix(".xcdatamodeld") ? .versions : path.hasSuffix(".xml") ? .contents : nil
            switch form {
            case nil: self = byEnding ?? .json
            case "json"?:
                if let byEnding, byEnding != .json { throw .usage("conflict", "--to json does not go with the ending of \(path.shown)") }
                self = .json
            case "xcode"?:
                if byEnding == .json { throw .usage("conflict", "--to xcode does not go with the ending of \(path.shown)") }
                self = byEnding ?? .contents
            case let form?:
                throw .usage(
                    "bad-value", "--to takes json or xcode, not \(form.shown)\(suggestion(nearestName(to: form, in: ["json", "xcode"])))",
                    hint: "graben help model convert")
            }
        }
    }

    static func run(_ session: Session) throws {
        let invocation = session.invocation
        let path = trimmed(invocation.operand(1) ?? "")
        let target = try Target(path, form: invocation.value("to"))
        guard path != "-" || !invocation.has("json") else {
            throw CLIError.usage("conflict", "--json says what was written, and standard output holds the model: name a file")
        }
        let input = try ModelInput(session)
        var versions = 1
        switch target {
        case .json: try write(try input.model.jsonData(), path, input, session)
        case .contents: try write(try input.model.xcodeContents(), path, input, session)
        case .folder: try input.model.writeXcodeModel(to: path)
        case .versions: versions = try writeVersions(input, path, invocation)
        }
        guard path != "-" else { return }
        try report(path, input, versions, session)
    }

    private static func trimmed(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func write(_ data: Data, _ path: String, _ input: ModelInput, _ session: Session) throws {
        guard path != "-" else { return try session.output.write(data) }
        let file = try OutputFile(path, besides: input.source?.file ?? input.path)
        try file.output.write(data)
        try file.finish()
    }

    /// Writes the version read, or all of a folder of versions; answers how many.
    private static func writeVersions(_ input: ModelInput, _ path: String, _ invocation: Invocation) throws -> Int {
        let stem = String((path.split(separator: "/").last ?? "Model").dropLast(".xcdatamodeld".count))
        guard invocation.value("version") == nil, input.source?.form == .xcode, input.source?.file.hasSuffix("/contents") == true,
            let folder = try? VersionedModelFolder(path: input.path), let current = folder.currentVersionName
        else {
            let name = stem.isEmpty ? "Model" : stem
            try VersionedModelFolder.write([.init(name, input.model)], current: name, to: path)
            return 1
        }
        var versions: [VersionedModelFolder.Version] = []
        for name in folder.versionNames { versions.append(.init(name, try folder.version(name).model)) }
        try VersionedModelFolder.write(versions, current: current, to: path)
        return versions.count
    }

    private static func report(_ path: String, _ input: ModelInput, _ versions: Int, _ session: Session) throws(CLIError) {
        let entities = input.model.entities.count
        guard session.invocation.has("json") else {
            let what = "\(entities == 1 ? "1 entity" : "\(entities) entities")\(versions == 1 ? "" : ", \(versions) versions")"
            return try session.output.write("wrote \(path.withoutControls): \(what)\n")
        }
        let json = JSONWriter(session.output)
        try json.beginObject()
        try json.field("file", path)
        try json.field("entities", entities)
        try json.field("versions", versions)
        try json.endObject()
        try json.newline()
    }
}
