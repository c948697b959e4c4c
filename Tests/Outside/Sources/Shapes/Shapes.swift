@_exported public import Graben

/// What every shape has; programs add shapes of their own.
@Entity(isAbstract: true) open class Shape: ManagedObject {
    /// What people call it.
    public var name: String?
    /// How thick it is drawn, in millimetres.
    @Packed public final var thickness: Double = 0.5
    /// The sheet it is drawn on.
    @Relationship(inverse: \Sheet.shapes) public var sheet: Sheet?
}

/// A point in space.
@Entity public final class Joint: Shape {
    /// Where it is, in metres.
    @Packed("x", "y", "z") public var position: SIMD3<Double>
    /// The lines that begin here.
    @Relationship(inverse: \Line.start, deleteRule: .cascade) public var outgoing: ToMany<Line>
    /// The other joints at its height, by name.
    @FetchedProperty("z == $FETCH_SOURCE.z AND SELF != $FETCH_SOURCE", sort: "name") public var level: [Joint]
}

/// From one joint to another.
@Entity open class Line: Shape {
    /// Where it begins.
    public var start: Joint?
    /// Where it ends.
    public var end: Joint?
    /// How it is drawn.
    @Attribute public var style: Style = .solid
    /// What it carries, in newtons; nil where nobody has computed it.
    @Packed public final var load: Float?
}

/// How a line is drawn.
public enum Style: String, Sendable { case solid, dashed }

/// What shapes are drawn on.
@Entity("Page") public final class Sheet: ManagedObject {
    /// What is drawn on it, from back to front.
    @Relationship(deleteRule: .cascade) public var shapes: OrderedToMany<Shape>
    /// Its number in the drawing.
    @Unique public var number: Int = 1
}
