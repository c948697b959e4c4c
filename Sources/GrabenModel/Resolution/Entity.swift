internal import GrabenPredicate

/// An entity as contexts work with it.
///
/// It refers to other entities by number, their place in `ResolvedModel.entities`, but for its super-entity: references both up and down
/// would keep each other alive for ever.
public final class Entity: Sendable {
    /// The entity's number in its model; `ObjectID.entityNumber` of its objects.
    public let index: Int
    /// The entity's name.
    public let name: String
    /// What it was made from.
    public let description: EntityDescription
    /// The entity it inherits from.
    public let superentity: Entity?
    /// The numbers of the entities that inherit directly from it, in the model's order.
    public let subentities: [Int]
    /// The numbers of all entities whose objects count as objects of this one: itself unless abstract, and all below, ascending.
    public let concreteDescendants: [Int]
    /// All properties, inherited ones first, then attributes, relationships and fetched properties as declared.
    public let properties: [Property]
    /// The numbers of the packed attributes in the order of their lanes, inherited ones first.
    public let lanes: [Int]
    /// The numbers of the properties that a record holds, in its order: stored unpacked attributes and to-one relationships.
    public let fields: [Int]
    /// The uniqueness constraints as property numbers, inherited ones first.
    public let uniqueKeys: [UniqueKey]
    /// Covers what decides how objects of the entity are stored, and changes with that of the super-entity.
    public let versionHash: VersionHash
    private let numbers: [String: Int]

    init(
        index: Int, description: EntityDescription, superentity: Entity?, subentities: [Int], concreteDescendants: [Int],
        properties: [Property], uniqueKeys: [UniqueKey], versionHash: VersionHash
    ) {
        self.index = index
        self.name = description.name
        self.description = description
        self.superentity = superentity
        self.subentities = subentities
        self.concreteDescendants = concreteDescendants
        self.properties = properties
        self.lanes = properties.filter { $0.lane != nil }.map(\.number)
        self.fields = properties.filter { $0.field != nil }.map(\.number)
        self.uniqueKeys = uniqueKeys
        self.versionHash = versionHash
        self.numbers = Dictionary(properties.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether it has no objects of its own.
    public var isAbstract: Bool { description.isAbstract }

    /// A key that no two objects share.
    public struct UniqueKey: Sendable, Equatable {
        /// The number of the entity that declares it: objects of that entity and all below it are compared.
        public let declaringEntity: Int
        /// The numbers of the properties whose values together must differ.
        public let properties: [Int]
    }

    /// The number of the property of this name; nil when there is none.
    public func propertyNumber(named name: String) -> Int? { numbers[name] }

    /// The property of this name; nil when there is none.
    public func property(named name: String) -> Property? { numbers[name].map { properties[$0] } }

    /// The name of the property most like `name`, for the message about an unknown one.
    public func nearestPropertyName(to name: String) -> String? { nearestName(to: name, in: properties.map(\.name)) }

    /// Whether it is `other` or inherits from it.
    ///
    /// Complexity: the depth of the hierarchy.
    public func isKind(of other: Entity) -> Bool {
        var entity: Entity? = self
        while let current = entity {
            if current === other { return true }
            entity = current.superentity
        }
        return false
    }
}
