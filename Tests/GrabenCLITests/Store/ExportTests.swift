import Foundation
import GrabenFixtures
import Testing

@Suite("graben export and stats")
struct ExportTests {
    /// The text of tables with every id as the place of its object among those of its entity.
    private func normalized(_ folder: String, _ form: String) throws -> [String: String] {
        var texts: [String: String] = [:]
        var places: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(form) {
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")), as: UTF8.self)
            texts[name] = text
            // The first id of a row is its own.
            let pattern = form == "csv" ? /(?:^|\n)(graben:\/\/[^,\n]+)/ : /"id":"(graben:\/\/[^"]+)"/
            for (place, match) in text.matches(of: pattern).enumerated() { places[String(match.output.1)] = "\(name)#\(place)" }
        }
        return texts.mapValues { text in
            text.replacing(/graben:\/\/[0-9a-f-]+\/[A-Za-z]+\/[0-9]+/) { match in places[String(match.output)] ?? String(match.output) }
        }
    }

    @Test("what is exported loads into a store that exports the same", arguments: 1..<5 as Range<UInt64>, ["jsonl", "csv"])
    func roundTrip(seed: UInt64, form: String) throws {
        let folder = try Folder()
        let store = folder.path("a.graben")
        _ = try RandomStore(at: store, seed: seed, deletes: false)
        let options = form == "csv" ? ["--csv"] : []
        let out = try Tool.run(["export", store, "--to", folder.path("one")] + options)
        #expect(out.status == 0, "\(out.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("one")).filter { $0.hasSuffix(form) }.sorted()
        #expect(files.count == 4)
        let load = try Tool.run(
            ["load", folder.path("b.graben"), "--model", folder.path("one/model.json")] + files.map { folder.path("one/\($0)") })
        #expect(load.status == 0, "\(load.errors)")
        #expect(try Tool.run(["export", folder.path("b.graben"), "--to", folder.path("two")] + options).status == 0)
        let (one, two) = (try normalized(folder.path("one"), form), try normalized(folder.path("two"), form))
        #expect(one.keys == two.keys)
        for (name, text) in one {
            let other = two[name] ?? ""
            let difference = zip(text.split(separator: "\n"), other.split(separator: "\n")).first { $0 != $1 }
            #expect(text == other, "\(name): \(difference.map { "\($0.0)\n\($0.1)" } ?? "")")
        }
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: folder.path("one/model.json")))
                == Data(contentsOf: URL(fileURLWithPath: folder.path("two/model.json"))))
    }

    @Test("nothing is overwritten, and a table of one entity goes to standard output")
    func output() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let csv = try Tool.run("export", store, "Joint", "--csv")
        #expect(csv.status == 0 && csv.lines.count == 936 && csv.lines[0].hasPrefix("id,"))
        let lines = try Tool.run("export", store)
        #expect(lines.lines.count == 935 + 1061)
        #expect(try Tool.run("export", store, "--csv").status == 64)
        #expect(try Tool.run("export", store, "Joints").status == 2)
        let report = try json(try Tool.run("export", store, "--to", folder.path("out"), "--json").output)
        #expect((report["files"] as? [[String: Any]])?.count == 2)
        let again = try Tool.run("export", store, "--to", folder.path("out"))
        #expect(again.status == 73 && again.errors.contains("not overwritten"))
        #expect(try Tool.run(["export", store], output: "/dev/full").status == 74)
    }

    @Test("stats count what the data says")
    func stats() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let report = try json(try Tool.run("stats", store, "--json").output)
        let entities = try #require(report["entities"] as? [[String: Any]])
        #expect(entities.map { $0["objects"] as? Int } == [935, 1061])
        let joints = try #require(entities[0]["attributes"] as? [[String: Any]])
        let dump = try Tool.run("query", store, "Joint", "--columns", "x", "--sort", "x", "--jsonl")
        let first = try json(dump.lines[0])["x"] as? Double
        let last = try json(dump.lines[934])["x"] as? Double
        let x = try #require(joints.first { $0["name"] as? String == "x" })
        #expect(x["least"] as? Double == first && x["greatest"] as? Double == last && x["nil"] as? Int == 0)
        let links = try #require(entities[0]["relationships"] as? [[String: Any]])
        #expect(links.reduce(0) { $0 + ($1["members"] as? Int ?? 0) } == 2 * 1061)
        #expect(report["deadShare"] as? Double ?? 1 < 0.6)
        let lengths = try #require((entities[1]["attributes"] as? [[String: Any]])?.first { $0["name"] as? String == "length" })
        let missing = try Tool.run("count", store, "Line", "--where", "length == nil").output
        #expect("\(lengths["nil"] ?? "")\n" == missing)
        let text = try Tool.run("stats", store, "Joint")
        #expect(text.status == 0 && text.output.contains("dead") && text.output.contains("Joint: 935 objects"))
        #expect(try Tool.run("stats", store, "Nothing").status == 2)
        #expect(try Tool.run(["stats", store], output: "/dev/full").status == 74)
    }
}
