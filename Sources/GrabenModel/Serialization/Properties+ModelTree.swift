internal import GrabenLog

extension AttributeDescription {
    func tree(at place: String) throws(ModelError) -> CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        writer.put("type", type.rawValue)
        writer.put("optional", isOptional, unless: true)
        writer.put("transient", isTransient, unless: false)
        writer.put("packed", isPacked, unless: false)
        for (key, value) in [("default", defaultValue), ("minimum", minimum), ("maximum", maximum)] {
            guard let value else { continue }
            writer.put(key, try type.tree(of: value, at: "\(place) / \(key)"))
        }
        writer.put("minimumLength", minimumLength)
        writer.put("maximumLength", maximumLength)
        writer.put("regularExpression", regularExpression)
        writer.put("derivation", derivationExpression)
        writer.put("composite", composite)
        writer.put("externalStorage", allowsExternalStorage, unless: false)
        writer.put("preservedAfterDeletion", isPreservedAfterDeletion, unless: false)
        writer.put("valueTransformer", valueTransformerName)
        writer.put("valueClass", valueClassName)
        writer.put("scalar", usesScalarType)
        writer.put("hashModifier", versionHashModifier)
        writer.put("renamedFrom", renamingIdentifier)
        writer.put(userInfo: userInfo)
        writer.put(foreign: foreign)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow([
            "name", "type", "optional", "default", "transient", "packed", "minimum", "maximum", "minimumLength", "maximumLength",
            "regularExpression", "derivation", "composite", "externalStorage", "preservedAfterDeletion", "valueTransformer", "valueClass",
            "scalar", "hashModifier", "renamedFrom", "userInfo", "foreign",
        ])
        guard let type = try reader.word("type", AttributeType.self) else {
            throw .malformed(place: reader.place, reason: "the key \"type\" is missing")
        }
        self.init(
            try reader.requiredString("name"), type, isOptional: try reader.bool("optional", default: true),
            isTransient: try reader.bool("transient", default: false), isPacked: try reader.bool("packed", default: false),
            minimumLength: try reader.int("minimumLength"), maximumLength: try reader.int("maximumLength"),
            regularExpression: try reader.string("regularExpression"), derivationExpression: try reader.string("derivation"),
            composite: try reader.string("composite"), allowsExternalStorage: try reader.bool("externalStorage", default: false),
            isPreservedAfterDeletion: try reader.bool("preservedAfterDeletion", default: false),
            valueTransformerName: try reader.string("valueTransformer"), valueClassName: try reader.string("valueClass"),
            usesScalarType: try reader.bool("scalar"), versionHashModifier: try reader.string("hashModifier"),
            renamingIdentifier: try reader.string("renamedFrom"), userInfo: try reader.userInfo())
        foreign = try reader.foreign()
        if let tree = reader.tree("default") { defaultValue = try type.value(of: tree, at: reader.place(of: "default")) }
        if let tree = reader.tree("minimum") { minimum = try type.value(of: tree, at: reader.place(of: "minimum")) }
        if let tree = reader.tree("maximum") { maximum = try type.value(of: tree, at: reader.place(of: "maximum")) }
    }
}

extension RelationshipDescription {
    var tree: CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        writer.put("destination", destination)
        writer.put("inverse", inverse)
        writer.put("toMany", isToMany, unless: false)
        writer.put("ordered", isOrdered, unless: false)
        writer.put("optional", isOptional, unless: true)
        writer.put("minimumCount", minCount == 0 ? nil : minCount)
        writer.put("maximumCount", maxCount == 0 ? nil : maxCount)
        writer.put("deleteRule", deleteRule == .nullify ? nil : deleteRule.rawValue)
        writer.put("hashModifier", versionHashModifier)
        writer.put("renamedFrom", renamingIdentifier)
        writer.put(userInfo: userInfo)
        writer.put(foreign: foreign)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow([
            "name", "destination", "inverse", "toMany", "ordered", "optional", "minimumCount", "maximumCount", "deleteRule",
            "hashModifier", "renamedFrom", "userInfo", "foreign",
        ])
        self.init(
            try reader.requiredString("name"), to: try reader.requiredString("destination"), inverse: try reader.string("inverse"),
            isToMany: try reader.bool("toMany", default: false), isOrdered: try reader.bool("ordered", default: false),
            isOptional: try reader.bool("optional", default: true), minCount: try reader.int("minimumCount") ?? 0,
            maxCount: try reader.int("maximumCount") ?? 0, deleteRule: try reader.word("deleteRule", DeleteRule.self) ?? .nullify,
            versionHashModifier: try reader.string("hashModifier"), renamingIdentifier: try reader.string("renamedFrom"),
            userInfo: try reader.userInfo())
        foreign = try reader.foreign()
    }
}
