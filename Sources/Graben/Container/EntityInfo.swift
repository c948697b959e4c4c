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
    /// Whether every lane is a Double that always has a value and begins with 0.
    let hasZeroLanes: Bool
    /// Attributes that follow from others.
    let derivations: [DerivedAttribute]
    /// What validation looks at: everything but fetched properties, and to-manys without limits.
    let validated: [PropertyInfo]
    /// Where the values of fresh objects lie in a chunk's, and how many bytes those take; 0 where no object is ever fresh.
    let freshLanes: [FreshLane]
    let freshByteCount: Int
    /// What the class overrides of the hooks.
    let hooks: ClassHooks.Kinds
    /// Whether no new or changed object can fail its validation: the model has no rule, and the class no code for it.
    let isAlwaysValid: Bool
    /// What is told of every access that fails, where objects are there only to find out what key paths read.
    let probe: KeyPathProbe.Level?

    init(entity: Entity, objectClass: ManagedObject.Type, probe: KeyPathProbe.Level? = nil) {
        self.entity = entity
        self.objectClass = objectClass
        self.probe = probe
        hooks = objectClass == ManagedObject.self ? [] : objectClass.overriddenHooks.vouched(for: objectClass)
        let keys = Set(entity.uniqueKeys.flatMap(\.properties))
        let isFreshable = objectClass.primitiveAccessors.isEmpty && probe == nil
        var freshEnd = FreshValues.headByteCount
        properties = entity.properties.map { property in
            let lane = isFreshable ? FreshLane(property, at: freshEnd) : nil
            freshEnd += lane?.byteCount ?? 0
            return PropertyInfo(property, isKey: keys.contains(property.number), fresh: lane)
        }
        freshLanes = properties.compactMap(\.fresh)
        freshByteCount = isFreshable ? freshEnd : 0
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
        hasZeroLanes = geometry.lanes.allSatisfy { $0.isDouble && $0.validityOffset == nil } && laneDefaults.allSatisfy { $0 == .double(0) }
        validated = properties.filter { $0.kind != .fetched && ($0.kind != .toMany || $0.hasLimits) }
        // A lane that has no validity bitmap cannot be without a value.
        isAlwaysValid =
            !hooks.contains(.validation) && !hasAccessors
            && validated.allSatisfy { !$0.hasRules && !$0.hasLimits && (!$0.isRequired || $0.kind == .packed) }
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
    let attributeType: AttributeType?
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
    /// Where its values lie in fresh objects; nil where an object it is set in is fresh no more.
    let fresh: FreshLane?

    init(_ property: Property, isKey: Bool, fresh: FreshLane?) {
        self.isKey = isKey
        number = property.number
        self.fresh = fresh
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
        attributeType = attribute?.type
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
