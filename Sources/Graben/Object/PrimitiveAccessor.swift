import GrabenLog
import GrabenModel

/// How a class reads and writes an attribute it keeps in a stored property of its own.
///
/// Firing a fault, refresh, rollback, undo, redo and merge write through it; save and keyed access read through it.
public struct PrimitiveAccessor: Sendable {
    /// The attribute's name.
    public let key: String
    let get: @Sendable (ManagedObject) -> Value
    let set: @Sendable (ManagedObject, Value) -> Void
    /// The type of attribute whose values the field holds; nil where its type does not say.
    let attributeType: AttributeType?
    /// Whether the field can hold nil.
    let isOptional: Bool

    /// Names an attribute and the key path of its primitive accessor.
    public init<R: ManagedObject, V: PrimitiveConvertible>(_ key: String, _ path: ReferenceWritableKeyPath<R, V> & Sendable) {
        self.init(key, get: { (object: R) in object[keyPath: path] }, set: { $0[keyPath: path] = $1 })
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
        let optional = V.self as? any OptionalField.Type
        isOptional = optional != nil
        attributeType = ((optional?.wrapped ?? V.self) as? any AttributeValue.Type)?.attributeType
    }
}

/// Says of a type that it is an Optional, and of what.
private protocol OptionalField {
    static var wrapped: Any.Type { get }
}
extension Optional: OptionalField {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}
