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
        writer.put("indexes", indexes.map(\.tree))
        writer.put("codeGeneration", codeGeneration == .manual ? nil : codeGeneration.rawValue)
        writer.put("hashModifier", versionHashModifier)
        writer.put("renamedFrom", renamingIdentifier)
        writer.put(userInfo: userInfo)
        writer.put(foreign: foreign)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow([
            "name", "abstract", "superentity", "class", "attributes", "relationships", "fetchedProperties", "unique", "indexes",
            "codeGeneration", "hashModifier", "renamedFrom", "userInfo", "foreign",
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
            indexes: try reader.list("indexes").map { (element) throws(ModelError) in
                try IndexDescription(tree: element.tree, at: element.place)
            },
            codeGeneration: try reader.word("codeGeneration", CodeGeneration.self) ?? .manual,
            versionHashModifier: try reader.string("hashModifier"), renamingIdentifier: try reader.string("renamedFrom"),
            userInfo: try reader.userInfo())
        foreign = try reader.foreign()
    }
}
