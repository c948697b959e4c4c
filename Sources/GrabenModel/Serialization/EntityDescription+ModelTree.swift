internal import GrabenLog

extension EntityDescription {
    func tree(at place: String) throws(ModelError) -> CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        writer.put("abstract", isAbstract, unless: false)
        writer.put("superentity", superentity)
        writer.put("class", managedObjectClassName)
        writer.put(
            "attributes",
            try attributes.map { (attribute) throws(ModelError) in try attribute.tree(at: "\(place) \"\(name)\" / \(attribute.name)") })
        writer.put("relationships", relationships.map(\.tree))
        writer.put("fetchedProperties", fetchedProperties.map(\.tree))
        writer.put("unique", uniquenessConstraints.map { key in CBOR.array(key.map { .string($0) }) })
        writer.put("renamedFrom", renamingIdentifier)
        writer.put(userInfo: userInfo)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow([
            "name", "abstract", "superentity", "class", "attributes", "relationships", "fetchedProperties", "unique", "renamedFrom",
            "userInfo",
        ])
        self.init(
            try reader.requiredString("name"), isAbstract: try reader.bool("abstract", default: false),
            superentity: try reader.string("superentity"), managedObjectClassName: try reader.string("class"),
            attributes: try reader.list("attributes").map { (element) throws(ModelError) in
                try AttributeDescription(tree: element.tree, at: element.place)
            },
            relationships: try reader.list("relationships").map { (element) throws(ModelError) in
                try RelationshipDescription(tree: element.tree, at: element.place)
            },
            fetchedProperties: try reader.list("fetchedProperties").map { (element) throws(ModelError) in
                try FetchedPropertyDescription(tree: element.tree, at: element.place)
            },
            uniquenessConstraints: try reader.list("unique").map { (element) throws(ModelError) in
                try ModelTreeReader(.map([(key: "key", value: element.tree)]), at: element.place).strings("key")
            },
            renamingIdentifier: try reader.string("renamedFrom"), userInfo: try reader.userInfo())
    }
}

extension AttributeDescription {
    fileprivate func tree(at place: String) throws(ModelError) -> CBOR {
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
        writer.put("renamedFrom", renamingIdentifier)
        writer.put(userInfo: userInfo)
        return writer.tree
    }

    fileprivate init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow([
            "name", "type", "optional", "default", "transient", "packed", "minimum", "maximum", "minimumLength", "maximumLength",
            "renamedFrom", "userInfo",
        ])
        guard let type = try reader.word("type", AttributeType.self) else {
            throw .malformed(place: reader.place, reason: "the key \"type\" is missing")
        }
        self.init(
            try reader.requiredString("name"), type, isOptional: try reader.bool("optional", default: true),
            isTransient: try reader.bool("transient", default: false), isPacked: try reader.bool("packed", default: false),
            minimumLength: try reader.int("minimumLength"), maximumLength: try reader.int("maximumLength"),
            renamingIdentifier: try reader.string("renamedFrom"), userInfo: try reader.userInfo())
        if let tree = reader.tree("default") { defaultValue = try type.value(of: tree, at: reader.place(of: "default")) }
        if let tree = reader.tree("minimum") { minimum = try type.value(of: tree, at: reader.place(of: "minimum")) }
        if let tree = reader.tree("maximum") { maximum = try type.value(of: tree, at: reader.place(of: "maximum")) }
    }
}

extension RelationshipDescription {
    fileprivate var tree: CBOR {
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
        writer.put("renamedFrom", renamingIdentifier)
        writer.put(userInfo: userInfo)
        return writer.tree
    }

    fileprivate init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow([
            "name", "destination", "inverse", "toMany", "ordered", "optional", "minimumCount", "maximumCount", "deleteRule",
            "renamedFrom", "userInfo",
        ])
        self.init(
            try reader.requiredString("name"), to: try reader.requiredString("destination"), inverse: try reader.string("inverse"),
            isToMany: try reader.bool("toMany", default: false), isOrdered: try reader.bool("ordered", default: false),
            isOptional: try reader.bool("optional", default: true), minCount: try reader.int("minimumCount") ?? 0,
            maxCount: try reader.int("maximumCount") ?? 0, deleteRule: try reader.word("deleteRule", DeleteRule.self) ?? .nullify,
            renamingIdentifier: try reader.string("renamedFrom"), userInfo: try reader.userInfo())
    }
}

extension FetchedPropertyDescription {
    fileprivate var tree: CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        writer.put("destination", destination)
        writer.put("predicate", predicateFormat)
        writer.put("sort", sort)
        writer.put("limit", limit)
        writer.put("offset", offset == 0 ? nil : offset)
        writer.put(userInfo: userInfo)
        return writer.tree
    }

    fileprivate init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow(["name", "destination", "predicate", "sort", "limit", "offset", "userInfo"])
        self.init(
            try reader.requiredString("name"), of: try reader.requiredString("destination"),
            predicateFormat: try reader.string("predicate"), sort: try reader.strings("sort"), limit: try reader.int("limit"),
            offset: try reader.int("offset") ?? 0, userInfo: try reader.userInfo())
    }
}
