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
    ///
    /// `Module.Joint` names the module too, and `.Joint` means the one the model is compiled into: `managedObjectClass` takes them apart.
    public var managedObjectClassName: String?
    /// The attributes declared here, not the inherited ones.
    public var attributes: [AttributeDescription]
    /// The relationships declared here, not the inherited ones.
    public var relationships: [RelationshipDescription]
    /// The fetched properties declared here, not the inherited ones.
    public var fetchedProperties: [FetchedPropertyDescription]
    /// Keys that no two objects share: each is a list of names of attributes or to-one relationships.
    public var uniquenessConstraints: [[String]]
    /// The orders in which the store can find objects of this entity and those below it.
    public var indexes: [IndexDescription]
    /// How much of its class is generated from the model.
    public var codeGeneration: CodeGeneration
    /// A text of the program's own that makes a new version of the entity where nothing else of it changed.
    public var versionHashModifier: String?
    /// What the entity was called in an earlier version of the model, where it was renamed.
    public var renamingIdentifier: String?
    /// Notes of the program's own; they change no stored byte and no version hash.
    public var userInfo: [String: String]
    /// What a model file says of the entity and nothing here stands for.
    public var foreign = ForeignContent()

    /// Describes an entity.
    public init(
        _ name: String, isAbstract: Bool = false, superentity: String? = nil, managedObjectClassName: String? = nil,
        attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
        fetchedProperties: [FetchedPropertyDescription] = [], uniquenessConstraints: [[String]] = [],
        indexes: [IndexDescription] = [], codeGeneration: CodeGeneration = .manual, versionHashModifier: String? = nil,
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
        self.indexes = indexes
        self.codeGeneration = codeGeneration
        self.versionHashModifier = versionHashModifier
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }

    /// The class's name without its module, and the module where the name says one; nil for the general class.
    public var managedObjectClass: (module: ClassModule, name: String)? {
        guard let text = managedObjectClassName, !text.isEmpty else { return nil }
        guard let dot = text.firstIndex(of: ".") else { return (.unnamed, text) }
        let name = String(text[text.index(after: dot)...])
        return (dot == text.startIndex ? .current : .named(String(text[..<dot])), name)
    }

    /// The module of an entity's class, as far as its name says it.
    public enum ClassModule: Sendable, Hashable {
        /// The name says nothing of it.
        case unnamed
        /// The module that the model is compiled into.
        case current
        /// The module of this name.
        case named(String)
    }
}

/// How much of an entity's class is generated from the model.
///
/// The raw value is its name in the JSON form of a model.
public enum CodeGeneration: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the class is written by hand.
    case manual
    /// The whole class.
    case classDefinition = "class"
    /// An extension with the properties of a class that is written by hand.
    case categoryExtension = "extension"
}
