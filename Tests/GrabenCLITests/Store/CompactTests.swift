import Foundation
import GrabenFixtures
import Testing

@Suite("graben compact")
struct CompactTests {
    @Test("a store that is compacted says the same as before, and has one commit")
    func compacts() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let before = try Tool.run("dump", store)
        let sizeBefore = try Data(contentsOf: URL(fileURLWithPath: store)).count
        let result = try Tool.run("compact", store, "--json")
        #expect(result.status == 0, "\(result.errors)")
        let report = try json(result.output)
        #expect(report["bytesBefore"] as? Int ?? 0 > 4096)
        let size = try Data(contentsOf: URL(fileURLWithPath: store)).count
        #expect(report["bytesAfter"] as? Int == size)
        #expect(size <= sizeBefore + 4096)
        #expect(try Tool.run("dump", store).output == before.output)
        #expect(try Tool.run("check", store).status == 0)
        #expect(try Tool.run("log", store, "--jsonl").lines.count == 1)
        #expect(try json(try Tool.run("info", store, "--json").output)["epoch"] as? Int == 2)
        #expect(try folder.names == ["ky10.graben", "ky10.graben-index"])
        #expect(try Tool.run("compact", store).output.contains("bytes became"))
    }

    @Test("a store that is missing is refused, and none is made")
    func missing() throws {
        let folder = try Folder()
        let result = try Tool.run("compact", folder.path("none.graben"))
        #expect(result.status == 66)
        #expect(try folder.names == [])
    }
}
