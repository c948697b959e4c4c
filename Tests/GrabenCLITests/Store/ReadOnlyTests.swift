import Foundation
import GrabenFixtures
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Reading leaves a store alone")
struct ReadOnlyTests {
    private static let commands: [[String]] = [
        ["info"], ["schema"], ["dump"], ["dump", "--jsonl"], ["get", "Joint", "name=J-1", "--fetched"],
        ["query", "Joint", "--where", "z > 700", "--sort", "-z"], ["count"], ["log"], ["check"], ["draw"],
    ]

    private struct State: Equatable {
        var bytes: Data
        var index: Data?
        var modified: [Date?]
        var names: [String]
        var folderModified: Date?
    }

    private func state(_ store: String, _ folder: Folder) throws -> State {
        func modified(_ path: String) throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        return State(
            bytes: try Data(contentsOf: URL(fileURLWithPath: store)), index: try? Data(contentsOf: URL(fileURLWithPath: store + "-index")),
            modified: [try modified(store), try? modified(store + "-index")], names: try folder.names,
            folderModified: try modified(folder.url.path))
    }

    private func run(_ command: [String], _ store: String) throws -> Tool.Result {
        try Tool.run([command[0], store] + command.dropFirst())
    }

    @Test("no reading command changes a byte or a time of the files or their folder", arguments: ["closed", "torn", "read-only"])
    func readOnly(kind: String) throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        // Compacted, so that it has an index as well.
        #expect(try Tool.run("compact", store).status == 0)
        if kind == "torn" {
            let handle = try #require(FileHandle(forWritingAtPath: store))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("GF a commit that was never finished".utf8))
            try handle.close()
        }
        if kind == "read-only" {
            chmod(store, 0o444)
            chmod(folder.url.path, 0o555)
        }
        defer { chmod(folder.url.path, 0o755) }
        let before = try state(store, folder)
        for command in Self.commands {
            let result = try run(command, store)
            #expect(result.status == 0, "\(command): \(result.errors)")
            #expect(try state(store, folder) == before, "\(command)")
        }
    }

    @Test("reading what does not exist creates nothing")
    func missing() throws {
        let folder = try Folder()
        for command in Self.commands {
            #expect(try run(command, folder.path("none.graben")).status == 66)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test("a store that another process holds is refused for writing with 69")
    func locked() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let descriptor = open(store, O_RDWR)
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_len = 1
        // F_OFD_SETLK, which is no lock of this process alone.
        #if os(Linux)
            #expect(fcntl(descriptor, 37, &lock) == 0)
        #else
            #expect(fcntl(descriptor, 90, &lock) == 0)
        #endif
        let result = try Tool.run("load", store, "--append", Fixtures.path("ky10/Joint.tsv"), "--json")
        #expect(result.status == 69, "\(result.errors)")
        #expect(try (json(result.errors)["error"] as? [String: Any])?["code"] as? String == "store.locked")
        // A lock without a side file: the store is as it was closed. Where there is one and it does not say how far the log is durable, a reader can only try
        // again.
        #expect(try Tool.run("dump", store).status == 0)
        _ = try folder.write("ky10.graben-lock", "durable")
        #expect(try Tool.run("dump", store).status == 75)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test("a damaged store is read up to the damage, with 65 and a warning; check lists it with 1; info tells of it")
    func damaged() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let result = try Tool.run(["load", store, "--append", try folder.write("Joint.tsv", "name\tx\ty\tz\nextra\t5709700\t3801300\t1\n")])
        #expect(result.status == 0, "\(result.errors)")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        let commits = try #require(try json(try Tool.run("log", store, "--json").output)["commits"] as? [[String: Any]])
        let place = try #require(commits[0]["offset"] as? Int) + 150
        bytes[place] ^= 0x10
        try bytes.write(to: URL(fileURLWithPath: store))
        // Opened from its index, the log is found damaged when the bytes are read. The checker and what it reports to used to write to one
        // list at once, which ended the command in a trap as soon as a record could not be read.
        #expect(try Tool.run("dump", store).status == 65)
        let indexed = try Tool.run("check", store, "--json")
        #expect(indexed.status == 1 && indexed.errors.isEmpty)
        #expect(try json(indexed.output)["ok"] as? Bool == false)
        // Without the index it is replayed, and then known to be damaged from the first.
        try FileManager.default.removeItem(atPath: store + "-index")
        let dump = try Tool.run("count", store, "Joint")
        #expect(dump.status == 65 && dump.output == "935\n" && dump.errors.contains("damaged at byte"), "\(dump.errors)")
        let check = try Tool.run("check", store, "--json")
        #expect(check.status == 1 && check.errors.isEmpty)
        #expect(try json(check.output)["ok"] as? Bool == false)
        let info = try Tool.run("info", store, "--json")
        #expect(info.status == 0)
        #expect(try (json(info.output)["damage"] as? [String: Any])?["offset"] as? Int != nil)
        #expect(try Tool.run("load", store, "--append", folder.path("Joint.tsv")).status == 65)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    }

    @Test("bytes flipped or cut anywhere in a file crash no command")
    func hostileBytes() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        let broken = folder.path("broken.graben")
        var random = SplitMix64(seed: 23)
        for round in 0..<40 {
            var copy = bytes
            if round % 4 == 0 { copy = copy.prefix(Int.random(in: 0...bytes.count, using: &random)) }
            for _ in 0..<(copy.isEmpty ? 0 : round % 3 + 1) {
                copy[Int.random(in: 0..<copy.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            try Data(copy).write(to: URL(fileURLWithPath: broken))
            for command in [["check"], ["dump", "--jsonl"], ["draw"]] {
                let result = try run(command, broken)
                #expect(
                    !result.wasKilled && [0, 1, 64, 65].contains(result.status), "\(round) \(command): \(result.status) \(result.errors)")
            }
        }
    }
}
