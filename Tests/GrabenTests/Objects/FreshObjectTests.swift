import FoundationEssentials
import Graben
import GrabenFixtures
import Testing

/// Every type an attribute can have: those that fresh objects keep in lanes and those they do not.
@Entity final class Sample: ManagedObject {
    struct Note: Codable, Equatable { var text: String }

    var flag: Bool?
    var small: Int16?
    var number: Int?
    var preset: Int = 7
    var ratio: Float?
    var measure: Double?
    var date: Date?
    var key: UUID?
    var text: String?
    var title: String = "untitled"
    var link: URL?
    var price: Decimal?
    var bytes: Data?
    @Attribute var note: Note?
    @Transient var scratch: String?
    @Packed var height: Double = 2
    @Relationship(inverse: "children") var parent: Sample?
    @Relationship var children: ToMany<Sample>
}

/// A class that hears of every change.
@Entity final class Listener: ManagedObject {
    @Field var changes: [String] = []
    var name: String?
    @Packed var level: Double
    override func willChangeValue(forKey key: String) {
        changes.append("will \(key)")
        super.willChangeValue(forKey: key)
    }
    override func didChangeValue(forKey key: String) {
        super.didChangeValue(forKey: key)
        changes.append("did \(key)")
    }
}

/// A subclass that `@Entity` does not see, of one that it does.
final class LoudSample: ManagedObject {
    override class var overriddenHooks: ClassHooks { Listener.overriddenHooks }
}

@Suite("New objects whose values lie in lanes")
struct FreshObjectTests {
    private static func container() throws -> PersistentContainer {
        try PersistentContainer(for: Sample.self, Listener.self, stores: [StoreConfiguration(.inMemory)])
    }

    /// The settable attributes by key, with a random value of each.
    private static func value(_ key: String, _ random: inout SplitMix64) -> Value {
        let number = Int(random.below(1000))
        if random.below(6) == 0, !["preset", "title", "height"].contains(key) { return .null }
        switch key {
        case "flag": return .bool(number % 2 == 0)
        case "small", "number", "preset": return .int(Int64(number) - 500)
        case "ratio": return .float(Float(number) / 3)
        case "measure", "height": return .double([Double(number) / 7, -0.0, .nan, .infinity][Int(random.below(4))])
        case "date": return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case "key": return .uuid(UUID(uuid: (UInt8(number & 255), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
        case "text", "title", "scratch": return .string(number % 3 == 0 ? "short" : "a text that is too long to lie in place, \(number)")
        case "link": return .uri("https://example.org/\(number)")
        case "price": return .decimal(Decimal(number))
        default: return .data(Data([UInt8(number & 255)]))
        }
    }

    private static let keys = [
        "flag", "small", "number", "preset", "ratio", "measure", "date", "key", "text", "title", "link", "price", "bytes", "scratch",
        "height",
    ]

    /// A sample as plain dictionaries have it.
    private struct Plain {
        let object: Sample
        var values: [String: Value]
        var parent: ObjectID?
    }

    private static let initial: [String: Value] = {
        var values = Dictionary(uniqueKeysWithValues: keys.map { ($0, Value.null) })
        values["preset"] = .int(7)
        values["title"] = .string("untitled")
        values["height"] = .double(2)
        return values
    }()

    @Test(
        "new objects agree with plain dictionaries, whatever is set in them and whatever makes them like others", arguments: 0..<UInt64(8))
    func random(seed: UInt64) throws {
        let container = try Self.container()
        let context = container.newContext()
        if seed % 2 == 0 { context.undoManager = ObjectUndoManager() }
        var random = SplitMix64(seed: seed)
        var samples: [ObjectID: Plain] = [:]
        func pick() -> ObjectID? { samples.keys.sorted().randomElement(using: &random) }
        func compare() throws {
            for (id, plain) in samples {
                for key in Self.keys {
                    #expect(try plain.object.value(forKey: key) == plain.values[key], "\(key) of \(id.uriRepresentation)")
                }
                #expect(plain.object.parent?.objectID == plain.parent)
                #expect(plain.object.text == { if case .string(let text)? = plain.values["text"] { text } else { nil } }())
                let children = samples.filter { $0.value.parent == id }.map(\.key).sorted()
                if random.below(3) == 0 { #expect(plain.object.children.map(\.objectID).sorted() == children) }
            }
        }
        for _ in 0..<1500 {
            switch random.below(24) {
            case 0..<5:
                let object = Sample(context: context)
                samples[object.objectID] = Plain(object: object, values: Self.initial, parent: nil)
            case 5..<14:
                guard let id = pick(), let key = Self.keys.randomElement(using: &random) else { continue }
                let value = Self.value(key, &random)
                if key == "text" {
                    if case .string(let text) = value { samples[id]?.object.text = text } else { samples[id]?.object.text = nil }
                } else if key == "number", case .int(let number) = value {
                    samples[id]?.object.number = Int(number)
                } else {
                    try samples[id]?.object.setValue(value, forKey: key)
                }
                samples[id]?.values[key] = value
            case 14..<17:
                guard let id = pick(), let other = pick() else { continue }
                let target = random.below(4) == 0 ? nil : other
                samples[id]?.object.parent = target.flatMap { samples[$0]?.object }
                samples[id]?.parent = target
            case 17:
                guard let id = pick(), let object = samples[id]?.object else { continue }
                // What a program announces itself has to be kept somewhere.
                object.willChangeValue(forKey: "number")
                try object.setPrimitiveValue(.int(3), forKey: "number")
                object.didChangeValue(forKey: "number")
                samples[id]?.values["number"] = .int(3)
            case 18:
                guard let id = pick(), let object = samples[id]?.object else { continue }
                try object.setPrimitiveValue(.string("primitive"), forKey: "text")
                samples[id]?.values["text"] = .string("primitive")
                if !object.isInserted {
                    // What nobody announced is not known to have changed; a change of something else saves it too.
                    object.touch()
                }
            case 19:
                guard let id = pick(), let object = samples[id]?.object else { continue }
                context.delete(object)
                samples[id] = nil
                for child in samples.keys where samples[child]?.parent == id { samples[child]?.parent = nil }
                context.processPendingChanges()
            case 20: context.processPendingChanges()
            case 21:
                guard let id = pick(), let object = samples[id]?.object else { continue }
                let token = try object.observe("title") { _ in }
                if random.below(2) == 0 { object.title = "seen" } else { try object.setValue("seen", forKey: "title") }
                samples[id]?.values["title"] = .string("seen")
                _ = token
            case 22 where random.below(4) == 0: try context.save()
            default: try compare()
            }
        }
        try compare()
        try context.save()
        try compare()
        let other = container.newContext()
        for (id, plain) in samples {
            let object = other.object(with: id)
            for key in Self.keys where key != "scratch" { #expect(try object.value(forKey: key) == plain.values[key]) }
            #expect((object as? Sample)?.parent?.objectID == plain.parent)
        }
    }

    @Test("undo of an insertion and redo keep what was set before the event ended")
    func undo() throws {
        let context = try Self.container().newContext()
        context.undoManager = ObjectUndoManager()
        let parent = Sample(context: context)
        let child = Sample(context: context)
        child.title = "child"
        child.height = 9
        child.parent = parent
        context.processPendingChanges()
        context.undo()
        #expect(!child.isInserted && context.insertedObjects.isEmpty)
        context.redo()
        #expect(child.isInserted && child.title == "child" && child.height == 9)
        #expect(child.parent === parent && Array(parent.children) == [child])
        child.title = "later"
        context.processPendingChanges()
        context.undo()
        #expect(child.title == "child")
        try context.save()
        #expect(child.title == "child" && child.parent === parent)
    }

    @Test("a save that fails leaves new objects as they are, and the next one saves them")
    func failedSave() throws {
        let container = try Self.container()
        let context = container.newContext()
        let sample = Sample(context: context)
        sample.text = "kept"
        sample.height = 4
        context.delete(container.newContext().object(with: sample.objectID))
        #expect(throws: GrabenError.self) { try context.save() }
        #expect(sample.text == "kept" && sample.isInserted)
        try context.save()
        #expect(!sample.hasChanges && sample.text == "kept" && sample.height == 4)
        #expect(try (container.newContext().existingObject(with: sample.objectID) as? Sample)?.text == "kept")
    }

    @Test("a class that overrides the change hooks hears of every change of a new object, and of a saved one")
    func listening() throws {
        let context = try Self.container().newContext()
        let listener = Listener(context: context)
        listener.name = "first"
        listener.level = 3
        #expect(listener.changes == ["will name", "did name", "will level", "did level"])
        try context.save()
        listener.level = 4
        #expect(listener.changes.suffix(2) == ["will level", "did level"])
    }

    @Test("what one class says of its hooks does not speak for another")
    func vouching() {
        #expect(Listener.overriddenHooks.vouched(for: Listener.self) == [.changing, .state])
        #expect(Sample.overriddenHooks.vouched(for: Sample.self) == [])
        #expect(LoudSample.overriddenHooks.vouched(for: LoudSample.self) == .all)
    }

    // A lane's setter leaves a fault's record unread where nobody would hear of its firing.
    @Test("a fault whose lane is set is realised, and one whose record is gone says so")
    func laneOfFault() throws {
        let container = try Self.container()
        let first = container.newContext()
        let sample = Sample(context: first)
        sample.text = "there"
        let gone = Sample(context: first)
        try first.save()
        let context = container.newContext()
        let fault = try #require(context.object(with: sample.objectID) as? Sample)
        fault.height = 11
        #expect(!fault.isFault && fault.isUpdated && fault.text == "there")
        #expect(fault.changedValues() == ["height": 11.0])
        first.delete(gone)
        try first.save()
        let last = container.newContext()
        let late = try #require(last.object(with: gone.objectID) as? Sample)
        late.height = 1
        #expect(late.isDeleted)
        try context.save()
        #expect(try (container.newContext().existingObject(with: sample.objectID) as? Sample)?.height == 11)
    }
}
