extension ModelFileReader {
    func entity(_ node: XMLNode) -> EntityDescription? {
        let title = "entity \"\(node["name"] ?? "")\""
        let element = XcodeElement(node, title: title, log: log)
        guard let name = element.required("name") else { return nil }
        var isAbstract = element.flag("isAbstract")
        // Other tools' spelling, which Xcode ignores.
        if node["abstract"] != nil, node["isAbstract"] == nil {
            isAbstract = element.flag("abstract")
            element.warn("abstract is read as isAbstract")
        }
        let attributes = attributes(in: element, of: title)
        let relationships = element.children("relationship").compactMap { relationship($0, of: title) }
        let fetched = element.children("fetchedProperty").compactMap { fetchedProperty($0, of: title) }
        var entity = EntityDescription(
            name, isAbstract: isAbstract, superentity: element.word("parentEntity"),
            managedObjectClassName: element.word("representedClassName").flatMap { $0 == "NSManagedObject" ? nil : $0 },
            attributes: attributes.map(\.description), relationships: relationships, fetchedProperties: fetched,
            uniquenessConstraints: uniquenessConstraints(in: element),
            indexes: element.children("fetchIndex").compactMap { index($0, of: title) },
            codeGeneration: element.choice("codeGenerationType", XcodeVocabulary.codeGenerations) ?? .manual,
            versionHashModifier: element.word("versionHashModifier"), renamingIdentifier: element.word("elementID"),
            userInfo: userInfo(of: element))
        var namer = IndexNamer(entity.indexes)
        entity.indexes += compoundIndexes(in: element, of: title, &namer)
        for attribute in attributes where attribute.isIndexed {
            if let name = namer.nameOfIndex(onNew: attribute.description.name) {
                entity.indexes.append(IndexDescription(name, on: attribute.description.name))
            }
        }
        entity.foreign = element.foreign()
        return entity
    }

    private func uniquenessConstraints(in element: XcodeElement) -> [[String]] {
        element.parts("uniquenessConstraints").flatMap { $0.parts("uniquenessConstraint") }.map { key in
            key.parts("constraint").compactMap { $0.required("value") }
        }
    }

    private func index(_ node: XMLNode, of owner: String) -> IndexDescription? {
        let element = XcodeElement(node, title: "fetchIndex \"\(node["name"] ?? "")\" of \(owner)", log: log)
        guard let name = element.required("name") else { return nil }
        var index = IndexDescription(
            name, element.parts("fetchIndexElement").compactMap(indexElement),
            partialPredicateFormat: element.word("partialIndexPredicate"))
        index.foreign = element.foreign()
        return index
    }

    private func indexElement(_ part: XcodeElement) -> IndexDescription.Element? {
        let key: IndexDescription.Key
        if let name = part.word("property") {
            key = .property(name)
        } else if let text = part.word("expression") {
            guard let name = part.required("expressionType") else { return nil }
            guard let type = XcodeVocabulary.type(named: name) else {
                part.refuse("expressionType is \"\(name)\", which is no type of attributes")
                return nil
            }
            key = .expression(text, type)
        } else {
            part.refuse("it names neither a property nor an expression")
            return nil
        }
        let isAscending = part.choice("order", XcodeVocabulary.indexOrders) ?? true
        return IndexDescription.Element(
            key, isAscending: isAscending, kind: part.choice("type", XcodeVocabulary.indexKinds) ?? .sorted)
    }

    /// Indexes of several properties as old files have them, without a name and without an order.
    private func compoundIndexes(in element: XcodeElement, of owner: String, _ namer: inout IndexNamer) -> [IndexDescription] {
        var indexes: [IndexDescription] = []
        for wrapper in element.parts("compoundIndexes") {
            for node in wrapper.children("compoundIndex") {
                let compound = XcodeElement(node, title: "a compoundIndex of \(owner)", log: log)
                let names = compound.children("index").enumerated().compactMap { place, node in
                    compound.part(node, as: "fetchIndexElement", place).required("value")
                }
                var index = IndexDescription(namer.name(ofIndexOn: names), names.map { .init($0) })
                index.foreign = compound.foreign()
                indexes.append(index)
            }
        }
        return indexes
    }
}

/// Names indexes that have none in a file, in time that does not grow with their number.
private struct IndexNamer {
    private var taken: Set<String>
    /// The properties that an index is on which is on nothing else.
    private var alone: Set<String> = []
    /// The next number to try behind a name.
    private var numbers: [String: Int] = [:]

    init(_ indexes: [IndexDescription]) {
        taken = Set(indexes.map(\.name))
        for index in indexes where index.partialPredicateFormat == nil && index.elements.count == 1 {
            let element = index.elements[0]
            if case .property(let name) = element.key, element == .init(name) { alone.insert(name) }
        }
    }

    /// A name for an index on this property; nil where there is one.
    mutating func nameOfIndex(onNew property: String) -> String? { alone.contains(property) ? nil : name(ofIndexOn: [property]) }

    /// `byNameAndDate`, with a number behind where that is taken.
    mutating func name(ofIndexOn properties: [String]) -> String {
        if properties.count == 1 { alone.insert(properties[0]) }
        let name = "by" + properties.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
        var candidate = name
        while !taken.insert(candidate).inserted {
            let number = numbers[name, default: 2]
            numbers[name] = number + 1
            candidate = "\(name)\(number)"
        }
        return candidate
    }
}
