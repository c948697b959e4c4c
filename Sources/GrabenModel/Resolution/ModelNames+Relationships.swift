internal import GrabenPredicate

extension ModelNames {
    func problems(of relationship: RelationshipDescription, declaredBy owner: Int) -> [ModelProblem.Kind] {
        var problems: [ModelProblem.Kind] = []
        let (minimum, maximum) = (relationship.minCount, relationship.maxCount)
        problems += [minimum, maximum].filter { $0 < 0 }.map { .negativeCount($0) }
        if relationship.isToMany {
            if minimum >= 0, maximum > 0, minimum > maximum { problems.append(.countsReversed(minimum: minimum, maximum: maximum)) }
        } else {
            if relationship.isOrdered { problems.append(.orderedToOne) }
            if minimum > 1 || maximum > 1 { problems.append(.countsOfToOne(minimum: minimum, maximum: maximum)) }
        }
        guard let destination = byName[relationship.destination] else {
            let nearest = nearestEntity(to: relationship.destination)
            return problems + [.missingDestination(relationship.destination, nearest: nearest)]
        }
        if let inverse = relationship.inverse {
            problems += self.problems(of: relationship, declaredBy: owner, inverse: inverse, destination: destination)
        }
        return problems
    }

    /// What is wrong between the two sides as seen from one; the other side reports for itself.
    private func problems(
        of relationship: RelationshipDescription, declaredBy owner: Int, inverse: String, destination: Int
    ) -> [ModelProblem.Kind] {
        let name = relationship.destination
        guard let found = property(inverse, of: destination) else {
            let nearest = nearestName(to: inverse, in: propertyNames(of: destination))
            return [.missingInverse(inverse, destination: name, nearest: nearest)]
        }
        guard case .relationship(let other) = found.property else { return [.inverseIsNoRelationship(inverse, destination: name)] }
        var problems: [ModelProblem.Kind] = []
        if found.declaredBy != destination {
            problems.append(.inverseIsInherited(inverse, destination: name, declaredBy: entities[found.declaredBy].name))
        }
        if other.destination != entities[owner].name {
            problems.append(.inverseLeadsElsewhere(inverse, destination: name, leadsTo: other.destination))
        }
        if other.inverse != relationship.name {
            problems.append(.inverseDisagrees(inverse, destination: name, names: other.inverse))
        }
        if relationship.isToMany, relationship.isOrdered, other.isToMany, other.isOrdered {
            problems.append(.orderedOnBothSides(inverse: inverse, destination: name))
        }
        return problems
    }
}
