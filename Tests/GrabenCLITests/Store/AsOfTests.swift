import Foundation
import Testing

@Suite("Reading a store as it was")
struct AsOfTests {
    @Test("every reading command shows the store as of the commit it is asked for")
    func commands() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let before = try Tool.run("dump", store, "--jsonl")
        let newest = try #require(try Tool.run("log", store, "--jsonl", "--limit", "1").lines.first)
        let loaded = try #require(json(newest)["commit"] as? Int)
        let drawing = try Tool.run("draw", store)
        let more = try folder.write("Joint.jsonl", #"{"name": "extra", "x": 1, "y": 2, "z": 3}"# + "\n")
        let added = try Tool.run("load", store, "--append", more)
        #expect(added.status == 0, "\(added.errors)")
        let old = ["--as-of", "\(loaded)"]
        #expect(try Tool.run(["dump", store, "--jsonl"] + old).output == before.output)
        #expect(try Tool.run("dump", store, "--jsonl").output != before.output)
        #expect(try Tool.run(["count", store, "Joint"] + old).output == "935\n")
        #expect(try Tool.run("count", store, "Joint").output == "936\n")
        #expect(try Tool.run(["query", store, "Joint", "--where", "name == 'extra'", "--jsonl"] + old).output == "")
        #expect(try Tool.run(["get", store, "Joint", "name=extra"] + old).status == 2)
        #expect(try Tool.run("get", store, "Joint", "name=extra").status == 0)
        #expect(try Tool.run(["schema", store, "--json"] + old).output == Tool.run("schema", store, "--json").output)
        #expect(try Tool.run(["draw", store] + old).output == drawing.output)
        let info = try json(Tool.run(["info", store, "--json"] + old).output)
        #expect(info["asOf"] as? Int == loaded)
        #expect(info["commits"] as? Int == loaded)
    }

    @Test("a time may stand for a commit, and one that is not in the log is named with those that are")
    func times() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let time = try #require(json(try Tool.run("log", store, "--json").output)["commits"] as? [[String: Any]])
            .compactMap { ($0["time"] as? [String: String])?["$date"] ?? $0["time"] as? String }.first
        let shown = String(try #require(time).prefix(19)) + "Z"
        #expect(try Tool.run("count", store, "Joint", "--as-of", shown).output == "935\n")
        let gone = try Tool.run("count", store, "--as-of", "2001-01-01", "--json")
        #expect(gone.status == 2)
        #expect(gone.errors.contains("commit.not-found") && gone.errors.contains("commits 1 to"), "\(gone.errors)")
        #expect(try Tool.run("count", store, "--as-of", "1000").status == 2)
        #expect(try Tool.run("count", store, "--as-of", "yesterday").status == 64)
    }
}
