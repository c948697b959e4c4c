import Graben

/// A point where pipes meet, in feet.
///
/// `x`, `y` and `z` are packed: they live in columns, and reading them leaves a fault a fault. The demo reads its model from a file; that this
/// class says the same is checked when the store is opened.
@Entity final class Joint: ManagedObject {
    @Packed("x", "y", "z") var position: SIMD3<Double>
    var name: String
    var kind: String
    @Relationship(inverse: \Line.start, deleteRule: .cascade) var outgoing: ToMany<Line>
    @Relationship(inverse: \Line.end, deleteRule: .cascade) var incoming: ToMany<Line>
    /// The other joints in the box of 500 feet around this one, as the model's request finds them.
    @FetchedProperty var nearby: [Joint]

    /// How many lines end here. Loads none of them.
    var degree: Int { outgoing.count + incoming.count }
    /// The lines that end here.
    var lines: [Line] { Array(outgoing) + Array(incoming) }
}
