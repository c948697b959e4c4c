internal import GrabenLog

extension FetchRequestDescription {
    /// The keys of a request beside the one that names its entity.
    static let treeKeys: Set<String> = [
        "predicate", "sort", "limit", "offset", "batchSize", "includesSubentities", "includesPropertyValues", "includesPendingChanges",
        "returnsObjectsAsFaults", "returnsDistinctResults", "result",
    ]

    /// Writes the request's keys beside those of what holds it; `entityKey` is the one that names its entity.
    func put(into writer: inout ModelTreeWriter, entityKey: String) {
        writer.put(entityKey, entity)
        writer.put("predicate", predicateFormat)
        writer.put("sort", sort)
        writer.put("limit", limit)
        writer.put("offset", offset == 0 ? nil : offset)
        writer.put("batchSize", batchSize == 0 ? nil : batchSize)
        writer.put("includesSubentities", includesSubentities, unless: true)
        writer.put("includesPropertyValues", includesPropertyValues, unless: true)
        writer.put("includesPendingChanges", includesPendingChanges, unless: true)
        writer.put("returnsObjectsAsFaults", returnsObjectsAsFaults, unless: true)
        writer.put("returnsDistinctResults", returnsDistinctResults, unless: false)
        writer.put("result", result == .objects ? nil : result.rawValue)
    }

    init(_ reader: ModelTreeReader, entityKey: String) throws(ModelError) {
        self.init(
            try reader.requiredString(entityKey), predicateFormat: try reader.string("predicate"), sort: try reader.strings("sort"),
            limit: try reader.int("limit"), offset: try reader.int("offset") ?? 0, batchSize: try reader.int("batchSize") ?? 0,
            includesSubentities: try reader.bool("includesSubentities", default: true),
            includesPropertyValues: try reader.bool("includesPropertyValues", default: true),
            includesPendingChanges: try reader.bool("includesPendingChanges", default: true),
            returnsObjectsAsFaults: try reader.bool("returnsObjectsAsFaults", default: true),
            returnsDistinctResults: try reader.bool("returnsDistinctResults", default: false),
            result: try reader.word("result", Result.self) ?? .objects)
    }
}

extension FetchedPropertyDescription {
    var tree: CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        request.put(into: &writer, entityKey: "destination")
        writer.put("autoRefresh", autoRefresh, unless: false)
        writer.put(userInfo: userInfo)
        writer.put(foreign: foreign)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow(FetchRequestDescription.treeKeys.union(["name", "destination", "autoRefresh", "userInfo", "foreign"]))
        let name = try reader.requiredString("name")
        self.init(
            name, try FetchRequestDescription(reader, entityKey: "destination"),
            autoRefresh: try reader.bool("autoRefresh", default: false), userInfo: try reader.userInfo())
        foreign = try reader.foreign()
    }
}

extension FetchRequestTemplate {
    var tree: CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        request.put(into: &writer, entityKey: "entity")
        writer.put(foreign: foreign)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow(FetchRequestDescription.treeKeys.union(["name", "entity", "foreign"]))
        let name = try reader.requiredString("name")
        self.init(name, try FetchRequestDescription(reader, entityKey: "entity"))
        foreign = try reader.foreign()
    }
}
