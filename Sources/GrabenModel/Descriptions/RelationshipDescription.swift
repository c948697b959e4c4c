/// What happens to the objects a relationship refers to when its owner is deleted.
///
/// The raw value is the rule's name in the JSON form of a model.
public enum DeleteRule: String, Sendable, Hashable, CaseIterable {
    /// The other side's reference is cleared.
    case nullify
    /// The other side is deleted too, and so on from there.
    case cascade
    /// The delete fails at save while the other side exists.
    case deny
    /// Nothing is touched; a reference may be left that leads nowhere.
    case noAction
}

/// A relationship from an entity to one object, or many objects, of another.
public struct RelationshipDescription: Sendable, Equatable {
    /// The relationship's name, unique among the properties of its entity, inherited ones included.
    public var name: String
    /// The name of the entity it leads to; objects of that entity's sub-entities are members too.
    public var destination: String
    /// The name of the relationship that leads back, declared by the destination; nil for a one-way relationship.
    public var inverse: String?
    /// Whether it refers to many objects.
    public var isToMany: Bool
    /// Whether a to-many keeps its members in an order of the program's choosing.
    public var isOrdered: Bool
    /// Whether an object may be saved with no member.
    public var isOptional: Bool
    /// The least number of members; not applied to an empty optional relationship.
    public var minCount: Int
    /// The greatest number of members; 0 is no limit (of a to-many; a to-one has at most one).
    public var maxCount: Int
    /// What happens to the members when the owner is deleted.
    public var deleteRule: DeleteRule
    /// A text of the program's own that makes a new version of the relationship where nothing else of it changed.
    public var versionHashModifier: String?
    /// What the relationship was called in an earlier version of the model, where it was renamed.
    public var renamingIdentifier: String?
    /// Notes of the program's own; they change no stored byte and no version hash.
    ///
    /// The entry `key` names the destination's attribute by which tables that are loaded refer to its objects, and `column` the column that
    /// does so where it is not of the relationship's name (`graben load`).
    public var userInfo: [String: String]
    /// What a model file says of the relationship and nothing here stands for.
    public var foreign = ForeignContent()

    /// Describes a relationship; it is to-one unless said otherwise.
    public init(
        _ name: String, to destination: String, inverse: String? = nil, isToMany: Bool = false, isOrdered: Bool = false,
        isOptional: Bool = true, minCount: Int = 0, maxCount: Int = 0, deleteRule: DeleteRule = .nullify,
        versionHashModifier: String? = nil, renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.minCount = minCount
        self.maxCount = maxCount
        self.deleteRule = deleteRule
        self.versionHashModifier = versionHashModifier
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}
