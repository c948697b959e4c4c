import Foundation
import Testing

@Suite("graben explain")
struct ExplainTests {
    @Test("it says how a query would run, as text and as JSON, and runs nothing")
    func plans() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let text = try Tool.run("explain", store, "Joint", "--where", "z > 700 AND name BEGINSWITH 'J'", "--sort", "-z", "--limit", "3")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.lines.first == "Joint in \(store): 935 rows")
        #expect(text.lines.contains("  tests z > 700 (column)") && text.lines.last == "  keeps the first 3 by -z")
        let answer = try json(try Tool.run("explain", store, "Joint", "--where", "x < 5 AND outgoing.@count > 2", "--json").output)
        let part = try #require((answer["parts"] as? [[String: Any]])?.first)
        #expect(part["access"] as? String == "everything" && part["rows"] as? Int == 935)
        let tests = try #require(part["tests"] as? [[String: Any]])
        #expect(tests.map { $0["by"] as? String } == ["column", "interpreter"])
    }

    @Test("an unknown entity, a predicate that cannot be parsed and an unknown key end as they do in a query")
    func errors() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        #expect(try Tool.run("explain", store, "Joints").status == 2)
        #expect(try Tool.run("explain", store, "Joint", "--where", "z >").status == 64)
        let key = try Tool.run("explain", store, "Joint", "--where", "zz > 1")
        #expect(try key.status == Tool.run("query", store, "Joint", "--where", "zz > 1").status && key.status != 0)
    }
}
