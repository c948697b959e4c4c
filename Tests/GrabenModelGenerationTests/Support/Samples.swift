import GrabenModel

enum Samples {
    /// A model with one of everything: every type, optional and not, stored, packed and transient; relationships of every kind; three
    /// levels of inheritance, the middle one without a class.
    static let everything = ManagedObjectModel(
        entities: [
            EntityDescription(
                "Node", isAbstract: true, attributes: packed + [AttributeDescription("label", .string)],
                relationships: [RelationshipDescription("items", to: "Item", inverse: "owner", isToMany: true, deleteRule: .cascade)],
                fetchedProperties: [
                    FetchedPropertyDescription("near", of: "Joint", predicateFormat: "x < $FETCH_SOURCE.x", sort: ["-x"], limit: 3),
                    FetchedPropertyDescription("nearest", of: "Joint", predicateFormat: "x < $FETCH_SOURCE.x", sort: ["-x"], limit: 1),
                ], codeGeneration: .classDefinition),
            EntityDescription(
                "Middle", superentity: "Node", managedObjectClassName: "NSManagedObject",
                attributes: [
                    AttributeDescription("weight", .double, isOptional: false, isPacked: true)
                ]),
            EntityDescription(
                "Joint", superentity: "Middle", managedObjectClassName: "Joint",
                attributes: [AttributeDescription("height", .float, isPacked: true)],
                relationships: [
                    RelationshipDescription("next", to: "Joint", inverse: "previous"),
                    RelationshipDescription("previous", to: "Joint", inverse: "next", deleteRule: .deny),
                    RelationshipDescription("middles", to: "Middle", isToMany: true, isOrdered: true, deleteRule: .noAction),
                ], codeGeneration: .classDefinition,
                userInfo: ["graben.points": "place=x,y,z; speed = u, v", "documentation": "A joint.\n\nTwo lines of the model's author."]),
            EntityDescription(
                "Item", managedObjectClassName: ".Item",
                attributes: AttributeType.allCases.flatMap { type in
                    [
                        AttributeDescription("\(type.rawValue)Value", type, isOptional: false),
                        AttributeDescription("\(type.rawValue)OrNil", type),
                        AttributeDescription("\(type.rawValue)Unkept", type, isTransient: true),
                    ]
                },
                relationships: [
                    RelationshipDescription("owner", to: "Node", inverse: "items"),
                    RelationshipDescription("peers", to: "Item", inverse: "peers", isToMany: true),
                    RelationshipDescription("steps", to: "Joint", isToMany: true, isOrdered: true),
                ], uniquenessConstraints: [["stringValue"]], codeGeneration: .classDefinition),
            EntityDescription(
                "Shape", superentity: "Item", managedObjectClassName: "ShapeObject",
                attributes: [
                    AttributeDescription("place", composite: "Place"), AttributeDescription("sure", composite: "Place", isOptional: false),
                    AttributeDescription("words", .transformable, valueClassName: "[String: [Int]]"),
                    AttributeDescription("color", .transformable, valueClassName: "NSColor"),
                    AttributeDescription("kind", .int16, isOptional: false, valueClassName: "Kind"),
                    AttributeDescription("plain", .int32, usesScalarType: true),
                    AttributeDescription("flag", .boolean, usesScalarType: true),
                    AttributeDescription("size", .double, isPacked: true, usesScalarType: true),
                    AttributeDescription("total", .int64, derivationExpression: "peers.@count"),
                ], codeGeneration: .classDefinition),
            EntityDescription(
                "Byhand", superentity: "Item", managedObjectClassName: "Byhand",
                attributes: [
                    AttributeDescription("place", composite: "Place"), AttributeDescription("kind", .string, valueClassName: "Word"),
                    AttributeDescription("length", .double, isOptional: false, isPacked: true),
                ], relationships: [RelationshipDescription("others", to: "Byhand", isToMany: true)], codeGeneration: .categoryExtension),
            EntityDescription(
                "Below", superentity: "Byhand", attributes: [AttributeDescription("more", .transformable, valueClassName: "Set<String>")],
                fetchedProperties: [FetchedPropertyDescription("below", of: "Below")], codeGeneration: .classDefinition),
        ],
        composites: [
            CompositeDescription(
                "Place",
                [
                    AttributeDescription("x", .double, isOptional: false, defaultValue: 1.5),
                    AttributeDescription("name", .string, defaultValue: "\"\\\n"),
                    AttributeDescription("default", .uuid, isOptional: false), AttributeDescription("inner", composite: "Nothing"),
                    AttributeDescription("must", composite: "Nothing", isOptional: false),
                    AttributeDescription("when", .date, isOptional: false),
                    AttributeDescription("price", .decimal, isOptional: false, defaultValue: 3),
                ]), CompositeDescription("Nothing"),
            CompositeDescription("Own", [AttributeDescription("kind", .int16, valueClassName: "Kind")]),
        ],
        fetchRequestTemplates: [
            FetchRequestTemplate(
                "byOwner", FetchRequestDescription("Item", predicateFormat: "owner == $owner", sort: ["-stringValue"], limit: 2))
        ],
        userInfo: ["about": "Text with \"\"\"# and \\#n in it."])

    private static let packed =
        ["u", "v", "x", "y", "z"].map { AttributeDescription($0, .double, isOptional: false, isPacked: true) } + [
            AttributeDescription("mass", .float, isOptional: false, isPacked: true),
            AttributeDescription("late", .double, isOptional: false, isPacked: true),
            AttributeDescription("maybe", .double, isPacked: true),
        ]

    /// What a program writes beside the generated code of `everything`, which is visible as `access` says.
    static func byHand(_ access: String) -> String {
        """
        import Graben

        nonisolated \(access) enum Kind: Int16, Codable { case one, two }
        nonisolated \(access) enum Word: String { case one, two }
        nonisolated \(access == "public" ? "open" : access) class Byhand: Item {
            override \(access == "public" ? "open" : access) class var packedAttributes: [String]? { packedAttributesOfByhand }
        }
        """
    }
}
