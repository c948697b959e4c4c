import Foundation
import GrabenFixtures
import Testing

/// `Tests/Reader/graben_reader.py`, which was written from the documentation of the file format alone.
enum Python {
    static let reader = Fixtures.folder.deletingLastPathComponent().appendingPathComponent("Tests/Reader/graben_reader.py").path

    /// nil, and a line that says so, where there is no Python 3.
    static let interpreter: String? = {
        for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let path = "\(folder)/python3"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        print("The independent reader of the file format is not run: there is no python3.")
        return nil
    }()

    /// Runs the reader, or a script that may import it.
    static func run(_ arguments: [String], script: String? = nil) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter ?? "")
        process.arguments = ["-B"] + (script.map { ["-c", $0, (reader as NSString).deletingLastPathComponent] } ?? [reader]) + arguments
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        try process.run()
        let output = out.fileHandleForReading.readDataToEndOfFile()
        let errors = err.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self), String(decoding: errors, as: UTF8.self))
    }
}

@Suite("A reader written from FileFormat.md alone", .enabled(if: Python.interpreter != nil, "there is no python3"))
struct ReaderTests {
    /// Compares what it reads with what `graben dump` does.
    private func compare(_ store: String, status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let dump = try Tool.run("dump", store, "--json")
        #expect(dump.status == status, "\(dump.errors)", sourceLocation: sourceLocation)
        let folder = try Folder()
        let result = try Python.run([store, "--against", try folder.write("dump.json", dump.output)])
        #expect(result.status == status, "\(result.output.prefix(2000)) \(result.errors)", sourceLocation: sourceLocation)
    }

    @Test("reads the town's pipes and the airports as graben does, loaded and compacted")
    func fixtures() throws {
        let folder = try Folder()
        let pipes = try Fixtures.ky10(in: folder)
        try compare(pipes)
        let airports = folder.path("airports.graben")
        let loaded = try Tool.run(
            "load", airports, "--model", Fixtures.path("airports.model.json"), Fixtures.path("airports/Airport.csv"),
            Fixtures.path("airports/Route.csv"))
        #expect(loaded.status == 0, "\(loaded.errors)")
        try compare(airports)
        #expect(try Tool.run("compact", airports).status == 0)
        try compare(airports)
    }

    @Test("reads random stores as graben does", arguments: 1..<7 as Range<UInt64>)
    func randomStores(seed: UInt64) throws {
        let folder = try Folder()
        let store = folder.path("random.graben")
        _ = try RandomStore(at: store, seed: seed)
        try compare(store)
        #expect(try Tool.run("check", store).status == 0)
        // Torn anywhere behind the model, as a crash would leave it: the index and the marker that say how long it was are gone.
        try? FileManager.default.removeItem(atPath: store + "-index")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        let commits = try #require(try json(try Tool.run("log", store, "--json").output)["commits"] as? [[String: Any]])
        let last = try #require(commits.first?["offset"] as? Int)
        var random = SplitMix64(seed: seed)
        let torn = folder.path("torn.graben")
        for _ in 0..<3 {
            let cut = last + random.pick(bytes.count - 64 - last)
            try bytes.prefix(cut).write(to: URL(fileURLWithPath: torn))
            try compare(torn)
            try (bytes.prefix(cut) + Data(count: 5000)).write(to: URL(fileURLWithPath: torn))
            try compare(torn)
        }
        // Bad bytes that were durable once.
        var bad = bytes
        bad[last + 80] ^= 1
        try bad.write(to: URL(fileURLWithPath: torn))
        try compare(torn, status: 65)
    }

    /// Copies a store with or without its close marker; the last commit's first section is of a kind that there is not, and all checksums are right.
    private static let spoiling = """
        import struct, sys
        sys.path.insert(0, sys.argv[1])
        import graben_reader as reader
        data = bytearray(open(sys.argv[2], "rb").read())
        frame = reader.Log(bytes(data)).commits[-1][-1]
        data[frame.payload] = 99
        for block in range(frame.blocks):
            start = frame.payload + block * reader.BLOCK
            size = min(reader.BLOCK, frame.length - block * reader.BLOCK)
            place = frame.payload + (frame.length + 7) // 8 * 8 + block * 4
            struct.pack_into("<I", data, place, reader.crc32c(data[start : start + size]))
        table = frame.payload + (frame.length + 7) // 8 * 8
        crc = reader.crc32c(data[table : table + frame.blocks * 4], reader.crc32c(data[frame.offset : frame.offset + 60]))
        struct.pack_into("<I", data, frame.offset + 60, crc)
        open(sys.argv[3], "wb").write(data if sys.argv[4] == "closed" else data[: frame.end])
        """

    // It stopped with status 65 wherever contents could not be read, though a last commit that was never durable is cut off for that.
    @Test("ends the log before a last commit that cannot be read and was never durable, as graben does")
    func neverDurable() throws {
        let folder = try Folder()
        let store = folder.path("random.graben")
        _ = try RandomStore(at: store, seed: 3)
        let spoilt = folder.path("spoilt.graben")
        for (form, status) in [("open", Int32(0)), ("closed", 65)] {
            let made = try Python.run([store, spoilt, form], script: Self.spoiling)
            #expect(made.status == 0, "\(made.errors)")
            try compare(spoilt, status: status)
            #expect(try Tool.run("check", spoilt).status == (status == 0 ? 0 : 1))
        }
    }

    @Test("refuses what is no store, and says so when it differs")
    func refusals() throws {
        let folder = try Folder()
        let other = try folder.write("other", String(repeating: "no store", count: 1000))
        #expect(try Python.run([other]).status == 65)
        #expect(try Python.run([folder.path("none")]).status == 66)
        let store = try Fixtures.ky10(in: folder)
        let dump = try Tool.run("dump", store, "--json").output.replacing("J-10\"", with: "J-x\"")
        #expect(try Python.run([store, "--against", try folder.write("dump.json", dump)]).status == 1)
    }
}
