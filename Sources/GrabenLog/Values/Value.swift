public import FoundationEssentials

/// A value of an attribute, or the ids a relationship refers to.
///
/// Two values are equal when their stored bytes are, except that NaN equals itself: 0 and -0 differ, and so do two Unicode normal forms
/// of one string, because an edit from one to the other must not be lost.
public enum Value: Sendable {
    case null
    case bool(Bool)
    /// Int16, Int32 and Int64 attributes.
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    /// A URI as text, exactly as given.
    case uri(String)
    /// A transformable value: JSON in UTF-8 with sorted keys.
    case json(Data)
    /// The object a to-one relationship refers to.
    case reference(ObjectID)
    /// The members of a to-many relationship; in order where the relationship is ordered, else by id.
    case references([ObjectID])

    /// Whether the value is `.null`.
    @inlinable public var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}

extension Value {
    /// The objects a reference or references lead to; none for other values.
    package var objectIDs: [ObjectID] {
        switch self {
        case .reference(let id): [id]
        case .references(let ids): ids
        default: []
        }
    }
}

extension Value: Equatable {
    /// Compares stored bytes; NaN equals itself.
    public static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern || (x.isNaN && y.isNaN)
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern || (x.isNaN && y.isNaN)
        case (.decimal(let x), .decimal(let y)): x == y
        case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
        case (.date(let x), .date(let y)):
            Value.double(x.timeIntervalSinceReferenceDate) == .double(y.timeIntervalSinceReferenceDate)
        case (.data(let x), .data(let y)): x == y
        case (.uuid(let x), .uuid(let y)): x == y
        case (.uri(let x), .uri(let y)): x.utf8.elementsEqual(y.utf8)
        case (.json(let x), .json(let y)): x == y
        case (.reference(let x), .reference(let y)): x == y
        case (.references(let x), .references(let y)): x == y
        default: false
        }
    }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// A null.
    public init(nilLiteral: ()) { self = .null }
    /// A bool.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A double.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
}
