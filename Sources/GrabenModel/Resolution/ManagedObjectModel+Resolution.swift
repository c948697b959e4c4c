internal import GrabenLog

extension ManagedObjectModel {
    /// The model checked, numbered and with every name looked up.
    ///
    /// Throws `ModelError.invalid` with everything that is wrong.
    /// Complexity: as `problems()`, and the number of properties with their heirs.
    public func resolved() throws(ModelError) -> ResolvedModel {
        try validate()
        var resolver = ModelResolver(normalized())
        for index in entities.indices.sorted(by: resolver.isOutward) { resolver.resolve(index) }
        return ResolvedModel(description: resolver.model, entities: resolver.resolved.compactMap { $0 })
    }

    /// Values that were set after a description was made, as their types hold them.
    private func normalized() -> ManagedObjectModel {
        var model = self
        for entity in model.entities.indices {
            for attribute in model.entities[entity].attributes.indices {
                let type = model.entities[entity].attributes[attribute].type
                for path in [\AttributeDescription.defaultValue, \.minimum, \.maximum] {
                    guard let value = model.entities[entity].attributes[attribute][keyPath: path] else { continue }
                    model.entities[entity].attributes[attribute][keyPath: path] = type.normalized(value)
                }
            }
        }
        return model
    }
}

/// Makes the entities of a valid model, super-entities before those that inherit from them.
///
/// Relationships across the hierarchy need no order: a property's number follows from the descriptions alone.
private struct ModelResolver {
    let model: ManagedObjectModel
    let names: ModelNames
    let children: [[Int]]
    /// Of each entity the concrete ones among itself and its heirs.
    let concreteDescendants: [[Int]]
    /// How many properties each entity inherits.
    let inheritedCounts: [Int]
    var resolved: [Entity?]

    init(_ model: ManagedObjectModel) {
        let names = ModelNames(model)
        var children = [[Int]](repeating: [], count: model.entities.count)
        var descendants = children
        for (index, chain) in names.lineage.enumerated() {
            if let parent = chain.dropLast().last { children[parent].append(index) }
            if !model.entities[index].isAbstract { for ancestor in chain { descendants[ancestor].append(index) } }
        }
        self.model = model
        self.names = names
        self.children = children
        self.concreteDescendants = descendants
        self.inheritedCounts = names.lineage.map { chain in
            chain.dropLast().reduce(0) { $0 + model.entities[$1].propertyCount }
        }
        self.resolved = .init(repeating: nil, count: model.entities.count)
    }

    func isOutward(_ a: Int, _ b: Int) -> Bool { (names.lineage[a].count, a) < (names.lineage[b].count, b) }

    mutating func resolve(_ index: Int) {
        let description = model.entities[index]
        let parent = names.lineage[index].dropLast().last.flatMap { resolved[$0] }
        var properties = parent?.properties ?? []
        var lane = parent?.lanes.count ?? 0
        var field = parent?.fields.count ?? 0
        for declared in names.declared(by: index) {
            let kind = kind(of: declared, declaredBy: index)
            var place: (lane: Int?, field: Int?) = (nil, nil)
            switch kind {
            case .attribute(let attribute) where attribute.isPacked:
                place.lane = lane
                lane += 1
            case .attribute(let attribute) where !attribute.isTransient:
                place.field = field
                field += 1
            case .relationship(_, let link) where link.storage == .field:
                place.field = field
                field += 1
            default: break
            }
            properties.append(
                Property(
                    number: properties.count, name: declared.name, declaringEntity: index, kind: kind, lane: place.lane,
                    field: place.field))
        }
        let keys = description.uniquenessConstraints.map { names in
            Entity.UniqueKey(
                declaringEntity: index, properties: names.compactMap { name in properties.first { $0.name == name }?.number })
        }
        resolved[index] = Entity(
            index: index, description: description, superentity: parent, subentities: children[index],
            concreteDescendants: concreteDescendants[index], properties: properties, uniqueKeys: (parent?.uniqueKeys ?? []) + keys,
            versionHash: VersionHash(of: description, superentity: parent?.versionHash, composites: names.composites))
    }

    private func kind(of declared: ModelNames.Declared, declaredBy owner: Int) -> Property.Kind {
        switch declared {
        case .attribute(var attribute):
            if let composite = attribute.composite, attribute.defaultValue == nil {
                attribute.defaultValue = names.defaultValue(ofComposite: composite)
            }
            return .attribute(attribute)
        // The names are known to exist: the model was validated. The owner stands in for what cannot happen.
        case .fetched(let fetched): return .fetched(fetched, destination: names.byName[fetched.destination] ?? owner)
        case .relationship(let relationship): return .relationship(relationship, link(of: relationship, declaredBy: owner))
        }
    }

    private func link(of relationship: RelationshipDescription, declaredBy owner: Int) -> Property.Link {
        let destination = names.byName[relationship.destination] ?? owner
        var inverse: (number: Int, description: RelationshipDescription)?
        if let name = relationship.inverse {
            for (offset, declared) in names.declared(by: destination).enumerated() {
                if case .relationship(let other) = declared, other.name == name {
                    inverse = (inheritedCounts[destination] + offset, other)
                }
            }
        }
        return Property.Link(
            destination: destination, inverse: inverse?.number,
            isPolymorphic: model.entities[destination].isAbstract || !children[destination].isEmpty,
            storage: storage(of: relationship, declaredBy: owner, inverse: inverse?.description, destination: destination))
    }

    private func storage(
        of relationship: RelationshipDescription, declaredBy owner: Int, inverse: RelationshipDescription?, destination: Int
    ) -> Property.Storage {
        guard relationship.isToMany else { return .field }
        guard let inverse else { return .linksAsOwner }
        guard inverse.isToMany else { return relationship.isOrdered ? .linksAsOwner : .reverse }
        if relationship.isOrdered { return .linksAsOwner }
        if inverse.isOrdered { return .linksAsMember }
        // Both sides must choose alike whatever the order of declaration, or a new version of the model would turn the links round.
        let this = (model.entities[owner].name, relationship.name)
        return this <= (model.entities[destination].name, inverse.name) ? .linksAsOwner : .linksAsMember
    }
}

extension EntityDescription {
    fileprivate var propertyCount: Int { attributes.count + relationships.count + fetchedProperties.count }
}
