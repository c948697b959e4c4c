public import FoundationEssentials
public import GrabenLog

/// A type whose values an attribute can hold.
public protocol PrimitiveConvertible: SendableMetatype {
    /// The value as an attribute holds it.
    var primitiveValue: Value { get }
    /// The value of an attribute, or nil where it is of another kind.
    init?(primitiveValue: Value)
    /// What a field holds for an attribute without a value, where its type has no nil.
    static var missingPrimitive: Self { get }
}

extension Optional: PrimitiveConvertible where Wrapped: PrimitiveConvertible {
    /// What the wrapped value is held as; `.null` for nil.
    public var primitiveValue: Value { self?.primitiveValue ?? .null }
    /// nil of `.null`; else as the wrapped type reads it.
    public init?(primitiveValue: Value) {
        if primitiveValue.isNull {
            self = nil
        } else if let wrapped = Wrapped(primitiveValue: primitiveValue) {
            self = wrapped
        } else {
            return nil
        }
    }
    /// nil.
    public static var missingPrimitive: Wrapped? { nil }
}

extension Bool: PrimitiveConvertible {
    /// `.bool`.
    public var primitiveValue: Value { .bool(self) }
    /// The value of `.bool`; nil for any other kind.
    public init?(primitiveValue: Value) {
        guard case .bool(let value) = primitiveValue else { return nil }
        self = value
    }
    /// false.
    public static var missingPrimitive: Bool { false }
}

extension PrimitiveConvertible where Self: FixedWidthInteger {
    /// `.int`.
    public var primitiveValue: Value { .int(Int64(self)) }
    /// The value of `.int`; nil for any other kind, and for a number that does not fit.
    public init?(primitiveValue: Value) {
        guard case .int(let value) = primitiveValue, let exact = Self(exactly: value) else { return nil }
        self = exact
    }
    /// 0.
    public static var missingPrimitive: Self { 0 }
}
extension Int: PrimitiveConvertible {}
extension Int16: PrimitiveConvertible {}
extension Int32: PrimitiveConvertible {}
extension Int64: PrimitiveConvertible {}

extension Double: PrimitiveConvertible {
    /// `.double`.
    public var primitiveValue: Value { .double(self) }
    /// The value of `.double`; nil for any other kind.
    public init?(primitiveValue: Value) {
        guard case .double(let value) = primitiveValue else { return nil }
        self = value
    }
    /// 0.
    public static var missingPrimitive: Double { 0 }
}

extension Float: PrimitiveConvertible {
    /// `.float`.
    public var primitiveValue: Value { .float(self) }
    /// The value of `.float`; nil for any other kind.
    public init?(primitiveValue: Value) {
        guard case .float(let value) = primitiveValue else { return nil }
        self = value
    }
    /// 0.
    public static var missingPrimitive: Float { 0 }
}

extension String: PrimitiveConvertible {
    /// `.string`.
    public var primitiveValue: Value { .string(self) }
    /// The text of `.string` or `.uri`; nil for any other kind.
    public init?(primitiveValue: Value) {
        switch primitiveValue {
        case .string(let value), .uri(let value): self = value
        default: return nil
        }
    }
    /// The empty string.
    public static var missingPrimitive: String { "" }
}

extension Decimal: PrimitiveConvertible {
    /// `.decimal`.
    public var primitiveValue: Value { .decimal(self) }
    /// The value of `.decimal`; nil for any other kind.
    public init?(primitiveValue: Value) {
        guard case .decimal(let value) = primitiveValue else { return nil }
        self = value
    }
    /// 0.
    public static var missingPrimitive: Decimal { 0 }
}

extension Date: PrimitiveConvertible {
    /// `.date`.
    public var primitiveValue: Value { .date(self) }
    /// The value of `.date`; nil for any other kind.
    public init?(primitiveValue: Value) {
        guard case .date(let value) = primitiveValue else { return nil }
        self = value
    }
    /// The first instant of 2001.
    public static var missingPrimitive: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension Data: PrimitiveConvertible {
    /// `.data`.
    public var primitiveValue: Value { .data(self) }
    /// The value of `.data`; nil for any other kind.
    public init?(primitiveValue: Value) {
        guard case .data(let value) = primitiveValue else { return nil }
        self = value
    }
    /// No bytes.
    public static var missingPrimitive: Data { Data() }
}

extension UUID: PrimitiveConvertible {
    /// `.uuid`.
    public var primitiveValue: Value { .uuid(self) }
    /// The value of `.uuid`; nil for any other kind.
    public init?(primitiveValue: Value) {
        guard case .uuid(let value) = primitiveValue else { return nil }
        self = value
    }
    /// All zeros.
    public static var missingPrimitive: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension URL: PrimitiveConvertible {
    /// `.uri`.
    public var primitiveValue: Value { .uri(absoluteString) }
    /// The URL of `.uri`; nil for any other kind, and for text that is no URL.
    public init?(primitiveValue: Value) {
        guard case .uri(let text) = primitiveValue, let url = URL(string: text) else { return nil }
        self = url
    }
    /// The root of the file system.
    public static var missingPrimitive: URL { URL(filePath: "/") }
}

extension Value: PrimitiveConvertible {
    /// The value itself.
    public var primitiveValue: Value { self }
    /// The value itself, of whatever kind.
    public init?(primitiveValue: Value) { self = primitiveValue }
    /// `.null`.
    public static var missingPrimitive: Value { .null }
}
