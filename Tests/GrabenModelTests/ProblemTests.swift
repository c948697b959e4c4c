import FoundationEssentials
import GrabenLog
import GrabenModel
import Testing

@Suite struct ProblemTests {
    private typealias Kind = ModelProblem.Kind

    /// A model of one entity A with these, and the problems found on the property `p` or, failing that name, on the entity.
    private func kinds(
        _ attributes: [AttributeDescription] = [], _ relationships: [RelationshipDescription] = [],
        _ fetched: [FetchedPropertyDescription] = [], unique: [[String]] = [], others: [EntityDescription] = []
    ) -> [Kind] {
        let entity = EntityDescription(
            "A", attributes: attributes, relationships: relationships, fetchedProperties: fetched, uniquenessConstraints: unique)
        let problems = ManagedObjectModel(entities: [entity] + others).problems()
        #expect(problems.allSatisfy { !"\($0)".isEmpty && !"\($0)".contains("not a problem of") })
        return problems.filter { $0.entity == "A" }.map(\.kind)
    }

    @Test("a packed attribute is a stored Double or Float")
    func packed() {
        for type in AttributeType.allCases {
            let wanted: [Kind] = type == .double || type == .float ? [] : [.packedType(type)]
            #expect(kinds([AttributeDescription("p", type, isPacked: true)]) == wanted)
        }
        #expect(kinds([AttributeDescription("p", .float, isTransient: true, isPacked: true)]) == [.packedTransient])
    }

    @Test("a default is of its attribute's type and within its bounds")
    func defaults() {
        #expect(kinds([AttributeDescription("p", .int16, defaultValue: 32768)]) == [.defaultOfWrongType(.int(32768), .int16)])
        #expect(kinds([AttributeDescription("p", .int16, defaultValue: -32768)]) == [])
        #expect(kinds([AttributeDescription("p", .boolean, defaultValue: 1)]) == [.defaultOfWrongType(.int(1), .boolean)])
        #expect(kinds([AttributeDescription("p", .date, defaultValue: "now")]) == [.defaultOfWrongType("now", .date)])
        #expect(
            kinds([AttributeDescription("p", .double, defaultValue: 3, minimum: 0, maximum: 2)])
                == [.defaultOutOfRange(.double(3), minimum: .double(0), maximum: .double(2))])
        #expect(
            kinds([AttributeDescription("p", .decimal, defaultValue: -1, minimum: 0)])
                == [.defaultOutOfRange(.decimal(-1), minimum: .decimal(0), maximum: nil)])
        #expect(
            kinds([AttributeDescription("p", .string, defaultValue: "abcd", maximumLength: 3)])
                == [.defaultLengthOutOfRange(4, minimum: nil, maximum: 3)])
        #expect(kinds([AttributeDescription("p", .string, defaultValue: "\u{1F468}\u{200D}\u{1F469}", maximumLength: 1)]) == [])
        #expect(kinds([AttributeDescription("p", .double, defaultValue: .null, minimum: 1)]) == [])
    }

    @Test("bounds and lengths belong to types that have them and are in order")
    func bounds() {
        #expect(kinds([AttributeDescription("p", .int32, minimum: 2, maximum: 1)]) == [.boundsReversed(minimum: 2, maximum: 1)])
        #expect(kinds([AttributeDescription("p", .string, minimum: "a")]) == [.boundsOnUnorderedType(.string)])
        #expect(kinds([AttributeDescription("p", .int32, maximum: "a")]) == [.boundOfWrongType("a", .int32)])
        #expect(
            kinds([AttributeDescription("p", .double, minimum: .double(.nan))]) == [.boundOfWrongType(.double(.nan), .double)])
        #expect(kinds([AttributeDescription("p", .double, minimumLength: 1)]) == [.lengthsOnTypeWithout(.double)])
        #expect(kinds([AttributeDescription("p", .data, minimumLength: 2, maximumLength: 1)]) == [.lengthsReversed(minimum: 2, maximum: 1)])
        #expect(
            kinds([AttributeDescription("p", .data, minimumLength: -2, maximumLength: -1)]) == [.negativeLength(-2), .negativeLength(-1)])
    }

    @Test("names are identifiers, and words of the predicate language are")
    func identifiers() {
        for name in ["", " ", "1a", "a b", "a.b", "@count", "$x", "a-b", "#a"] {
            #expect(kinds([AttributeDescription(name, .string)]) == [.notAnIdentifier], "\(name)")
            let model = ManagedObjectModel(entities: [EntityDescription(name)])
            #expect(model.problems().map(\.kind) == [.notAnIdentifier], "\(name)")
        }
        for name in ["SELF", "_", "and", "höhe", "名前", "x1"] { #expect(kinds([AttributeDescription(name, .string)]) == [], "\(name)") }
    }

    @Test("a name is used once among an entity's properties of all kinds, and not again below it")
    func duplicates() {
        #expect(kinds([AttributeDescription("p", .string), AttributeDescription("p", .int16)]) == [.duplicateProperty])
        #expect(kinds([AttributeDescription("p", .string)], [], [.init("p", of: "A")]) == [.duplicateProperty])
        let model = ManagedObjectModel(entities: [
            EntityDescription("C", superentity: "B", attributes: [AttributeDescription("p", .string)]),
            EntityDescription("B", superentity: "A"),
            EntityDescription("A", fetchedProperties: [.init("p", of: "A")]),
            EntityDescription("A"),
        ])
        #expect(
            model.problems().map(\.description) == [
                "C.p: the entity inherits a property of this name from A", "entity A: the model has another entity of this name",
            ])
    }

    @Test("a super-entity exists, and no entity is its own ancestor")
    func hierarchy() {
        let model = ManagedObjectModel(entities: [
            EntityDescription("A", superentity: "B"), EntityDescription("B", superentity: "C"), EntityDescription("C", superentity: "A"),
            EntityDescription("D", superentity: "A", attributes: [AttributeDescription("x", .string)]),
            EntityDescription("E", superentity: "E"), EntityDescription("F", superentity: "Eh"),
        ])
        #expect(
            model.problems().map(\.kind) == [
                .inheritanceCycle(["A", "B", "C", "A"]), .inheritanceCycle(["B", "C", "A", "B"]), .inheritanceCycle(["C", "A", "B", "C"]),
                .inheritanceCycle(["E", "E"]), .missingSuperentity("Eh", nearest: "E"),
            ])
    }

    @Test("a relationship's destination and inverse exist and agree in every direction")
    func inverses() {
        // One letter in place of another is a new name, not a slip.
        #expect(kinds([], [.init("p", to: "B")]) == [.missingDestination("B", nearest: nil)])
        let b = { (relationships: [RelationshipDescription]) in [EntityDescription("B", relationships: relationships)] }
        #expect(kinds([], [.init("p", to: "B", inverse: "q")], others: b([])) == [.missingInverse("q", destination: "B", nearest: nil)])
        #expect(
            kinds([], [.init("p", to: "B", inverse: "q")], others: [EntityDescription("B", attributes: [.init("q", .string)])])
                == [.inverseIsNoRelationship("q", destination: "B")])
        #expect(
            kinds([], [.init("p", to: "B", inverse: "q")], others: b([.init("q", to: "A")]))
                == [.inverseDisagrees("q", destination: "B", names: nil)])
        #expect(
            kinds([], [.init("p", to: "B", inverse: "q")], others: b([.init("q", to: "B", inverse: "q")]))
                == [.inverseLeadsElsewhere("q", destination: "B", leadsTo: "B"), .inverseDisagrees("q", destination: "B", names: "q")])
        #expect(
            kinds(
                [], [.init("p", to: "B", inverse: "q")],
                others: [
                    EntityDescription("B", superentity: "Base"),
                    EntityDescription("Base", relationships: [.init("q", to: "A", inverse: "p")]),
                ])
                == [.inverseIsInherited("q", destination: "B", declaredBy: "Base")])
        #expect(kinds([], [.init("p", to: "A", inverse: "p", isToMany: true)]) == [])
    }

    @Test("S56: a many-to-many ordered on both sides is refused on both, and also when it is its own inverse")
    func orderedTwice() {
        let model = ManagedObjectModel(entities: [
            EntityDescription("A", relationships: [.init("p", to: "B", inverse: "q", isToMany: true, isOrdered: true)]),
            EntityDescription("B", relationships: [.init("q", to: "A", inverse: "p", isToMany: true, isOrdered: true)]),
            EntityDescription("C", relationships: [.init("c", to: "C", inverse: "c", isToMany: true, isOrdered: true)]),
        ])
        #expect(
            model.problems().map(\.kind) == [
                .orderedOnBothSides(inverse: "q", destination: "B"), .orderedOnBothSides(inverse: "p", destination: "A"),
                .orderedOnBothSides(inverse: "c", destination: "C"),
            ])
    }

    @Test("counts fit the kind of relationship")
    func counts() {
        #expect(kinds([], [.init("p", to: "A", isOrdered: true)]) == [.orderedToOne])
        #expect(kinds([], [.init("p", to: "A", maxCount: 2)]) == [.countsOfToOne(minimum: 0, maximum: 2)])
        #expect(kinds([], [.init("p", to: "A", minCount: 1, maxCount: 1)]) == [])
        #expect(kinds([], [.init("p", to: "A", isToMany: true, minCount: 3, maxCount: 2)]) == [.countsReversed(minimum: 3, maximum: 2)])
        #expect(kinds([], [.init("p", to: "A", isToMany: true, minCount: 3)]) == [])
        #expect(kinds([], [.init("p", to: "A", isToMany: true, minCount: -1, maxCount: -2)]) == [.negativeCount(-1), .negativeCount(-2)])
    }

    @Test("a uniqueness constraint names stored properties of one value, each once")
    func uniqueness() {
        let attributes = [AttributeDescription("name", .string), AttributeDescription("shade", .string, isTransient: true)]
        let relationships = [RelationshipDescription("one", to: "A"), RelationshipDescription("many", to: "A", isToMany: true)]
        let fetched = [FetchedPropertyDescription("all", of: "A")]
        #expect(kinds(attributes, relationships, fetched, unique: [["name"], ["name", "one"]]) == [])
        #expect(
            kinds(attributes, relationships, fetched, unique: [[], ["nme"], ["shade", "many"], ["all"], ["name", "name"]])
                == [
                    .emptyUniqueness, .unknownUniquenessKey("nme", nearest: "name"), .unfitUniquenessKey("shade"),
                    .unfitUniquenessKey("many"), .unfitUniquenessKey("all"), .duplicateUniquenessKey("name"),
                ])
    }

    @Test("a fetched property leads to an entity, within a window and by keys that have names")
    func fetched() {
        #expect(kinds([], [], [.init("p", of: "Nowhere")]) == [.missingDestination("Nowhere", nearest: nil)])
        #expect(kinds([], [], [.init("p", of: "A", limit: -1, offset: 2)]) == [.negativeWindow(limit: -1, offset: 2)])
        #expect(kinds([], [], [.init("p", of: "A", sort: ["name", "-"])]) == [.emptySortKey])
    }

    @Test("resolving a wrong model throws everything at once, with the place of each in the text")
    func everything() throws {
        let model = ManagedObjectModel(entities: [
            EntityDescription(
                "Joint", attributes: [AttributeDescription("x", .string, isPacked: true)],
                relationships: [.init("lines", to: "Lines", isToMany: true)], uniquenessConstraints: [["nam"]]),
            EntityDescription("Line", superentity: "Item"),
        ])
        let error = try #require(throws: ModelError.self) { try model.resolved() }
        #expect(
            error.description == """
                the model cannot be used, 4 things are wrong in it:
                  - entity Joint: a uniqueness constraint names nam, which is no property
                  - Joint.x: it is packed, which only double and float can be, not string
                  - Joint.lines: its destination Lines does not exist; Line does
                  - entity Line: its super-entity Item does not exist
                """)
        #expect(throws: error) { try model.validate() }
        #expect(throws: Never.self) { try drawingModel().validate() }
    }
}
