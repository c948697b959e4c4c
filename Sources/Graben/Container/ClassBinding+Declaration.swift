import GrabenModel
import GrabenPredicate

extension ClassBinding {
    /// Every way in which what a class declares, and what its superclasses do, differs from the entity it is bound to.
    ///
    /// A model may have more than the class knows, but for what no object can be saved without; what the class reads has to be there, and of
    /// the kind that its accessors expect.
    static func declarationProblems(_ info: EntityInfo, superinfo: EntityInfo?) -> [String] {
        // A class that stands in where the entity has none of its own is compared with the super-entity it is bound to.
        guard superinfo?.objectClass != info.objectClass else { return [] }
        var problems: [String] = []
        var known: Set<String> = []
        for declaring in EntityClasses.lineage(of: info.objectClass) {
            guard let declared = EntityClasses.declaration(of: declaring) else { continue }
            known.formUnion(declared.propertyNames)
            // What a superclass says is compared with the super-entity it is bound to.
            if let superinfo, isKind(superinfo.objectClass, of: declaring) { continue }
            if declaring == info.objectClass { problems += entityProblems(declared, info) }
            for attribute in declared.attributes { problems += difference(declaring, attribute.name, .init(attribute), info) }
            for relationship in declared.relationships { problems += difference(declaring, relationship.name, .init(relationship), info) }
            for fetched in declared.fetchedProperties { problems += difference(declaring, fetched.name, .init(fetched), info) }
        }
        if info.objectClass.entityDescription != nil { problems += undeclared(info, superinfo, known) }
        return problems
    }

    private static func entityProblems(_ declared: EntityDescription, _ info: EntityInfo) -> [String] {
        var problems: [String] = []
        let (objectClass, entity) = (info.objectClass, info.entity)
        if declared.name != entity.name {
            problems.append(
                "\(entity.name): the class \(objectClass) declares the entity \(declared.name), and is bound to \(entity.name); "
                    + "bind it to \(declared.name), or call the entity so in the class or in the model")
        }
        if let name = declared.superentity, !entity.inherits(from: name) {
            problems.append(
                "\(entity.name): the class \(objectClass) says that the entity inherits from \(name), the model that it inherits from "
                    + "\(entity.superentity?.name ?? "none"); name its super-entity in the model, or its superclass, so that they agree")
        }
        if declared.isAbstract != entity.isAbstract {
            problems.append(
                "\(entity.name): the class \(objectClass) says that the entity is \(declared.isAbstract ? "abstract" : "not abstract"), "
                    + "the model that it is \(entity.isAbstract ? "abstract" : "not"); change one of them")
        }
        return problems
    }

    private static func difference(
        _ declaring: ManagedObject.Type, _ key: String, _ declared: DeclaredProperty, _ info: EntityInfo
    ) -> [String] {
        let place = "\(info.name).\(key): the class \(declaring) says \(declared.text)"
        guard let property = info.entity.property(named: key) else {
            let renamed = info.entity.properties.first { $0.renamingIdentifier == key }
            let hint =
                if let renamed { " (\(renamed.name) was called so before)" } else {
                    info.entity.nearestPropertyName(to: key).map { " (the nearest is \($0))" } ?? ""
                }
            return [
                "\(place), the model has no property of this name\(hint); rename the variable, add the property to the model, or write "
                    + "@Field before a variable that is the class's own affair"
            ]
        }
        let found = DeclaredProperty(property)
        guard !declared.agrees(with: found) else { return [] }
        let (mine, other) = declared.texts(against: found)
        return ["\(info.name).\(key): the class \(declaring) says \(mine), the model \(other); write \(found.code), or change the model"]
    }

    /// Properties that the class does not have and without which no object of it can be saved.
    private static func undeclared(_ info: EntityInfo, _ superinfo: EntityInfo?, _ known: Set<String>) -> [String] {
        info.entity.properties.compactMap { property in
            if known.contains(property.name) || superinfo?.entity.propertyNumber(named: property.name) != nil { return nil }
            let isNeeded =
                if let attribute = property.attribute {
                    !attribute.isOptional && attribute.defaultValue == nil && !attribute.isPacked && !attribute.isTransient
                        && !attribute.isDerived
                } else { property.relationship?.isOptional == false }
            guard isNeeded else { return nil }
            let found = DeclaredProperty(property)
            return
                "\(info.name).\(property.name): the class \(info.objectClass) does not have it, the model says \(found.text), so that no "
                + "object could be saved without it; write \(found.code), or give it a default or make it optional in the model"
        }
    }
}

/// What accessors have to know of a property, as a class or a model says it.
private struct DeclaredProperty {
    /// What it is, in words.
    let text: String
    /// How a class declares it.
    let code: String
    /// The inverse it names, if any.
    var inverse: String?
    /// What is fetched, if the declaration says more than the entity.
    var request: FetchRequestDescription?

    init(_ attribute: AttributeDescription) {
        text =
            attribute.type.rawValue + (attribute.isPacked ? ", packed" : "") + (attribute.isTransient ? ", transient" : "")
            + (attribute.isDerived ? ", derived" : "") + (attribute.isOptional ? ", optional" : ", not optional")
        let marker =
            attribute.isPacked
            ? "@Packed " : attribute.isTransient ? "@Transient " : attribute.isDerived ? "@Derived(…) " : attribute.type.marker
        code = "\(marker)var \(attribute.name): \(attribute.type.swiftName ?? "…")\(attribute.isOptional ? "?" : "")"
    }

    init(_ relationship: RelationshipDescription) {
        let kind = relationship.isToMany ? "\(relationship.isOrdered ? "an ordered" : "a") to-many relationship" : "a to-one relationship"
        text = "\(kind) to \(relationship.destination)"
        let member = relationship.destination
        let type = relationship.isToMany ? "\(relationship.isOrdered ? "OrderedToMany" : "ToMany")<\(member)>" : "\(member)?"
        inverse = relationship.inverse
        code = "\(inverse.map { "@Relationship(inverse: \\\(member).\($0)) " } ?? "")var \(relationship.name): \(type)"
    }

    init(_ fetched: FetchedPropertyDescription) {
        text = "a fetched property of \(fetched.destination)"
        code = "@FetchedProperty var \(fetched.name): [\(fetched.destination)]"
        request = fetched.request == FetchRequestDescription(fetched.destination) ? nil : fetched.request
    }

    init(_ property: Property) {
        switch property.kind {
        case .attribute(let attribute): self.init(attribute)
        case .relationship(let relationship, _): self.init(relationship)
        case .fetched(let fetched, _): self.init(fetched)
        }
    }

    /// Whether a model's property is what this one, a class's, says; an inverse or request that the class leaves out is the model's affair.
    func agrees(with found: DeclaredProperty) -> Bool {
        text == found.text && (inverse == nil || inverse == found.inverse) && hasRequest(of: found)
    }

    private func hasRequest(of found: DeclaredProperty) -> Bool {
        guard var mine = request else { return true }
        guard var other = found.request else { return false }
        // Spelled otherwise a predicate is still the same one.
        if let a = mine.predicateFormat, let b = other.predicateFormat, a != b, let parsed = try? ObjectPredicate(format: a),
            parsed == (try? ObjectPredicate(format: b))
        {
            (mine.predicateFormat, other.predicateFormat) = (nil, nil)
        }
        return mine == other
    }

    /// Both sides in words, with as much as tells them apart.
    func texts(against found: DeclaredProperty) -> (String, String) {
        guard text == found.text else { return (text, found.text) }
        if let inverse, inverse != found.inverse {
            return ("\(text) with the inverse \(inverse)", found.inverse.map { "one with the inverse \($0)" } ?? "one without an inverse")
        }
        return ("\(text) that \(request.summary)", "one that \(found.request.summary)")
    }
}

extension FetchRequestDescription? {
    /// What it fetches, in words.
    fileprivate var summary: String {
        guard let request = self else { return "finds every object" }
        var parts = [request.predicateFormat.map { "finds where \($0)" } ?? "finds every object"]
        if !request.sort.isEmpty { parts.append("sorted by \(request.sort.joined(separator: ", "))") }
        if let limit = request.limit { parts.append("at most \(limit)") }
        if request.offset != 0 { parts.append("from \(request.offset) on") }
        if request.batchSize != 0 { parts.append("\(request.batchSize) at a time") }
        if !request.includesSubentities { parts.append("without sub-entities") }
        if !request.includesPendingChanges { parts.append("without pending changes") }
        if !request.includesPropertyValues { parts.append("without property values") }
        if !request.returnsObjectsAsFaults { parts.append("realised") }
        if request.returnsDistinctResults { parts.append("distinct") }
        return parts.joined(separator: ", ")
    }
}

extension AttributeType {
    /// What stands before a variable whose type does not say that it is an attribute.
    fileprivate var marker: String { self == .transformable ? "@Attribute " : "" }
}

extension Property {
    fileprivate var renamingIdentifier: String? { attribute?.renamingIdentifier ?? relationship?.renamingIdentifier }
}

extension Entity {
    fileprivate func inherits(from name: String) -> Bool {
        var entity = superentity
        while let current = entity, current.name != name { entity = current.superentity }
        return entity != nil
    }
}

extension EntityDescription {
    fileprivate var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) + fetchedProperties.map(\.name) }
}
