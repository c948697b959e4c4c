internal import GrabenPredicate

extension ManagedObjectModel {
    /// Everything that is wrong in the model, entity by entity; empty when it can be used.
    ///
    /// Complexity: the number of properties times the number of ancestors of their entities and destinations.
    public func problems() -> [ModelProblem] {
        let names = ModelNames(self)
        var problems: [ModelProblem] = []
        if entities.count > ManagedObjectModel.entityLimit {
            problems.append(.init(.tooManyEntities(count: entities.count, limit: ManagedObjectModel.entityLimit)))
        }
        for (index, entity) in entities.enumerated() {
            let ofEntity = names.problems(ofEntity: index) + names.problems(ofIndexesOf: index)
            problems += ofEntity.map { ModelProblem($0, entity: entity.name) }
            var before: Set<String> = []
            for property in names.declared(by: index) {
                var kinds = names.problems(ofName: property.name, declaredBy: index)
                if !before.insert(property.name).inserted { kinds.append(.duplicateProperty) }
                switch property {
                case .attribute(let attribute):
                    kinds += attribute.problems() + names.problems(ofCompositeOf: attribute)
                    kinds += names.problems(ofDerivationOf: attribute, declaredBy: index)
                case .relationship(let relationship): kinds += names.problems(of: relationship, declaredBy: index)
                case .fetched(let fetched): kinds += names.problems(of: fetched)
                }
                problems += kinds.map { ModelProblem($0, entity: entity.name, property: property.name) }
            }
        }
        return problems + names.problemsOfParts(of: self).map { ModelProblem($0) }
    }

    /// Does nothing when the model can be used.
    ///
    /// Throws `ModelError.invalid` with everything that is wrong.
    public func validate() throws(ModelError) {
        let problems = problems()
        if !problems.isEmpty { throw .invalid(problems) }
    }

    /// Entities are numbered by 16 bits in a file.
    package static let entityLimit = Int(UInt16.max)
}

extension String {
    /// Whether a predicate can name it without quoting: a letter or `_`, then letters, digits and `_`.
    ///
    /// Words of the predicate language are identifiers; a predicate writes `#` before them.
    package var isModelIdentifier: Bool {
        var scalars = unicodeScalars.makeIterator()
        guard let first = scalars.next(), first == "_" || first.properties.isXIDStart else { return false }
        while let scalar = scalars.next() {
            guard scalar == "_" || scalar.properties.isXIDContinue else { return false }
        }
        return true
    }
}

extension ModelNames {
    func problems(ofEntity index: Int) -> [ModelProblem.Kind] {
        let entity = entities[index]
        var problems: [ModelProblem.Kind] = []
        if !entity.name.isModelIdentifier { problems.append(.notAnIdentifier) }
        if byName[entity.name] != index { problems.append(.duplicateEntity) }
        if let parent = entity.superentity, byName[parent] == nil {
            problems.append(.missingSuperentity(parent, nearest: nearestEntity(to: parent)))
        }
        if let cycle = cycles[index] { problems.append(.inheritanceCycle(cycle.map { entities[$0].name })) }
        if tooDeep.contains(index) { problems.append(.inheritanceTooDeep(limit: Self.depthLimit)) }
        for key in entity.uniquenessConstraints {
            if key.isEmpty { problems.append(.emptyUniqueness) }
            var before: Set<String> = []
            for name in key {
                guard before.insert(name).inserted else {
                    problems.append(.duplicateUniquenessKey(name))
                    continue
                }
                switch property(name, of: index)?.property {
                case nil:
                    let nearest = nearestName(to: name, in: propertyNames(of: index))
                    problems.append(.unknownUniquenessKey(name, nearest: nearest))
                case .attribute(let attribute):
                    if attribute.isTransient { problems.append(.unfitUniquenessKey(name)) }
                    if attribute.isPacked { problems.append(.packedUniquenessKey(name)) }
                case .relationship(let relationship): if relationship.isToMany { problems.append(.unfitUniquenessKey(name)) }
                case .fetched: problems.append(.unfitUniquenessKey(name))
                }
            }
        }
        return problems
    }

    func problems(ofName name: String, declaredBy index: Int) -> [ModelProblem.Kind] {
        var problems: [ModelProblem.Kind] = []
        if !name.isModelIdentifier { problems.append(.notAnIdentifier) }
        // An entity on a cycle would seem to inherit from whoever inherits from it.
        if cycles[index] == nil, let owner = property(name, of: index)?.declaredBy, owner != index {
            problems.append(.propertyInheritedFrom(entity: entities[owner].name))
        }
        return problems
    }

    func problems(of fetched: FetchedPropertyDescription) -> [ModelProblem.Kind] {
        var problems: [ModelProblem.Kind] = []
        if byName[fetched.destination] == nil {
            problems.append(.missingDestination(fetched.destination, nearest: nearestEntity(to: fetched.destination)))
        }
        if fetched.request.result != .objects { problems.append(.fetchedResult(fetched.request.result)) }
        return problems + fetched.request.problems()
    }

    func nearestEntity(to name: String) -> String? { nearestName(to: name, in: entities.map(\.name)) }
}
