import GrabenLog

extension PredicateOperator {
    /// Whether the operator gives an answer for all values of these sides: no pair of them is refused (D2, D11).
    ///
    /// False where that is not known. Plans may leave out objects on which a comparison would fail only if it never does.
    func alwaysAnswers(_ left: StaticType, _ right: BoundValue) -> Bool {
        if case .unknown = left { return false }
        if case .unknown = right.type, right.constant == nil { return false }
        switch self {
        case .equal, .notEqual: return left.isSingle && right.type.isSingle
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return left.isOrdered(with: right.type)
        case .between:
            guard case .collection(let bounds)? = right.constant, bounds.elements.count == 2 else { return false }
            return bounds.elements.allSatisfy { left.isOrdered(with: StaticType($0)) }
        case .in:
            if case .collection(let list)? = right.constant { return left.isSingle && list.origin == .computed }
            return left.isText && right.type.isText
        case .contains: return left.isText && right.type.isText
        case .beginsWith, .endsWith: return left.isText && right.type.isText
        // A constant pattern was looked at when the predicate was bound; others may be refused.
        case .like: return left.isText && right.type.isText && right.constant != nil
        case .matches: return false
        }
    }
}

extension StaticType {
    /// One value of a kind that is known, or nil.
    fileprivate var isSingle: Bool {
        switch self {
        case .null, .scalar(.some), .object: true
        case .unknown, .scalar(nil), .collection: false
        }
    }

    fileprivate var isText: Bool {
        switch self {
        case .null, .scalar(.string): true
        default: false
        }
    }

    fileprivate func isOrdered(with other: StaticType) -> Bool {
        switch (self, other) {
        case (.null, .null), (.null, .scalar(.some)), (.scalar(.some), .null): true
        case (.scalar(let a?), .scalar(let b?)): a == b && (a == .number || a == .string || a == .date)
        default: false
        }
    }
}

extension PredicateStep {
    /// Whether the step can be taken from all values of a type.
    func alwaysAnswers(_ type: StaticType) -> Bool {
        switch self {
        case .key:
            switch type {
            case .object: return true
            // Of members that are objects; a key of anything else may turn out not to be there.
            case .collection(.object, _, _): return true
            default: return false
            }
        case .collection(.count, let keys):
            if case .collection = type { return keys.isEmpty }
            return false
        default: return false
        }
    }
}
