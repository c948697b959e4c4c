import Foundation
import GrabenFixtures
import Testing

@Suite("Loading tables")
struct LoadTests {
    @Test("what the fixtures' tables say comes out of a store exactly")
    func fixtures() throws {
        let folder = try Folder()
        let ky10 = try Fixtures.ky10(in: folder)
        for entity in ["Joint", "Line"] {
            let table = try Fixtures.text("ky10/\(entity).tsv")
            let header = try #require(table.split(separator: "\n").first).replacingOccurrences(of: "\t", with: ",")
            let dump = try Tool.run("dump", ky10, entity, "--columns", header)
            #expect(dump.status == 0)
            #expect(cells(dump.output) == cells(table), "\(entity)")
        }
        let airports = folder.path("airports.graben")
        let loaded = try Tool.run(
            "load", airports, "--model", Fixtures.path("airports.model.json"), Fixtures.path("airports/Route.csv"),
            Fixtures.path("airports/Airport.csv"))
        #expect(loaded.status == 0 && loaded.output.contains("9,161 Route, 514 Airport"), "\(loaded.errors)")
        for entity in ["Airport", "Route"] {
            let table = try Fixtures.text("airports/\(entity).csv")
            let header = try #require(table.split(separator: "\n").first)
            let dump = try Tool.run("dump", airports, entity, "--csv", "--columns", String(header))
            #expect(dump.output == table, "\(entity)")
        }
        #expect(
            try Tool.run("count", airports, "Route", "--where", "origin.iata == source AND target.iata == destination").output == "9161\n")
    }

    /// Cells as numbers where they are, for a table may write one number in several ways.
    private func cells(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map { cell in Double(cell).map { "\($0)" } ?? String(cell) }
        }
    }

    @Test("a dump in JSON lines or CSV loads into a store that dumps the same", arguments: ["jsonl", "csv"])
    func roundTrip(form: String) throws {
        let folder = try Folder()
        let model = try folder.write("m.json", Self.model)
        var random = SplitMix64(seed: 5)
        let input = folder.path("rows.jsonl")
        try Self.rows(&random, 200).write(toFile: input, atomically: true, encoding: .utf8)
        let first = folder.path("first.graben")
        let loaded = try Tool.run("load", first, "--model", model, input)
        try #require(loaded.status == 0, "\(loaded.errors)")
        let second = folder.path("second.graben")
        if form == "jsonl" {
            let dump = try Tool.run("dump", first, "--jsonl")
            try dump.output.write(toFile: folder.path("all.jsonl"), atomically: true, encoding: .utf8)
            let again = try Tool.run("load", second, "--model", model, folder.path("all.jsonl"))
            try #require(again.status == 0, "\(again.errors)")
            #expect(try normalized(second) == normalized(first))
        } else {
            let columns = ["--csv", "--columns", "$id,extra," + Self.attributes]
            let dump = try Tool.run(["dump", first, "Sub"] + columns)
            try dump.output.write(toFile: folder.path("Sub.csv"), atomically: true, encoding: .utf8)
            let again = try Tool.run("load", second, "--model", model, folder.path("Sub.csv"))
            try #require(again.status == 0, "\(again.errors)")
            let columnsWithoutID = ["--csv", "--columns", "extra," + Self.attributes]
            #expect(
                try Tool.run(["dump", second, "Sub"] + columnsWithoutID).output
                    == Tool.run(["dump", first, "Sub"] + columnsWithoutID).output)
        }
        #expect(try Tool.run("check", first).status == 0)
        #expect(try Tool.run("check", second).status == 0)
    }

    /// The dump without what differs from store to store.
    private func normalized(_ store: String) throws -> String {
        let uuid = try #require(try json(try Tool.run("info", store, "--json").output)["store"] as? String)
        return try Tool.run("dump", store, "--jsonl").output.replacingOccurrences(of: uuid, with: "UUID")
    }

    private static let attributes = "i16,i32,i64,d,f,dec,b,s,date,data,uuid,uri,t,px,py,pf"

    private static let model = #"""
        {"entities": [
          {"name": "All", "attributes": [
            {"name": "i16", "type": "int16"}, {"name": "i32", "type": "int32"}, {"name": "i64", "type": "int64"},
            {"name": "d", "type": "double"}, {"name": "f", "type": "float"}, {"name": "dec", "type": "decimal"},
            {"name": "b", "type": "boolean"}, {"name": "s", "type": "string"}, {"name": "date", "type": "date"},
            {"name": "data", "type": "data"}, {"name": "uuid", "type": "uuid"}, {"name": "uri", "type": "uri"},
            {"name": "t", "type": "transformable"},
            {"name": "px", "type": "double", "packed": true}, {"name": "py", "type": "double", "packed": true, "optional": false},
            {"name": "pf", "type": "float", "packed": true}],
           "relationships": [
            {"name": "next", "destination": "All", "inverse": "previous"}, {"name": "previous", "destination": "All", "inverse": "next"},
            {"name": "parts", "destination": "Sub", "inverse": "whole", "toMany": true, "ordered": true},
            {"name": "friends", "destination": "All", "inverse": "friendsOf", "toMany": true},
            {"name": "friendsOf", "destination": "All", "inverse": "friends", "toMany": true}]},
          {"name": "Sub", "superentity": "All", "attributes": [{"name": "extra", "type": "string"}],
           "relationships": [{"name": "whole", "destination": "All", "inverse": "parts"}]}
        ]}
        """#

    /// Objects with every kind of value, hard ones among them, and references forwards and backwards.
    private static func rows(_ random: inout SplitMix64, _ count: Int) -> String {
        func pick(_ values: [String]) -> String { values[Int.random(in: 0..<values.count, using: &random)] }
        func quoted(_ text: String) -> String {
            String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        }
        let texts = ["", " ", "a,b", "\"", "\"\"", "a\nb", "\r\n", "\t", "é", "e\u{301}", "\u{1F600}", "null", "\\n", "\u{2028}", "\u{7F}"]
        let doubles = ["0", "-0.0", "1e308", "5e-324", "0.1", #"{"$double": "nan"}"#, #"{"$double": "-inf"}"#, "123456789.125", "null"]
        var lines = ""
        for row in 0..<count {
            var fields = ["\"id\": \"r\(row)\"", "\"entity\": \"\(row % 2 == 0 ? "All" : "Sub")\""]
            func add(_ key: String, _ value: String) {
                if Int.random(in: 0..<5, using: &random) > 0 { fields.append("\"\(key)\": \(value)") }
            }
            add("i16", pick(["-32768", "32767", "0", "null"]))
            add("i32", pick(["-2147483648", "2147483647", "7"]))
            add("i64", pick(["-9223372036854775808", "9223372036854775807", "9007199254740993"]))
            add("d", pick(doubles))
            add("f", pick(["0.1", "3.4028235e38", "1e-45", #"{"$double": "inf"}"#, "16777217"]))
            add("dec", pick(["1", #""0.1""#, #"{"$decimal": "-123456789012345678901234567890.5"}"#, #""1e20""#]))
            add("b", pick(["true", "false"]))
            add("s", quoted(pick(texts)))
            add(
                "date",
                pick([
                    #""2001-01-01""#, #""1969-12-31T23:59:59.999Z""#, #""2024-02-29T12:00:00.1234567+02:00""#, "0.1", #"{"$date": 1e10}"#,
                    #"{"$date": -1e300}"#,
                ]))
            add("data", pick([#"{"$data": ""}"#, #"{"$data": "AAEC/w=="}"#]))
            add("uuid", "\"\(UUID().uuidString)\"")
            add("uri", quoted(pick(["http://a/b?c=d,e", "x:\"y\""])))
            add("t", quoted(pick(["{\"a\":[1,2.5,null]}", "\"text\"", "[]"])))
            add("px", pick(doubles))
            fields.append("\"py\": " + pick(doubles.filter { $0 != "null" }))
            add("pf", pick(["1.5", "-0.0", #"{"$double": "nan"}"#, "null"]))
            if row % 2 == 1 { fields.append("\"extra\": \(quoted(pick(texts)))") }
            if row % 4 == 1, row + 2 < count { fields.append("\"next\": \"r\(row + 2)\"") }
            if row % 10 == 0 {
                let parts = (0..<4).map { row + 1 + 2 * $0 }.filter { $0 < count }.shuffled(using: &random)
                fields.append("\"parts\": [\(parts.map { "\"r\($0)\"" }.joined(separator: ", "))]")
            }
            let friends = Set((0..<3).map { _ in Int.random(in: 0..<count, using: &random) }).sorted()
            add("friends", "[\(friends.map { "\"r\($0)\"" }.joined(separator: ", "))]")
            lines += "{\(fields.joined(separator: ", "))}\n"
        }
        return lines
    }

    @Test(
        "a bad row is named by file, line, column and value, and leaves nothing",
        arguments: [
            ("Joint.tsv", "name\tx\ty\tz\nA\t1\t2\t3\nB\t1\ttwo\t3\n", 3, "y", "two"),
            ("Joint.tsv", "name\tx\ty\tz\nA\t1\t2\t3\n\n\nB\t\t2\t3\n", 5, "x", nil),
            ("Joint.tsv", "name\tx\ty\tz\nA\t1\t2\n", 2, nil, nil), ("Joint.tsv", "name\tx\ty\tz\n\t1\t2\t3\n", 2, "name", nil),
            ("Joint.tsv", "name\tx\ty\tw\nA\t1\t2\t3\n", 1, "w", nil), ("Joint.tsv", "name\tname\nA\tA\n", 1, "name", nil),
            ("Joint.tsv", "name\toutgoing\nA\tP\n", 1, "outgoing", nil), ("Joint.tsv", "", 1, nil, nil),
            ("Joint.tsv", "name\tx\nA\t1\nA\t2\n", 3, "name", "A"),
            ("Joint.tsv", "name\tx\n123456789012345678901234567890123\t1\n", 2, "name", "123456789012345678901234567890123"),
            ("Joint.csv", "name,x\n\"A,1\n", 2, nil, nil), ("Joint.csv", "name,x\n\"A\"b,1\n", 2, nil, nil),
            ("Joint.jsonl", "{\"name\": \"A\"}\n{\"name\": 3}\n", 2, "name", "3"), ("Joint.jsonl", "{\"name\": \"A\"\n", 1, nil, nil),
            ("Joint.jsonl", "{\"entity\": \"Jiont\", \"name\": \"A\"}\n", 1, "entity", "Jiont"),
            ("Line.tsv", "name\tstart\tend\nP\tA\tB\n", 2, "start", "A"),
            ("Line.csv", "name,length\nP,-1\n", 2, "length", "-1"),
        ] as [(String, String, Int, String?, String?)])
    func badRows(file: String, text: String, line: Int, column: String?, value: String?) throws {
        let folder = try Folder()
        let table = try folder.write(file, text)
        let result = try Tool.run("load", folder.path("new.graben"), "--model", Fixtures.path("ky10.model.json"), table, "--json")
        #expect(result.status == 65 && result.output.isEmpty, "\(result.status) \(result.errors)")
        let error = try #require(try json(result.errors)["error"] as? [String: Any])
        #expect(error["file"] as? String == table && error["line"] as? Int == line, "\(result.errors)")
        #expect(column == nil || error["column"] as? String == column, "\(result.errors)")
        #expect(value == nil || error["value"] as? String == value, "\(result.errors)")
        #expect(try folder.names == [file])
    }

    @Test("every bad row is listed, up to a limit")
    func allBadRows() throws {
        let folder = try Folder()
        let table = try folder.write("Joint.tsv", "name\tx\n" + (0..<100).map { "J\($0)\tnothing\n" }.joined())
        let result = try Tool.run("load", folder.path("new.graben"), "--model", Fixtures.path("ky10.model.json"), table)
        let count = result.errors.split(separator: "\n").count { $0.contains("a number is needed") }
        #expect(count == 20, "\(result.errors)")
    }

    @Test("appending adds one commit to a store, and a bad row leaves the store as it was")
    func append() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let url = URL(fileURLWithPath: store)
        let before = try Data(contentsOf: url)
        let bad = try folder.write("Line.tsv", "name\tstart\tend\nnew\tJ-1\tnowhere\n")
        #expect(try Tool.run("load", store, "--append", bad).status == 65)
        #expect(try Data(contentsOf: url) == before)
        let twice = try folder.write("Joint.tsv", "name\tx\nJ-1\t1\n")
        #expect(try Tool.run("load", store, "--append", twice).errors.contains("a second Joint with the same name as one in the store"))
        #expect(try Data(contentsOf: url) == before)
        let good = try folder.write("Line.csv", "name,start,end,length\nnew,J-1,J-10,\n")
        let result = try Tool.run("load", store, "--append", good, "--author", "a test", "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try json(result.output)["commit"] as? Int == 3)
        #expect(try Data(contentsOf: url).starts(with: before.prefix(80_000)))
        let commits = try #require(try json(try Tool.run("log", store, "--json").output)["commits"] as? [[String: Any]])
        #expect(commits.count == 3 && commits[0]["author"] as? String == "a test" && commits[0]["inserted"] as? Int == 1)
        #expect(try Tool.run("query", store, "Line", "--where", "name == 'new'", "--columns", "start,end").lines.last == "J-1\tJ-10")
        #expect(try Tool.run("load", folder.path("none.graben"), "--append", good).status == 66)
        #expect(try folder.names == ["Joint.tsv", "Line.csv", "Line.tsv", "ky10.graben", "ky10.graben-index"])
    }

    @Test("an interrupted load leaves nothing behind and ends with 130")
    func interrupted() throws {
        let folder = try Folder()
        let pipe = folder.path("Joint.tsv")
        try #require(mkfifo(pipe, 0o600) == 0)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = ["load", folder.path("new.graben"), "--model", Fixtures.path("ky10.model.json"), pipe]
        process.standardError = FileHandle.nullDevice
        // Shells start what runs in the background with the signal ignored, and the program respects that.
        let previous = signal(SIGINT, SIG_DFL)
        defer { signal(SIGINT, previous) }
        try process.run()
        // The program waits for the pipe's other end by the time its draft is there.
        for _ in 0..<500 where try folder.names.count < 2 { usleep(10_000) }
        usleep(50_000)
        process.interrupt()
        for _ in 0..<500 where process.isRunning { usleep(10_000) }
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        #expect(process.terminationStatus == 130 && process.terminationReason == .exit)
        #expect(try folder.names == ["Joint.tsv"])
    }
}
