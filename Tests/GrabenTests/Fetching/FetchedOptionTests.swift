import Graben
import GrabenFixtures
import GrabenModel
import Testing

/// The ways by which the request of a fetched property comes into a program.
enum FetchedPropertyDoor: String, CaseIterable, Sendable {
    case descriptions, json, xcode, catalog

    /// The model after it came through the door, with a store of it.
    func container(_ model: ManagedObjectModel, _ folder: TemporaryFolder) throws -> PersistentContainer {
        switch self {
        case .descriptions: return try memory(model)
        case .json: return try memory(.load(json: model.jsonData()))
        case .xcode: return try memory(ImportedModel(xml: model.xcodeContents(), name: "Parts", file: "contents").model)
        case .catalog:
            let path = folder.path("parts.graben")
            try PersistentContainer(model: model, at: path).close()
            return try PersistentContainer(selfDescribing: StoreConfiguration(.file(path)))
        }
    }

    private func memory(_ model: ManagedObjectModel) throws -> PersistentContainer {
        try PersistentContainer(model: model, stores: [StoreConfiguration(.inMemory)])
    }
}

/// The options of a fetched property's request, by what they do when it is read.
@Suite("Options of fetched properties")
struct FetchedOptionTests {
    private static let properties = [
        FetchedPropertyDescription("all", of: "Part", sort: ["-n"]),
        FetchedPropertyDescription("window", of: "Part", predicateFormat: "n < 100", sort: ["-n", "name"], limit: 3, offset: 2),
        FetchedPropertyDescription("own", of: "Part", sort: ["n"], includesSubentities: false),
        FetchedPropertyDescription("saved", of: "Part", sort: ["n"], includesPendingChanges: false),
        FetchedPropertyDescription("awake", of: "Part", sort: ["n"], returnsObjectsAsFaults: false),
        FetchedPropertyDescription("batched", of: "Part", sort: ["n"], batchSize: 2, returnsObjectsAsFaults: false),
        FetchedPropertyDescription(
            "bare", of: "Part", sort: ["n"], includesPropertyValues: false, returnsObjectsAsFaults: false, returnsDistinctResults: true),
    ]

    private static let model = ManagedObjectModel(entities: [
        EntityDescription("Part", attributes: [AttributeDescription("n", .int64), AttributeDescription("name", .string)]),
        EntityDescription("Valve", superentity: "Part"),
        EntityDescription("Owner", attributes: [AttributeDescription("name", .string)], fetchedProperties: properties),
    ])

    @Test("every option of a fetched property comes through every door", arguments: FetchedPropertyDoor.allCases)
    func doors(door: FetchedPropertyDoor) throws {
        let container = try door.container(Self.model, TemporaryFolder())
        #expect(container.model.description.entities[2].fetchedProperties == Self.properties)
    }

    @Test(
        "every option of a fetched property takes effect when it is read, whatever door it came by", arguments: FetchedPropertyDoor.allCases
    )
    func effects(door: FetchedPropertyDoor) throws {
        // Held to the end: files beside the store are made when something is first written.
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let container = try door.container(Self.model, folder)
        let first = container.newContext()
        for n in 0..<8 {
            let object = try first.insertObject(entity: n % 4 == 3 ? "Valve" : "Part")
            try object.setValue(.int(Int64(n)), forKey: "n")
        }
        let id = try first.insertObject(entity: "Owner").objectID
        try first.save()

        func numbers(_ objects: [ManagedObject]) throws -> [Value] { try objects.map { try $0.value(forKey: "n") } }
        let context = container.newContext()
        let owner = context.object(with: id)
        func found(_ key: String) throws -> [ManagedObject] { try owner.fetched(key) }
        // Before anything of the parts is read: what comes as a fault is one.
        #expect(try found("bare").map(\.isFault) == [Bool](repeating: true, count: 8))
        #expect(try found("batched").map(\.isFault) == [false, false] + [Bool](repeating: true, count: 6))
        #expect(try found("awake").map(\.isFault) == [Bool](repeating: false, count: 8))
        #expect(try numbers(found("all")) == [7, 6, 5, 4, 3, 2, 1, 0])
        #expect(try numbers(found("own")) == [0, 1, 2, 4, 5, 6])
        let pending = try context.insertObject(entity: "Part")
        try pending.setValue(50, forKey: "n")
        #expect(try numbers(found("saved")) == [0, 1, 2, 3, 4, 5, 6, 7])
        #expect(try numbers(found("window")) == [6, 5, 4])
        context.refresh(owner, mergeChanges: true)
        #expect(try numbers(found("all")).first == 50)
    }
}
