/// An entity: a kind of object, with its properties.
///
/// It has the properties of its super-entity and those declared here. Fetched properties are inherited like the others.
public struct EntityDescription: Sendable, Equatable {
    /// The entity's name, unique in its model.
    public var name: String
    /// Whether it only serves as a super-entity, without objects of its own.
    public var isAbstract: Bool
    /// The name of the entity it inherits from.
    public var superentity: String?
    /// The name of the class of its objects; nil for the general one.
    public var managedObjectClassName: String?
    /// The attributes declared here, not the inherited ones.
    public var attributes: [AttributeDescription]
    /// The relationships declared here, not the inherited ones.
    public var relationships: [RelationshipDescription]
    /// The fetched properties declared here, not the inherited ones.
    public var fetchedProperties: [FetchedPropertyDescription]
    /// Keys that no two objects share: each is a list of names of attributes or to-one relationships.
    public var uniquenessConstraints: [[String]]
    /// What the entity was called in an earlier version of the model, where it was renamed.
    public var renamingIdentifier: String?
    /// Notes of the program's own; they change no stored byte and no version hash.
    public var userInfo: [String: String]

    /// Describes an entity.
    public init(
        _ name: String, isAbstract: Bool = false, superentity: String? = nil, managedObjectClassName: String? = nil,
        attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
        fetchedProperties: [FetchedPropertyDescription] = [], uniquenessConstraints: [[String]] = [],
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.isAbstract = isAbstract
        self.superentity = superentity
        self.managedObjectClassName = managedObjectClassName
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.uniquenessConstraints = uniquenessConstraints
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}
