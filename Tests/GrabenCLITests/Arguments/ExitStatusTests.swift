import Foundation
import GrabenFixtures
import Testing

@Suite("Exit statuses and errors")
struct ExitStatusTests {
    @Test(
        "help and versions go to standard output and end with 0",
        arguments: [["help"], ["--help"], ["-h"], ["help", "dump"], ["dump", "--help"], ["dump", "-h"], ["version"], ["--version"]])
    func help(arguments: [String]) throws {
        let result = try Tool.run(arguments)
        #expect(result.status == 0 && !result.output.isEmpty && result.errors.isEmpty)
    }

    @Test("every command has a help of its own that names its usage")
    func everyHelp() throws {
        for line in try Tool.run("help").lines where line.hasPrefix("  ") {
            // A name may be two words, and its summary stands two spaces behind it.
            let name = line.dropFirst(2).firstRange(of: "  ").map { line.dropFirst(2)[..<$0.lowerBound] } ?? ""
            guard name.first?.isLetter == true else { continue }
            let result = try Tool.run(["help"] + name.split(separator: " ").map(String.init))
            #expect(result.status == 0 && result.output.contains("Usage: graben \(name)"), "help of \(name)")
        }
    }

    @Test("each kind of failure has its own status, code and message, and leaves standard output empty")
    func statuses() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let noStore = try folder.write("text.graben", "nothing of ours, and much shorter than a page")
        let model = Fixtures.path("ky10.model.json")
        let badRow = try folder.write("Joint.tsv", "name\tx\ty\tz\nJ-1\t1\t2\tthree\n")
        let cases: [([String], Int32, String)] = [
            ([], 64, "usage.no-command"), (["dmup", store], 64, "usage.unknown-command"), (["dump"], 64, "usage.missing-operand"),
            (["info", store, "more"], 64, "usage.extra-operand"), (["info", store, "--jsno"], 64, "usage.unknown-option"),
            (["query", store, "Joint", "--limit"], 64, "usage.missing-value"),
            (["query", store, "Joint", "--limit", "--json"], 64, "usage.missing-value"),
            (["query", store, "Joint", "--limit", "-1"], 64, "usage.bad-value"),
            (["query", store, "Joint", "--limit=9999999999999999999"], 64, "usage.bad-value"),
            (["query", store, "Joint", "--json=1"], 64, "usage.bad-value"),
            (["query", store, "Joint", "--limit=1", "--limit=2"], 64, "usage.repeated-option"),
            (["query", store, "Joint", "--json", "--csv"], 64, "usage.conflict"), (["dump", store, "--csv"], 64, "usage.missing-operand"),
            (["query", store, "Joint", "--where", "z >"], 64, "predicate.syntax"),
            (["query", store, "Joint", "--where", "zz > 1"], 64, "predicate.unknown-key"),
            (["query", store, "Joint", "--columns", "nmae"], 64, "key.unknown"),
            (["query", store, "Joint", "--columns", "name.x"], 64, "key.leads-nowhere"),
            (["query", store, "Joint", "--sort", "nmae"], 64, "predicate.unknown-key"),
            (["draw", store, "--view", "tpo"], 64, "usage.bad-value"),
            (["draw", store, "--json"], 64, "usage.conflict"), (["load", folder.path("new.graben"), badRow], 64, "usage.missing-option"),
            (["query", store, "Jiont"], 2, "entity.unknown"), (["get", store, "Joint", "name=none"], 2, "object.not-found"),
            (["get", store, "Joint", "99999"], 2, "object.not-found"), (["get", store, "Joint/935"], 2, "object.not-found"),
            (["info", noStore], 65, "store.not-a-store"),
            (["load", folder.path("new.graben"), "--model", model, badRow], 65, "table.row"),
            (["info", folder.path("none.graben")], 66, "file.missing"), (["dump", folder.path("none/none.graben")], 66, ""),
            (["load", folder.path("new.graben"), "--model", model, folder.path("Joint.csv")], 66, "file.missing"),
            (["load", folder.path("new.graben"), "--model", folder.path("no.json"), badRow], 66, "file.missing"),
            (["load", store, "--model", model, badRow], 73, "file.exists"),
            (["load", folder.path("none/new.graben"), "--model", model, badRow], 73, ""),
            (["draw", store, "-o", folder.path("none/a.svg"), "--entity=Joint"], 73, "file.create"),
            (["draw", store, "-o", store], 73, "file.exists"),
        ]
        for (arguments, status, code) in cases {
            let asText = try Tool.run(arguments)
            #expect(asText.status == status && !asText.wasKilled, "\(arguments): \(asText.status), \(asText.errors)")
            let isJSON = arguments.contains("--json")
            #expect(asText.output.isEmpty && asText.errors.hasPrefix(isJSON ? "{" : "graben: "), "\(arguments): \(asText.errors)")
            guard !arguments.contains("--json"), !arguments.contains("--json=1"), arguments.last != "--limit" else { continue }
            let asJSON = try Tool.run(arguments + ["--json"])
            let error = try json(asJSON.errors)["error"] as? [String: Any]
            // These differ when --json comes in besides.
            let isKnownOption =
                code != "usage.conflict" && code != "usage.no-command" && !arguments.contains("--csv") && arguments[0] != "draw"
            #expect(asJSON.output.isEmpty && asJSON.errors.split(separator: "\n").count == 1, "\(arguments): \(asJSON.errors)")
            if isKnownOption {
                #expect(asJSON.status == status, "\(arguments): \(asJSON.errors)")
                #expect(code.isEmpty || error?["code"] as? String == code, "\(arguments): \(asJSON.errors)")
            }
            #expect((error?["message"] as? String)?.isEmpty == false)
            #expect(Set(["code", "message", "file", "offset", "hint"]).isSubset(of: Set((error ?? [:]).keys)))
        }
        #expect(try folder.names == ["Joint.tsv", "ky10.graben", "ky10.graben-index", "text.graben"], "a failure leaves nothing behind")
    }

    @Test("a mistyped command, option, entity or key is answered with the nearest one")
    func suggestions() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        for (arguments, wanted) in [
            (["qurey", store], "query"), (["query", store, "Joint", "--wehre", "z > 1"], "--where"), (["count", store, "joint"], "Joint"),
            (["query", store, "Joint", "--columns", "naem"], "name"), (["query", store, "Joint", "--sort", "naem"], "name"),
            (["get", store, "Joint", "nane=J-1"], "name"),
        ] {
            let result = try Tool.run(arguments)
            #expect(result.errors.contains("did you mean \"\(wanted)\"?"), "\(arguments): \(result.errors)")
        }
    }

    @Test("two dashes end the options, and a value may begin with one dash")
    func dashes() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder, named: "--json")
        #expect(try Tool.run("count", "--", store, "Joint").output == "935\n")
        #expect(try Tool.run("query", store, "Joint", "--sort", "-z", "--limit", "1", "--columns", "name").output == "name\nT-4\n")
        #expect(try Tool.run("query", store, "Joint", "--sort=-z", "--limit=1", "--columns=name").output == "name\nT-4\n")
    }

    @Test("no command line crashes the program or changes the store")
    func hostileArguments() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let words = [
            "info", "schema", "dump", "get", "query", "count", "log", "check", "draw", "help", "version", "model", "show", "swift", "graph",
            "diff", store, store, store, "Joint",
            "Line",
            "--", "-", "--json", "--jsonl", "--csv", "--where", "--sort", "--limit", "--offset", "--columns", "--fetched", "-o", "-h=",
            "--=", "---", "--where=", "name=J-1", "0", "4294967295", "4294967296", "-1", "1e9", "NaN", "", " ", "\u{0}x", "\u{1B}[31m",
            "\u{202E}", "name,,x", "start.start.start", "graben://", "graben:///Joint/0", "Joint/", "/", "$id,id", "z > 'a'", "ANY x",
            "SELF.SELF", "FUNCTION(1, 'a')", "(((((((((", String(repeating: "(", count: 5000), String(repeating: "a.", count: 5000) + "b",
            "x / 0 == 1", "name MATCHES '(a+)+b'", "@max", "%@", "%K", "$x", "{", "\\", "\u{FFFD}", "--color", "z", "--xy", "x,z", "--size",
            "9e99", "--lines", "Line:start,end", "--entity", "--view", "iso", "--points", "/dev/null", ".", "--author", "--wide",
        ].map { $0.replacingOccurrences(of: "\u{0}", with: "?") }
        var random = SplitMix64(seed: 11)
        let statuses: Set<Int32> = [0, 1, 2, 64, 65, 66, 69, 73, 74, 75]
        for round in 0..<150 {
            var arguments = (0..<Int.random(in: 1...7, using: &random)).map { _ in words[Int.random(in: 0..<words.count, using: &random)] }
            if round % 2 == 0 { arguments = [words[Int.random(in: 0..<12, using: &random)], store] + arguments }
            // An answer written over the store would be the test's own doing.
            if let place = arguments.firstIndex(of: "-o") { arguments.insert("/dev/null", at: place + 1) }
            let result = try Tool.run(arguments)
            #expect(!result.wasKilled && statuses.contains(result.status), "\(arguments): \(result.status) \(result.errors.prefix(300))")
            #expect(result.status == 0 || result.status == 1 || !result.errors.isEmpty, "\(arguments)")
            #expect(!result.errors.contains("\u{1B}"), "\(arguments): a message repeats what a terminal acts on")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }
}
