/// The words of Core Data's model files, where they are not the words of the descriptions, and what they mean.
enum XcodeVocabulary {
    /// Types of attributes by their names in a file; a composite's name is on its attribute.
    static let types: [(name: String, meaning: AttributeType)] = [
        ("Integer 16", .int16), ("Integer 32", .int32), ("Integer 64", .int64), ("Decimal", .decimal), ("Double", .double),
        ("Float", .float), ("String", .string), ("Boolean", .boolean), ("Date", .date), ("Binary", .data), ("UUID", .uuid), ("URI", .uri),
        ("Transformable", .transformable),
    ]

    static func type(named name: String) -> AttributeType? { types.first { $0.name == name }?.meaning }

    static func name(of type: AttributeType) -> String { types.first { $0.meaning == type }?.name ?? "Transformable" }

    /// Types that have no counterpart here: what stands in for them, and the warning.
    static let standIns: [String: (type: AttributeType, warning: String)] = [
        "Undefined": (.transformable, "an attribute of undefined type is read as a transformable one"),
        "ObjectID": (.uri, "an attribute that holds an object's id is read as a URI"),
    ]

    static let deleteRules: [(name: String, meaning: DeleteRule)] = [
        ("Nullify", .nullify), ("Cascade", .cascade), ("Deny", .deny), ("No Action", .noAction),
    ]

    static let results: [(name: String, meaning: FetchRequestDescription.Result)] = [
        ("0", .objects), ("1", .ids), ("2", .dictionaries), ("4", .count),
    ]

    static let codeGenerations: [(name: String, meaning: CodeGeneration)] = [
        ("class", .classDefinition), ("category", .categoryExtension),
    ]

    static let indexOrders: [(name: String, meaning: Bool)] = [("ascending", true), ("descending", false)]

    static let indexKinds: [(name: String, meaning: IndexDescription.Kind)] = [("Binary", .sorted), ("RTree", .spatial)]

    /// The name of the request within a fetched property.
    static let fetchedRequestName = "fetchedPropertyFetchRequest"

    /// Entries of userInfo that say what a model file has no word for. They are ordinary entries to other tools, which so keep them.
    enum Entry {
        /// The order of a fetched property's result, as `ObjectSortDescriptor.parse` reads it.
        static let sort = "sort"
        static let offset = "graben.offset"
        static let autoRefresh = "graben.autoRefresh"
        static let packed = "graben.packed"
        /// The default of a Binary or Transformable attribute, in base 64.
        static let defaultValue = "graben.default"
    }

    /// What is written into every element of a name unless the model says otherwise; where it is read, it says nothing.
    static let usual: [String: [(name: String, value: String)]] = [
        "model": [
            ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"), ("lastSavedToolsVersion", "22758"),
            ("systemVersion", "23E224"), ("minimumToolsVersion", "Automatic"), ("sourceLanguage", "Swift"),
        ],
        "entity": [("syncable", "YES")],
        "fetchedProperty": [("optional", "YES")],
    ]

    /// What other tools write and is kept without a word, because it says nothing about objects.
    static let kept: [String: Set<String>] = [
        "model": [
            "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
            "usedWithCloudKit",
            "usedWithSwiftData", "name", "iOSVersion", "macOSVersion",
        ],
        "entity": ["syncable", "coreSpotlightDisplayNameExpression"],
        "attribute": ["syncable", "storedInTruthFile", "spotlightIndexingEnabled", "allowsCloudEncryption", "indexed"],
        // References are always indexed here, so `indexed` asks for nothing.
        "relationship": ["syncable", "indexed", "spotlightIndexingEnabled"],
        "fetchedProperty": ["optional", "syncable"],
        "configuration": ["usedWithCloudKit", "usedWithSwiftData"],
    ]

    /// Attributes that say nothing with this value, wherever they stand.
    static let silent: [String: String] = ["syncable": "YES", "indexed": "NO"]

    /// The order in which Xcode writes attributes, so that a file written here and saved there differs in what was changed only.
    static let attributeOrder: [String: [String]] = [
        "model": [
            "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
            "usedWithCloudKit",
            "usedWithSwiftData", "userDefinedModelVersionIdentifier",
        ],
        "entity": [
            "name", "representedClassName", "parentEntity", "isAbstract", "elementID", "versionHashModifier", "syncable",
            "codeGenerationType",
        ],
        "attribute": [
            "name", "optional", "transient", "attributeType", "composite", "minDateTimeInterval", "minValueString", "maxDateTimeInterval",
            "maxValueString", "defaultDateTimeInterval", "defaultValueString", "regularExpressionString", "valueTransformerName",
            "customClassName", "allowsExternalBinaryDataStorage", "usesScalarValueType", "spotlightIndexingEnabled", "storedInTruthFile",
            "preserveAfterDeletion", "allowsCloudEncryption", "derived", "derivationExpression", "indexed", "elementID",
            "versionHashModifier", "syncable",
        ],
        "relationship": [
            "name", "optional", "transient", "toMany", "minCount", "maxCount", "deletionRule", "ordered", "destinationEntity",
            "inverseName",
            "inverseEntity", "indexed", "spotlightIndexingEnabled", "elementID", "versionHashModifier", "syncable",
        ],
        "fetchedProperty": ["name", "optional", "syncable"],
        "fetchRequest": [
            "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "includeSubentities", "includePropertyValues",
            "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults", "resultType",
        ],
        "element": ["name", "positionX", "positionY", "width", "height"],
    ]
}
