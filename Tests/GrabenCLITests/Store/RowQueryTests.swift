import Foundation
import GrabenFixtures
import Testing

@Suite("Queries for rows")
struct RowQueryTests {
    @Test("groups, aggregates, having, order and window are of rows, in every form of output")
    func groups() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        // What the tables say, counted by hand.
        let lines = try Fixtures.text("ky10/Line.tsv").split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        let counts = Dictionary(grouping: lines, by: { String($0[1]) }).mapValues(\.count)
        let columns = ["query", store, "Line", "--group-by", "kind", "--columns", "kind,count(SELF) as lines,sum(length) as total"]
        let table = try Tool.run(columns + ["--sort", "-lines"])
        #expect(table.status == 0 && table.lines[0] == "kind\tlines\ttotal")
        #expect(
            table.lines.dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false).prefix(2).joined(separator: " ") }
                == counts.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" })
        let most = try #require(counts.max { $0.value < $1.value })
        let csv = try Tool.run(columns + ["--having", "count(SELF) >= \(most.value)", "--csv"])
        #expect(csv.lines.count == 2 && csv.lines[1].hasPrefix("\(most.key),\(most.value),"))
        let first = try Tool.run(columns + ["--sort", "-lines", "--limit", "1", "--jsonl"])
        let row = try json(first.output)
        #expect(row["kind"] as? String == most.key && row["lines"] as? Int == most.value && row["total"] is Double)
        let none = try Tool.run(columns + ["--where", "name == 'nobody'", "--csv"])
        #expect(none.status == 0 && none.output == "kind,lines,total\n")
        #expect(try Tool.run(columns + ["--limit", "0", "--json"]).output.filter { !$0.isWhitespace } == "[]")
    }

    @Test("a column may be computed, ids and key paths among them; distinct rows come once")
    func columns() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let one = try Tool.run(
            "query", store, "Line", "--where", "name == 'P-1'", "--columns", "id,start.name,length * 2 as twice,max({1, length}) as m")
        #expect(one.output == "id\tstart.name\ttwice\tm\nLine/0\tJ-1\t988.5\t494.25\n", "\(one.errors)")
        let total = try Tool.run("query", store, "Joint", "--columns", "count(SELF)")
        #expect(total.output == "count(SELF)\n935\n")
        let kinds = try Tool.run("query", store, "Joint", "--columns", "kind", "--distinct", "--sort", "kind")
        #expect(kinds.status == 0 && kinds.lines.count == Set(kinds.lines).count && kinds.lines.count > 2)
    }

    @Test(
        "what cannot be a row is a mistake in the command line, with the column's name",
        arguments: [
            (["--group-by", "kind", "--columns", "name"], "name"), (["--having", "count(SELF) > 1"], "havingPredicate"),
            (["--group-by", "kidn"], "kind"), (["--columns", "sum((", "--distinct"], "sum(("), (["--group-by", ","], "group-by"),
            (["--group-by", "kind", "--sort", "z"], "z"), (["--columns", "outgoing,count(SELF)"], "outgoing"),
        ])
    func mistakes(options: [String], name: String) throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let result = try Tool.run(["query", store, "Joint"] + options)
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(name), "\(result.errors)")
    }

    @Test("get finds an object by its key, by the index of the constraint, and by what is no key by looking at all")
    func byKey() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let joint = try Tool.run("get", store, "Joint", "name=J-10", "--json")
        let found = try json(joint.output)
        #expect(joint.status == 0 && (found["attributes"] as? [String: Any])?["z"] as? Double == 802.0012)
        #expect(try Tool.run("get", store, "Joint", "name=J-10", "kind=junction").status == 0)
        #expect(try Tool.run("get", store, "Joint", "name=J-10", "kind=tank").status == 2)
        #expect(try Tool.run("get", store, "Joint", "name=nobody").status == 2)
        #expect(try Tool.run("get", store, "Joint", "kind=junction").status == 64)
        #expect(try Tool.run("get", store, "Joint", "z=802.0012").output == Tool.run("get", store, "Joint", "name=J-10").output)
    }
}
