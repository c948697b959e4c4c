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
        for _ in 0..<30 { try driver.operate() }
        try driver.insert("Joint")
        try driver.save()
        let reading = try Self.reader(location)
        let (context, pinned) = (reading.newContext(), reading.newContext())
        let before = try Mirror(pinned)
        #expect(try Mirror(context) == before)
        // Objects that are held see the new values once the context has advanced.
        let joints = try context.fetch(FetchRequest<ManagedObject>(entity: "Joint"))
        pinned.isPinned = true
        for step in 0..<150 {
            try driver.operate()
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

    private static func model(_ attributes: [AttributeDescription], and others: [EntityDescription] = []) -> ManagedObjectModel {
        ManagedObjectModel(entities: [EntityDescription("Tag", attributes: [AttributeDescription("name", .string)] + attributes)] + others)
    }

    private static func name(_ tag: ManagedObject) throws -> String {
        if case .string(let name) = try tag.value(forKey: "name") { name } else { "" }
    }

    /// Opens a store for writing under a model and saves tags of these names.
    private static func write(_ names: [String], _ model: ManagedObjectModel, _ location: StoreLocation) throws {
        let container = try PersistentContainer(model: model, stores: [StoreConfiguration(location)])
        let context = container.newContext()
        for name in names { try context.insertObject(entity: "Tag").setValue(.string(name), forKey: "name") }
        for tag in try context.fetch(FetchRequest<ManagedObject>(entity: "Tag")) {
            // All that were there are written again, in the new layout.
            let old = try Self.name(tag)
            if !names.contains(old) { try tag.setValue(.string(old + "+"), forKey: "name") }
        }
        if model.entities.count > 1 { _ = try context.insertObject(entity: model.entities[1].name) }
        try context.save()
        try container.close()
    }

    @Test("a reader goes on past commits that add to the model or take from it, and reads what it knows of it")
    func largerModel() throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("a.graben"))
        let small = Self.model([AttributeDescription("weight", .int64, defaultValue: .int(7))])
        try Self.write(["a"], small, location)
        let reading = try PersistentContainer(model: small, stores: [StoreConfiguration(location, isReadOnly: true)])
        let reader = reading.newContext()
        reader.errorHandler = { Issue.record("\($0)") }
        func names() throws -> [String] {
            try reader.fetch(FetchRequest<ManagedObject>(entity: "Tag")).map { try Self.name($0) }.sorted()
        }
        #expect(try names() == ["a"])
        let first = try #require(try reader.fetch(FetchRequest<ManagedObject>(entity: "Tag")).first)
        #expect(try first.value(forKey: "weight") == .int(7))
        // Fields come to stand before those that the reader knows, an entity comes with a reference to the known one, and one field goes.
        let wide = [AttributeDescription("alias", .string, defaultValue: .string("none")), AttributeDescription("weight", .int64)]
        let other = EntityDescription("Note", relationships: [RelationshipDescription("tag", to: "Tag")])
        try Self.write(["b"], Self.model(wide, and: [other]), location)
        #expect(try names() == ["a+", "b"])
        try Self.write(["c"], Self.model([AttributeDescription("age", .int16)] + wide, and: [other]), location)
        try Self.write([], Self.model([AttributeDescription("age", .int16)]), location)
        #expect(try names() == ["a+++", "b++", "c+"])
        #expect(try first.value(forKey: "name") == .string("a+++") && first.value(forKey: "weight") == .int(7))
        #expect(try reading.coordinator.stores[0].follow() == reading.coordinator.stores[0].log.newest.commitNumber)
        try reading.close()
    }

    @Test("a reader whose store got other columns, types or names keeps what it had, and says why")
    func otherModel() throws {
        let weight = AttributeDescription("weight", .int64)
        let models = [
            Self.model([AttributeDescription("x", .double, isPacked: true), weight]), Self.model([AttributeDescription("weight", .string)]),
            ManagedObjectModel(entities: [
                EntityDescription("Label", attributes: [AttributeDescription("name", .string), weight], renamingIdentifier: "Tag")
            ]),
        ]
        for (number, larger) in models.enumerated() {
            let folder = try TemporaryFolder()
            let location = StoreLocation.file(folder.path("a.graben"))
            try Self.write(["a"], Self.model([weight]), location)
            let reading = try PersistentContainer(model: Self.model([weight]), stores: [StoreConfiguration(location, isReadOnly: true)])
            if number == 1 {
                // A type cannot change in one step; it can by way of a model without the attribute.
                try Self.write([], Self.model([]), location)
            }
            let writing = try? PersistentContainer(model: larger, stores: [StoreConfiguration(location)])
            try writing?.close()
            let reader = reading.newContext()
            var errors: [GrabenError] = []
            reader.errorHandler = { errors.append($0) }
            let name = try reader.fetch(FetchRequest<ManagedObject>(entity: "Tag")).first?.value(forKey: "name")
            #expect(name == .string("a") || (number == 1 && name == .string("a+")))
            #expect(errors.contains { if case .store(.replaced) = $0 { true } else { false } } || writing == nil, "model \(number)")
            if writing != nil { #expect(throws: GrabenError.self) { try reading.coordinator.stores[0].follow() } }
            try reading.close()
        }
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

    @Test(
        "a loop over a container's transactions gets those of all stores and contexts, goes on from a token, and ends with the container or its task"
    )
    func containerTransactions() async throws {
        let container = try PersistentContainer(
            for: Joint.self, Line.self, stores: [.init(.inMemory, entities: ["Joint"]), .init(.inMemory, entities: ["Line"])])
        let start = container.historyToken
        let loop = Task {
            var found: [(String?, HistoryToken)] = []
            for try await transaction in container.transactions(since: start) {
                found.append((transaction.author, transaction.token))
                if found.count == 20 { break }
            }
            return found
        }
        let writers = [container.newBackgroundContext(), container.newBackgroundContext()]
        for number in 0..<20 {
            try await writers[number % 2].perform { context in
                context.transactionAuthor = "\(number)"
                if number % 3 == 0 { _ = Line(context: context) } else { _ = Joint(context: context) }
                try context.save()
            }
        }
        let found = try await loop.value
        #expect(Set(found.map(\.0)) == Set((0..<20).map { "\($0)" }))
        #expect(try Array(container.history(since: found[19].1)).isEmpty, "the last token is past all of them")
        let rest = Set(try Array(container.history(since: found[11].1)).map(\.author))
        #expect(rest == Set(found[12...].map(\.0)))
        var again = container.transactions(since: found[11].1).makeAsyncIterator()
        #expect(try await again.next()?.author == found[12].0)

        func count(_ transactions: StoreTransactions) -> Task<Int, any Error> {
            Task {
                var count = 0
                for try await _ in transactions { count += 1 }
                return count
            }
        }
        let (idle, ended) = (count(container.transactions()), count(container.transactions()))
        try await Task.sleep(for: .milliseconds(50))
        idle.cancel()
        #expect(try await idle.value == 0)
        try container.close()
        #expect(try await ended.value == 0)
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
