/// A property as contexts work with it: numbered, and with its references to other entities looked up.
///
/// A sub-entity has its super-entity's properties first and under the same numbers, and shares the very instances.
public final class Property: Sendable {
    /// The property's number: its place in `Entity.properties` of its entity and of every sub-entity.
    public let number: Int
    /// The property's name.
    public let name: String
    /// The number of the entity that declares it.
    public let declaringEntity: Int
    /// What it is, with its description.
    public let kind: Kind
    /// Its place among the entity's lanes; nil unless it is a packed attribute.
    public let lane: Int?
    /// Its place among the fields of the entity's records; nil unless it is a stored unpacked attribute or a to-one relationship.
    public let field: Int?

    init(number: Int, name: String, declaringEntity: Int, kind: Kind, lane: Int?, field: Int?) {
        self.number = number
        self.name = name
        self.declaringEntity = declaringEntity
        self.kind = kind
        self.lane = lane
        self.field = field
    }

    /// What a property is.
    public enum Kind: Sendable {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription, Link)
        /// `destination` is the number of the entity whose objects it yields.
        case fetched(FetchedPropertyDescription, destination: Int)
    }

    /// Where a relationship leads and how the store keeps it.
    public struct Link: Sendable, Equatable {
        /// The number of the destination entity.
        public let destination: Int
        /// The number of the inverse among the destination's properties; nil for a one-way relationship.
        public let inverse: Int?
        /// Whether objects of several entities can be members, so that a reference must name the entity besides the row.
        public let isPolymorphic: Bool
        /// How the store keeps it.
        public let storage: Storage
    }

    /// How the store keeps a relationship.
    public enum Storage: Sendable, Equatable {
        /// A to-one: a reference in the owner's record.
        case field
        /// The unordered many side of a one-to-many: the reverse index of the inverse's field.
        case reverse
        /// An ordered, many-to-many or one-way to-many: link records, in which the objects of this side are the owners.
        ///
        /// A many-to-many that is its own inverse is kept so too; its members are then those found by owner and those found by member.
        case linksAsOwner
        /// The other side of `linksAsOwner`: the same link records, found by member.
        case linksAsMember
    }
}

extension Property {
    /// The description, where it is an attribute.
    public var attribute: AttributeDescription? {
        if case .attribute(let description) = kind { description } else { nil }
    }
    /// The description, where it is a relationship.
    public var relationship: RelationshipDescription? {
        if case .relationship(let description, _) = kind { description } else { nil }
    }
    /// Where it leads and how it is kept, where it is a relationship.
    public var link: Link? {
        if case .relationship(_, let link) = kind { link } else { nil }
    }
    /// The description, where it is a fetched property.
    public var fetched: FetchedPropertyDescription? {
        if case .fetched(let description, _) = kind { description } else { nil }
    }
    /// The number of the entity it leads to, where it is a relationship or a fetched property.
    public var destination: Int? {
        switch kind {
        case .attribute: nil
        case .relationship(_, let link): link.destination
        case .fetched(_, let destination): destination
        }
    }
    /// Whether it is an attribute kept in a lane of the column.
    public var isPacked: Bool { lane != nil }
    /// Whether it is a relationship to many objects.
    public var isToMany: Bool { relationship?.isToMany ?? false }
    /// Whether it is a relationship to one object.
    public var isToOne: Bool { relationship.map { !$0.isToMany } ?? false }
    /// Whether its value lives in memory only.
    public var isTransient: Bool { attribute?.isTransient ?? false }
}
