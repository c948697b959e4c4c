import Foundation
import Testing

@Suite("The store of format version 1 that is kept for ever")
struct FormatTests {
    @Test("is written where it is missing", .enabled(if: ProcessInfo.processInfo.environment["GRABEN_WRITE_FIXTURE"] != nil))
    func write() throws {
        if !FileManager.default.fileExists(atPath: FormatFixture.store) { try FormatFixture.write() }
    }

    private func copy(_ folder: Folder, index: Bool) throws -> String {
        let store = folder.path("copy.graben")
        for end in index ? ["", "-index"] : [""] {
            try FileManager.default.copyItem(atPath: FormatFixture.store + end, toPath: store + end)
        }
        return store
    }

    private func objects(_ text: String) throws -> NSDictionary { try json(text) as NSDictionary }

    @Test("is read as it always was, by its index or without, and passes a check", arguments: [true, false])
    func reading(index: Bool) throws {
        let folder = try Folder()
        let store = try copy(folder, index: index)
        let dump = try Tool.run("dump", store, "--json")
        #expect(dump.status == 0, "\(dump.errors)")
        let expected = try objects(String(decoding: Data(contentsOf: URL(fileURLWithPath: FormatFixture.expected)), as: UTF8.self))
        #expect(try objects(dump.output) == expected)
        #expect(expected.count == 5 && (expected["Dot"] as? [Any])?.count == 980)
        let check = try json(try Tool.run("check", store, "--json").output)
        #expect(check["ok"] as? Bool == true && (check["notes"] as? [Any])?.isEmpty == true, "\(check)")
        #expect(try json(try Tool.run("info", store, "--json").output)["format"] as? Int == 1)
        // Written on: rewritten whole, it still says the same.
        #expect(try Tool.run("compact", store).status == 0)
        #expect(try objects(try Tool.run("dump", store, "--json").output) == expected)
        #expect(try Tool.run("check", store).status == 0)
    }

    @Test("is read by the independent reader", .enabled(if: Python.interpreter != nil, "there is no python3"))
    func reader() throws {
        let result = try Python.run([FormatFixture.store, "--against", FormatFixture.expected])
        #expect(result.status == 0, "\(result.output) \(result.errors)")
    }
}
