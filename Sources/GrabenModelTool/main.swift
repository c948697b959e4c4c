import FoundationEssentials
import GrabenModel
import GrabenModelGeneration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// What the build-tool plugin runs: a model in, a Swift file out, and messages in the form of a compiler's, which builds show with their
// places. It is a program of its own, and not the command line, because a build has to make it first and this needs a quarter of the code.

/// Says something as compilers do.
func say(_ kind: String, _ note: ModelSource.Note) {
    let place = note.file + (note.line.map { ":\($0):1" } ?? "")
    let text = note.message.split(separator: "\n").joined(separator: " ")
    try? DescriptorText.write("\(place): \(kind): \(text)\n", to: 2)
}

/// Writes text to a descriptor, all of it.
enum DescriptorText {
    struct Failure: Error { let number: Int32 }

    static func write(_ text: String, to descriptor: Int32) throws(Failure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                    Musl.write(descriptor, bytes.baseAddress, bytes.count)
                #else
                    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Failure(number: errno)
            }
        }
    }
}

/// The types that another model of the module makes too. What is wrong with that one is told where it is made itself.
func clashes(
    of generator: SwiftGenerator, in source: ModelSource, with others: some Sequence<String>, module: String
) -> [ModelSource.Note] {
    others.flatMap { path -> [ModelSource.Note] in
        var options = SwiftOptions(modelTypeName: SwiftOptions.modelTypeName(forFile: path))
        options.module = module
        guard let other = try? ModelSource(path: path), let made = try? SwiftGenerator(other.model, options).declaredTypes else {
            return []
        }
        let both = generator.declaredTypes.filter { made.keys.contains($0.key) }.sorted { $0.key < $1.key }
        return both.map { name, entity in
            let line = source.places.line(entity: entity, property: nil)
            return ModelSource.Note(
                file: source.file, line: line,
                message:
                    "\(path) in the same module makes \(name) too; name another class in one of them, or call one's classes another module's"
            )
        }
    }
}

func run(_ arguments: [String]) -> Int32 {
    guard arguments.count >= 3 else {
        try? DescriptorText.write("usage: GrabenModelTool MODEL OUTPUT MODULE [OTHER MODELS OF THE MODULE]\n", to: 2)
        return 64
    }
    let (input, output, module) = (arguments[0], arguments[1], arguments[2])
    let source: ModelSource
    do throws(ModelSource.Failure) { source = try ModelSource(path: input) } catch {
        for note in error.notes { say("error", note) }
        return 1
    }
    for note in source.warnings { say("warning", note) }
    let problems = source.problems()
    for note in problems { say("error", note) }
    guard problems.isEmpty else { return 1 }
    do {
        var options = SwiftOptions(modelTypeName: SwiftOptions.modelTypeName(forFile: input))
        options.module = module
        let name = input.split(separator: "/").last ?? ""
        let generator = try SwiftGenerator(source.model, options)
        let clashes = clashes(of: generator, in: source, with: arguments.dropFirst(3), module: module)
        for note in clashes { say("error", note) }
        guard clashes.isEmpty else { return 1 }
        let file = try generator.file(header: "Generated from \(name) at build time; change the model.")
        let (data, url) = (Data(file.text.utf8), URL(filePath: output))
        // A file that says the same already stays as it is, or everything that depends on it would be compiled again.
        if (try? Data(contentsOf: url)) != data { try data.write(to: url, options: .atomic) }
        return 0
    } catch GenerationError.unspeakable(let problems) {
        for problem in problems { say("error", source.note(problem)) }
    } catch GenerationError.model(let error) {
        say("error", ModelSource.Note(file: source.file, line: nil, message: "\(error)"))
    } catch {
        say("error", ModelSource.Note(file: output, line: nil, message: "it cannot be written: \(error)"))
    }
    return 1
}

exit(run(Array(CommandLine.arguments.dropFirst())))
