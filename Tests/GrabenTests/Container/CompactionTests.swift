import Foundation
import Graben
import GrabenFixtures
import GrabenLog
import Testing

@Suite("Compacting and copying an open store")
struct StoreCompactionTests {
    private func tags(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<ManagedObject>(entity: "Tag")).map(\.objectID.uriRepresentation).sorted()
    }

    @Test("a pinned context reads on in the old file, and merges what came since when it is let go")
    func pinned() throws {
        let folder = try TemporaryFolder()
        let container = try GraphSchema.container(.file(folder.path("a.graben")))
        let (writer, reader) = (container.newContext(), container.newContext())
        for _ in 0..<20 { _ = try writer.insertObject(entity: "Tag") }
        try writer.save()
        let before = try tags(reader)
        #expect(before.count == 20)
        reader.isPinned = true
        for object in try writer.fetch(FetchRequest<ManagedObject>(entity: "Tag")).prefix(15) { writer.delete(object) }
        try writer.save()
        let store = try #require(container.coordinator.stores.first)
        let result = try #require(try store.compact())
        #expect(result.byteCountAfter < result.byteCountBefore)
        _ = try writer.insertObject(entity: "Tag")
        try writer.save()
        #expect(try tags(reader) == before)
        reader.isPinned = false
        #expect(try tags(reader) == tags(writer))
        #expect(try tags(reader).count == 6)
        #expect(try store.compact { _ in false } == nil)
        try container.close()
        #expect(throws: GrabenError.self) { try store.compact() }
    }

    @Test("a copy made while another thread saves is a store as of one commit")
    func backup() throws {
        let folder = try TemporaryFolder()
        let container = try GraphSchema.container(.file(folder.path("a.graben")))
        let store = try #require(container.coordinator.stores.first)
        let context = container.newContext()
        for _ in 0..<30 { _ = try context.insertObject(entity: "Tag") }
        try context.save()
        let before = try tags(context)
        // Saves while it copies, and a compaction.
        var failure: (any Error)?
        var calls = 0
        let copy = folder.path("copy.graben")
        let isDone = try store.backup(to: copy) { _ in
            calls += 1
            do {
                for object in try context.fetch(FetchRequest<ManagedObject>(entity: "Tag")).prefix(3) { context.delete(object) }
                try context.save()
                try container.compact()
            } catch { failure = error }
            return true
        }
        if let failure { throw failure }
        #expect(isDone && calls > 0)
        let other = try GraphSchema.container(.file(copy))
        #expect(try tags(other.newContext()).count == 30)
        #expect(other.coordinator.stores.first?.uuid == store.uuid)
        #expect(Set(try tags(context)).isSubset(of: before))
        #expect(throws: GrabenError.self, "a file is there") { try store.backup(to: copy) }
        let given = folder.path("given up.graben")
        #expect(try store.backup(to: given) { _ in false } == false)
        #expect(!FileManager.default.fileExists(atPath: given))
        try other.close()
        try container.close()
    }
}
