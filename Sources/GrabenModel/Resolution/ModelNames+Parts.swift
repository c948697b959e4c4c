internal import GrabenPredicate

/// Problems of what a model has besides entities and their properties: indexes, templates, configurations, composites.
extension ModelNames {
    func problemsOfParts(of model: ManagedObjectModel) -> [ModelProblem.Kind] {
        var problems: [ModelProblem.Kind] = []
        var before: Set<String> = []
        for template in model.fetchRequestTemplates {
            var kinds: [ModelProblem.Kind] = before.insert(template.name).inserted ? [] : [.duplicateName]
            let entity = template.request.entity
            if byName[entity] == nil { kinds.append(.missingEntity(entity, nearest: nearestEntity(to: entity))) }
            kinds += template.request.problems()
            problems += kinds.map { .within(.template(template.name), $0) }
        }
        before = []
        for configuration in model.configurations {
            var kinds: [ModelProblem.Kind] = before.insert(configuration.name).inserted ? [] : [.duplicateName]
            kinds += configuration.entities.filter { byName[$0] == nil }.map { .missingEntity($0, nearest: nearestEntity(to: $0)) }
            problems += kinds.map { .within(.configuration(configuration.name), $0) }
        }
        before = []
        for composite in model.composites {
            var kinds: [ModelProblem.Kind] = before.insert(composite.name).inserted ? [] : [.duplicateName]
            if !composite.name.isModelIdentifier { kinds.append(.notAnIdentifier) }
            if let cycle = compositeCycle(from: composite.name) {
                kinds.append(.compositeCycle(cycle))
            } else if isTooDeep(composite) {
                kinds.append(.compositeTooDeep(limit: Self.compositeDepthLimit))
            }
            problems += kinds.map { .within(.composite(composite.name), $0) } + self.problems(ofElementsOf: composite)
        }
        return problems
    }

    private func problems(ofElementsOf composite: CompositeDescription) -> [ModelProblem.Kind] {
        var before: Set<String> = []
        return composite.elements.flatMap { element -> [ModelProblem.Kind] in
            var kinds: [ModelProblem.Kind] = before.insert(element.name).inserted ? [] : [.duplicateName]
            if !element.name.isModelIdentifier { kinds.append(.notAnIdentifier) }
            kinds += element.problems() + self.problems(ofCompositeOf: element)
            return kinds.map { .within(.element(element.name, ofComposite: composite.name), $0) }
        }
    }

    func problems(ofCompositeOf attribute: AttributeDescription) -> [ModelProblem.Kind] {
        guard let name = attribute.composite else { return [] }
        var problems: [ModelProblem.Kind] = attribute.type == .transformable ? [] : [.compositeType(attribute.type)]
        if composites[name] == nil {
            problems.append(.missingComposite(name, nearest: nearestName(to: name, in: composites.keys.sorted())))
        }
        return problems
    }

    /// The way from a composite by its elements back to itself; nil where there is none.
    ///
    /// Complexity: the number of elements of all composites that can be reached, whatever the ways between them.
    private func compositeCycle(from start: String) -> [String]? {
        var cameFrom: [String: String] = [:]
        var pending = [start]
        while let name = pending.popLast() {
            for next in (composites[name]?.elements ?? []).compactMap(\.composite) {
                if next == start {
                    var way = [start]
                    var step: String? = name
                    while let place = step, place != start {
                        way.insert(place, at: 0)
                        step = cameFrom[place]
                    }
                    return [start] + way
                }
                if cameFrom[next] == nil {
                    cameFrom[next] = name
                    pending.append(next)
                }
            }
        }
        return nil
    }

    /// How many levels of composites within composites there may be: what walks them recurses.
    static let compositeDepthLimit = 32

    private func isTooDeep(_ composite: CompositeDescription) -> Bool {
        var level: Set<String> = [composite.name]
        for _ in 0..<Self.compositeDepthLimit {
            level = Set(level.flatMap { (composites[$0]?.elements ?? []).compactMap(\.composite) })
            if level.isEmpty { return false }
        }
        return true
    }

    func problems(ofIndexesOf entity: Int) -> [ModelProblem.Kind] {
        var before: Set<String> = []
        return entities[entity].indexes.flatMap { index -> [ModelProblem.Kind] in
            var kinds: [ModelProblem.Kind] = before.insert(index.name).inserted ? [] : [.duplicateName]
            if index.elements.isEmpty { kinds.append(.emptyIndex) }
            for element in index.elements { kinds += problems(of: element.key, of: entity) }
            if let format = index.partialPredicateFormat {
                do throws(ObjectPredicateError) {
                    for path in try ObjectPredicate(format: format).keyPaths { kinds += problems(ofFirstKeyIn: path, of: entity) }
                } catch {
                    kinds.append(.predicate("\(error)"))
                }
            }
            return kinds.map { .within(.index(index.name), $0) }
        }
    }

    private func problems(of key: IndexDescription.Key, of entity: Int) -> [ModelProblem.Kind] {
        switch key {
        case .property(let name):
            switch property(name, of: entity)?.property {
            case nil: return problems(ofFirstKeyIn: [name], of: entity)
            case .attribute(let attribute): return attribute.isTransient ? [.unfitIndexKey(name)] : []
            case .relationship(let relationship): return relationship.isToMany ? [.unfitIndexKey(name)] : []
            case .fetched: return [.unfitIndexKey(name)]
            }
        case .expression(let text, _):
            do throws(ObjectPredicateError) {
                // An expression is one side of a comparison; written first, it keeps its positions in the message.
                return try ObjectPredicate(format: text + " == nil").keyPaths.flatMap { problems(ofFirstKeyIn: $0, of: entity) }
            } catch {
                return [.predicate("\(error)")]
            }
        }
    }

    private func problems(ofFirstKeyIn path: [String], of entity: Int) -> [ModelProblem.Kind] {
        guard let key = path.first, property(key, of: entity) == nil else { return [] }
        return [.unknownIndexKey(key, nearest: nearestName(to: key, in: propertyNames(of: entity)))]
    }
}

extension FetchRequestDescription {
    /// What is wrong in the request taken by itself.
    func problems() -> [ModelProblem.Kind] {
        var problems: [ModelProblem.Kind] = []
        if offset < 0 || limit ?? 0 < 0 { problems.append(.negativeWindow(limit: limit, offset: offset)) }
        if batchSize < 0 { problems.append(.negativeBatchSize(batchSize)) }
        if let predicateFormat {
            do throws(ObjectPredicateError) {
                _ = try ObjectPredicate(format: predicateFormat)
            } catch {
                problems.append(.predicate("\(error)"))
            }
        }
        if sort.contains(where: { $0.isEmpty || $0 == "-" }) { problems.append(.emptySortKey) }
        return problems
    }
}
