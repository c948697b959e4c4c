public import GrabenLog

/// What an object held at one moment: a value that may go anywhere, unlike the object.
///
///     let frozen = joint.frozen()
///     Task.detached { report(frozen.name, frozen["z"], frozen.objectID) }
///
/// Attributes, transient ones included, to-ones as references, and the ids of those to-manys that were asked for. Two are equal when they
/// are of the same object and hold the same.
@dynamicMemberLookup
public struct FrozenObject<Object: ManagedObject>: Sendable, Equatable {
    /// The object's id.
    public let objectID: ObjectID
    /// The name of its entity.
    public let entityName: String
    /// Its values by property; `.null` for nil.
    public let values: [String: Value]

    /// The value of a property; nil where it is not among those that were frozen. Complexity: O(1).
    public subscript(key: String) -> Value? { values[key] }

    /// The value of the property that a key path of the class reads, as its type; nil also where it was not frozen.
    ///
    /// Complexity: O(properties of the class).
    public subscript<V: PrimitiveConvertible>(dynamicMember path: KeyPath<Object, V>) -> V? { value(at: path) }

    /// The value of the property that a key path of the class reads, as its type; nil also where it was not frozen.
    ///
    /// Complexity: O(properties of the class).
    public subscript<V: PrimitiveConvertible>(dynamicMember path: KeyPath<Object, V?>) -> V? { value(at: path) }

    /// The id that a to-one of the class refers to.
    ///
    /// Complexity: O(properties of the class).
    public subscript<T: ManagedObject>(dynamicMember path: KeyPath<Object, T?>) -> ObjectID? {
        guard case .reference(let id)? = frozen(at: path) else { return nil }
        return id
    }

    private func value<V: PrimitiveConvertible>(at path: AnyKeyPath) -> V? { frozen(at: path).flatMap { V(primitiveValue: $0) } }

    private func frozen(at path: AnyKeyPath) -> Value? {
        guard let names = try? ManagedObject.propertyNames(for: path), names.count == 1 else { return nil }
        return values[names[0]]
    }
}

extension Fetchable {
    /// What the object holds now, as a value that may go anywhere. Fires its fault; announces no access.
    ///
    /// Complexity: O(properties).
    public func frozen() -> FrozenObject<Self> { FrozenObject(objectID: objectID, entityName: entity.name, values: frozenValues([])) }

    /// What the object holds now, with the ids of the members of these to-manys.
    ///
    /// - Throws: `GrabenError.unknownKey`; `.invalidRequest` where a name is no to-many's.
    /// - Complexity: O(properties + members).
    public func frozen(members names: [String]) throws(GrabenError) -> FrozenObject<Self> {
        var numbers: [Int] = []
        for name in names {
            let property = info.properties[try info.number(name)]
            guard property.kind == .toMany else {
                throw .invalidRequest(reason: "freezing a \(info.name): \(name) has no members; everything else is frozen anyway")
            }
            numbers.append(property.number)
        }
        return FrozenObject(objectID: objectID, entityName: entity.name, values: frozenValues(numbers))
    }
}

extension ManagedObject {
    fileprivate final func frozenValues(_ toManys: [Int]) -> [String: Value] {
        fireIfNeeded()
        var values: [String: Value] = [:]
        for property in info.properties {
            switch property.kind {
            case .attribute, .packed, .transient, .toOne: values[property.name] = primitive(property.number)
            case .toMany: if toManys.contains(property.number) { values[property.name] = .references(memberIDs(property.number)) }
            case .fetched: break
            }
        }
        return values
    }
}
