import Foundation
import Testing

@Suite("History on the command line")
struct HistoryTests {
    /// A store of the town with a few commits more: a joint inserted, another one, and what they are called.
    private func store(_ folder: Folder) throws -> (path: String, loaded: Int) {
        let path = try Fixtures.ky10(in: folder)
        let newest = try #require(try Tool.run("log", path, "--jsonl", "--limit", "1").lines.first)
        for (place, name) in ["first", "second"].enumerated() {
            let file = try folder.write("Joint.jsonl", #"{"name": "\#(name)", "x": \#(place), "y": 2, "z": 3}"# + "\n")
            let result = try Tool.run("load", path, "--append", "--author", "ann", file)
            #expect(result.status == 0, "\(result.errors)")
        }
        return (path, try #require(json(newest)["commit"] as? Int))
    }

    @Test("log --changes names the objects of each commit and their properties, as text and as JSON")
    func changes() throws {
        let folder = try Folder()
        let (path, loaded) = try store(folder)
        let text = try Tool.run("log", path, "--changes", "--limit", "2")
        #expect(text.status == 0)
        #expect(text.lines.count == 4)
        #expect(text.lines[0].hasPrefix("commit \(loaded + 2) at ") && text.lines[0].hasSuffix(" by ann"))
        #expect(text.lines[1] == "  + Joint/936")
        #expect(text.lines[3] == "  + Joint/935")
        let line = try #require(try Tool.run("log", path, "--changes", "--jsonl", "--limit", "1").lines.first)
        let changes = try #require(try json(line)["changes"] as? [[String: Any]])
        #expect(changes.count == 1)
        #expect(changes.first?["kind"] as? String == "insert" && changes.first?["row"] as? Int == 936)
        let all = try #require(try json(Tool.run("log", path, "--changes", "--json").output)["commits"] as? [[String: Any]])
        #expect((all.last?["changedModel"] as? Bool) == true)
        let told = all.reduce(0) { $0 + (($1["changes"] as? [Any])?.count ?? 0) }
        let counted = try Tool.run("count", path).lines.dropFirst().reduce(0) { $0 + (Int($1.split(separator: "\t").last ?? "") ?? 0) }
        #expect(told == counted)
        #expect(try Tool.run("log", path, "--changes", "--csv").status == 64)
    }

    @Test("a compacted store's first commit is none that inserted everything, and as much history is kept as is asked for")
    func compacted() throws {
        let folder = try Folder()
        let (path, loaded) = try store(folder)
        #expect(try Tool.run("compact", path, "--keep", "1").status == 0)
        let commits = try #require(try json(Tool.run("log", path, "--changes", "--json").output)["commits"] as? [[String: Any]])
        #expect(commits.map { $0["commit"] as? Int } == [loaded + 2, loaded + 1])
        #expect(commits.map { $0["compacted"] as? Bool } == [false, true])
        #expect(commits[1]["changes"] is NSNull)
        #expect(try Tool.run("count", path, "Joint", "--as-of", "\(loaded + 1)").output == "936\n")
        #expect(try Tool.run("count", path, "Joint", "--as-of", "\(loaded)").status == 2)
        let info = try json(Tool.run("info", path, "--json").output)
        #expect(info["oldestHistory"] as? Int == loaded + 1)
        #expect(try Tool.run("compact", path, "--keep", "some").status == 64)
        #expect(try Tool.run("compact", path).status == 0)
        #expect(try Tool.run("count", path, "--as-of", "\(loaded + 1)").status == 2)
    }

    @Test("diff ends with 1 and names what differs between two commits or stores, and with 0 where nothing does")
    func diff() throws {
        let folder = try Folder()
        let (path, loaded) = try store(folder)
        let both = try Tool.run("diff", path, "\(loaded)", "\(loaded + 2)")
        #expect(both.status == 1)
        #expect(both.lines == ["+ Joint/935", "+ Joint/936"])
        #expect(try Tool.run("diff", path, "\(loaded)").lines == both.lines)
        #expect(try Tool.run("diff", path, "\(loaded + 2)", "\(loaded + 1)").lines == ["- Joint/936"])
        let same = try Tool.run("diff", path, "\(loaded + 1)", "\(loaded + 1)", "--json")
        let none = try json(same.output)["differences"] as? [Any]
        #expect(same.status == 0 && none?.isEmpty == true)
        // Two stores: one of the same table, with one value changed.
        var table = try Fixtures.text("ky10/Joint.tsv").split(separator: "\n").map { String($0) }
        let columns = table[0].split(separator: "\t").map(String.init)
        let z = try #require(columns.firstIndex(of: "z"))
        var cells = table[5].split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        cells[z] = "123.5"
        table[5] = cells.joined(separator: "\t")
        let file = try folder.write("Joint.tsv", table.joined(separator: "\n") + "\n")
        let other = folder.path("other.graben")
        let result = try Tool.run("load", other, "--model", Fixtures.path("ky10.model.json"), Fixtures.path("ky10/Line.tsv"), file)
        #expect(result.status == 0, "\(result.errors)")
        let first = try Fixtures.ky10(in: folder, named: "first.graben")
        let stores = try Tool.run("diff", first, other)
        #expect(stores.status == 1)
        #expect(
            stores.lines.count == 1 && stores.lines[0].hasPrefix("~ Joint/4: z ") && stores.lines[0].hasSuffix("→ 123.5"),
            "\(stores.output)")
        let line = try json(try #require(try Tool.run("diff", first, other, "--jsonl").lines.first))
        let change = (line["properties"] as? [String: Any])?["z"] as? [String: Any]
        #expect(line["kind"] as? String == "update" && change?["to"] as? Double == 123.5)
        #expect(try Tool.run("diff", first, first).status == 0)
        #expect(try Tool.run("diff", first).status == 64)
        #expect(try Tool.run("diff", first, "1", "other.graben").status == 64)
        #expect(try Tool.run("diff", first, folder.path("missing.graben")).status == 66)
    }

    @Test("log --follow shows each commit of other processes, across a compaction, until it is interrupted")
    func follow() throws {
        let folder = try Folder()
        let (path, loaded) = try store(folder)
        let out = folder.path("followed")
        _ = try folder.write("followed", "")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = ["log", path, "--follow", "--jsonl", "--changes", "--limit", "1"]
        let handle = FileHandle(forWritingAtPath: out)
        process.standardOutput = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        func numbers() throws -> [Int] {
            try String(decoding: Data(contentsOf: URL(fileURLWithPath: out)), as: UTF8.self).split(separator: "\n")
                .compactMap { try json(String($0))["commit"] as? Int }
        }
        func wait(for expected: [Int]) throws {
            for _ in 0..<600 where try numbers() != expected { usleep(50_000) }
            #expect(try numbers() == expected)
        }
        try wait(for: [loaded + 2])
        let file = try folder.write("Joint.jsonl", #"{"name": "third", "x": 1, "y": 2, "z": 3}"# + "\n")
        #expect(try Tool.run("load", path, "--append", file).status == 0)
        try wait(for: [loaded + 2, loaded + 3])
        #expect(try Tool.run("compact", path).status == 0)
        let more = try folder.write("Joint.jsonl", #"{"name": "fourth", "x": 1, "y": 2, "z": 3}"# + "\n")
        #expect(try Tool.run("load", path, "--append", more).status == 0)
        try wait(for: [loaded + 2, loaded + 3, loaded + 4])
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(try Tool.run("log", path, "--follow", "--json").status == 64)
    }
}
