import Foundation
import Graben
import GrabenFixtures
import GrabenLog
import Testing

/// A store as plain text by object and property, kept up to date by history alone.
struct Mirror: Equatable {
    var objects: [String: [String: String]] = [:]

    /// Everything a context's store holds.
    init(_ context: ManagedObjectContext) throws {
        for entity in GraphSchema.concrete {
            var request = FetchRequest<ManagedObject>(entity: entity)
            request.includesSubentities = false
            for object in try context.fetch(request) {
                objects[object.objectID.uriRepresentation] = try Self.properties(object, entity)
            }
        }
    }

    init() {}

    static func keys(_ entity: String) -> [String] {
        // What refers to a deleted object without an inverse reads otherwise afterwards, though nobody changed it.
        let relations = GraphSchema.relations(entity).filter { $0.inverse != nil }
        return GraphSchema.attributes(entity).map(\.name) + relations.map(\.name)
    }

    static func properties(_ object: ManagedObject, _ entity: String) throws -> [String: String] {
        var properties: [String: String] = [:]
        for key in keys(entity) { properties[key] = text(try object.value(forKey: key)) }
        return properties
    }

    static func text(_ value: Value?) -> String {
        switch value {
        case .string(let text)?: "\(Array(text.utf8))"
        case .reference(let id)?: id.uriRepresentation
        case .references(let ids)?: ids.map(\.uriRepresentation).joined(separator: " ")
        case let other?: "\(other)"
        case nil: "nothing"
        }
    }

    /// Takes over what a transaction changed and nothing else, from the store as of that transaction.
    mutating func apply(_ transaction: StoreTransaction, _ past: ManagedObjectContext) throws {
        let store = try #require(past.coordinator.stores.first)
        for change in try transaction.changes() {
            let id = ObjectID(store: store.number, entity: UInt32(try #require(change.objectID).entityNumber), row: change.row)
            let uri = id.uriRepresentation
            #expect(uri == change.objectID?.uriRepresentation)
            switch change.kind {
            case .insert:
                #expect(objects[uri] == nil, "\(uri) was there before commit \(transaction.number) inserted it")
                objects[uri] = try Self.properties(past.object(with: id), change.entity)
            case .update:
                #expect(objects[uri] != nil, "\(uri) was not there when commit \(transaction.number) updated it")
                #expect(!change.changedProperties.isEmpty)
                let object = past.object(with: id)
                for key in change.changedProperties where Self.keys(change.entity).contains(key) {
                    objects[uri]?[key] = Self.text(try object.value(forKey: key))
                }
            case .delete:
                #expect(objects.removeValue(forKey: uri) != nil, "\(uri) was not there when commit \(transaction.number) deleted it")
            }
        }
    }

    /// In what another one differs, for the report of a failure.
    func differences(_ other: Mirror) -> [String] {
        Set(objects.keys).union(other.objects.keys).sorted().flatMap { uri -> [String] in
            let (mine, theirs) = (objects[uri] ?? [:], other.objects[uri] ?? [:])
            return Set(mine.keys).union(theirs.keys).sorted().filter { mine[$0] != theirs[$0] }.map {
                "\(uri).\($0) is \(mine[$0] ?? "missing"), expected \(theirs[$0] ?? "missing")"
            }
        }
    }
}

@Suite("History of a store")
struct HistoryTests {
    private func past(_ location: StoreLocation, _ commit: UInt64) throws -> PersistentContainer {
        try PersistentContainer(
            model: GraphSchema.model, classes: ["Marker": FieldMarker.self],
            stores: [StoreConfiguration(location, asOf: .commit(commit))])
    }

    @Test("what history says changed, taken from the store as of each commit, is the store after it", arguments: [1, 2, 3] as [UInt64])
    func replay(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.file(folder.path("a.graben"))
        var container = try GraphSchema.container(location)
        let driver = GraphDriver(container.newContext(), book: .init(), seed: seed)
        var mirror = Mirror()
        var token: HistoryToken?
        var saves = 0
        for step in 0..<500 {
            guard driver.random.below(10) == 0 else {
                try driver.operate()
                continue
            }
            driver.context.transactionAuthor = "author \(step % 3)"
            try driver.save()
            saves += 1
            if saves % 8 == 0 {
                try container.close()
                container = try GraphSchema.container(location)
                driver.move(to: container)
            }
            // A token outlives its process: it is kept as JSON.
            token = try token.map { try JSONDecoder().decode(HistoryToken.self, from: JSONEncoder().encode($0)) }
            for transaction in try container.history(since: token) {
                let then = try past(location, transaction.number)
                try mirror.apply(transaction, then.newContext())
                let expected = try Mirror(then.newContext())
                guard mirror == expected else {
                    let differences = mirror.differences(expected).prefix(8).joined(separator: "\n")
                    Issue.record(
                        "seed \(seed), commit \(transaction.number)\n\(differences)\n\(driver.log.suffix(30).joined(separator: "\n"))")
                    return
                }
                token = transaction.token
                try then.close()
            }
            #expect(token == container.historyToken)
            #expect(mirror == (try Mirror(container.newContext())))
        }
        #expect(saves > 20)
        let authors = Set(try container.history().compactMap(\.author))
        #expect(authors == ["author 0", "author 1", "author 2"])
        try container.close()
    }

    @Test("a transaction tells number, author, kinds and the names of changed properties, packed ones and relationships too")
    func transaction() throws {
        let container = try Network.container()
        let context = container.newContext()
        let (first, second) = (Joint(context: context), Joint(context: context))
        let line = Line(context: context)
        (line.start, line.end) = (first, second)
        context.transactionAuthor = "ann"
        try context.save()
        let token = container.historyToken
        #expect(context.historyToken == token)
        first.z = 5
        first.name = "J1"
        line.end = first
        try context.save()
        context.delete(second)
        context.transactionAuthor = nil
        try context.save()
        let history = Array(try container.history(since: token))
        #expect(history.map(\.author) == ["ann", nil])
        let changes = Array(try history[0].changes())
        #expect(changes.map(\.kind) == [.update, .update, .update])
        #expect(changes.map(\.objectID) == [first.objectID, second.objectID, line.objectID])
        #expect(changes.map(\.changedProperties) == [["incoming", "name", "z"], ["incoming"], ["end"]])
        let deleted = try #require(try history[1].changes().changes(of: "Joint").first { $0.kind == .delete })
        #expect(deleted.entity == "Joint" && deleted.objectID == second.objectID && deleted.changedProperties.isEmpty)
        let all = Array(try container.history())
        #expect(try all[0].changes().changedModel)
        #expect(try all[0].changes().isEmpty)
        #expect(try all[1].changes().map(\.kind) == [.insert, .insert, .insert])
        #expect(all.map(\.number) == [1, 2, 3, 4])
        #expect(Array(try container.history(since: container.historyToken)).isEmpty)
        #expect(all.map(\.token).map { $0.commit(in: container.coordinator.stores[0].uuid) } == [1, 2, 3, 4])
    }

    // A chunk of which half is new was written whole, and history took every row in it for moved: a thousand objects that nobody had touched.
    @Test("of a chunk that is written whole, history tells the rows that changed and no others")
    func wholeChunk() throws {
        let container = try Network.container()
        let context = container.newContext()
        let old = (0..<300).map { _ in Joint(context: context) }
        try context.save()
        let token = container.historyToken
        for _ in 0..<700 { _ = Joint(context: context) }
        old[7].x = 3
        old[9].position = [1, 2, 3]
        try context.save()
        let transactions = Array(try container.history(since: token))
        let changes = Array(try #require(transactions.first).changes())
        #expect(changes.filter { $0.kind == .insert }.count == 700)
        let updates = changes.filter { $0.kind == .update }
        #expect(updates.map(\.objectID) == [old[7].objectID, old[9].objectID])
        #expect(updates.map(\.changedProperties) == [["x"], ["x", "y", "z"]])
        #expect(old[8].x == 0 && old[7].x == 3)
    }

    @Test("a token from before a compaction is an error that says so, and one from after it goes on")
    func expired() throws {
        let folder = try TemporaryFolder()
        let container = try GraphSchema.container(.file(folder.path("a.graben")))
        let store = try #require(container.coordinator.stores.first)
        let context = container.newContext()
        for _ in 0..<3 {
            _ = try context.insertObject(entity: "Tag")
            try context.save()
        }
        let (early, beginning) = (container.historyToken, HistoryToken.beginning(of: store))
        _ = try context.insertObject(entity: "Tag")
        try context.save()
        let late = container.historyToken
        try container.compact()
        #expect(Array(try container.history(since: late)).isEmpty)
        #expect(Array(try container.history()).isEmpty, "what a compaction writes is nobody's transaction")
        for token in [early, beginning] {
            #expect("expired") {
                _ = try container.history(since: token)
            } throws: {
                if case .store(.historyExpired(_, _, let oldest))? = $0 as? GrabenError { oldest == 5 } else { false }
            }
        }
        _ = try context.insertObject(entity: "Tag")
        try context.save()
        #expect(try container.history(since: late).map(\.number) == [6])
        #expect(try store.history(since: late).map { try $0.changes().count } == [1])
        #expect(try store.commits().map(\.isCompacted) == [true, false])
        try container.close()
    }

    @Test("a token of a copy that went its own way is an error")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let container = try GraphSchema.container(.file(folder.path("a.graben")))
        let context = container.newContext()
        _ = try context.insertObject(entity: "Tag")
        try context.save()
        try #require(container.coordinator.stores.first).backup(to: folder.path("b.graben"))
        let copy = try GraphSchema.container(.file(folder.path("b.graben")))
        #expect(try copy.history().map(\.number) == [1, 2])
        #expect(Array(try copy.history(since: container.historyToken)).isEmpty)
        _ = try context.insertObject(entity: "Tag")
        try context.save()
        func isForeign(_ body: () throws -> Void) -> Bool {
            do { try body() } catch GrabenError.store(.historyForeign) { return true } catch {}
            return false
        }
        #expect(isForeign { _ = try copy.history(since: container.historyToken) }, "it is ahead of the copy")
        let other = copy.newContext()
        _ = try other.insertObject(entity: "Tag")
        try other.save()
        #expect(isForeign { _ = try copy.history(since: container.historyToken) }, "both have a commit of that number")
        try copy.close()
        try container.close()
    }

    @Test("history of two stores comes in order of time, and its token holds for both")
    func twoStores() throws {
        let container = try PersistentContainer(
            for: Joint.self, Line.self, stores: [.init(.inMemory, entities: ["Joint"]), .init(.inMemory, entities: ["Line"])])
        let context = container.newContext()
        for step in 0..<10 {
            if step % 3 == 0 { _ = Line(context: context) } else { _ = Joint(context: context) }
            try context.save()
        }
        var token: HistoryToken?
        var names: [String] = []
        while let next = try container.history(since: token).first(where: { _ in true }) {
            names += try next.changes().map(\.entity)
            token = next.token
        }
        #expect(names == (0..<10).map { $0 % 3 == 0 ? "Line" : "Joint" })
        #expect(token == container.historyToken)
    }
}
