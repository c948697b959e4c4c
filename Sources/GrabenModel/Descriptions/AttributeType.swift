internal import FoundationEssentials
public import GrabenLog

/// What kind of value an attribute holds.
///
/// The raw value is the type's name in the JSON form of a model.
public enum AttributeType: String, Sendable, Hashable, CaseIterable {
    case int16, int32, int64
    case double, float, decimal
    case boolean
    case string
    case date
    case data
    case uuid
    case uri
    /// Any `Codable` value, kept as JSON with sorted keys.
    case transformable
}

extension AttributeType {
    /// Whether an attribute of this type can be a lane of a column.
    public var isPackable: Bool { self == .double || self == .float }

    /// Whether `minimum` and `maximum` mean something for this type.
    public var isOrdered: Bool {
        switch self {
        case .int16, .int32, .int64, .double, .float, .decimal, .date: true
        case .boolean, .string, .data, .uuid, .uri, .transformable: false
        }
    }

    /// Whether `minimumLength` and `maximumLength` mean something for this type.
    public var hasLength: Bool { self == .string || self == .data || self == .uri }

    /// The integers this type can hold; nil for every type that is no integer.
    public var integerRange: ClosedRange<Int64>? {
        switch self {
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        case .int64: Int64.min...Int64.max
        default: nil
        }
    }

    /// The value as an attribute of this type holds it, or nil where it is of another kind or out of range; `.null` stays `.null`.
    ///
    /// Only what a literal cannot spell is converted: an integer becomes a Double, Float or Decimal attribute's number, a Double becomes
    /// a Float attribute's number, text becomes a URI. So `defaultValue: 0` is right for every numeric type.
    public func normalized(_ value: Value) -> Value? {
        switch (self, value) {
        case (_, .null): .null
        case (.int16, .int(let number)), (.int32, .int(let number)), (.int64, .int(let number)):
            // Not `nil` in a conditional: `Value` has a nil literal of its own, and null is a value.
            integerRange?.contains(number) == true ? value : Value?.none
        case (.double, .double), (.float, .float), (.decimal, .decimal), (.boolean, .bool), (.string, .string), (.date, .date),
            (.data, .data), (.uuid, .uuid), (.uri, .uri), (.transformable, .json):
            value
        case (.double, .int(let number)): .double(Double(number))
        case (.double, .float(let number)): .double(Double(number))
        case (.float, .int(let number)): .float(Float(number))
        case (.float, .double(let number)): .float(Float(number))
        case (.decimal, .int(let number)): .decimal(Decimal(number))
        case (.uri, .string(let text)): .uri(text)
        default: nil
        }
    }

    /// Whether `a` sorts before `b`, both being normalized values of this type; false where they cannot be compared.
    package func isLess(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.int(let x), .int(let y)): x < y
        case (.double(let x), .double(let y)): x < y
        case (.float(let x), .float(let y)): x < y
        case (.decimal(let x), .decimal(let y)): x < y
        case (.date(let x), .date(let y)): x < y
        default: false
        }
    }
}

extension AttributeType {
    /// The Swift type that holds its values as they are; nil for a transformable, which any type may.
    package var swiftName: String? {
        switch self {
        case .int16: "Int16"
        case .int32: "Int32"
        case .int64: "Int64"
        case .double: "Double"
        case .float: "Float"
        case .decimal: "Decimal"
        case .boolean: "Bool"
        case .string: "String"
        case .date: "Date"
        case .data: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .transformable: nil
        }
    }
}
