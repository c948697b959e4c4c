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
                    FetchedPropertyDescription("near", of: "Joint", predicateFormat: "x < $FETCH_SOURCE.x", sort: ["-x"], limit: 3)
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
                userInfo: ["points": "place=x,y,z; speed = u, v", "documentation": "A joint.\n\nTwo lines of the model's author."]),
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
        ], userInfo: ["about": "Text with \"\"\"# and \\#n in it."])

    private static let packed =
        ["u", "v", "x", "y", "z"].map { AttributeDescription($0, .double, isOptional: false, isPacked: true) } + [
            AttributeDescription("mass", .float, isOptional: false, isPacked: true),
            AttributeDescription("late", .double, isOptional: false, isPacked: true),
            AttributeDescription("maybe", .double, isPacked: true),
        ]
}
