import FoundationEssentials
import GrabenLog

/// A value while a predicate is evaluated.
enum Operand {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    /// Seconds since 2001.
    case date(Double)
    case data(Data)
    case uuid(UUID)
    case reference(ObjectID)
    case object(any PredicateObject)
    case collection(OperandCollection)
    case dictionary([String: PredicateBinding])
}

/// Several values, and where they came from, which decides what may be done with them.
struct OperandCollection {
    enum Origin {
        /// A key path through a to-many relationship: needs a quantifier (D11).
        case path
        /// An attribute that holds several values.
        case attribute
        /// Written, bound or computed.
        case computed
    }
    var elements: [Operand]
    var isOrdered: Bool
    var origin: Origin
}

extension Operand {
    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let x): self = .bool(x)
        case .int(let x): self = .int(x)
        case .float(let x): self = .double(Double(x))
        case .double(let x): self = .double(x)
        case .decimal(let x): self = .decimal(x)
        case .string(let x), .uri(let x): self = .string(x)
        case .date(let x): self = .date(x.timeIntervalSinceReferenceDate)
        case .data(let x), .json(let x): self = .data(x)
        case .uuid(let x): self = .uuid(x)
        case .reference(let x): self = .reference(x)
        case .references(let ids):
            self = .collection(OperandCollection(elements: ids.map { .reference($0) }, isOrdered: true, origin: .computed))
        }
    }

    init(_ binding: PredicateBinding, origin: OperandCollection.Origin) {
        switch binding {
        case .value(let value): self.init(value)
        case .collection(let values):
            self = .collection(OperandCollection(elements: values.map { Operand($0) }, isOrdered: true, origin: origin))
        case .object(let object): self = .object(object)
        case .dictionary(let members): self = .dictionary(members)
        case .list(let members):
            self = .collection(OperandCollection(elements: members.map { Operand($0, origin: origin) }, isOrdered: true, origin: origin))
        }
    }

    init(_ literal: PredicateLiteral) {
        switch literal {
        case .value(let value): self.init(value)
        case .collection(let members): self = .list(members.map { Operand($0) })
        }
    }

    static func list(_ elements: [Operand]) -> Operand {
        .collection(OperandCollection(elements: elements, isOrdered: true, origin: .computed))
    }

    var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    var isCollection: Bool {
        if case .collection = self { return true }
        return false
    }

    /// What a registered function is given; nil where it is nothing a function can take.
    var literal: PredicateLiteral? {
        switch self {
        case .object(let object):
            return object.predicateIdentity.map { .value(.reference($0)) }
        case .collection(let collection):
            var members: [PredicateLiteral] = []
            for element in collection.elements {
                guard let member = element.literal else { return nil }
                members.append(member)
            }
            return .collection(members)
        default: return value.map { .value($0) }
        }
    }

    /// The operand as a stored value; nil for objects and collections.
    var value: Value? {
        switch self {
        case .null: .null
        case .bool(let x): .bool(x)
        case .int(let x): .int(x)
        case .double(let x): .double(x)
        case .decimal(let x): .decimal(x)
        case .string(let x): .string(x)
        case .date(let x): .date(Date(timeIntervalSinceReferenceDate: x))
        case .data(let x): .data(x)
        case .uuid(let x): .uuid(x)
        case .reference(let x): .reference(x)
        case .object, .collection, .dictionary: nil
        }
    }

    /// What kind of thing it is, for errors.
    var kindName: String {
        switch self {
        case .null: "nil"
        case .bool, .int, .double, .decimal: "a number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .uuid: "a UUID"
        case .reference, .object: "an object"
        case .collection: "a collection"
        case .dictionary: "a dictionary"
        }
    }
}

extension PredicateFamily {
    var kindName: String {
        switch self {
        case .number: "a number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .uuid: "a UUID"
        }
    }
}

/// Why an operation cannot be carried out; where it stands is added by whoever knows.
struct OperandProblem: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}
