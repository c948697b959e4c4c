import Foundation

/// The Swift compiler with the package's modules and its macros, as a user's package has them.
enum Compiler {
    struct Complaint: Equatable {
        var line: Int
        let message: String
        /// The titles of notes that belong to it, with the one line of text they put there, if any.
        var remedies: [String] = []
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder with the products that this test was built with.
    private static let products: URL = {
        var folder = URL(
            filePath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0])
        repeat {
            folder.deleteLastPathComponent()
        } while folder.path.count > 1
            && !FileManager.default.fileExists(atPath: folder.appending(path: "Modules/Graben.swiftmodule").path)
        return folder
    }()

    /// What the compiler says of a file; every error, with notes that offer a change.
    static func complaints(_ source: String, flags: [String] = []) throws -> [Complaint] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "graben-misuse-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Client.swift")
        try Data(source.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-diagnostic-style", "llvm", "-module-name", "Client",
                "-I", products.appending(path: "Modules").path, "-I", root.appending(path: "Sources/CLZ4").path,
                "-I", root.appending(path: "Sources/CExpat").path,
                "-Xcc", "-fmodule-map-file=\(products.appending(path: "CGraben.build/module.modulemap").path)",
                "-load-plugin-executable", "\(products.appending(path: "GrabenMacros-tool").path)#GrabenMacros",
            ] + flags + [file.path]
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return parse(text)
    }

    private static func parse(_ text: String) -> [Complaint] {
        var complaints: [Complaint] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for (number, line) in lines.enumerated() {
            if let (place, message) = split(line, at: ": error: ") {
                complaints.append(
                    Complaint(line: sourceLine(place) ?? 0, message: message.replacing(#/ \(from macro '[^']*'\)$/#, with: "")))
            } else if let (place, title) = split(line, at: ": note: "), let last = complaints.indices.last {
                // An error inside an expansion stands in a file of the macro's; a note says what was expanded.
                if complaints[last].line == 0, let line = sourceLine(place) { complaints[last].line = line }
                // Source line, carets, and what would stand there instead.
                let new = number + 3 < lines.count ? lines[number + 3].trimmingCharacters(in: .whitespaces) : ""
                let isText = !new.isEmpty && split(new, at: ": note: ") == nil && split(new, at: ": error: ") == nil
                complaints[last].remedies.append(isText ? "\(title): \(new)" : title)
            }
        }
        return complaints
    }

    private static func sourceLine(_ place: String) -> Int? {
        guard place.contains("Client.swift:") else { return nil }
        return place.split(separator: ":").suffix(2).first.flatMap { Int($0) }
    }

    private static func split(_ line: String, at separator: String) -> (String, String)? {
        guard let range = line.range(of: separator) else { return nil }
        return (String(line[..<range.lowerBound]), String(line[range.upperBound...]))
    }
}
