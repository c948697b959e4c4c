import Foundation
import Testing

@testable import GrabenLog

@Suite("Versions of the file format")
struct VersionTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures/format-1")

    private func fixture() throws -> [UInt8] { Array(try Data(contentsOf: Self.folder.appendingPathComponent("everything.graben"))) }

    @Test("the fixture of version 1 has every kind of section, commits in parts and a close marker")
    func everything() throws {
        let bytes = try fixture()
        var kinds = Set<UInt8>()
        var parts: UInt32 = 0
        var markers = 0
        try bytes.withUnsafeBytes { raw in
            let base = try #require(raw.baseAddress)
            let header = try FileHeader(UnsafeRawBufferPointer(rebasing: raw[..<4096]), path: "everything")
            var walk = FrameWalk(base, limit: UInt64(raw.count), salt: header.salt)
            while let step = walk.next() {
                guard case .frame(let frame) = step else {
                    Issue.record("there is a gap")
                    return
                }
                parts = max(parts, frame.part)
                if frame.kind == .closeMarker { markers += 1 }
                var sections = SectionCursor(base + Int(frame.payloadOffset), to: frame.payloadLength)
                while let section = try sections.next() { kinds.insert(section.kind.rawValue) }
            }
        }
        #expect(kinds == Set(1...8))
        #expect(parts > 1)
        #expect(markers > 0)
    }

    @Test("a file of version 0, or of a later one, is refused by an error that says what to do")
    func others() throws {
        for (version, word) in [(UInt8(0), "graben export"), (2, "newer")] {
            var bytes = try fixture()
            bytes[8] = version
            resealHeader(&bytes)
            let system = MemoryFileSystem(reservation: 1 << 28)
            try system.setContents("a", bytes)
            for readOnly in [true, false] {
                #expect {
                    try Log.open(path: "a", in: system, options: LogOptions(readOnly: readOnly))
                } throws: { error in
                    guard case .unsupportedVersion(_, UInt32(version))? = error as? LogError else { return false }
                    return "\(error)".contains(word)
                }
            }
            #expect(throws: LogError.self) { try Log.check(path: "a", in: system) }
            #expect(throws: LogError.self) { try Log.repair(path: "a", to: "b", in: system) }
            #expect(system.contents("a") == bytes && !system.exists("b"))
        }
    }
}
