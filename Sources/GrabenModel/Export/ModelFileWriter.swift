/// Makes the tree of a `contents` file of a model.
enum ModelFileWriter {
    static func draft(of model: ManagedObjectModel) throws(ModelError) -> XcodeDraft {
        let draft = XcodeDraft("model", place: "the model")
        draft.put("userDefinedModelVersionIdentifier", model.versionIdentifier ?? "")
        for entity in model.entities { try add(entity, to: draft) }
        for template in model.fetchRequestTemplates { try add(template, to: draft) }
        for configuration in model.configurations {
            let element = draft.add("configuration", place: "configuration \"\(configuration.name)\"")
            element.put("name", configuration.name)
            for name in configuration.entities { element.add("memberEntity").put("name", name) }
            element.add(foreign: configuration.foreign)
        }
        for composite in model.composites {
            let place = "composite \"\(composite.name)\""
            let element = draft.add("composite", place: place)
            element.put("name", composite.name)
            for attribute in composite.elements { try add(attribute, to: element, of: place) }
            element.add(foreign: composite.foreign)
        }
        draft.add(userInfo: model.userInfo)
        draft.add(foreign: model.foreign)
        return draft
    }

    private static func add(_ entity: EntityDescription, to draft: XcodeDraft) throws(ModelError) {
        let place = "entity \"\(entity.name)\""
        let element = draft.add("entity", place: place)
        element.put("name", entity.name)
        element.put(word: "representedClassName", entity.managedObjectClassName)
        element.put(word: "parentEntity", entity.superentity)
        element.put("isAbstract", entity.isAbstract)
        element.put(word: "elementID", entity.renamingIdentifier)
        element.put(word: "versionHashModifier", entity.versionHashModifier)
        element.put("codeGenerationType", XcodeVocabulary.codeGenerations.first { $0.meaning == entity.codeGeneration }?.name)
        for attribute in entity.attributes { try add(attribute, to: element, of: place) }
        for relationship in entity.relationships { add(relationship, to: element, of: place) }
        for fetched in entity.fetchedProperties { try add(fetched, to: element, of: place) }
        for index in entity.indexes { add(index, to: element, of: place) }
        if !entity.uniquenessConstraints.isEmpty {
            let constraints = element.add("uniquenessConstraints")
            for key in entity.uniquenessConstraints {
                let constraint = constraints.add("uniquenessConstraint")
                for name in key { constraint.add("constraint").put("value", name) }
            }
        }
        element.add(userInfo: entity.userInfo)
        element.add(foreign: entity.foreign)
    }

    private static func add(_ index: IndexDescription, to draft: XcodeDraft, of owner: String) {
        let element = draft.add("fetchIndex", place: "index \"\(index.name)\" of \(owner)")
        element.put("name", index.name)
        element.put(word: "partialIndexPredicate", index.partialPredicateFormat)
        for part in index.elements {
            let child = element.add("fetchIndexElement")
            switch part.key {
            case .property(let name): child.put("property", name)
            case .expression(let text, let type):
                child.put("expression", text)
                child.put("expressionType", XcodeVocabulary.name(of: type))
            }
            let kind = XcodeVocabulary.indexKinds.first { $0.meaning == part.kind }?.name
            child.put("type", kind, isWeak: part.kind == .sorted)
            child.put("order", part.isAscending ? "ascending" : "descending", isWeak: part.isAscending)
        }
        element.add(foreign: index.foreign)
    }

    private static func add(_ relationship: RelationshipDescription, to draft: XcodeDraft, of owner: String) {
        let element = draft.add("relationship", place: "relationship \"\(relationship.name)\" of \(owner)")
        element.put("name", relationship.name)
        element.put("optional", relationship.isOptional)
        element.put("toMany", relationship.isToMany)
        element.put("minCount", relationship.minCount)
        // Without its count a to-one would be read as a to-many by other tools.
        element.put("maxCount", relationship.isToMany || relationship.maxCount != 0 ? relationship.maxCount : 1)
        element.put(
            "deletionRule", XcodeVocabulary.deleteRules.first { $0.meaning == relationship.deleteRule }?.name,
            isWeak: relationship.deleteRule == .noAction)
        element.put("ordered", relationship.isOrdered)
        element.put("destinationEntity", relationship.destination)
        if let inverse = relationship.inverse, !inverse.isEmpty {
            element.put("inverseName", inverse)
            element.put("inverseEntity", relationship.destination, isWeak: true)
        }
        element.put(word: "elementID", relationship.renamingIdentifier)
        element.put(word: "versionHashModifier", relationship.versionHashModifier)
        element.add(userInfo: relationship.userInfo)
        element.add(foreign: relationship.foreign)
    }
}
