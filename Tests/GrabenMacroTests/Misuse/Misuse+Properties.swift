extension Misuse {
    static let properties: [Misuse] = [
        // MARK: Initial values
        Misuse(
            "the time as a default", property: "var made: Date = Date()",
            "Date() is another time for each object, so it cannot be the default of made, which every object begins with; set it in "
                + "awakeFromInsert()",
            remedies: ["remove the initial value: made: Date"], mended: "var made: Date"),
        Misuse(
            "Date.now as a default", property: "var made: Date = .now",
            "the time is another for each object, so it cannot be the default of made, which every object begins with; set it in "
                + "awakeFromInsert()",
            remedies: ["remove the initial value: made: Date"]),
        Misuse(
            "a new UUID as a default", property: "var key: UUID = UUID()",
            "UUID() is another one for each object, so it cannot be the default of key, which every object begins with; set it in "
                + "awakeFromInsert()",
            remedies: ["remove the initial value: key: UUID"]),
        Misuse(
            "a random number as a default", property: "var size: Int = .random(in: 0..<5)",
            ".random(in: 0..<5) is computed and not written down, so it cannot be the default of size, which every object begins with; set it "
                + "in awakeFromInsert()",
            remedies: ["remove the initial value: size: Int"]),
        Misuse(
            "text with a value inside as a default", property: "var title: String = \"\\(1 + 1) lines\"",
            "a text with values inside is made anew for each object, so it cannot be the default of title, which every object begins with; "
                + "set it in awakeFromInsert()",
            remedies: ["remove the initial value: title: String"]),
        Misuse(
            "members as an initial value", property: "@Relationship var peers: ToMany<Peer> = []",
            "peers cannot begin with a value: members belong to one object; add them in awakeFromInsert()",
            remedies: ["remove the initial value: peers: ToMany<Peer>"], mended: "@Relationship var peers: ToMany<Peer>"),
        Misuse(
            "an initial value of a fetched property", property: "@FetchedProperty var peers: [Peer] = []",
            "peers cannot begin with a value: it is what its predicate finds", remedies: ["remove the initial value: peers: [Peer]"]),
        Misuse(
            "an initial value of a derived attribute", property: "@Derived(\"peers.@count\") var count: Int? = 3",
            "count cannot begin with a value: it is derived", remedies: ["remove the initial value: count: Int?"]),

        // MARK: Optionals
        Misuse(
            "a to-one that is not optional", property: "@Relationship var peer: Peer",
            "peer leads to one Peer, or to none before it is set: write Peer?", remedies: ["write Peer?: Peer?"],
            mended: "@Relationship var peer: Peer?"),
        Misuse(
            "a to-many that is optional", property: "@Relationship var peers: ToMany<Peer>?",
            "peers has no member or some, and is never nil: write ToMany<Peer>", remedies: ["write ToMany<Peer>: ToMany<Peer>"],
            mended: "@Relationship var peers: ToMany<Peer>"),
        Misuse(
            "a fetched property that is optional", property: "@FetchedProperty var peers: [Peer]?",
            "what peers finds is never nil: write [Peer]", remedies: ["write [Peer]: [Peer]"], mended: "@FetchedProperty var peers: [Peer]"),
        Misuse(
            "a fetched property of one object without a limit", property: "@FetchedProperty var peer: Peer?",
            "a fetched property that is one Peer or nil has a limit of 1; without it, it is an array: write [Peer]",
            remedies: ["write [Peer]: [Peer]"], mended: "@FetchedProperty var peer: [Peer]"),
        Misuse(
            "a derived attribute that is not optional", property: "@Derived(\"peers.@count\") var count: Int",
            "count is derived at the first save and has no value before: write Int?", remedies: ["write Int?: Int?"],
            mended: "@Derived(\"peers.@count\") var count: Int?"),
        Misuse(
            "an implicitly unwrapped attribute", property: "var title: String!",
            "title may have no value, and reading it must not end the program: write String?", remedies: ["write String?: String?"],
            mended: "var title: String?"),
        Misuse(
            "JSON without a default that is not optional", property: "@Attribute var tags: [String]",
            "tags needs an initial value, which an object has whose value cannot be read; or write [String]?",
            remedies: ["write [String]?: [String]?"], mended: "@Attribute var tags: [String]?"),

        // MARK: Names
        // A key path to `self` is the object itself, so these compiled and led elsewhere, or failed inside of the expansion.
        Misuse(
            "a property that Swift takes for the object", property: "var `self`: Int",
            "Swift takes object.self for something else than a property; give it another name, and the attribute this one by "
                + "@Attribute(name: \"self\")", mended: "@Attribute(name: \"self\") var own: Int"),
        Misuse(
            "a lane that Swift takes for the class", property: "@Packed(\"Type\", \"y\") var place: SIMD2<Double>",
            "Swift takes object.Type for something else than a property; give it another name, and the attribute this one by "
                + "@Attribute(name: \"Type\")"),
        Misuse(
            "a lane whose name has a space", property: "@Packed(\"a b\", \"y\") var place: SIMD2<Double>",
            "a model has no name \"a b\": it begins with a letter or _ and goes on with letters, digits and _"),
        Misuse(
            "an attribute whose name has a space", property: "@Attribute(name: \"a b\") var place: Int",
            "a model has no name \"a b\": it begins with a letter or _ and goes on with letters, digits and _"),

        // MARK: Types
        Misuse(
            "an unsigned number", property: "var count: UInt",
            "UInt is no type of an attribute: Int64 is; write @Field before what the model "
                + "shall not know",
            remedies: ["write Int64: Int64", "keep count out of the model with @Field: @Field var count: UInt"], mended: "var count: Int64"),
        Misuse(
            "a tuple", property: "var pair: (Int, Int)?",
            "(Int, Int) is no type of an attribute; write @Field before what the model shall not know",
            remedies: ["keep pair out of the model with @Field: @Field var pair: (Int, Int)?"], mended: "@Field var pair: (Int, Int)?"),
        Misuse(
            "an array", property: "var peers: [Peer]",
            "an array is no type of an attribute: write OrderedToMany<Peer> where Peer is an entity, @FetchedProperty before what a predicate "
                + "finds, @Attribute before values to be kept as JSON",
            remedies: [
                "keep it as JSON with @Attribute: @Attribute var peers: [Peer]",
                "keep peers out of the model with @Field: @Field var peers: [Peer]",
            ]),
        Misuse(
            "a type of nobody knows what", property: "var status: Status",
            "Status is no type of an attribute: write Status? where it is an entity's class, @Attribute before a Codable type, or @Field before "
                + "what the model shall not know",
            remedies: [
                "make it a to-one relationship: Status?", "keep it as an attribute: @Attribute var status: Status",
                "keep status out of the model with @Field: @Field var status: Status",
            ], mended: "@Attribute var status: Status = .on"),
        Misuse(
            "an Optional of a type that is no entity's class", property: "var status: Status?",
            "'name(of:)' is unavailable: what is no attribute is taken for an entity's class, and this type is none; write @Attribute before a "
                + "Codable type"),
        Misuse(
            "no type at all", property: "var size = Status.on",
            "write the type of size, as in `var size: String?`: a macro sees what is written, not what is inferred"),
        Misuse(
            "a vector without lanes", property: "var position: SIMD2<Double>",
            "position is a vector of 2 Doubles: name its lanes by @Packed, or write @Field before what the model shall not know",
            remedies: [
                "pack it as @Packed(\"x\", \"y\"): @Packed(\"x\", \"y\") var position: SIMD2<Double>",
                "keep position out of the model with @Field: @Field var position: SIMD2<Double>",
            ], mended: "@Packed(\"x\", \"y\") var position: SIMD2<Double>"),
        Misuse(
            "@Packed on text", property: "@Packed var title: String",
            "@Packed keeps Double, Float, and SIMD2, SIMD3 or SIMD4 of them in columns, not String",
            remedies: ["remove @Packed: var title: String"], mended: "var title: String"),
        Misuse(
            "@Packed on an integer", property: "@Packed var level: Int?",
            "@Packed keeps Double, Float, and SIMD2, SIMD3 or SIMD4 of them in columns, not Int",
            remedies: ["remove @Packed: var level: Int?", "write Double?: Double?"], mended: "@Packed var level: Double?"),
        Misuse(
            "a vector of packed lanes without names", property: "@Packed var position: SIMD3<Double>",
            "position is 3 attributes: name its lanes, as in @Packed(\"x\", \"y\", \"z\")",
            remedies: ["name the lanes \"x\", \"y\", \"z\": @Packed(\"x\", \"y\", \"z\")"]),
        Misuse(
            "too few lanes", property: "@Packed(\"x\", \"y\") var position: SIMD3<Double>",
            "@Packed names 2 lanes for position, and SIMD3<Double> has 3"),
        Misuse(
            "one lane twice", property: "@Packed(\"x\", \"x\") var position: SIMD2<Double>", "@Packed names the lane x of position twice"),
        Misuse(
            "a lane of another property's name", property: "var x: Double?\n    @Packed(\"x\", \"y\") var position: SIMD2<Double>",
            "Item has another property x; position needs a name of its own"),

        // MARK: Relationships
        Misuse(
            "a to-many of which nothing is said", property: "var peers: ToMany<Peer>",
            "peers leads to many objects: say which property of Peer leads back, or write @Relationship alone where the other side says so, or "
                + "nothing leads back",
            remedies: [
                "name the inverse: @Relationship(inverse: \\Peer.<#property#>) var peers: ToMany<Peer>",
                "declare a relationship without an inverse here: @Relationship var peers: ToMany<Peer>",
            ], mended: "@Relationship(inverse: \\Peer.item) var peers: ToMany<Peer>"),
        Misuse(
            "an array of members", property: "@Relationship var peers: [Peer]",
            "a relationship to many Peers is a ToMany<Peer>, or an OrderedToMany<Peer> where the order matters",
            remedies: ["write OrderedToMany<Peer>: OrderedToMany<Peer>", "write ToMany<Peer>: ToMany<Peer>"],
            mended: "@Relationship var peers: OrderedToMany<Peer>"),
        Misuse(
            "a set of members", property: "@Relationship var peers: Set<Peer>", "a relationship to many Peers is a ToMany<Peer>",
            remedies: ["write ToMany<Peer>: ToMany<Peer>"]),
        Misuse(
            "a relationship to text", property: "@Relationship var peers: String?",
            "a relationship is an entity's class? for one object, ToMany or OrderedToMany of one for many, not String",
            remedies: ["remove @Relationship: var peers: String?"], mended: "var peers: String?"),
        Misuse(
            "an inverse in another class", property: "@Relationship(inverse: \\Other.item) var peers: ToMany<Peer>",
            "peers leads to Peer, so its inverse is a property of Peer, not of Other", remedies: ["write \\Peer.item: Peer"],
            mended: "@Relationship(inverse: \\Peer.item) var peers: ToMany<Peer>"),
        Misuse(
            "an inverse that leads elsewhere", property: "@Relationship(inverse: \\Peer.other) var peers: ToMany<Peer>",
            "'inverse(_:_:of:)' is unavailable: the inverse of a relationship leads back to its own class; this one leads elsewhere or is no relationship"
        ),
        Misuse(
            "an inverse at the end of a path", property: "@Relationship(inverse: \\Peer.other?.item) var peers: ToMany<Peer>",
            "the inverse of peers has to be one property of Peer, as in \\Peer.item"),
        Misuse(
            "a fetched property that is no array", property: "@FetchedProperty(\"x > 0\") var peers: ToMany<Peer>",
            "a fetched property is an array in the order of its request: write [Peer]", remedies: ["write [Peer]: [Peer]"]),
        Misuse(
            "a predicate put together at run time", property: "@FetchedProperty(\"x > \\(1)\") var peers: [Peer]",
            "the predicate of peers has to be text between quotes; its values come from $FETCH_SOURCE"),

        // MARK: What is no property
        Misuse(
            "a constant", property: "let size: Int = 3",
            "size is a constant, but objects of an entity are made first and filled then: write `var`, or @Field before what the model shall not "
                + "know",
            remedies: ["write `var`: var", "keep size out of the model with @Field: @Field let size: Int = 3"],
            mended: "var size: Int = 3"),
        Misuse(
            "a computed property with an attribute", property: "@Attribute var size: Int { 3 }",
            "size is computed and has no value that @Attribute could keep; remove its body or the attribute",
            remedies: ["remove @Attribute: var size: Int { 3 }"], mended: "var size: Int { 3 }"),
        Misuse(
            "observers of an attribute", property: "var size: Int = 3 { didSet {} }",
            "size is kept in the store, so didSet would never run; override didChangeValue(forKey:), or write @Field where the model shall not "
                + "know it",
            remedies: ["keep size out of the model with @Field: @Field var size: Int = 3 { didSet {} }"],
            mended: "@Field var size: Int = 3 { didSet {} }"),
        Misuse(
            "an attribute of the class itself", property: "@Attribute static var size: Int { 3 }",
            "@Attribute before a property of the class itself: only objects' properties are in the model"),
        Misuse(
            "two kinds at once", property: "@Packed @Transient var size: Double = 3", "size cannot be both @Packed and @Transient",
            remedies: ["remove @Transient: @Packed var size: Double = 3"], mended: "@Packed var size: Double = 3"),
        Misuse(
            "a field with a key", property: "@Field @Unique var size: Int = 3",
            "size cannot be both a @Field, which the model does not know, and @Unique",
            remedies: ["remove @Unique: @Field var size: Int = 3"]),
        Misuse(
            "a key of a to-many", property: "@Unique @Relationship var peers: ToMany<Peer>",
            "peers has no single stored value that @Unique could compare",
            remedies: ["remove @Unique: @Relationship var peers: ToMany<Peer>"]),
        Misuse(
            "a property wrapper", property: "@Wrapped var size: Int = 3",
            "@Wrapped and @Entity would both make size; write @Field before what the model shall not know",
            remedies: ["keep size out of the model with @Field: @Field @Wrapped var size: Int = 3"],
            mended: "@Field @Wrapped var size: Int = 3"),
        Misuse(
            "several names in one declaration", property: "var first: Int?, second: Int?",
            "declare each property by itself: `var` with several names cannot become attributes"),
        Misuse(
            "a property inside #if", property: "#if true\n    var size: Int?\n    #endif",
            "size: Int? stands inside #if, where no macro sees it: a store's model cannot depend on it; declare it outside, or write @Field"
        ),
        Misuse(
            "storage in another class", property: "@Attribute(storage: \\Other.size) var size: Int",
            "size is kept in Other, but storage is a field of the object itself", remedies: ["write Item: Item"]),
        Misuse(
            "an earlier name put together at run time", property: "@Attribute(name: \"a\\(1)\") var size: Int",
            "name of size has to be text between quotes, without interpolation"),
    ]
}
