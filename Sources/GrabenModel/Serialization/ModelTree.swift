/// A model, or a part of one, as plain data: what its JSON form and its place in a store's catalog have in common.
package indirect enum ModelTree: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([ModelTree])
    case map([String: ModelTree])
}

extension ModelTree {
    /// What kind of thing it is, for messages about a thing of another kind.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .int, .double: "a number"
        case .string: "text"
        case .array: "a list"
        case .map: "an object"
        }
    }
}
