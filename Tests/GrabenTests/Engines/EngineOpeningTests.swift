import Foundation
import Graben
import GrabenFixtures
import GrabenModel
import Testing

@Suite("Opening stores on an engine of one's own")
struct EngineOpeningTests {
    typealias State = TableEngine.State

    /// An engine with a drawing of two joints, a line and a tag's relationships, saved under the random test's model.
    private func engine() throws -> TableEngine {
        let engine = TableEngine()
        let container = try GraphSchema.container(.engine(engine))
        let context = container.newContext()
        let joints = try (0..<2).map { _ in try context.insertObject(entity: "Joint") }
        let line = try context.insertObject(entity: "Line")
        line.setToOne("start", joints[0])
        let (route, stop) = (try context.insertObject(entity: "Route"), try context.insertObject(entity: "Stop"))
        route.orderedToMany("stops").append(stop)
        let marker = try context.insertObject(entity: "Marker")
        marker.setToOne("joint", joints[1])
        joints[0].toMany("friends", as: ManagedObject.self).insert(joints[1])
        try context.save()
        try container.close()
        return engine
    }

    struct Spoiling: CustomTestStringConvertible {
        let testDescription: String
        /// What the message says of it.
        let texts: [String]
        let spoil: @Sendable (inout State) -> Void

        init(_ name: String, _ texts: String..., spoil: @escaping @Sendable (inout State) -> Void) {
            (testDescription, self.texts, self.spoil) = (name, texts, spoil)
        }
    }

    static let joint = StoreObjectKey("Joint", 0)
    static let spoilings: [Spoiling] = [
        Spoiling("an unknown entity", "Jiont/7", "no entity \"Jiont\"", "did you mean \"Joint\"?") {
            $0.objects[.init("Jiont", 7)] = StoreObject(.init("Jiont", 7))
        },
        Spoiling("an unknown key", "Joint/0 nme", "did you mean \"name\"?") { $0.objects[joint]?.attributes["nme"] = "x" },
        Spoiling("a relationship as an attribute", "Line/0 start", "not an attribute") {
            $0.objects[.init("Line", 0)]?.attributes["start"] = 1
        },
        Spoiling("a value of another type", "Joint/0 name", "string", "not 5") { $0.objects[joint]?.attributes["name"] = 5 },
        Spoiling("a reference as a value", "Joint/0 name", "string") { $0.objects[joint]?.attributes["name"] = .references([]) },
        Spoiling("a lane without a value that must have one", "Joint/0 x", "not optional") { $0.objects[joint]?.attributes["x"] = .null },
        Spoiling("an object twice", "Joint/0", "two objects of that number") { $0.doubles = [StoreObject(joint)] },
        Spoiling("a number beyond the last", "Joint/4294967295", "beyond") {
            $0.objects[.init("Joint", .max)] = StoreObject(.init("Joint", .max))
        },
        Spoiling("a reference to nothing", "Line/0 start", "Joint/9", "does not exist") {
            $0.objects[.init("Line", 0)]?.references["start"] = .init("Joint", 9)
        },
        Spoiling("a reference to an object of another entity", "Line/0 start", "leads to a Joint", "Line/0 is none") {
            $0.objects[.init("Line", 0)]?.references["start"] = .init("Line", 0)
        },
        Spoiling("a reference under a to-many's name", "Joint/0 outgoing", "not a to-one") {
            $0.objects[joint]?.references["outgoing"] = .init("Line", 0)
        },
        Spoiling("members that the other side tells of", "Joint/0 outgoing", "the other side") {
            $0.objects[joint]?.members["outgoing"] = [.init("Line", 0)]
        },
        Spoiling("a member twice", "Route/0 stops", "twice") {
            $0.objects[.init("Route", 0)]?.members["stops"] = [.init("Stop", 0), .init("Stop", 0)]
        },
        Spoiling("a member whose own reference leads nowhere", "Route/0 stops", "does not lead back") {
            $0.objects[.init("Stop", 0)]?.references = [:]
        },
        Spoiling("a reference to an owner that does not have the object", "Stop/0 route", "does not lead back") {
            $0.objects[.init("Route", 0)]?.members = [:]
        },
        Spoiling("a one-to-one that one side does not know of", "Marker/0 joint", "does not lead back") {
            $0.objects[.init("Joint", 1)]?.references = [:]
        },
        Spoiling("an error while it is read", "the engine failed", "no such table") {
            $0.loadFailure = (2, TableEngine.Failure(text: "no such table"))
        },
        Spoiling("a refused object that the engine passes over", "Joint/0 nme") {
            $0.isDeaf = true
            $0.objects[joint]?.attributes["nme"] = "x"
        },
        Spoiling("a model that is none", "the model it was saved under") { $0.metadata?.model = Data("{}".utf8) },
    ]

    @Test("what cannot be is refused with an error that names store, object and key, and nothing is written", arguments: spoilings)
    func hostile(spoiling: Spoiling) throws {
        let engine = try engine()
        engine.set(spoiling.spoil)
        let (before, closings) = (engine.saves.count, engine.closings)
        guard case .engine(let error)? = thrown({ _ = try GraphSchema.container(.engine(engine)) }) else {
            Issue.record("it was opened")
            return
        }
        for text in spoiling.texts + ["a table"] { #expect(error.description.contains(text), "\(error)") }
        #expect(engine.saves.count == before && engine.closings == closings + 1)
    }

    @Test("objects with few of their values have the defaults of the others, and unique keys of two are refused")
    func sparse() throws {
        let engine = try engine()
        engine.set { $0.objects[.init("Joint", 40)] = StoreObject(.init("Joint", 40), attributes: ["h": 3]) }
        let container = try GraphSchema.container(.engine(engine))
        let context = container.newContext()
        let id = try #require(
            container.coordinator.objectID(for: "graben://\(container.coordinator.stores[0].uuid.uuidString.lowercased())/Joint/40"))
        let joint = try context.existingObject(with: id)
        for (key, value) in ["x": 0.0, "z": 7.5, "h": 3.0, "f": .float(-0.5), "name": .null, "count": 3] as [String: Value] {
            #expect(try joint.value(forKey: key) == value)
        }
        #expect(try context.insertObject(entity: "Joint").objectID.uriRepresentation.hasSuffix("/41"))

        let keyed = TableEngine()
        let parts = try Registered.container(.engine(keyed))
        try parts.newContext().execute(.insert(entity: "Part", [["code": "a"]]))
        keyed.set { $0.objects[.init("Part", 1)] = StoreObject(.init("Part", 1), attributes: ["code": "a"]) }
        guard case .engine(let error)? = thrown({ _ = try Registered.container(.engine(keyed)) }) else {
            Issue.record("it was opened")
            return
        }
        #expect(error.description.contains("Part/1 code") && error.description.contains("has the same code as Part/0"))
    }

    @Test(
        "a store that is not there is made when it is opened for writing, and is an error for readers; there is no past to be opened as of")
    func missing() throws {
        func opening(_ change: (inout StoreConfiguration) -> Void) throws -> String {
            var configuration = StoreConfiguration(.engine(TableEngine()))
            change(&configuration)
            guard case .engine(let error)? = thrown({ _ = try PersistentContainer(model: Registered.model, stores: [configuration]) })
            else {
                return ""
            }
            return error.description
        }
        #expect(try opening { $0.isReadOnly = true }.contains("there is no store yet"))
        #expect(try opening { $0.createsIfMissing = false }.contains("there is no store yet"))
        #expect(try opening { $0.asOf = .commit(1) }.contains("no past"))
        #expect(try opening { _ in } == "")
    }

    @Test("a reader sees everything and is told to write nothing, under the model of the program or the one in the store")
    func reading() throws {
        let engine = try engine()
        let count = engine.saves.count
        var configuration = StoreConfiguration(.engine(engine), isReadOnly: true)
        let container = try PersistentContainer(model: GraphSchema.model, stores: [configuration])
        let context = container.newContext()
        #expect(try context.fetch(FetchRequest<ManagedObject>(entity: "Joint")).count == 2)
        _ = try? context.insertObject(entity: "Tag")
        try context.fetch(FetchRequest<ManagedObject>(entity: "Joint"))[0].setValue("x", forKey: "name")
        guard case .readOnly? = thrown({ try context.save() }) else {
            Issue.record("it was written")
            return
        }
        configuration.isReadOnly = false
        let tool = try PersistentContainer(selfDescribing: configuration)
        #expect(tool.model.entities.map(\.name) == GraphSchema.concrete && engine.saves.count == count)
    }

    @Test("a store whose model has changed is mapped and handed over whole when it is opened for writing, and refused where it cannot be")
    func otherModel() throws {
        func model(_ attributes: [AttributeDescription]) -> ManagedObjectModel {
            ManagedObjectModel(entities: [EntityDescription("Joint", attributes: attributes)])
        }
        let engine = TableEngine()
        let old = model([AttributeDescription("x", .double, isOptional: false, isPacked: true), AttributeDescription("name", .string)])
        let new = model([
            AttributeDescription("x", .double, isOptional: false, isPacked: true),
            AttributeDescription("y", .double, isOptional: false, defaultValue: 4.0, isPacked: true),
            AttributeDescription("name", .string), AttributeDescription("kind", .string, defaultValue: "new"),
        ])
        let context = try PersistentContainer(model: old, stores: [.init(.engine(engine))]).newContext()
        for index in 0..<3 { try context.make("Joint", ["x": .double(Double(index)), "name": .string("\(index)")]) }
        try context.save()
        context.delete(try context.fetch(FetchRequest<ManagedObject>(entity: "Joint"))[1])
        try context.save()

        let reader = try PersistentContainer(model: old, stores: [.init(.engine(engine), isReadOnly: true)])
        #expect(try reader.newContext().values("name", of: "Joint") == ["0", "2"])
        let saves = engine.saves.count
        let container = try PersistentContainer(model: new, stores: [.init(.engine(engine))])
        #expect(!container.coordinator.stores[0].modelDifferences.isEmpty)
        let whole = try #require(engine.saves.last)
        #expect(engine.saves.count == saves + 1 && whole.isWhole && whole.inserted.map(\.key.number) == [0, 2])
        #expect(whole.inserted.last?.attributes == ["x": 2.0, "y": 4.0, "name": "2", "kind": "new"])
        #expect(whole.metadata.highestNumbers == ["Joint": 2])
        #expect(try container.newContext().values("kind", of: "Joint") == ["new", "new"])
        try container.close()
        #expect(try PersistentContainer(model: new, stores: [.init(.engine(engine))]).newContext().values("y", of: "Joint") == [4.0, 4.0])
        #expect(engine.saves.count == saves + 1, "it is as the model says already")
        guard
            case .incompatibleModel? = thrown({
                _ = try PersistentContainer(model: model([AttributeDescription("x", .string)]), stores: [.init(.engine(engine))])
            })
        else {
            Issue.record("it was opened")
            return
        }
        #expect(engine.saves.count == saves + 1)
    }

    @Test("references that a delete rule leaves behind may lead nowhere, also when the store is opened again")
    func dangling() throws {
        let engine = try engine()
        var container = try GraphSchema.container(.engine(engine))
        var context = container.newContext()
        let tag = try context.insertObject(entity: "Tag")
        let joint = try context.fetch(FetchRequest<ManagedObject>(entity: "Joint"))[1]
        let line = try context.fetch(FetchRequest<ManagedObject>(entity: "Line"))[0]
        tag.setToOne("favourite", joint)
        tag.toMany("seen", as: ManagedObject.self).insert(line)
        try context.save()
        context.delete(joint)
        context.delete(line)
        try context.save()
        try container.close()
        container = try GraphSchema.container(.engine(engine))
        context = container.newContext()
        let again = try context.fetch(FetchRequest<ManagedObject>(entity: "Tag"))[0]
        let target: ManagedObject? = again.toOne("favourite")
        #expect(target?.primitiveValueOrNil("name") == .null && target?.isDeleted == true)
    }
}

extension ManagedObject {
    fileprivate func primitiveValueOrNil(_ key: String) -> Value? { try? value(forKey: key) }
}
