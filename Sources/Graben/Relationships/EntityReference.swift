/// Names what declarations refer to by type and key path: `@Entity` asks here, so that the compiler looks at the types of both sides.
public enum EntityReference {
    /// The entity of a class that a relationship or fetched property leads to.
    public static func name<Destination: ManagedObject>(of destination: Destination.Type) -> String { destination.entityName }

    /// Says what is wrong with a type that is no class of objects.
    @available(
        *, unavailable,
        message: "what is no attribute is taken for an entity's class, and this type is none; write @Attribute before a Codable type"
    )
    @_disfavoredOverload
    public static func name<Destination>(of destination: Destination.Type) -> String { "" }

    /// The name of a to-one that leads back.
    public static func inverse<Destination: ManagedObject, Source: ManagedObject>(
        _ name: String, _ path: KeyPath<Destination, Source?>, of source: Source.Type
    ) -> String { name }

    /// The name of a to-many that leads back.
    public static func inverse<Destination: ManagedObject, Source: ManagedObject>(
        _ name: String, _ path: KeyPath<Destination, ToMany<Source>>, of source: Source.Type
    ) -> String { name }

    /// The name of an ordered to-many that leads back.
    public static func inverse<Destination: ManagedObject, Source: ManagedObject>(
        _ name: String, _ path: KeyPath<Destination, OrderedToMany<Source>>, of source: Source.Type
    ) -> String { name }

    /// Says what is wrong with any other key path.
    @available(
        *, unavailable,
        message: "the inverse of a relationship leads back to its own class; this one leads elsewhere or is no relationship"
    )
    @_disfavoredOverload
    public static func inverse<Destination, Value, Source>(
        _ name: String, _ path: KeyPath<Destination, Value>, of source: Source.Type
    ) -> String { name }
}

/// Accessors of a type that is no class of objects. `EntityReference.name(of:)` refuses it in the same declaration, with a sentence that
/// says why; these only keep the compiler from refusing it three times more.
extension ManagedObject {
    /// Never runs.
    @_disfavoredOverload
    public final func toOne<T>(at accessor: Int, as type: T.Type = T.self) -> T? { nil }
    /// Never runs.
    @_disfavoredOverload
    public final func setToOne<T>(at accessor: Int, _ value: T?) {}
    /// Never runs.
    @_disfavoredOverload
    public final func primitiveToOne<T>(at accessor: Int, as type: T.Type = T.self) -> T? { nil }
    /// Never runs.
    @_disfavoredOverload
    public final func setPrimitiveToOne<T>(at accessor: Int, _ value: T?) {}
    /// Never runs.
    @_disfavoredOverload
    public final func fetchedProperty<T>(at accessor: Int, as type: T.Type = T.self) -> [T] { [] }
}
