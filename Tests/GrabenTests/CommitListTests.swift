import Graben
import GrabenFixtures
import Testing

@Suite("The list of commits")
struct CommitListTests {
    @Test("each save is one commit in order, with its author and the counts of what it did, in memory, in a file and after reopening")
    func counts() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.graben")
        for location in [StoreLocation.inMemory, .file(path)] {
            let container = try Network.container(location)
            let store = try #require(container.coordinator.stores.first)
            let context = container.newContext()
            #expect(try store.commits().map(\.number) == [1], "the model is a commit of its own")
            context.transactionAuthor = "surveyor"
            let a = Joint(context: context)
            let b = Joint(context: context)
            let line = Line(context: context)
            line.start = a
            line.end = b
            try context.save()
            context.transactionAuthor = nil
            a.x = 1
            b.name = "b"
            try context.save()
            context.delete(line)
            try context.save()
            try context.save()

            let commits = try store.commits()
            #expect(commits.map(\.number) == [1, 2, 3, 4], "a save with nothing to save writes no commit")
            #expect(commits.map(\.author) == [nil, "surveyor", nil, nil])
            #expect(commits.map(\.insertedCount) == [0, 3, 0, 0])
            #expect(commits.map(\.updatedCount) == [0, 0, 1, 0])
            #expect(commits.map(\.movedCount) == [0, 2, 1, 0])
            #expect(commits.map(\.deletedCount) == [0, 0, 0, 1])
            #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.date <= $1.date } && commits.allSatisfy { $0.byteCount > 64 })
            try container.close()
            guard case .file = location else { continue }
            let reopened = try Network.container(location)
            #expect(try reopened.coordinator.stores.first?.commits() == commits, "the same model opens without a commit")
            try reopened.close()
        }
    }
}
