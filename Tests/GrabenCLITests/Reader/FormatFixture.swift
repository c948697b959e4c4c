import Foundation
import Graben
import GrabenLog
import GrabenModel

/// The store kept under `Fixtures/format-1`: one of everything that version 1 of the file format has. It is never written again, for it has to stay readable for
/// ever; `GRABEN_WRITE_FIXTURE=1 swift test --filter FormatTests` writes it where it is missing.
enum FormatFixture {
    static let folder = Fixtures.folder.appendingPathComponent("format-1")
    static let store = folder.appendingPathComponent("everything.graben").path
    static let expected = folder.appendingPathComponent("everything.json").path

    private static func model(_ version: Int) -> ManagedObjectModel {
        var model = RandomStore.model(version)
        model.entities.append(EntityDescription("Dot", attributes: [AttributeDescription("f", .float, isPacked: true)]))
        return model
    }

    static func write() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try begin()
        let log = try Log.open(path: store, in: RealFileSystem())
        _ = try log.compact()
        try log.close()
        // A newer model, old records of which are mapped when they are read.
        try PersistentContainer(model: model(2), at: store).close()
        try goOn()
        let dump = try Tool.run("dump", store, "--json")
        guard dump.status == 0 else { throw Fixtures.Failure(dump.errors) }
        try Data(dump.output.utf8).write(to: URL(fileURLWithPath: expected))
    }

    /// A chunk of dots, a few of everything else, and deletions; most of it is compacted into blocks of records.
    private static func begin() throws {
        let container = try PersistentContainer(model: model(1), at: store)
        let context = container.newContext()
        // Enough that three quarters of a chunk live, which a compaction then writes whole.
        for number in 0..<1000 {
            let dot = try context.insertObject(entity: "Dot")
            if number % 7 != 0 { try dot.setValue(.float(Float(number) / 8), forKey: "f") }
        }
        var things: [ManagedObject] = []
        for number in 0..<6 {
            let thing = try context.insertObject(entity: number == 5 ? "Special" : "Thing")
            try fill(thing, number)
            things.append(thing)
        }
        let tags = try (0..<3).map { number in
            let tag = try context.insertObject(entity: "Tag")
            try tag.setValue(.string("tag \(number)"), forKey: "name")
            return tag
        }
        let stops = try (0..<4).map { _ in try context.insertObject(entity: "Stop") }
        try things[0].setValue(.references([stops[2], stops[0], stops[1]].map(\.objectID)), forKey: "stops")
        try things[1].setValue(.reference(things[0].objectID), forKey: "parent")
        try things[5].setValue(.reference(things[0].objectID), forKey: "parent")
        try things[1].setValue(.reference(things[5].objectID), forKey: "partner")
        try things[0].setValue(.references([tags[0], tags[2]].map(\.objectID)), forKey: "tags")
        try things[3].setValue(.references([tags[1]].map(\.objectID)), forKey: "marks")
        try things[0].setValue(.references([things[1], things[5]].map(\.objectID)), forKey: "peers")
        try things[2].setValue(.reference(things[4].objectID), forKey: "other")
        try context.save()
        context.delete(things[4])
        for dot in try context.fetch(FetchRequest<ManagedObject>(entity: "Dot")).prefix(20) { context.delete(dot) }
        try context.save()
        try container.close()
    }

    /// Commits in parts behind the compacted one: updates, moves, members, deletions.
    private static func goOn() throws {
        var options = LogOptions()
        options.partByteCount = 100
        let log = try Log.open(path: store, in: RealFileSystem(), options: options)
        let container = try PersistentContainer(log: log, StoreConfiguration(.file(store)))
        let context = container.newContext()
        context.transactionAuthor = "fixture"
        let things = try context.fetch(FetchRequest<ManagedObject>(entity: "Thing"))
        let stops = try context.fetch(FetchRequest<ManagedObject>(entity: "Stop"))
        try things[0].setValue(.string("changed"), forKey: "stringValue")
        try things[0].setValue(.double(-0.0), forKey: "x")
        try things[0].setValue(.double(17.25), forKey: "w")
        try things[0].setValue(.references([stops[3], stops[1]].map(\.objectID)), forKey: "stops")
        let fresh = try context.insertObject(entity: "Thing")
        try fill(fresh, 7)
        // Changes the other one as its inverse only, which is what a follower is.
        try fresh.setValue(.reference(things[1].objectID), forKey: "parent")
        try context.save()
        context.delete(things[2])
        try fresh.setValue(.null, forKey: "added")
        try context.save()
        try container.close()
    }

    private static func fill(_ thing: ManagedObject, _ number: Int) throws {
        func set(_ key: String, _ values: [Value]) throws { try thing.setValue(values[number % values.count], forKey: key) }
        try set("int16Value", [.int(-32_768), .int(32_767), .null, .int(0)])
        try set("int32Value", [.int(Int64(Int32.min)), .null, .int(7)])
        try set("int64Value", [.int(.min), .int(.max), .int(-1), .null])
        try set("doubleValue", [.double(.nan), .double(-.infinity), .double(0.1), .null])
        try set("floatValue", [.float(.infinity), .null, .float(0.1)])
        try set("decimalValue", [.decimal(Decimal(string: "-12.5") ?? 0), .decimal(0), .null, .decimal(Decimal(string: "1e20") ?? 0)])
        try set("booleanValue", [.bool(true), .bool(false), .null])
        try set("stringValue", [.string(String(repeating: "again and again, ", count: 100)), .string(""), .string("ünï 🂡\u{2028}"), .null])
        try set(
            "dateValue",
            [.date(Date(timeIntervalSinceReferenceDate: 8.1e8 + 0.5)), .null, .date(Date(timeIntervalSinceReferenceDate: 1e300))])
        try set("dataValue", [.data(Data([0, 255, 10])), .data(Data()), .null])
        try set("uuidValue", [.uuid(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()), .null])
        try set("uriValue", [.uri("https://example.org/ü"), .null])
        try set("transformableValue", [.json(Data("{\"a\":[1,null]}".utf8)), .null])
        try set("x", [.double(1.5), .double(-0.0), .double(.nan)])
        try set("y", [.null, .double(2.5)])
        try set("p", [.float(0.25), .float(-1)])
        try set("q", [.float(.nan), .null, .float(3)])
    }
}
