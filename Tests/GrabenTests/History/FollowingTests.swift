import Foundation
import Graben
import GrabenFixtures
import GrabenLog
import Testing

@Suite("Stores that others write")
struct FollowingTests {
    private static func reader(_ location: StoreLocation) throws -> PersistentContainer {
        try PersistentContainer(
            model: GraphSchema.model, classes: ["Marker": FieldMarker.self], stores: [StoreConfiguration(location, isReadOnly: true)])
    }

    @Test("a read-only context sees what another handle saved at its next fetch, across compactions, and a pinned one does not")
    func contexts() throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("a.graben"))
        let container = try GraphSchema.container(location)
        let driver = GraphDriver(container.newContext(), book: .init(), seed: 7)
        for _ in 0..<30 { try RandomGraphTests.operate(driver) }
        try driver.save()
        let reading = try Self.reader(location)
        let (context, pinned) = (reading.newContext(), reading.newContext())
        let before = try Mirror(pinned)
        #expect(try Mirror(context) == before)
        // Objects that are held see the new values once the context has advanced.
        let joints = try context.fetch(FetchRequest<ManagedObject>(entity: "Joint"))
        pinned.isPinned = true
        for step in 0..<150 {
            try RandomGraphTests.operate(driver)
            guard step % 5 == 4 else { continue }
            try driver.save()
            if step % 30 == 29 { try container.compact() }
            if step % 40 == 39 { _ = try container.compact(); try driver.save() }
            guard step % 15 == 14 else { continue }
            let expected = try Mirror(container.newContext())
            let found = try Mirror(context)
            #expect(found == expected, "step \(step): \(found.differences(expected).prefix(6).joined(separator: "\n"))")
            #expect(try Mirror(pinned) == before)
        }
        #expect(!joints.isEmpty)
        pinned.isPinned = false
        #expect(try Mirror(pinned) == Mirror(container.newContext()))
        context.refreshAllObjects()
        #expect(throws: GrabenError.self) {
            _ = try context.insertObject(entity: "Tag")
            try context.save()
        }
        let statistics = try #require(container.coordinator.stores.first).statistics()
        #expect(statistics.newestCommit == (try reading.coordinator.stores[0].follow()))
        #expect(statistics.compactionFailure == nil && statistics.indexFailure == nil)
        try reading.close()
        try container.close()
    }

    @Test("a reader whose store got another model keeps what it had, and says so")
    func otherModel() throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("a.graben"))
        let small = ManagedObjectModel(entities: [EntityDescription("Tag", attributes: [AttributeDescription("name", .string)])])
        let first = try PersistentContainer(model: small, stores: [StoreConfiguration(location)])
        let context = first.newContext()
        try context.insertObject(entity: "Tag").setValue(.string("a"), forKey: "name")
        try context.save()
        try first.close()
        let reading = try PersistentContainer(model: small, stores: [StoreConfiguration(location, isReadOnly: true)])
        let larger = ManagedObjectModel(
            entities: [EntityDescription("Tag", attributes: [AttributeDescription("name", .string), AttributeDescription("size", .int64)])])
        let second = try PersistentContainer(model: larger, stores: [StoreConfiguration(location)])
        let writer = second.newContext()
        try writer.insertObject(entity: "Tag").setValue(.string("b"), forKey: "name")
        try writer.save()
        let reader = reading.newContext()
        var errors: [GrabenError] = []
        reader.errorHandler = { errors.append($0) }
        #expect(try reader.fetch(FetchRequest<ManagedObject>(entity: "Tag")).count == 1)
        #expect(errors.contains { if case .store(.replaced) = $0 { true } else { false } })
        #expect(throws: GrabenError.self) { try reading.coordinator.stores[0].follow() }
        try second.close()
        try reading.close()
    }

    @Test(
        "a loop over transactions gets every one, in order, while they are made, and ends with the store or its task",
        arguments: [true, false])
    func transactions(isReader: Bool) async throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("a.graben"))
        let container = try GraphSchema.container(location)
        let background = container.newBackgroundContext()
        let reading = isReader ? try Self.reader(location) : container
        let store = try #require(reading.coordinator.stores.first)
        let stream = store.transactions()
        let loop = Task {
            var numbers: [UInt64] = []
            for try await transaction in stream {
                #expect(transaction.author == "writer")
                #expect(try transaction.changes().map(\.kind) == [.insert])
                numbers.append(transaction.number)
                if numbers.count == 25 { break }
            }
            return numbers
        }
        for _ in 0..<25 {
            try await background.perform { context in
                context.transactionAuthor = "writer"
                _ = try context.insertObject(entity: "Tag")
                try context.save()
            }
        }
        #expect(try await loop.value == (2...26).map { UInt64($0) })
        let idle = Task { () -> Int in
            var count = 0
            for try await _ in store.transactions() { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(50))
        idle.cancel()
        #expect(try await idle.value == 0)
        let ended = Task { () -> Int in
            var count = 0
            for try await _ in store.transactions() { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(50))
        try reading.close()
        #expect(try await ended.value == 0)
        if isReader { try container.close() }
    }

    @Test("history that is to be kept outlives compactions, and a purge ends it where it is told")
    func retention() throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("a.graben"))
        let container = try PersistentContainer(
            model: GraphSchema.model, classes: ["Marker": FieldMarker.self],
            stores: [StoreConfiguration(location, historyRetention: .transactions(20))])
        let context = container.newContext()
        var tokens = [container.historyToken]
        for _ in 0..<40 {
            _ = try context.insertObject(entity: "Tag")
            try context.save()
            tokens.append(container.historyToken)
        }
        try container.compact()
        let store = try #require(container.coordinator.stores.first)
        #expect(try store.statistics().oldestHistory == 21)
        #expect(throws: GrabenError.self) { try container.history(since: tokens[19]) }
        #expect(try container.history(since: tokens[20]).map(\.number) == (22...41).map { UInt64($0) })
        let past = try PersistentContainer(
            model: GraphSchema.model, classes: ["Marker": FieldMarker.self], stores: [StoreConfiguration(location, asOf: .commit(30))])
        #expect(try past.newContext().count(for: FetchRequest<ManagedObject>(entity: "Tag")) == 29)
        try container.deleteHistory(before: tokens[35])
        #expect(throws: GrabenError.self) { try container.history(since: tokens[34]) }
        #expect(try container.history(since: tokens[35]).map(\.number) == (37...41).map { UInt64($0) })
        #expect(try context.count(for: FetchRequest<ManagedObject>(entity: "Tag")) == 40)
        #expect(try past.newContext().count(for: FetchRequest<ManagedObject>(entity: "Tag")) == 29, "it goes on in the old file")
        try container.close()
    }
}
