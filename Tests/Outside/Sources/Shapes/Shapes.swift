@_exported public import Graben

/// What every shape has; programs add shapes of their own.
@Entity(isAbstract: true) open class Shape: ManagedObject {
    public var name: String?
    @Packed public final var thickness: Double = 0.5
    @Relationship(inverse: \Sheet.shapes) public var sheet: Sheet?
}

/// A point in space.
@Entity public final class Joint: Shape {
    @Packed("x", "y", "z") public var position: SIMD3<Double>
    @Relationship(inverse: \Line.start, deleteRule: .cascade) public var outgoing: ToMany<Line>
    @FetchedProperty("z == $FETCH_SOURCE.z AND SELF != $FETCH_SOURCE", sort: "name") public var level: [Joint]
}

/// From one joint to another.
@Entity open class Line: Shape {
    public var start: Joint?
    public var end: Joint?
    @Attribute public var style: Style = .solid
    @Packed public final var load: Float?
}

public enum Style: String, Sendable { case solid, dashed }

/// What shapes are drawn on.
@Entity("Page") public final class Sheet: ManagedObject {
    @Relationship(deleteRule: .cascade) public var shapes: OrderedToMany<Shape>
    @Unique public var number: Int = 1
}
