public import GrabenLog

/// A row of a result of dictionaries: values by the names of the request's columns.
///
/// It is a value, of no context, and as the stores had it.
public struct FetchedDictionary: Sendable, Equatable, CustomStringConvertible {
    /// The names of the columns, in the request's order.
    public let names: [String]
    /// The values, in the order of the names.
    public let values: [Value]

    init(names: [String], values: [Value]) {
        self.names = names
        self.values = values
    }

    /// The value of a column, `.null` for nil; nil where there is no column of that name. Complexity: O(columns).
    public subscript(name: String) -> Value? { names.firstIndex(of: name).map { values[$0] } }

    /// The value of a column as a type; nil where there is none, or one of another type.
    public func value<V: PrimitiveConvertible>(_ name: String, as type: V.Type = V.self) -> V? {
        self[name].flatMap { V(primitiveValue: $0) }
    }

    /// Names and values.
    public var dictionary: [String: Value] { Dictionary(zip(names, values)) { first, _ in first } }

    /// Names and values in the order of the columns.
    public var description: String {
        "[" + zip(names, values).map { "\($0): \($1.summary)" }.joined(separator: ", ") + "]"
    }
}
