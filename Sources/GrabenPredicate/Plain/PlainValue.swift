import GrabenLog

/// Data with names and no model, such as JSON: what a plain record is made of.
package indirect enum PlainValue: Sendable {
    case value(Value)
    case array([PlainValue])
    /// Names and values, each name once.
    case object([PlainField])
}

/// A name and its value.
package typealias PlainField = (key: String, value: PlainValue)

extension PredicateBinding {
    /// Plain data as a variable takes it: objects can be asked for their keys, arrays are lists.
    package init(_ value: PlainValue, name: String = "object") {
        switch value {
        case .value(let value): self = .value(value)
        case .array(let members): self = .list(members.map { PredicateBinding($0, name: name) })
        case .object(let fields): self = .object(PlainRecord(fields, name: name))
        }
    }
}

extension PredicateLiteral {
    /// Plain data as a constant; nil where there is an object in it, which no constant holds.
    package init?(_ value: PlainValue) {
        switch value {
        case .value(let value): self = .value(value)
        case .array(let members):
            var literals: [PredicateLiteral] = []
            for member in members {
                guard let literal = PredicateLiteral(member) else { return nil }
                literals.append(literal)
            }
            self = .collection(literals)
        case .object: return nil
        }
    }
}
