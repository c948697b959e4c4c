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

/// How a class reads and writes an attribute it keeps in a stored property of its own.
///
/// Firing a fault, refresh, rollback, undo, redo and merge write through it; save and keyed access read through it.
public struct PrimitiveAccessor: Sendable {
    /// The attribute's name.
    public let key: String
    let get: @Sendable (ManagedObject) -> Value
    let set: @Sendable (ManagedObject, Value) -> Void

    /// Names an attribute and the key path of its primitive accessor.
    public init<R: ManagedObject, V: PrimitiveConvertible>(_ key: String, _ path: ReferenceWritableKeyPath<R, V> & Sendable) {
        self.key = key
        get = { object in (object as? R)?[keyPath: path].primitiveValue ?? .null }
        set = { object, value in
            guard let object = object as? R else { return }
            object[keyPath: path] = V(primitiveValue: value) ?? V.missingPrimitive
        }
    }

    /// Names an attribute and two closures that read and write its field; about ten times faster than a key path.
    public init<R: ManagedObject, V: PrimitiveConvertible>(
        _ key: String, get: @escaping @Sendable (R) -> V, set: @escaping @Sendable (R, V) -> Void
    ) {
        self.key = key
        self.get = { object in (object as? R).map { get($0).primitiveValue } ?? .null }
        self.set = { object, value in
            guard let object = object as? R else { return }
            set(object, V(primitiveValue: value) ?? V.missingPrimitive)
        }
    }
}

extension Optional: PrimitiveConvertible where Wrapped: PrimitiveConvertible {
    public var primitiveValue: Value { self?.primitiveValue ?? .null }
    public init?(primitiveValue: Value) {
        if primitiveValue.isNull {
            self = nil
        } else if let wrapped = Wrapped(primitiveValue: primitiveValue) {
            self = wrapped
        } else {
            return nil
        }
    }
    public static var missingPrimitive: Wrapped? { nil }
}

extension Bool: PrimitiveConvertible {
    public var primitiveValue: Value { .bool(self) }
    public init?(primitiveValue: Value) {
        guard case .bool(let value) = primitiveValue else { return nil }
        self = value
    }
    public static var missingPrimitive: Bool { false }
}

extension PrimitiveConvertible where Self: FixedWidthInteger {
    public var primitiveValue: Value { .int(Int64(self)) }
    public init?(primitiveValue: Value) {
        guard case .int(let value) = primitiveValue, let exact = Self(exactly: value) else { return nil }
        self = exact
    }
    public static var missingPrimitive: Self { 0 }
}
extension Int: PrimitiveConvertible {}
extension Int16: PrimitiveConvertible {}
extension Int32: PrimitiveConvertible {}
extension Int64: PrimitiveConvertible {}

extension Double: PrimitiveConvertible {
    public var primitiveValue: Value { .double(self) }
    public init?(primitiveValue: Value) {
        guard case .double(let value) = primitiveValue else { return nil }
        self = value
    }
    public static var missingPrimitive: Double { 0 }
}

extension Float: PrimitiveConvertible {
    public var primitiveValue: Value { .float(self) }
    public init?(primitiveValue: Value) {
        guard case .float(let value) = primitiveValue else { return nil }
        self = value
    }
    public static var missingPrimitive: Float { 0 }
}

extension String: PrimitiveConvertible {
    public var primitiveValue: Value { .string(self) }
    public init?(primitiveValue: Value) {
        switch primitiveValue {
        case .string(let value), .uri(let value): self = value
        default: return nil
        }
    }
    public static var missingPrimitive: String { "" }
}

extension Decimal: PrimitiveConvertible {
    public var primitiveValue: Value { .decimal(self) }
    public init?(primitiveValue: Value) {
        guard case .decimal(let value) = primitiveValue else { return nil }
        self = value
    }
    public static var missingPrimitive: Decimal { 0 }
}

extension Date: PrimitiveConvertible {
    public var primitiveValue: Value { .date(self) }
    public init?(primitiveValue: Value) {
        guard case .date(let value) = primitiveValue else { return nil }
        self = value
    }
    public static var missingPrimitive: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension Data: PrimitiveConvertible {
    public var primitiveValue: Value { .data(self) }
    public init?(primitiveValue: Value) {
        guard case .data(let value) = primitiveValue else { return nil }
        self = value
    }
    public static var missingPrimitive: Data { Data() }
}

extension UUID: PrimitiveConvertible {
    public var primitiveValue: Value { .uuid(self) }
    public init?(primitiveValue: Value) {
        guard case .uuid(let value) = primitiveValue else { return nil }
        self = value
    }
    public static var missingPrimitive: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension URL: PrimitiveConvertible {
    public var primitiveValue: Value { .uri(absoluteString) }
    public init?(primitiveValue: Value) {
        guard case .uri(let text) = primitiveValue, let url = URL(string: text) else { return nil }
        self = url
    }
    public static var missingPrimitive: URL { URL(filePath: "/") }
}

extension Value: PrimitiveConvertible {
    public var primitiveValue: Value { self }
    public init?(primitiveValue: Value) { self = primitiveValue }
    public static var missingPrimitive: Value { .null }
}
