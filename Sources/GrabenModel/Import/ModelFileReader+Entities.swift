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
        entity.indexes += compoundIndexes(in: element, of: title, beside: entity.indexes)
        for attribute in attributes where attribute.isIndexed {
            addIndex(on: attribute.description.name, to: &entity)
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
    private func compoundIndexes(in element: XcodeElement, of owner: String, beside known: [IndexDescription]) -> [IndexDescription] {
        var indexes: [IndexDescription] = []
        for wrapper in element.parts("compoundIndexes") {
            for node in wrapper.children("compoundIndex") {
                let compound = XcodeElement(node, title: "a compoundIndex of \(owner)", log: log)
                let names = compound.children("index").enumerated().compactMap { place, node in
                    compound.part(node, as: "fetchIndexElement", place).required("value")
                }
                var index = IndexDescription(Self.name(ofIndexOn: names, beside: known + indexes), names.map { .init($0) })
                index.foreign = compound.foreign()
                indexes.append(index)
            }
        }
        return indexes
    }

    /// The index that an old file asks for on the attribute itself.
    private func addIndex(on name: String, to entity: inout EntityDescription) {
        let elements = [IndexDescription.Element(name)]
        guard !entity.indexes.contains(where: { $0.elements == elements && $0.partialPredicateFormat == nil }) else { return }
        entity.indexes.append(IndexDescription(Self.name(ofIndexOn: [name], beside: entity.indexes), elements))
    }

    /// `byNameAndDate`, with a number behind where that is taken.
    private static func name(ofIndexOn names: [String], beside known: [IndexDescription]) -> String {
        let name = "by" + names.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And")
        let taken = Set(known.map(\.name))
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name)\(number)") { number += 1 }
        return "\(name)\(number)"
    }
}
