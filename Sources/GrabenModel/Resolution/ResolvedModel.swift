internal import GrabenPredicate

/// A model that has been checked and numbered, as contexts and stores work with it.
///
/// It never changes and is shared freely between tasks. Nothing about it is kept in a global table, so models with entities of the same
/// names live side by side in one process.
public final class ResolvedModel: Sendable {
    /// What it was made from.
    public let description: ManagedObjectModel
    /// The entities; an entity's place is its number.
    public let entities: [Entity]
    /// Covers the version hashes of all entities, in whatever order they stand.
    public let versionHash: VersionHash
    private let indexes: [String: Int]

    init(description: ManagedObjectModel, entities: [Entity]) {
        self.description = description
        self.entities = entities
        self.versionHash = VersionHash(of: entities)
        self.indexes = Dictionary(entities.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entity of this name; nil when there is none.
    public func entity(named name: String) -> Entity? { indexes[name].map { entities[$0] } }

    /// The name of the entity most like `name`, for the message about an unknown one.
    public func nearestEntityName(to name: String) -> String? { nearestName(to: name, in: entities.map(\.name)) }

    /// The entity a relationship or fetched property leads to; nil for an attribute.
    public func destination(of property: Property) -> Entity? { property.destination.map { entities[$0] } }

    /// The relationship that leads back; nil for a one-way relationship and for everything else.
    public func inverse(of property: Property) -> Property? {
        guard let link = property.link, let inverse = link.inverse else { return nil }
        return entities[link.destination].properties[inverse]
    }

    /// The entities that inherit directly from this one, in the model's order.
    public func subentities(of entity: Entity) -> [Entity] { entity.subentities.map { entities[$0] } }

    /// All entities whose objects count as objects of this one: itself unless abstract, and all below, in the model's order.
    public func concreteDescendants(of entity: Entity) -> [Entity] { entity.concreteDescendants.map { entities[$0] } }
}
