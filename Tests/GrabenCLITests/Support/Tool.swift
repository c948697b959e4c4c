import Foundation
import GrabenFixtures

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The command line as its users have it: the built program, run as a process.
struct Tool {
    struct Result {
        let status: Int32
        /// Whether a signal ended it: it crashed.
        let wasKilled: Bool
        let output: String
        let errors: String
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    static let path = BuildProducts.program("graben")

    /// Runs it; `output` names a file that standard output goes to instead, `input` is what standard input holds.
    static func run(
        _ arguments: [String], input: String? = nil, output: String? = nil, environment: [String: String] = [:]
    ) throws -> Result {
        let folder = try Folder()
        let (out, err) = (output ?? folder.path("out"), folder.path("err"))
        if output == nil { _ = FileManager.default.createFile(atPath: out, contents: nil) }
        _ = FileManager.default.createFile(atPath: err, contents: nil)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let input { process.standardInput = FileHandle(forReadingAtPath: try folder.write("in", input)) }
        guard let outHandle = FileHandle(forWritingAtPath: out), let errHandle = FileHandle(forWritingAtPath: err) else {
            throw CocoaError(.fileNoSuchFile)
        }
        process.standardOutput = outHandle
        process.standardError = errHandle
        try process.run()
        // A program that hangs shall fail its test and not the whole run.
        let watchdog = Task.detached { [id = process.processIdentifier] in
            try await Task.sleep(for: .seconds(100))
            kill(id, SIGKILL)
        }
        process.waitUntilExit()
        watchdog.cancel()
        return Result(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            output: output == nil ? String(decoding: try Data(contentsOf: URL(fileURLWithPath: out)), as: UTF8.self) : "",
            errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: err)), as: UTF8.self))
    }

    static func run(_ arguments: String...) throws -> Result { try run(arguments) }
}

/// A folder that goes when its test does.
final class Folder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("graben-cli-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }
}

/// The data kept with the package.
enum Fixtures {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")

    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    static func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }

    /// A store of the town's pipes.
    static func ky10(in folder: Folder, named name: String = "ky10.graben") throws -> String {
        let store = folder.path(name)
        let result = try Tool.run("load", store, "--model", path("ky10.model.json"), path("ky10/Line.tsv"), path("ky10/Joint.tsv"))
        guard result.status == 0 else { throw Failure(result.errors) }
        return store
    }

    struct Failure: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }
}

/// JSON as the system reads it.
func json(_ text: String) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
}
