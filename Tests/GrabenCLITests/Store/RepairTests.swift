import Foundation
import GrabenFixtures
import Testing

@Suite("graben repair")
struct RepairTests {
    @Test("a sound store is copied with 0, a damaged one with 1 and a list; the new one passes a check")
    func repairs() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let before = try Tool.run("dump", store, "--jsonl").output
        let sound = try Tool.run("repair", store, "--to", folder.path("sound.graben"))
        #expect(sound.status == 0 && sound.errors.isEmpty && sound.output.contains("nothing lost"), "\(sound.errors)")
        #expect(try Tool.run("dump", folder.path("sound.graben"), "--jsonl").output == before)

        var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        // Among the records, behind the model.
        let place = bytes.count / 2
        bytes[place] ^= 0x40
        try bytes.write(to: URL(fileURLWithPath: store))
        #expect(try Tool.run("check", store).status == 1)
        let fresh = folder.path("fresh.graben")
        let result = try Tool.run("repair", store, "--to", fresh)
        #expect(result.status == 1 && result.errors.contains("do not fit their checksums"), "\(result.errors)")
        #expect(result.output.contains("lost: "))
        #expect(try Tool.run("check", fresh).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
        let report = try json(try Tool.run("repair", store, "--to", folder.path("again.graben"), "--json").output)
        #expect(report["lossless"] as? Bool == false && report["objects"] as? Int ?? 0 > 0)
        #expect((report["commits"] as? [[String: Any]])?.first?["offset"] as? Int != nil)
    }

    @Test("what is in the way is kept, and what is missing is asked for")
    func refusals() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        #expect(try Tool.run("repair", store).status == 64)
        #expect(try Tool.run("repair", store, "--to", store).status == 73)
        #expect(try Tool.run("repair", folder.path("none"), "--to", folder.path("new")).status == 66)
        let other = try folder.write("other", String(repeating: "no store ", count: 1000))
        let result = try Tool.run("repair", other, "--to", folder.path("new"), "--json")
        #expect(result.status == 65)
        #expect(try (json(result.errors)["error"] as? [String: Any])?["code"] as? String == "store.not-a-store")
        #expect(try folder.names == ["ky10.graben", "ky10.graben-index", "other"])
    }
}
