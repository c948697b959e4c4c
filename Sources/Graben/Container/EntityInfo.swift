import GrabenLog
import GrabenModel

/// An entity as one coordinator works with it: the model's numbers, the class of its objects, and what is looked up often.
///
/// Classes are bound to entities here, per coordinator, never in a global table: two models with a `Joint` each live in one process.
final class EntityInfo: Sendable {
    let entity: Entity
    let objectClass: ManagedObject.Type
    let properties: [PropertyInfo]
    /// Property numbers of the packed attributes, by lane.
    let laneProperties: [Int]
    let geometry: ChunkGeometry
    /// The class's own accessors, by property number.
    let accessors: [PrimitiveAccessor?]
    let hasAccessors: Bool
    /// The property of each number that the class's accessors use; nil where the entity has none of that name.
    let numbered: [PropertyInfo?]
    /// Property numbers of the relationships.
    let relationships: [Int]
    /// Property numbers that a new object's defaults are set for: those with one.
    let defaulted: [Int]
    /// Whether any attribute lives in memory only.
    let hasTransients: Bool
    /// What a new object's lanes hold.
    let laneDefaults: [Value]
    /// Attributes that follow from others.
    let derivations: [DerivedAttribute]
    /// What validation looks at: everything but fetched properties, and to-manys without limits.
    let validated: [PropertyInfo]
    /// What is told of every access that fails, where objects are there only to find out what key paths read.
    let probe: KeyPathProbe.Level?

    init(entity: Entity, objectClass: ManagedObject.Type, probe: KeyPathProbe.Level? = nil) {
        self.entity = entity
        self.objectClass = objectClass
        self.probe = probe
        let keys = Set(entity.uniqueKeys.flatMap(\.properties))
        properties = entity.properties.map { PropertyInfo($0, isKey: keys.contains($0.number)) }
        laneProperties = entity.lanes
        geometry = ChunkGeometry(
            lanes: entity.lanes.map {
                let attribute = entity.properties[$0].attribute
                return (attribute?.type == .double, attribute?.isOptional ?? true)
            })
        var accessors = [PrimitiveAccessor?](repeating: nil, count: properties.count)
        for accessor in objectClass.primitiveAccessors {
            if let number = entity.propertyNumber(named: accessor.key) { accessors[number] = accessor }
        }
        self.accessors = accessors
        hasAccessors = accessors.contains { $0 != nil }
        numbered = objectClass.accessorKeys.map { [properties] key in entity.propertyNumber(named: key).map { properties[$0] } }
        relationships = properties.filter { $0.link != nil }.map(\.number)
        defaulted = properties.filter { !$0.defaultValue.isNull }.map(\.number)
        hasTransients = properties.contains { $0.kind == .transient }
        derivations = properties.compactMap { property in
            property.attribute?.derivation.map { DerivedAttribute(property: property.number, derivation: $0) }
        }
        laneDefaults = laneProperties.map { [properties] in properties[$0].defaultValue }
        validated = properties.filter { $0.kind != .fetched && ($0.kind != .toMany || $0.hasLimits) }
    }

    var index: Int { entity.index }
    var name: String { entity.name }

    func laneKey(_ lane: Int) -> String? {
        lane < laneProperties.count ? properties[laneProperties[lane]].name : nil
    }

    /// Why an object of a class cannot be one of the entity's.
    func refusal(of objectClass: ManagedObject.Type) -> String {
        "an object of \(name) is a \(self.objectClass), not a \(objectClass); make it by insertObject(entity:) or by its own class"
    }

    /// The number of a property, or the error that says there is none.
    func number(_ key: String) throws(GrabenError) -> Int {
        if let number = entity.propertyNumber(named: key) { return number }
        throw .unknownKey(entity: name, key: key, nearest: entity.nearestPropertyName(to: key))
    }
}

/// A property as contexts work with it. A class because it is looked at for every value read or written, and copying it would cost more
/// than the look.
final class PropertyInfo: Sendable {
    enum Kind: Sendable { case attribute, packed, transient, toOne, toMany, fetched }

    let number: Int
    let name: String
    let kind: Kind
    let lane: Int
    /// Its place in the entity's record, or -1.
    let field: Int
    /// The attribute, where it is one.
    let attribute: AttributeDescription?
    let relationship: RelationshipDescription?
    let link: Property.Link?
    let fetched: FetchedPropertyDescription?
    let isOrdered: Bool
    /// The number of the relationship's inverse.
    let inverse: Int?
    /// The entity a fetched property or relationship leads to.
    let destination: Int
    /// What a new object holds.
    let defaultValue: Value
    /// Whether nil breaks a rule of the model.
    let isRequired: Bool
    /// Whether the model has rules for other values than nil.
    let hasRules: Bool
    /// Whether a uniqueness constraint is of it.
    let isKey: Bool

    init(_ property: Property, isKey: Bool) {
        self.isKey = isKey
        number = property.number
        name = property.name
        lane = property.lane ?? -1
        field = property.field ?? -1
        var attribute: AttributeDescription?
        var relationship: RelationshipDescription?
        var link: Property.Link?
        var fetched: FetchedPropertyDescription?
        var destination = -1
        switch property.kind {
        case .attribute(let description):
            attribute = description
            kind = description.isPacked ? .packed : description.isTransient ? .transient : .attribute
        case .relationship(let description, let found):
            relationship = description
            link = found
            destination = found.destination
            kind = description.isToMany ? .toMany : .toOne
        case .fetched(let description, let target):
            fetched = description
            destination = target
            kind = .fetched
        }
        self.attribute = attribute
        self.relationship = relationship
        self.link = link
        self.fetched = fetched
        self.destination = destination
        isOrdered = relationship?.isOrdered ?? false
        inverse = link?.inverse
        isRequired = attribute.map { !$0.isOptional } ?? relationship.map { !$0.isToMany && !$0.isOptional } ?? false
        hasRules =
            attribute.map {
                $0.minimum != nil || $0.maximum != nil || $0.minimumLength != nil || $0.maximumLength != nil || $0.regularExpression != nil
            } ?? false
        defaultValue =
            if let attribute {
                if let value = attribute.defaultValue {
                    value
                } else if attribute.isPacked && !attribute.isOptional {
                    attribute.type == .double ? .double(0) : .float(0)
                } else {
                    .null
                }
            } else { .null }
    }

    /// Whether a record, a column or links hold it.
    var isPersistent: Bool {
        switch kind {
        case .attribute, .packed, .toOne, .toMany: true
        case .transient, .fetched: false
        }
    }
    /// Whether a to-many has a least or greatest count.
    var hasLimits: Bool {
        guard let relationship else { return false }
        return relationship.minCount > 0 || relationship.maxCount > 0 || !relationship.isOptional
    }
    /// Whether its value is kept in `ObjectData.values` when set.
    var isValue: Bool {
        switch kind {
        case .attribute, .transient, .toOne: true
        case .packed, .toMany, .fetched: false
        }
    }
}

extension Entity {
    /// Whether an object made for one entity can be an object of the other: their properties have the same numbers, names and types.
    func hasSameProperties(as other: Entity) -> Bool {
        self === other || (versionHash == other.versionHash && properties.map(\.name) == other.properties.map(\.name))
    }
}
