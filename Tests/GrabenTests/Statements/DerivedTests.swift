import Graben
import GrabenModel
import Testing

@Suite("Derived attributes")
struct DerivedTests {
    private static let model = ManagedObjectModel(entities: [
        EntityDescription(
            "Pipe",
            attributes: [
                AttributeDescription("name", .string), AttributeDescription("length", .double),
                AttributeDescription("search", .string, derivationExpression: "canonical:(name)"),
                AttributeDescription("loud", .string, derivationExpression: "uppercase:(net.title)"),
                AttributeDescription("changed", .date, derivationExpression: "now()"),
            ],
            relationships: [RelationshipDescription("net", to: "Net", inverse: "pipes")]),
        EntityDescription(
            "Net",
            attributes: [
                AttributeDescription("title", .string),
                AttributeDescription("count", .int64, derivationExpression: "pipes.@count"),
                AttributeDescription("total", .double, derivationExpression: "pipes.@sum.length"),
                AttributeDescription("longest", .double, isPacked: true, derivationExpression: "pipes.@max.length"),
            ],
            relationships: [RelationshipDescription("pipes", to: "Pipe", inverse: "net", isToMany: true)]),
        EntityDescription(
            "Strict",
            attributes: [
                AttributeDescription("name", .string),
                AttributeDescription("upper", .string, isOptional: false, derivationExpression: "uppercase:(name)"),
            ]),
    ])

    private func container() throws -> PersistentContainer {
        try PersistentContainer(model: Self.model, stores: [StoreConfiguration(.inMemory)])
    }

    @Test("S50 a derived value is stale between a change and its save, and right after it, in the object and in the store")
    func stale() throws {
        let container = try container()
        let context = container.newContext()
        let net = try context.make("Net", ["title": "east"])
        let pipes = try [2.5, 4, 1].map {
            try context.make("Pipe", ["name": "Ångström", "length": .double($0), "net": .reference(net.objectID)])
        }
        #expect(try net.value(forKey: "count").isNull && pipes[0].value(forKey: "search").isNull)
        try context.save()
        let keys = ["count", "total", "longest"]
        #expect(try keys.map { try net.value(forKey: $0) } == [3, 7.5, 4.0])
        #expect(try pipes[0].value(forKey: "search") == "angstrom" && pipes[0].value(forKey: "loud") == "EAST")
        #expect(try !pipes[0].value(forKey: "changed").isNull)
        // Changes of others reach what depends on them, also where that was not touched itself.
        try pipes[1].setValue(0.5, forKey: "length")
        try net.setValue("west", forKey: "title")
        context.delete(pipes[2])
        #expect(try net.value(forKey: "total") == 7.5)
        try context.save()
        let other = container.newContext()
        let twin = try other.existingObject(with: net.objectID)
        #expect(try keys.map { try twin.value(forKey: $0) } == [2, 3.0, 2.5])
        #expect(try other.existingObject(with: pipes[0].objectID).value(forKey: "loud") == "WEST")
        // An unchanged object tells the time of the save that changed it.
        let before = try pipes[0].value(forKey: "changed")
        try context.make("Pipe", [:])
        try context.save()
        #expect(try pipes[0].value(forKey: "changed") == before)
    }

    @Test("S48 a non-optional derived attribute fails insert validation, for it has no value before the first save")
    func required() throws {
        let context = try container().newContext()
        try context.make("Strict", ["name": "a"])
        guard case .validation(let failures)? = thrown({ try context.save() }) else {
            Issue.record("an object was saved whose derived value was missing")
            return
        }
        #expect(failures.map(\.key) == ["upper"])
    }
}
