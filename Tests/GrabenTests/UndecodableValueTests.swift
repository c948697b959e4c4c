import Foundation
import Graben
import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite("A value whose bytes cannot be decoded")
struct UndecodableValueTests {
    // Such a value was read as nil in silence, and the next save of its object wrote that nil over it: what could still have been rescued
    // from the file was gone for good. Now whoever reads it hears of it, and the save is refused.
    @Test("is reported where it is read, found by nothing, and never saved over")
    func reported() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.graben")
        let model = ManagedObjectModel(entities: [
            EntityDescription("Note", attributes: [AttributeDescription("title", .string), AttributeDescription("text", .string)])
        ])
        let first = try PersistentContainer(model: model, at: path)
        let writing = first.newContext()
        let note = try writing.insertObject(entity: "Note")
        // Long enough to be compressed: plain text has no bytes that cannot be decoded.
        try note.setValue(.string(String(repeating: "abcdefgh", count: 1000)), forKey: "text")
        try note.setValue(.string("one"), forKey: "title")
        try writing.save()
        try first.close()
        try spoil(path)

        let second = try PersistentContainer(model: model, at: path)
        let context = second.newContext()
        var reported: [GrabenError] = []
        context.errorHandler = { reported.append($0) }
        let read = try #require(try context.fetch(FetchRequest<ManagedObject>(entity: "Note")).first)
        #expect(try read.value(forKey: "title") == .string("one") && reported.isEmpty)
        #expect(try read.value(forKey: "text") == .null)
        guard case .store(.malformed(let what, path, let offset))? = reported.first else {
            Issue.record("reported \(reported)")
            return
        }
        #expect(what.contains("Note.text") && offset > UInt64(Format.headerByteCount))

        #expect(throws: GrabenError.self) {
            try context.fetch(FetchRequest<ManagedObject>(entity: "Note", predicate: try ObjectPredicate(format: "text == nil")))
        }
        let before = try Data(contentsOf: URL(filePath: path))
        try read.setValue(.string("two"), forKey: "title")
        #expect(throws: GrabenError.self) { try context.save() }
        #expect(try Data(contentsOf: URL(filePath: path)).prefix(before.count) == before && context.hasChanges)
        // What is set anew needs nothing of the old bytes.
        try read.setValue(.string("rewritten"), forKey: "text")
        try context.save()
        try second.close()
    }

    /// Puts other bytes in the place of the compressed value, and the checksums right again: no crash and no rot does that.
    private func spoil(_ path: String) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let salt = try bytes.prefix(Format.headerByteCount).withUnsafeBytes { try FileHeader($0, path: path) }.salt
        var offset = UInt64(Format.headerByteCount)
        while true {
            let frame = try #require(
                bytes.withUnsafeBytes { raw in
                    raw.baseAddress.flatMap { FrameHeader($0 + Int(offset), offset: offset, limit: UInt64(raw.count), salt: salt) }
                })
            let payload = Int(frame.payloadOffset)..<Int(frame.payloadOffset) + frame.payloadLength
            let place = payload.dropLast(8).first { bytes[$0..<$0 + 8].elementsEqual("abcdefgh".utf8) }
            guard let place else {
                offset = frame.end
                continue
            }
            // Behind the literal text comes the distance to copy from; so great a one leads to before the beginning.
            bytes.replaceSubrange(place + 8..<place + 12, with: [255, 255, 255, 255])
            let buffer = ByteBuffer()
            buffer.appendZeros(Format.frameHeaderByteCount)
            bytes[payload].withUnsafeBytes { buffer.append($0) }
            frame.seal(buffer, salt: salt)
            bytes.replaceSubrange(Int(offset)..<Int(frame.end), with: Array(buffer.bytes))
            try Data(bytes).write(to: URL(filePath: path))
            return
        }
    }
}
