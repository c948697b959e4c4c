@testable import Graben
import GrabenModel
import Testing

/// A class that describes its entity by hand, as `@Entity` would.
private final class Pipe: ManagedObject {
    override class var entityDescription: EntityDescription? {
        EntityDescription(
            "Pipe", managedObjectClassName: "Pipe",
            attributes: [
                AttributeDescription("x", .double, isOptional: false, isPacked: true),
                AttributeDescription("y", .double, isOptional: false, isPacked: true), AttributeDescription("label", .string),
                AttributeDescription("bore", .int32, isOptional: false, defaultValue: 1),
            ],
            relationships: [
                RelationshipDescription("next", to: "Pipe", inverse: "previous"),
                RelationshipDescription("previous", to: "Pipe", inverse: "next", isToMany: true),
            ],
            fetchedProperties: [
                FetchedPropertyDescription("peers", of: "Pipe", predicateFormat: "bore == $FETCH_SOURCE.bore", sort: ["label"])
            ])
    }
    override class var packedAttributes: [String]? { ["x", "y"] }
    override class var accessorKeys: [String] { ["x", "y", "label", "bore", "next", "previous", "peers"] }

    var y: Double {
        get { packed(1) }
        set { setPacked(1, newValue) }
    }
    var label: String? {
        get { attribute(at: 2, as: String.self) }
        set { setAttribute(at: 2, newValue) }
    }
    var bore: Int32 {
        get { attribute(at: 3, as: Int32.self) ?? 1 }
        set { setAttribute(at: 3, newValue) }
    }
}

@Suite("Classes bound to entities")
struct ClassBindingTests {
    private static func model(_ change: (inout EntityDescription) -> Void = { _ in }) throws -> ManagedObjectModel {
        var model = try ManagedObjectModel(of: Pipe.self)
        change(&model.entities[0])
        return model
    }

    private func problems(_ model: ManagedObjectModel, _ classes: [String: ManagedObject.Type]) -> [String] {
        let error = thrown { _ = try PersistentContainer(model: model, classes: classes, stores: [StoreConfiguration(.inMemory)]) }
        if case .classMismatch(let problems)? = error { return problems }
        if let error { return ["\(error)"] }
        return []
    }

    @Test("a class that says what the model says is bound, also where the model has more")
    func agreeing() throws {
        #expect(problems(try Self.model(), ["Pipe": Pipe.self]) == [])
        let more = try Self.model {
            $0.attributes.append(AttributeDescription("more", .string))
            $0.fetchedProperties[0].predicateFormat = "(bore  ==  $FETCH_SOURCE.bore)"
        }
        #expect(problems(more, ["Pipe": Pipe.self]) == [])
    }

    @Test("every difference between a class and its entity is in one error, each with both sides and what to do")
    func differences() throws {
        let model = try Self.model {
            $0.attributes[1].isPacked = false
            $0.attributes[2] = AttributeDescription("label", .int64, isOptional: false, defaultValue: 0)
            $0.attributes[3].name = "diameter"
            $0.attributes[3].renamingIdentifier = "bore"
            $0.attributes.append(AttributeDescription("code", .string, isOptional: false))
            $0.relationships[1].isOrdered = true
            $0.fetchedProperties[0].limit = 3
            $0.fetchedProperties[0].predicateFormat = nil
        }
        let found = problems(model, ["Pipe": Pipe.self])
        let expected = [
            "Pipe.y: the class Pipe says double, packed, not optional, the model double, not optional; write var y: Double, or change the model",
            "Pipe.label: the class Pipe says string, optional, the model int64, not optional; write var label: Int64, or change the model",
            "Pipe.bore: the class Pipe says int32, not optional, the model has no property of this name (diameter was called so before); "
                + "rename the variable, add the property to the model, or write @Field before a variable that is the class's own affair",
            "Pipe.previous: the class Pipe says a to-many relationship to Pipe, the model an ordered to-many relationship to Pipe; write "
                + "@Relationship(inverse: \\Pipe.next) var previous: OrderedToMany<Pipe>, or change the model",
            "Pipe.peers: the class Pipe says a fetched property of Pipe that finds where bore == $FETCH_SOURCE.bore, sorted by label, the "
                + "model one that finds every object, sorted by label, at most 3; write @FetchedProperty var peers: [Pipe], or change the model",
            "Pipe.code: the class Pipe does not have it, the model says string, not optional, so that no object could be saved without it; "
                + "write var code: String, or give it a default or make it optional in the model",
            "Pipe numbers its packed attributes [\"x\", \"y\"], but Pipe has [\"x\"] in that order; declare them in the order of the model, "
                + "inherited ones first",
        ]
        #expect(found == expected, "\(found.joined(separator: "\n"))")
    }

    @Test("another inverse or destination, another name, another super-entity and abstractness are differences")
    func relationships() throws {
        var model = try Self.model {
            $0.relationships[0] = RelationshipDescription("next", to: "Other", inverse: "back")
            $0.relationships[1] = RelationshipDescription("previous", to: "Pipe", isToMany: true)
            $0.isAbstract = true
        }
        model.entities.append(
            EntityDescription("Other", relationships: [RelationshipDescription("back", to: "Pipe", inverse: "next", isToMany: true)]))
        let found = problems(model, ["Pipe": Pipe.self])
        #expect(found.count == 3, "\(found.joined(separator: "\n"))")
        #expect(found.contains { $0.contains("not abstract, the model that it is abstract") })
        #expect(found.contains { $0.contains("Pipe.next") && $0.contains("to Pipe, the model a to-one relationship to Other") })
        #expect(found.contains { $0.contains("with the inverse next, the model one without an inverse") })
        var renamed = try Self.model()
        renamed.entities[0].name = "Tube"
        for index in 0..<2 { renamed.entities[0].relationships[index].destination = "Tube" }
        renamed.entities[0].fetchedProperties[0].destination = "Tube"
        #expect(problems(renamed, ["Tube": Pipe.self]).first?.contains("declares the entity Pipe, and is bound to Tube") == true)
    }

    @Test("hand-written accessors are compared as far as they say something: keys, types and optionality")
    func accessors() throws {
        final class Fields: ManagedObject {
            var wide = 0.0
            var whole = 0
            override class var primitiveAccessors: [PrimitiveAccessor] {
                [
                    .init("x", \Fields.wide), .init("bore", \Fields.whole), .init("label", \Fields.whole), .init("next", \Fields.whole),
                    .init("width", \Fields.wide),
                ]
            }
            override class var accessorKeys: [String] { ["x", "lable"] }
        }
        let found = problems(try Self.model { $0.attributes[0].isOptional = true }, ["Pipe": Fields.self])
        try #require(found.count == 5, "\(found.joined(separator: "\n"))")
        #expect(found[0].hasPrefix("Pipe.x: the primitive accessor of the class Fields is not optional, the model says double, optional"))
        #expect(found[1].hasPrefix("Pipe.label: the primitive accessor of the class Fields is of int64, the model says string, optional"))
        #expect(found[2] == "Fields names a primitive accessor for Pipe.next, which is no attribute")
        #expect(found[3].hasPrefix("Fields names a primitive accessor for \"width\", which Pipe does not have"))
        #expect(found[4] == "Fields names an accessor for \"lable\", which Pipe does not have; did you mean \"label\"?")
    }

    @Test("one class in two models with other numbers, defaults and additions works in both at once")
    func twoModels() throws {
        let first = try Self.model()
        var second = try Self.model {
            $0.attributes.insert(AttributeDescription("before", .string, defaultValue: "b"), at: 0)
            $0.attributes[4].defaultValue = 7
            $0.attributes.swapAt(3, 4)
            $0.relationships.reverse()
        }
        second.entities.insert(EntityDescription("Zero", attributes: [AttributeDescription("label", .uuid)]), at: 0)
        let containers = try [first, second].map {
            try PersistentContainer(model: $0, classes: [Pipe.self], stores: [StoreConfiguration(.inMemory)])
        }
        let contexts = containers.map { $0.newContext() }
        var pipes: [[Pipe]] = [[], []]
        for turn in 0..<20 {
            for (side, context) in contexts.enumerated() {
                let pipe = Pipe(context: context)
                #expect(pipe.bore == [1, 7][side])
                (pipe.label, pipe.y) = ("\(side) \(turn)", Double(turn * 2 + side))
                if turn.isMultiple(of: 2) { pipe.bore = Int32(turn) }
                pipes[side].append(pipe)
            }
        }
        for context in contexts { try context.save() }
        for (side, container) in containers.enumerated() {
            let context = container.newContext()
            for (turn, pipe) in pipes[side].enumerated() {
                let twin = try #require(try context.existingObject(with: pipe.objectID) as? Pipe)
                #expect(twin.label == "\(side) \(turn)" && twin.y == Double(turn * 2 + side))
                #expect(twin.bore == (turn.isMultiple(of: 2) ? Int32(turn) : [1, 7][side]))
                #expect(try twin.value(forKey: "label") == .string("\(side) \(turn)"))
            }
        }
        #expect(try contexts[1].fetch(Pipe.fetchRequest()).count == 20 && contexts[0].fetch(Pipe.fetchRequest()).count == 20)
        // A context of one model takes no object of the other's.
        let stray = Pipe(entity: containers[1].model.entities[1], insertInto: nil)
        #expect(throws: GrabenError.self) { try contexts[0].insert(stray) }
    }
}

@Suite("Classes found by the names in a model")
struct ClassLookupTests {
    private class Shape: ManagedObject {}
    private final class Circle: Shape {}
    private final class Other: ManagedObject {}

    private func classes(_ entities: [EntityDescription], _ list: [ManagedObject.Type]) throws -> [String: String] {
        let coordinator = try PersistentStoreCoordinator(model: ManagedObjectModel(entities: entities), classes: list)
        let pairs = coordinator.model.entities.map { ($0.name, "\(coordinator.infos[$0.index].objectClass)") }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private func problems(_ entities: [EntityDescription], _ list: [ManagedObject.Type]) -> [String] {
        let error = thrown { _ = try classes(entities, list) }
        if case .classMismatch(let problems)? = error { return problems }
        return []
    }

    @Test("a class is found by the model's class name, with and without its module, else by the entity's name; superclasses come along")
    func found() throws {
        let entities = [
            EntityDescription("Form", managedObjectClassName: "Shape"),
            EntityDescription("Round", superentity: "Form", managedObjectClassName: "GrabenTests.Circle"),
            EntityDescription("Special", superentity: "Form", managedObjectClassName: "Shape"), EntityDescription("Other"),
        ]
        #expect(
            try classes(entities, [Circle.self, Other.self])
                == ["Form": "Shape", "Round": "Circle", "Special": "Shape", "Other": "Other"])
        #expect(
            try classes([EntityDescription("Form", managedObjectClassName: ".Shape"), EntityDescription("Rest")], [Shape.self])
                == ["Form": "Shape", "Rest": "ManagedObject"])
    }

    @Test("classes without an entity, with several, and entities with several classes are listed in one error")
    func misuse() {
        let entities = [
            EntityDescription("A", managedObjectClassName: "Shape"), EntityDescription("B", managedObjectClassName: "Shape"),
            EntityDescription("Circles", managedObjectClassName: "Elsewhere.Circle"),
            EntityDescription("Other", managedObjectClassName: "Others"),
        ]
        let found = problems(entities, [Shape.self, Circle.self, Other.self])
        #expect(found.count == 2, "\(found.joined(separator: "\n"))")
        #expect(found.first?.hasPrefix("Shape: the model names it as the class of A, B, and a class has one entity") == true)
        #expect(found.last?.hasPrefix("Circle: no entity of the model is called or has a class called Circle") == true)
        #expect(found.last?.contains("the nearest is Circles") == true)
        final class Another: ManagedObject { override class var entityName: String { "Other" } }
        #expect(
            problems([EntityDescription("Other")], [Other.self, Another.self])
                == ["Other and Another are both classes of the entity Other; hand over one of them"])
    }
}
