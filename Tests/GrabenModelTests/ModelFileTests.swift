import Foundation
import GrabenModel
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Files that models are read from")
struct ModelFileTests {
    // A model from a pipe, as of `model check <(…)`, was "Permission denied", and so was everything else that is no ordinary file.
    @Test("a model is read from a pipe")
    func pipe() throws {
        var ends: [Int32] = [0, 0]
        #expect(makePipe(&ends) == 0)
        let text = Array(#"{"entities": [{"name": "Joint"}]}"#.utf8)
        #expect(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        defer { close(ends[0]) }
        #expect(try ManagedObjectModel.load(path: "/dev/fd/\(ends[0])").entities.map(\.name) == ["Joint"])
    }

    @Test("a named pipe into which nobody writes is empty and not waited for, and what never ends is refused")
    func endless() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "graben-pipe-\(UUID().uuidString)").path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(try ModelFile.bytes(of: path) == [])
        #expect(throws: ModelError.unreadable(path: "/dev/zero", reason: "it is longer than 64 MB")) {
            try ModelFile.bytes(of: "/dev/zero")
        }
        #expect(throws: ModelError.unreadable(path: "/", reason: "Is a directory")) { try ModelFile.bytes(of: "/") }
    }

    // Each property was looked for among copies of all the others: a model at the limit of 4,096 took 83 seconds, of which this allows a tenth.
    @Test("a model at the limit of properties is checked in time")
    func wide() throws {
        let attributes = (0..<4_096).map { AttributeDescription("a\($0)", .int64) }
        let model = ManagedObjectModel(entities: [EntityDescription("A", attributes: attributes)])
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try model.resolved().entities[0].properties.count == 4_096)
        let time = clock.now - start
        #expect(time < .seconds(8), "\(time)")
    }

    // An entity holds what it inherits, so a chain of sixty thousand, a small file, took all memory there was.
    @Test("a hierarchy has 64 levels below one another and no more")
    func deep() {
        func problems(_ levels: Int) -> [String] {
            ManagedObjectModel(
                entities: (0...levels).map { EntityDescription("E\($0)", superentity: $0 == 0 ? nil : "E\($0 - 1)") }
            ).problems().map { "\($0)" }
        }
        #expect(problems(63) == [])
        #expect(
            problems(65) == [
                "entity E64: it stands below more than 64 super-entities", "entity E65: it stands below more than 64 super-entities",
            ])
    }

    // A default or bound was shown as the enum case that holds it: "its minimum int(5) is above its maximum int(1)".
    @Test("problems show values as people write them")
    func values() throws {
        let model = ManagedObjectModel(entities: [
            EntityDescription(
                "A",
                attributes: [
                    AttributeDescription("a", .int16, minimum: 5, maximum: 1), AttributeDescription("b", .boolean, defaultValue: "no"),
                ])
        ])
        #expect(
            model.problems().map { "\($0)" } == [
                "A.a: its minimum 5 is above its maximum 1", "A.b: its default \"no\" is no value of type boolean",
            ])
    }
}

/// `pipe` by another name than the test's.
private func makePipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
