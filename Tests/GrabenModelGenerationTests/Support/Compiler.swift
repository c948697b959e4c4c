import Foundation
import GrabenFixtures
import Testing

/// The Swift compiler, asked whether it takes a text that uses the modules built with the tests.
enum Compiler {
    /// Where the modules are: the folder of the test bundle's products, or nothing where they are laid out in a way that is not known.
    private static let products = BuildProducts.folder(with: "Modules/Graben.swiftmodule")

    static var isAvailable: Bool { products != nil }

    /// Expects that the compiler takes the files, and says what it has against them.
    static func expectNoComplaint(
        _ files: [String: String], flags: [String] = [], location: SourceLocation = #_sourceLocation
    ) throws {
        let said = try complaints(files, flags: flags)
        if !said.isEmpty { Issue.record("\(said.prefix(4000))", sourceLocation: location) }
    }

    /// What the compiler says of the files, all of one module; nothing where it takes them. Warnings are errors.
    static func complaints(_ files: [String: String], flags: [String] = []) throws -> String {
        guard let products else { return "the modules were not found" }
        let folder = try Folder()
        let paths = try files.sorted { $0.key < $1.key }.map { try folder.write($0.key, $0.value) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-module-name", "Client",
                "-I", products.appendingPathComponent("Modules").path,
                "-Xcc", "-fmodule-map-file=\(products.appendingPathComponent("CGraben.build/module.modulemap").path)",
            ] + systemModules.flatMap { ["-I", $0] } + flags + paths
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 && said.isEmpty ? "" : "status \(process.terminationStatus): \(said)"
    }

    /// The folders of the modules that stand for libraries of the system.
    private static let systemModules: [String] = {
        let sources = root.appendingPathComponent("Sources")
        let folders = (try? FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)) ?? []
        return folders.filter { FileManager.default.fileExists(atPath: $0.appendingPathComponent("module.modulemap").path) }.map(\.path)
    }()

    /// The package's own folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}

/// A folder that goes when its test does.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("graben-generation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ name: String, _ text: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
