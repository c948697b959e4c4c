public import GrabenLog

/// What an engine calls an object: its entity's name, and a number that no other object of the entity has or had.
public struct StoreObjectKey: Sendable, Hashable {
    /// The entity's name: the object's own, not a super-entity's.
    public var entity: String
    /// From 0 to 4,294,967,294. Small ones are best: some tables have a place for each up to the highest.
    public var number: UInt32

    /// Names an object.
    public init(_ entity: String, _ number: UInt32) {
        self.entity = entity
        self.number = number
    }
}

/// An object as an engine reads and keeps it.
///
/// Each relationship is told on the side that the store keeps: a to-one always; a to-many where it is ordered, has no inverse, or leads to a to-many, and of
/// those two sides on one, which is always the same for a model. Other to-manys follow from their members' to-ones. Transient attributes and fetched
/// properties are not kept.
public struct StoreObject: Sendable, Equatable {
    /// The object's name.
    public var key: StoreObjectKey
    /// The values of its attributes, packed ones included; `.null` for none. When it is read, an attribute that is left out has its default.
    public var attributes: [String: Value]
    /// Where its to-ones lead; those that lead nowhere are left out.
    public var references: [String: StoreObjectKey]
    /// The members of its to-manys, in order where the relationship is ordered; those without members are left out.
    public var members: [String: [StoreObjectKey]]

    /// An object with its values.
    public init(
        _ key: StoreObjectKey, attributes: [String: Value] = [:], references: [String: StoreObjectKey] = [:],
        members: [String: [StoreObjectKey]] = [:]
    ) {
        self.key = key
        self.attributes = attributes
        self.references = references
        self.members = members
    }
}

/// What one save does, as an engine is told it.
public struct StoreChanges: Sendable, Equatable {
    /// Whether this is the whole store: what the engine has of it is replaced by the inserted objects. So it is for the first save of a new store, and when
    /// a store is opened for writing under another model than it was saved under; what that model has no place for is not among them.
    public var isWhole: Bool
    /// New objects, and those whose deletion was undone after it was saved, each with all it has.
    public var inserted: [StoreObject]
    /// Objects of which anything has changed, each with all it has.
    public var updated: [StoreObject]
    /// Objects that are gone.
    public var deleted: [StoreObjectKey]
    /// What is to be kept beside the objects from now on.
    public var metadata: StoreMetadata
    /// The context's `transactionAuthor`, if it had one.
    public var author: String?
}
