import FoundationEssentials
public import GrabenLog
public import GrabenModel

/// How an attribute holds values of a Swift type: as they are, by their raw value, or as JSON.
///
/// The three come in this order where a type could be held in several ways: a `String` is text though it is `Codable`, and an enum with raw
/// values is its raw value. Declarations made by `@Entity` ask here, so that the compiler decides by the type itself, aliases included.
public enum AttributeCoding {
    /// The attribute type that holds values of a type.
    public static func type<V: AttributeValue>(of type: V.Type) -> AttributeType { V.attributeType }
    /// The attribute type that holds the raw values of a type.
    public static func type<V: RawRepresentable>(of type: V.Type) -> AttributeType where V.RawValue: AttributeValue {
        V.RawValue.attributeType
    }
    /// `.transformable`: JSON.
    @_disfavoredOverload
    public static func type<V: Codable>(of type: V.Type) -> AttributeType { .transformable }

    /// A value as an attribute holds it.
    public static func value<V: AttributeValue>(_ value: V) -> Value { value.primitiveValue }
    /// A raw value as an attribute holds it.
    public static func value<V: RawRepresentable>(_ value: V) -> Value where V.RawValue: AttributeValue { value.rawValue.primitiveValue }
    /// A value as JSON; `.null` where it cannot be encoded, which its first use reports.
    @_disfavoredOverload
    public static func value<V: Codable>(_ value: V) -> Value { (try? json(value)).map { .json($0) } ?? .null }

    static func json<V: Encodable>(_ value: V) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }

    static func decoded<V: Decodable>(_ json: Data) throws -> V { try JSONDecoder().decode(V.self, from: json) }
}
