extension ModelFileReader {
    func relationship(_ node: XMLNode, of owner: String) -> RelationshipDescription? {
        let element = XcodeElement(node, title: "relationship \"\(node["name"] ?? "")\" of \(owner)", log: log)
        guard let name = element.required("name"), let destination = element.required("destinationEntity") else { return nil }
        let isToMany = element.flag("toMany")
        var maxCount = element.integer("maxCount") ?? 0
        // One object is what a to-one means; its count says nothing more.
        if !isToMany, maxCount == 1 { maxCount = 0 }
        if !isToMany, maxCount == 0, node["maxCount"] == nil {
            element.warn("it says neither toMany nor maxCount and is read as leading to one object")
        }
        let inverse = element.word("inverseName")
        if let entity = element.word("inverseEntity"), entity != destination || inverse == nil {
            element.keep(
                "inverseEntity",
                inverse == nil
                    ? "inverseEntity stands without an inverseName; it is kept and the relationship has no inverse"
                    : "inverseEntity is \"\(entity)\" and the destination \"\(destination)\"; the inverse is looked for in the destination")
        }
        if element.flag("transient") {
            element.keep("transient", "a transient relationship is kept in the store all the same")
        }
        var relationship = RelationshipDescription(
            name, to: destination, inverse: inverse, isToMany: isToMany, isOrdered: element.flag("ordered"),
            isOptional: element.flag("optional"), minCount: element.integer("minCount") ?? 0, maxCount: maxCount,
            deleteRule: element.choice("deletionRule", XcodeVocabulary.deleteRules) ?? .noAction,
            versionHashModifier: element.word("versionHashModifier"), renamingIdentifier: element.word("elementID"),
            userInfo: userInfo(of: element))
        relationship.foreign = element.foreign()
        return relationship
    }
}
