import GrabenLog
import GrabenModel
import Testing

/// Joint and Line as a drawing has them: tanks are joints, and a line joins any two of them.
func drawingModel() -> ManagedObjectModel {
    ManagedObjectModel(entities: [
        EntityDescription(
            "Tank", superentity: "Joint",
            attributes: [
                AttributeDescription("level", .double, isOptional: false, isPacked: true),
                AttributeDescription("volume", .double),
            ]),
        EntityDescription(
            "Joint",
            attributes: [
                AttributeDescription("name", .string),
                AttributeDescription("x", .double, isOptional: false, isPacked: true),
                AttributeDescription("y", .double, isOptional: false, isPacked: true),
                AttributeDescription("shade", .int16, isTransient: true),
            ],
            relationships: [
                RelationshipDescription("outgoing", to: "Line", inverse: "start", isToMany: true, deleteRule: .cascade),
                RelationshipDescription("layer", to: "Layer", inverse: "joints"),
                RelationshipDescription("marks", to: "Layer", inverse: "marked", isToMany: true),
            ],
            fetchedProperties: [
                FetchedPropertyDescription("nearby", of: "Joint", predicateFormat: "SELF != $FETCH_SOURCE", sort: ["name"])
            ],
            uniquenessConstraints: [["name"]]),
        EntityDescription(
            "Line", attributes: [AttributeDescription("name", .string)],
            relationships: [RelationshipDescription("start", to: "Joint", inverse: "outgoing", isOptional: false)]),
        EntityDescription("Item", isAbstract: true, attributes: [AttributeDescription("note", .string)]),
        EntityDescription(
            "Layer", superentity: "Item",
            relationships: [
                RelationshipDescription("joints", to: "Joint", inverse: "layer", isToMany: true, isOrdered: true),
                RelationshipDescription("marked", to: "Joint", inverse: "marks", isToMany: true),
                RelationshipDescription("seen", to: "Item", isToMany: true),
            ]),
    ])
}

@Suite struct HierarchyTests {
    @Test("a sub-entity has its super-entity's properties first, under the same numbers, even when it is declared before it")
    func inheritedFirst() throws {
        let model = try drawingModel().resolved()
        let joint = try #require(model.entity(named: "Joint"))
        let tank = try #require(model.entity(named: "Tank"))
        #expect(joint.properties.map(\.name) == ["name", "x", "y", "shade", "outgoing", "layer", "marks", "nearby"])
        #expect(tank.properties.map(\.name) == joint.properties.map(\.name) + ["level", "volume"])
        #expect(tank.properties.map(\.number) == Array(0..<10))
        #expect(zip(joint.properties, tank.properties).allSatisfy { $0 === $1 })
        #expect(tank.superentity === joint && tank.isKind(of: joint) && !joint.isKind(of: tank))
        #expect(tank.propertyNumber(named: "level") == 8)
        #expect(tank.property(named: "lvel") == nil && tank.nearestPropertyName(to: "lvel") == "level")
    }

    @Test("lanes and fields hold the packed and the stored properties, inherited ones first, and nothing else")
    func lanesAndFields() throws {
        let model = try drawingModel().resolved()
        let joint = try #require(model.entity(named: "Joint"))
        let tank = try #require(model.entity(named: "Tank"))
        #expect(joint.lanes == [1, 2] && tank.lanes == [1, 2, 8])
        #expect(joint.fields == [0, 5] && tank.fields == [0, 5, 9])
        for entity in model.entities {
            for (place, number) in entity.lanes.enumerated() { #expect(entity.properties[number].lane == place) }
            for (place, number) in entity.fields.enumerated() { #expect(entity.properties[number].field == place) }
        }
    }

    @Test("descendants are the concrete entities at or below, and a destination with any below it is polymorphic")
    func descendants() throws {
        let model = try drawingModel().resolved()
        let names = { (entity: String) in model.concreteDescendants(of: try #require(model.entity(named: entity))).map(\.name) }
        #expect(try names("Joint") == ["Tank", "Joint"])
        #expect(try names("Item") == ["Layer"])
        #expect(try names("Tank") == ["Tank"])
        let line = try #require(model.entity(named: "Line"))
        #expect(line.property(named: "start")?.link?.isPolymorphic == true)
        let joint = try #require(model.entity(named: "Joint"))
        #expect(joint.property(named: "outgoing")?.link?.isPolymorphic == false)
        let layer = try #require(model.entity(named: "Layer"))
        #expect(layer.property(named: "seen")?.link?.isPolymorphic == true)
        #expect(model.subentities(of: joint).map(\.name) == ["Tank"])
    }

    @Test("both sides of a relationship find each other, and each knows how it is kept")
    func inverses() throws {
        let model = try drawingModel().resolved()
        for entity in model.entities {
            for property in entity.properties {
                guard let inverse = model.inverse(of: property) else { continue }
                #expect(model.inverse(of: inverse) === property)
                #expect(model.destination(of: inverse)?.index == property.declaringEntity)
            }
        }
        func storage(_ entity: String, _ name: String) -> Property.Storage? {
            model.entity(named: entity)?.property(named: name)?.link?.storage
        }
        #expect(storage("Line", "start") == .field && storage("Joint", "outgoing") == .reverse)
        #expect(storage("Joint", "layer") == .field && storage("Layer", "joints") == .linksAsOwner)
        #expect(storage("Joint", "marks") == .linksAsOwner && storage("Layer", "marked") == .linksAsMember)
        #expect(storage("Layer", "seen") == .linksAsOwner)
    }

    @Test("two models with entities of one name live side by side")
    func noGlobalTable() throws {
        let one = try drawingModel().resolved()
        let two = try ManagedObjectModel(entities: [EntityDescription("Joint")]).resolved()
        #expect(one.entity(named: "Joint")?.properties.count == 8)
        #expect(two.entity(named: "Joint")?.properties.isEmpty == true)
        #expect(one.nearestEntityName(to: "Joints") == "Joint" && two.nearestEntityName(to: "Line") == nil)
    }

    @Test("a literal default takes the form its attribute's type needs, however it was set")
    func literals() throws {
        var description = AttributeDescription("x", .double, defaultValue: 0, minimum: -1)
        #expect(description.defaultValue == .double(0) && description.minimum == .double(-1))
        description.defaultValue = 2
        let model = try ManagedObjectModel(entities: [EntityDescription("Joint", attributes: [description])]).resolved()
        #expect(model.entities[0].properties[0].attribute?.defaultValue == .double(2))
        #expect(model.description.entities[0].attributes[0].defaultValue == .double(2))
    }
}
