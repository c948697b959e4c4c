import Graben

/// A point where pipes meet, in feet: a hand-written class of the model's `Joint`.
///
/// `x`, `y` and `z` are packed: they live in columns, and reading them leaves a fault a fault.
final class Joint: ManagedObject {
    /// Checked against the model, so that no number below can mean another attribute.
    override class var packedAttributes: [String]? { ["x", "y", "z"] }

    var x: Double {
        get { packed(0) }
        set { setPacked(0, newValue) }
    }
    var y: Double {
        get { packed(1) }
        set { setPacked(1, newValue) }
    }
    var z: Double {
        get { packed(2) }
        set { setPacked(2, newValue) }
    }
    var position: SIMD3<Double> {
        get { packed3(0) }
        set { setPacked3(0, newValue) }
    }
    var name: String {
        get { attribute("name") ?? "" }
        set { setAttribute("name", newValue) }
    }
    var kind: String {
        get { attribute("kind") ?? "" }
        set { setAttribute("kind", newValue) }
    }
    var outgoing: ToMany<Line> {
        get { toMany("outgoing") }
        set { setToMany("outgoing", newValue) }
    }
    var incoming: ToMany<Line> {
        get { toMany("incoming") }
        set { setToMany("incoming", newValue) }
    }
    /// The other joints in the box of 500 feet around this one: a fetched property of the model.
    var nearby: [Joint] { fetchedProperty("nearby") }

    /// How many lines end here. Loads none of them.
    var degree: Int { outgoing.count + incoming.count }
    /// The lines that end here.
    var lines: [Line] { Array(outgoing) + Array(incoming) }
}
