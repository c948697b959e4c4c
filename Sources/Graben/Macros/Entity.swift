#if GRABEN_MACROS
    public import GrabenLog
    public import GrabenModel

    /// Makes an entity of a class that inherits from `ManagedObject`, or from another entity's class.
    ///
    ///     @Entity final class Joint: ManagedObject {
    ///         @Packed("x", "y", "z") var position: SIMD3<Double>
    ///         var name: String?
    ///         @Relationship(inverse: \Line.start, deleteRule: .cascade) var outgoing: ToMany<Line>
    ///     }
    ///
    /// Every stored variable becomes a property of the entity, with accessors in place of storage: an attribute where its type is one that
    /// attributes hold or an Optional of it, a to-one relationship where it is an Optional of another type, and else what the attribute before
    /// it says. Its initial value is the default. `@Field` keeps a variable out of the model. `let`, `lazy`, `weak`, static and computed
    /// properties are the class's own affair.
    ///
    /// Besides accessors it writes primitive ones (`primitiveName`), for a to-many `addToOutgoing(_:)` and `removeFromOutgoing(_:)`, and
    /// overrides of `entityName`, `entityDescription`, `propertyKeyPaths` and `accessorKeys`.
    /// - Parameters:
    ///   - name: the entity's name; the class's where it is left out.
    ///   - isAbstract: whether it only serves as a super-entity.
    ///   - renamedFrom: what the entity was called in an earlier version of the model.
    ///   - userInfo: notes of the program's own.
    @attached(member, names: arbitrary)
    @attached(memberAttribute)
    public macro Entity(
        _ name: String? = nil, isAbstract: Bool = false, renamedFrom: String? = nil, userInfo: [String: String] = [:]
    ) = #externalMacro(module: "GrabenMacros", type: "EntityMacro")

    /// Says more of an attribute than its declaration does, or makes one of a variable whose type is `RawRepresentable` or `Codable`.
    ///
    ///     @Attribute(minimum: 0, maximum: 100) var load: Double?
    ///     @Attribute var style: Style = .plain            // raw value, or JSON
    ///     @Attribute(storage: \Joint.point.x) var x: Double
    ///
    /// - Parameters:
    ///   - name: the attribute's name in the model; the variable's where it is left out.
    ///   - renamedFrom: what the attribute was called in an earlier version of the model.
    ///   - minimum: the least value allowed, for numbers and dates.
    ///   - maximum: the greatest value allowed, for numbers and dates.
    ///   - minimumLength: the least length allowed: characters of text, bytes of data.
    ///   - maximumLength: the greatest length allowed: characters of text, bytes of data.
    ///   - matching: what a text has to match as a whole, in the dialect of Swift's `Regex`.
    ///   - storage: the stored property of the class's own in which the value is kept.
    ///   - userInfo: notes of the program's own.
    @attached(peer)
    public macro Attribute(
        name: String? = nil, renamedFrom: String? = nil, minimum: Value? = nil, maximum: Value? = nil, minimumLength: Int? = nil,
        maximumLength: Int? = nil, matching: String? = nil, storage: AnyKeyPath? = nil, userInfo: [String: String] = [:]
    ) = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Keeps a number or a vector in columns: a lane for each name, and an accessor for each lane.
    ///
    ///     @Packed var elevation: Double
    ///     @Packed("x", "y", "z") var position: SIMD3<Double>      // attributes and accessors x, y and z, and position
    ///
    /// - Parameters:
    ///   - names: the attributes' names; a single number has the variable's where they are left out.
    ///   - minimum: the least value allowed in each lane.
    ///   - maximum: the greatest value allowed in each lane.
    ///   - renamedFrom: what the lanes were called in an earlier version of the model.
    ///   - storage: the stored property of the class's own in which the values are kept besides.
    @attached(peer)
    public macro Packed(
        _ names: String..., minimum: Value? = nil, maximum: Value? = nil, renamedFrom: String..., storage: AnyKeyPath? = nil
    ) = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Says more of a relationship: its inverse, and what becomes of its members.
    ///
    ///     @Relationship(inverse: \Line.start, deleteRule: .cascade) var outgoing: ToMany<Line>
    ///
    /// One of the two sides names the inverse; the model has it on both. Where no side does, the relationship is one-way.
    /// - Parameters:
    ///   - inverse: the property of the destination that leads back.
    ///   - deleteRule: what happens to the members when the object is deleted.
    ///   - isOptional: whether an object may be saved with no member.
    ///   - minimum: the least number of members; not applied to an empty optional relationship.
    ///   - maximum: the greatest number of members; 0 is no limit.
    ///   - renamedFrom: what the relationship was called in an earlier version of the model.
    ///   - userInfo: notes of the program's own.
    @attached(peer)
    public macro Relationship(
        inverse: AnyKeyPath? = nil, deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minimum: Int = 0, maximum: Int = 0,
        renamedFrom: String? = nil, userInfo: [String: String] = [:]
    ) = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Says more of a relationship whose inverse is named by text: what a key path would make a circle of.
    @attached(peer)
    public macro Relationship(
        inverse: String, deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minimum: Int = 0, maximum: Int = 0,
        renamedFrom: String? = nil, userInfo: [String: String] = [:]
    ) = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Makes a fetched property: what a predicate finds when the property is first read, with `$FETCH_SOURCE` standing for the object.
    ///
    ///     @FetchedProperty("layer == $FETCH_SOURCE.layer AND SELF != $FETCH_SOURCE", sort: "name", limit: 10) var neighbours: [Joint]
    ///
    /// The getter answers [] where the predicate cannot be evaluated, and the context hears why; `try joint.fetched(\.neighbours)` throws it.
    /// One with a limit of 1 may be an Optional, of the first object found:
    ///
    ///     @FetchedProperty("SELF != $FETCH_SOURCE", sort: "z", limit: 1) var lowest: Joint?
    ///
    /// - Parameters:
    ///   - predicate: in the format language; every object of the entity where it is left out.
    ///   - sort: key paths, with a leading `-` for descending ones.
    ///   - limit: the greatest number of objects; nil for no limit.
    ///   - offset: how many objects to leave out at the beginning.
    ///   - batchSize: how many of the objects are realised at the first read where no faults are asked for; 0 for all.
    ///   - includesSubentities: whether objects of sub-entities count.
    ///   - includesPropertyValues: whether values are read along with the objects; without them every object comes as a fault.
    ///   - includesPendingChanges: whether unsaved changes count.
    ///   - returnsObjectsAsFaults: whether objects come as faults where they are not realised.
    ///   - returnsDistinctResults: kept in the model for other tools; no two objects of a result are equal.
    ///   - autoRefresh: whether it is evaluated again after a change that could alter what it finds.
    ///   - userInfo: notes of the program's own, which the predicate reads as `$FETCHED_PROPERTY.userInfo.key`.
    @attached(peer)
    public macro FetchedProperty(
        _ predicate: String? = nil, sort: String..., limit: Int? = nil, offset: Int = 0, batchSize: Int = 0,
        includesSubentities: Bool = true, includesPropertyValues: Bool = true, includesPendingChanges: Bool = true,
        returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false, autoRefresh: Bool = false,
        userInfo: [String: String] = [:]
    ) = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Makes an attribute that lives in memory only: its changes can be undone, and nothing of it is stored.
    @attached(peer)
    public macro Transient() = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Makes a derived attribute: its value follows from others, as an expression says.
    ///
    /// The model keeps the expression; contexts do not evaluate it yet, so the getter answers nil.
    ///
    ///     @Derived("outgoing.@count") var degree: Int?
    ///
    /// - Parameter expression: what the value is; `Derivation` lists what it may be.
    @attached(peer)
    public macro Derived(_ expression: String) = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Keeps an order in which objects are found without reading all: of a property, or of several named before the class.
    ///
    ///     @Index var name: String?
    ///     @Index("layer", "-date") @Entity final class Drawing: ManagedObject { … }
    ///
    /// - Parameters:
    ///   - names: the properties compared, before a class; a leading `-` for descending ones.
    ///   - name: the index's name; made of the properties' where it is left out.
    ///   - descending: whether great values come first, before a property.
    ///   - predicate: which objects are in it, in the format language; all where it is left out.
    @attached(peer)
    public macro Index(
        _ names: String..., name: String? = nil, descending: Bool = false, where predicate: String? = nil
    ) = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Makes a key of a property, or of several named before the class: no two objects share its value.
    @attached(peer)
    public macro Unique(_ names: String...) = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Keeps a variable out of the model: storage of the class's own, which no context knows, saves or undoes.
    @attached(peer)
    public macro Field() = #externalMacro(module: "GrabenMacros", type: "MarkerMacro")

    /// Writes the accessors of one property; `@Entity` puts it where it belongs.
    @attached(accessor)
    public macro _EntityProperty(
        of className: String = "", superclass: String = "", accessors: Int = 0, doubles: Int = 0, floats: Int = 0,
        observesAccess: Bool = false, isPublic: Bool = false
    ) = #externalMacro(module: "GrabenMacros", type: "PropertyMacro")
#endif
