internal import GrabenModel
internal import GrabenPredicate

/// The types that the variables of a predicate have, as far as what they are compared with tells: `parent == $parent` wants a parent.
struct VariableTypes {
    let model: ResolvedModel
    let plans: [ClassPlan]
    /// The entity whose objects the predicate is about.
    let entity: Entity
    /// The variables in the order in which they occur; nil where nothing tells, or two places tell different things.
    private(set) var found: [(name: String, type: String?)] = []

    init(of predicate: ObjectPredicate, about entity: Entity, _ model: ResolvedModel, _ plans: [ClassPlan]) {
        self.model = model
        self.plans = plans
        self.entity = entity
        visit(predicate.root)
        let told = found
        found = []
        // What occurs inside functions, arithmetic and subqueries has no place above.
        for (name, _) in told + predicate.variableNames.sorted().map({ ($0, nil) }) where !found.contains(where: { $0.name == name }) {
            let types = Set(told.filter { $0.name == name }.compactMap(\.type))
            found.append((name, types.count == 1 && told.allSatisfy { $0.name != name || $0.type != nil } ? types.first : nil))
        }
        found.removeAll { !predicate.variableNames.contains($0.name) }
    }

    private mutating func visit(_ node: PredicateNode) {
        switch node {
        case .constant: break
        case .not(let inner): visit(inner)
        case .and(let members), .or(let members):
            for member in members { visit(member) }
        case .comparison(let comparison): visit(comparison)
        }
    }

    private mutating func visit(_ comparison: PredicateComparison) {
        switch comparison.comparison {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            note(comparison.left, self.type(of: comparison.right))
            note(comparison.right, self.type(of: comparison.left))
        case .between:
            note(comparison.left, nil)
            note(comparison.right, self.type(of: comparison.left).map { "ClosedRange<\($0)>" }, members: self.type(of: comparison.left))
        case .in:
            noteMember(comparison.left, of: comparison.right)
        case .contains:
            noteMember(comparison.right, of: comparison.left)
        case .beginsWith, .endsWith, .like, .matches:
            note(comparison.left, "String")
            note(comparison.right, "String")
        }
    }

    private mutating func noteMember(_ member: ValueExpression, of collection: ValueExpression) {
        let type = self.type(of: collection)
        // A text is in a text; an object is among the members of a relationship.
        note(member, type)
        note(collection, self.type(of: member).map { "[\($0)]" }, members: self.type(of: member))
    }

    private mutating func note(_ expression: ValueExpression, _ type: String?, members: String? = nil) {
        switch expression {
        case .variable(let name): found.append((name, type))
        case .aggregate(let expressions):
            for expression in expressions { note(expression, members) }
        default: break
        }
    }

    /// The type of what an expression yields; of a to-many relationship, that of its members. nil where it cannot be told.
    private func type(of expression: ValueExpression) -> String? {
        guard case .path(.object, let steps) = expression else { return expression == .object ? plans[entity.index].typeName : nil }
        var current = entity
        for (place, step) in steps.enumerated() {
            let isLast = place == steps.count - 1
            switch step {
            case .key(let key):
                guard let property = current.property(named: key) else { return nil }
                if let attribute = property.attribute { return isLast ? attribute.argumentType : nil }
                guard let destination = model.destination(of: property) else { return nil }
                current = destination
            case .collection(.count, _), .size: return "Int"
            case .first, .last, .index: break
            case .collection: return nil
            }
        }
        return plans[current.index].typeName
    }
}

extension AttributeDescription {
    /// The type of a value that is compared with the attribute; nil where none can be.
    fileprivate var argumentType: String? {
        // Predicates compare URIs as texts.
        type == .uri ? "String" : type.swiftName
    }
}
