internal import GrabenLog

extension IndexDescription {
    var tree: CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        writer.put("on", elements.map(\.tree))
        writer.put("where", partialPredicateFormat)
        writer.put(foreign: foreign)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow(["name", "on", "where", "foreign"])
        self.init(
            try reader.requiredString("name"),
            try reader.list("on").map { (element) throws(ModelError) in try Element(tree: element.tree, at: element.place) },
            partialPredicateFormat: try reader.string("where"))
        foreign = try reader.foreign()
    }
}

extension IndexDescription.Element {
    /// The name alone where the element is a property in ascending order, else an object.
    fileprivate var tree: CBOR {
        if case .property(let name) = key, isAscending, kind == .sorted { return .string(name) }
        var writer = ModelTreeWriter()
        switch key {
        case .property(let name): writer.put("property", name)
        case .expression(let text, let type):
            writer.put("expression", text)
            writer.put("type", type.rawValue)
        }
        writer.put("descending", !isAscending, unless: false)
        writer.put("kind", kind == .sorted ? nil : kind.rawValue)
        return writer.tree
    }

    fileprivate init(tree: CBOR, at place: String) throws(ModelError) {
        if case .string(let name) = tree {
            self.init(name)
            return
        }
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow(["property", "expression", "type", "descending", "kind"])
        let key: IndexDescription.Key
        switch (try reader.string("property"), try reader.string("expression"), try reader.word("type", AttributeType.self)) {
        case (let name?, nil, nil): key = .property(name)
        case (nil, let text?, let type?): key = .expression(text, type)
        default: throw .malformed(place: place, reason: "expected \"property\", or \"expression\" with its \"type\"")
        }
        self.init(
            key, isAscending: try !reader.bool("descending", default: false),
            kind: try reader.word("kind", IndexDescription.Kind.self) ?? .sorted)
    }
}

extension CompositeDescription {
    func tree(at place: String) throws(ModelError) -> CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        writer.put(
            "elements",
            try elements.map { (element) throws(ModelError) in try element.tree(at: "\(place) \"\(name)\" / \(element.name)") })
        writer.put(foreign: foreign)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow(["name", "elements", "foreign"])
        self.init(
            try reader.requiredString("name"),
            try reader.list("elements").map { (element) throws(ModelError) in
                try AttributeDescription(tree: element.tree, at: element.place)
            })
        foreign = try reader.foreign()
    }
}

extension ConfigurationDescription {
    var tree: CBOR {
        var writer = ModelTreeWriter()
        writer.put("name", name)
        writer.put("entities", entities)
        writer.put(foreign: foreign)
        return writer.tree
    }

    init(tree: CBOR, at place: String) throws(ModelError) {
        let reader = try ModelTreeReader(tree, at: place)
        try reader.allow(["name", "entities", "foreign"])
        self.init(try reader.requiredString("name"), entities: try reader.strings("entities"))
        foreign = try reader.foreign()
    }
}
