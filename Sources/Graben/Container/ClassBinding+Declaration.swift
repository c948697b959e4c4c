import GrabenModel

extension ClassBinding {
    /// Every way in which what a class declares of its entity differs from the entity it is bound to.
    ///
    /// A model may have more than the class knows; what the class reads has to be there, and of the kind that its accessors expect.
    static func declarationProblems(_ info: EntityInfo) -> [String] {
        guard let declared = info.objectClass.entityDescription else { return [] }
        var problems: [String] = []
        func differs(_ key: String, _ declared: String, _ found: String) {
            guard declared != found else { return }
            problems.append("\(info.objectClass).\(key) is \(declared), but \(info.name).\(key) in the model is \(found)")
        }
        if declared.name != info.name, EntityClasses.declaration(of: info.objectClass) != nil, !inherits(info, declared.name) {
            problems.append("\(info.objectClass) declares the entity \(declared.name) and is bound to \(info.name)")
        }
        for attribute in declared.attributes { differs(attribute.name, attribute.summary, found(attribute.name, info)) }
        for relationship in declared.relationships { differs(relationship.name, relationship.summary, found(relationship.name, info)) }
        for fetched in declared.fetchedProperties { differs(fetched.name, fetched.summary, found(fetched.name, info)) }
        return problems
    }

    /// Whether a class bound to a sub-entity, for want of one of its own, declares an entity above it.
    private static func inherits(_ info: EntityInfo, _ name: String) -> Bool {
        var entity = info.entity.superentity
        while let current = entity, current.name != name { entity = current.superentity }
        return entity != nil
    }

    private static func found(_ key: String, _ info: EntityInfo) -> String {
        guard let property = info.entity.property(named: key) else {
            return "missing" + (info.entity.nearestPropertyName(to: key).map { " (the nearest is \($0))" } ?? "")
        }
        return property.attribute?.summary ?? property.relationship?.summary ?? property.fetched?.summary ?? ""
    }
}

extension AttributeDescription {
    /// What an accessor has to know of it, in words.
    fileprivate var summary: String {
        type.rawValue + (isPacked ? ", packed" : "") + (isTransient ? ", transient" : "") + (isOptional ? ", optional" : ", not optional")
    }
}

extension RelationshipDescription {
    fileprivate var summary: String {
        isToMany ? "\(isOrdered ? "an ordered" : "a") to-many relationship to \(destination)" : "a to-one relationship to \(destination)"
    }
}

extension FetchedPropertyDescription {
    fileprivate var summary: String { "a fetched property of \(destination)" }
}
