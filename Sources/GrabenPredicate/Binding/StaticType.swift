/// What is known of an expression's values before any object is looked at.
indirect enum StaticType {
    /// Anything.
    case unknown
    case null
    /// One value of an attribute's family, or of some family where none is named; or nil.
    case scalar(PredicateFamily?)
    case object(any PredicateSchema)
    case collection(StaticType, isOrdered: Bool, OperandCollection.Origin)

    init(_ operand: Operand) {
        switch operand {
        case .null: self = .null
        case .bool, .int, .double, .decimal: self = .scalar(.number)
        case .string: self = .scalar(.string)
        case .date: self = .scalar(.date)
        case .data: self = .scalar(.data)
        case .uuid: self = .scalar(.uuid)
        case .object(let object): self = .object(object.predicateSchema)
        case .reference, .dictionary: self = .unknown
        case .collection(let collection): self = .collection(.unknown, isOrdered: collection.isOrdered, collection.origin)
        }
    }

    /// The type of a collection's members; anything else's is not known.
    var member: StaticType {
        if case .collection(let member, _, _) = self { return member }
        return .unknown
    }

    var name: String? {
        switch self {
        case .unknown, .null, .scalar(nil): nil
        case .scalar(let family?): family.kindName
        case .object: "an object"
        case .collection: "a collection"
        }
    }

    fileprivate var origin: OperandCollection.Origin? {
        if case .collection(_, _, let origin) = self { return origin }
        return nil
    }
}

extension PredicateOperator {
    /// Why the operator cannot be applied to sides of these types, whatever their values; nil where it may (D2, D11).
    func refusal(_ left: StaticType, _ right: StaticType) -> String? {
        if left.origin == .path, self != .contains { return toManyRefusal("left") }
        if right.origin == .path, self != .in { return toManyRefusal("right") }
        guard let leftName = left.name, let rightName = right.name else { return nil }
        switch self {
        case .equal, .notEqual:
            if left.origin == .attribute, right.origin == nil { return toManyRefusal("left") }
            if right.origin == .attribute, left.origin == nil { return toManyRefusal("right") }
            return nil
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if case .scalar(let x) = left, case .scalar(let y) = right, x == y, x == .number || x == .string || x == .date { return nil }
            return "\(leftName) and \(rightName) have no order between them"
        case .beginsWith, .endsWith, .like, .matches:
            if case .scalar(.string) = left, case .scalar(.string) = right { return nil }
            return "\(rawValue) compares strings, not \(leftName) with \(rightName)"
        case .between:
            if case .collection = right { return nil }
            return "BETWEEN takes two bounds, {low, high}, not \(rightName)"
        case .in:
            return Self.membership(left, leftName, right, rightName).map { "IN takes a collection or a string on its right, not \($0)" }
        case .contains:
            return Self.membership(right, rightName, left, leftName).map {
                "CONTAINS takes a collection or a string on its left, not \($0)"
            }
        }
    }

    private static func membership(_ part: StaticType, _ partName: String, _ whole: StaticType, _ wholeName: String) -> String? {
        switch whole {
        case .collection: return nil
        case .scalar(.string):
            if case .scalar(.string) = part { return nil }
            return "\(wholeName) with \(partName)"
        default: return wholeName
        }
    }

    private func toManyRefusal(_ side: String) -> String {
        "the \(side) side of \(rawValue) has many values; say which must match with ANY, ALL or NONE, or use CONTAINS or IN"
    }
}
