/// A predicate: what is true or false of an object.
///
/// Predicates and values are two types, so a tree in which one stands in the other's place cannot be written. AND and OR hold any number
/// of members, which keeps a chain of a hundred thousand comparisons one level deep: nothing that walks or releases a tree that came from
/// a format string recurses deeper than the nesting limit allows.
package indirect enum PredicateNode: Sendable, Equatable {
    case constant(Bool)
    case not(PredicateNode)
    /// At least two members, none of them an `.and`; see `all(_:)`.
    case and([PredicateNode])
    /// At least two members, none of them an `.or`; see `any(_:)`.
    case or([PredicateNode])
    case comparison(PredicateComparison)
}

/// One comparison, with its quantifier.
package struct PredicateComparison: Sendable, Equatable {
    package var quantifier: PredicateQuantifier?
    package var left: ValueExpression
    package var comparison: PredicateOperator
    package var options: PredicateStringOptions
    package var right: ValueExpression

    package init(
        quantifier: PredicateQuantifier? = nil, left: ValueExpression, comparison: PredicateOperator,
        options: PredicateStringOptions = [], right: ValueExpression
    ) {
        self.quantifier = quantifier
        self.left = left
        self.comparison = comparison
        self.options = options
        self.right = right
    }
}

/// How many members of the left side must satisfy a comparison; SOME is ANY (D10).
package enum PredicateQuantifier: String, Sendable {
    case any = "ANY"
    case all = "ALL"
    case none = "NONE"
}

extension PredicateNode {
    /// The conjunction of members, flattened: no members are true, one member is itself.
    package static func all(_ members: [PredicateNode]) -> PredicateNode {
        var flat: [PredicateNode] = []
        flat.reserveCapacity(members.count)
        for member in members {
            if case .and(let inner) = member { flat += inner } else { flat.append(member) }
        }
        if flat.count == 1 { return flat[0] }
        return flat.isEmpty ? .constant(true) : .and(flat)
    }

    /// The disjunction of members, flattened: no members are false, one member is itself.
    package static func any(_ members: [PredicateNode]) -> PredicateNode {
        var flat: [PredicateNode] = []
        flat.reserveCapacity(members.count)
        for member in members {
            if case .or(let inner) = member { flat += inner } else { flat.append(member) }
        }
        if flat.count == 1 { return flat[0] }
        return flat.isEmpty ? .constant(false) : .or(flat)
    }
}
