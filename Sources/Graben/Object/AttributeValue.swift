public import FoundationEssentials
public import GrabenModel

/// A type that says by itself which kind of attribute holds its values.
///
/// `@Entity` makes an attribute of every stored property of such a type, or of an Optional of one. A type of a program's own conforms where
/// `@Attribute`, which takes every `RawRepresentable` and every `Codable` type, does not do.
public protocol AttributeValue: PrimitiveConvertible {
    /// The attribute's type.
    static var attributeType: AttributeType { get }
}

extension Bool: AttributeValue {
    /// `.boolean`.
    public static var attributeType: AttributeType { .boolean }
}
extension Int: AttributeValue {
    /// `.int64`.
    public static var attributeType: AttributeType { .int64 }
}
extension Int16: AttributeValue {
    /// `.int16`.
    public static var attributeType: AttributeType { .int16 }
}
extension Int32: AttributeValue {
    /// `.int32`.
    public static var attributeType: AttributeType { .int32 }
}
extension Int64: AttributeValue {
    /// `.int64`.
    public static var attributeType: AttributeType { .int64 }
}
extension Double: AttributeValue {
    /// `.double`.
    public static var attributeType: AttributeType { .double }
}
extension Float: AttributeValue {
    /// `.float`.
    public static var attributeType: AttributeType { .float }
}
extension Decimal: AttributeValue {
    /// `.decimal`.
    public static var attributeType: AttributeType { .decimal }
}
extension String: AttributeValue {
    /// `.string`.
    public static var attributeType: AttributeType { .string }
}
extension Date: AttributeValue {
    /// `.date`.
    public static var attributeType: AttributeType { .date }
}
extension Data: AttributeValue {
    /// `.data`.
    public static var attributeType: AttributeType { .data }
}
extension UUID: AttributeValue {
    /// `.uuid`.
    public static var attributeType: AttributeType { .uuid }
}
extension URL: AttributeValue {
    /// `.uri`.
    public static var attributeType: AttributeType { .uri }
}
