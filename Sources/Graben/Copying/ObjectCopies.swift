public import GrabenLog

/// Which objects a copy takes in besides those it is given.
public enum CopyExtent: Sendable, Equatable {
    /// None.
    case given
    /// What these relationships lead to, and what those lead to from there: by name (`outgoing`), or by entity and name (`Joint.outgoing`).
    case following([String])
    /// Whatever any relationship leads to.
    case everything
}

/// What becomes of references from copied objects to objects that are not copied.
public enum OutsideReferences: Sendable, Equatable {
    /// The copies do not have them.
    case dropped
    /// The copies refer to the same objects, where these are in the copies' store and nothing is taken from the originals by it: a line's copy
    /// has the line's ends, while a joint's copy has none of the joint's lines, for a line has one start.
    case kept
}

/// Copies of objects, and which is whose.
public struct ObjectCopies {
    /// The copies: first those of the objects given, in their order, then those of what was reached from them.
    public let objects: [ManagedObject]
    let byOriginal: [ObjectID: ManagedObject]

    /// The copy of the object with an id. Complexity: O(1).
    public subscript(id: ObjectID) -> ManagedObject? { byOriginal[id] }

    /// The copy of an object, of the same class. Complexity: O(1).
    public subscript<T: ManagedObject>(original: T) -> T? { byOriginal[original.objectID] as? T }
}
