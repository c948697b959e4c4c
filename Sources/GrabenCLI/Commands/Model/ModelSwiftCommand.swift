import Graben
import GrabenModel
import GrabenModelGeneration
import GrabenPredicate

/// The classes of a model as Swift: on standard output, in one file, or in a folder.
enum ModelSwiftCommand {
    static func run(_ session: Session) throws {
        let invocation = session.invocation
        let target = invocation.value("output") ?? "-"
        guard target != "-" || !invocation.has("json") else {
            throw CLIError.usage("conflict", "--json says what was written, and standard output holds the Swift: use -o")
        }
        let isOneFile = target == "-" || target.hasSuffix(".swift") || OutputFolder.isOther(target)
        let input = try ModelInput(session)
        var options = SwiftOptions(modelTypeName: invocation.value("name") ?? SwiftOptions.modelTypeName(forFile: input.path))
        options.access = try access(invocation)
        options.module = invocation.value("module")
        options.generatesEveryClass = invocation.has("every-class")
        let header = "Generated from \(fileName(input.path)) by `graben model swift`; change the model, not this file."
        let files: [GeneratedFile]
        do throws(GenerationError) {
            let generator = try SwiftGenerator(input.model, options)
            if !generator.writesAnyClass {
                session.warn("no entity of '\(input.path)' asks for a class; --every-class writes them all")
            }
            files = isOneFile ? [try generator.file(header: header)] : try generator.files(header: header)
        } catch {
            throw try failure(error, input)
        }
        guard target != "-" else { return try session.output.write(files.map(\.text).joined()) }
        let paths = isOneFile ? [target] : try files.map { try OutputFolder.path(of: $0.name, in: target) }
        for (file, path) in zip(files, paths) {
            let output = try OutputFile(path, besides: input.path)
            try output.output.write(file.text)
            try output.finish()
        }
        try report(paths, session)
    }

    private static func access(_ invocation: Invocation) throws(CLIError) -> SwiftAccess? {
        guard let word = invocation.value("access") else { return nil }
        if let access = SwiftAccess(rawValue: word) { return access }
        let known = SwiftAccess.allCases.map(\.rawValue)
        throw .usage(
            "bad-value",
            "--access takes \(known.joined(separator: ", ")), not \(word.shown)\(suggestion(nearestName(to: word, in: known)))",
            hint: "graben help model swift")
    }

    /// The last part of a path: what stands in generated text is the same on every machine.
    private static func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private static func failure(_ error: GenerationError, _ input: ModelInput) throws -> CLIError {
        switch error {
        case .model(let error):
            // The problems are the same as those of the model itself, which are told with their lines.
            _ = try input.resolved()
            return CLIError(error)
        case .unspeakable(let problems):
            let lines = problems.map { "\(input.place(entity: $0.entity, property: $0.property)): \($0)" }
            var result = CLIError(
                .badData, "model.no-swift", "no Swift can be generated from the model: \(lines.first ?? "")", file: input.path)
            result.line = problems.first.flatMap { input.line(entity: $0.entity, property: $0.property) }
            result.others = Array(lines.dropFirst())
            return result
        }
    }

    private static func report(_ paths: [String], _ session: Session) throws(CLIError) {
        guard session.invocation.has("json") else {
            for path in paths { try session.output.write("wrote \(path.withoutControls)\n") }
            return
        }
        let json = JSONWriter(session.output)
        try json.beginObject()
        try json.key("files")
        try json.beginArray()
        for path in paths { try json.string(path) }
        try json.endArray()
        try json.endObject()
        try json.newline()
    }
}
