internal import GrabenPredicate

extension ModelNames {
    /// What is wrong in the expression of a derived attribute: its form, and every key it follows.
    func problems(ofDerivationOf attribute: AttributeDescription, declaredBy entity: Int) -> [ModelProblem.Kind] {
        guard let text = attribute.derivationExpression else { return [] }
        let derivation: Derivation
        do {
            derivation = try Derivation(text)
        } catch {
            return [.derivation("its derivation cannot be used: \(error.reason)")]
        }
        switch derivation {
        case .now: return []
        case .value(let path, _): return problems(of: path, from: entity, toMany: nil)
        case .count(let path): return problems(of: path, from: entity, toMany: path.count - 1)
        case .aggregate(_, let path, let key): return problems(of: path + key, from: entity, toMany: path.count - 1)
        }
    }

    /// Walks a path whose key at `toMany` leads to many objects, keys before another to one, and whose last one is an attribute (or, of a
    /// count, that relationship itself).
    private func problems(of path: [String], from start: Int, toMany: Int?) -> [ModelProblem.Kind] {
        var entity = start
        for (place, key) in path.enumerated() {
            let name = entities[entity].name
            func unfit(_ wanted: String) -> [ModelProblem.Kind] { [.unfitDerivationKey(key, entity: name, wanted: wanted)] }
            switch property(key, of: entity)?.property {
            case nil:
                return [.unknownDerivationKey(key, entity: name, nearest: nearestName(to: key, in: propertyNames(of: entity)))]
            case .attribute(let attribute)?:
                if place == toMany { return unfit("a to-many relationship") }
                // What follows an attribute of JSON is the attribute's affair.
                return place == path.count - 1 || attribute.type == .transformable ? [] : unfit("a to-one relationship")
            case .fetched?: return unfit("stored")
            case .relationship(let relationship)?:
                if place == toMany, !relationship.isToMany { return unfit("to-many") }
                if place != toMany, relationship.isToMany { return unfit("to one object") }
                if place == path.count - 1, place != toMany { return unfit("an attribute") }
                // A destination that does not exist is the relationship's own problem.
                guard let destination = byName[relationship.destination] else { return [] }
                entity = destination
            }
        }
        return []
    }
}
