import Foundation
import Testing

@Suite("Output")
struct OutputTests {
    /// `print` of the standard library ends with status 0 on a full disk; nothing here may.
    @Test(
        "no command mistakes a full disk for success",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        for arguments in [
            ["help"], ["--help"], ["help", "dump"], ["version"], ["version", "--json"], ["info", store], ["info", store, "--json"],
            ["schema", store], ["schema", store, "--json"], ["dump", store], ["dump", store, "--jsonl"], ["dump", store, "Joint", "--csv"],
            ["get", store, "Joint", "1"], ["query", store, "Joint", "--limit", "1"], ["count", store], ["log", store], ["check", store],
            ["draw", store], ["draw", store, "-o", "/dev/stdout"], ["help", "model"], ["model", "show", store], ["model", "check", store],
            ["model", "show", store, "--json"], ["model", "check", store, "--json"], ["model", "diff", store, store],
            ["model", "diff", store, store, "--json"], ["model", "swift", store], ["model", "swift", store, "-o", "/dev/stdout"],
            ["model", "graph", store], ["model", "graph", store, "--format", "dot"], ["model", "convert", store, "-"],
            ["model", "convert", store, "-", "--to", "xcode"], ["model", "convert", store, folder.path("full.json")],
        ] {
            let result = try Tool.run(arguments, output: "/dev/full")
            #expect(result.status == 74 && result.errors.contains("No space left"), "\(arguments): \(result.status) \(result.errors)")
        }
        #expect(try Tool.run("draw", store, "-o", "/dev/full").status == 74)
    }

    @Test("a drawing that cannot be written whole leaves the file that was there")
    func drawingKeepsFile() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let target = try folder.write("a.svg", "mine")
        #expect(try Tool.run("draw", store, "-o", target, "--entity", "Line").status == 64)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
        #expect(try Tool.run("draw", store, "-o", target).status == 0)
        #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("<svg "))
        #expect(try folder.names == ["a.svg", "ky10.graben", "ky10.graben-index"])
    }

    @Test("JSON is one document for every command, and rows of JSON lines are one each")
    func jsonEverywhere() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        for arguments in [
            ["info", store], ["schema", store], ["dump", store], ["get", store, "Joint", "name=J-1"], ["count", store],
            ["count", store, "Line"], ["log", store], ["check", store], ["version"], ["draw", store, "-o", folder.path("x.svg")],
            ["model", "show", store], ["model", "check", store], ["model", "diff", store, store],
            ["model", "swift", store, "-o", folder.path("x.swift")], ["model", "graph", store, "-o", folder.path("m.svg")],
        ] {
            let result = try Tool.run(arguments + ["--json"])
            #expect(result.status == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)")
            #expect(try !json(result.output).isEmpty, "\(arguments)")
        }
        let rows = try Tool.run("query", store, "Joint", "--json", "--limit", "3")
        #expect((try JSONSerialization.jsonObject(with: Data(rows.output.utf8)) as? [Any])?.count == 3)
        let lines = try Tool.run("dump", store, "--jsonl").lines
        #expect(lines.count == 1996)
        for line in lines { #expect(try json(line)["entity"] != nil) }
    }

    @Test("text that does not go to a terminal is separated by tabs, whole and without color")
    func piped() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let result = try Tool.run(
            ["query", store, "Line", "--limit", "2", "--columns", "name,start,start.z,length"],
            environment: ["TERM": "xterm", "COLUMNS": "20"])
        #expect(!result.output.contains("\u{1B}") && result.lines[0] == "name\tstart\tstart.z\tlength")
        #expect(result.lines[1].hasPrefix("P-1\tJ-1\t715.4852\t494.25"))
    }

    @Test("sorting, limits and offsets choose the rows they say")
    func windows() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let all = try Tool.run("query", store, "Joint", "--sort", "-z,name", "--columns", "name").lines.dropFirst()
        #expect(all.count == 935)
        let part = try Tool.run("query", store, "Joint", "--sort", "-z,name", "--columns", "name", "--limit", "10", "--offset", "7").lines
            .dropFirst()
        #expect(Array(part) == Array(all.dropFirst(7).prefix(10)))
        #expect(try Tool.run("query", store, "Joint", "--limit", "0").lines.count == 1)
        #expect(try Tool.run("query", store, "Joint", "--offset", "934", "--limit", "5").lines.count == 2)
        #expect(try Tool.run("query", store, "Joint", "--limit", "281474976710656", "--offset", "281474976710656").lines.count == 1)
        #expect(try Tool.run("count", store, "Line", "--where", "length == nil").output == "18\n")
    }

    @Test("get shows both ends of relationships, and fetched properties where they are asked for")
    func get() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let object = try json(try Tool.run("get", store, "Joint", "name=J-256", "--fetched", "--json").output)
        let relationships = try #require(object["relationships"] as? [String: [String: Any]])
        func names(_ list: Any?) -> [String] { (list as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }.sorted() }
        #expect(names(relationships["incoming"]?["objects"]) == ["P-1007", "P-150", "P-356", "P-650"])
        #expect(names(relationships["outgoing"]?["objects"]) == ["P-242"])
        #expect(relationships["outgoing"]?["inverse"] as? String == "start")
        let nearby = (object["fetched"] as? [String: Any])?["nearby"]
        #expect(names(nearby) == ["J-255", "J-278", "J-286", "J-287", "J-382", "J-649", "J-744"])
        let id = try #require(object["id"] as? String)
        let again = try Tool.run("get", store, id, "--json", "--fetched")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try json(again.output)["id"] as? String == id)
        #expect(try Tool.run("get", store, "Line", "P-242").errors.contains("name=P-242"))
        #expect(try Tool.run("get", store, "Line", "name=P-242").output.contains("start     Joint/"))
    }

    @Test("the log lists the commits, newest first, with what they did and where they lie")
    func log() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let commits = try #require(try json(try Tool.run("log", store, "--json").output)["commits"] as? [[String: Any]])
        #expect(commits.compactMap { $0["commit"] as? Int } == [2, 1])
        #expect(commits[0]["inserted"] as? Int == 1996 && commits[0]["moved"] as? Int == 935)
        let size = try #require(try json(try Tool.run("info", store, "--json").output)["logSize"] as? Int)
        let ends = commits.compactMap { ($0["offset"] as? Int ?? 0) + ($0["bytes"] as? Int ?? 0) }
        #expect(ends[1] == commits[0]["offset"] as? Int && ends[0] <= size)
        #expect(try Tool.run("log", store, "--limit", "1", "--csv").lines.count == 2)
    }
}
