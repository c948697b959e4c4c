import Graben

/// A pipe, pump or valve between two joints: a hand-written class of the model's `Line`.
final class Line: ManagedObject {
    var name: String {
        get { attribute("name") ?? "" }
        set { setAttribute("name", newValue) }
    }
    var kind: String {
        get { attribute("kind") ?? "" }
        set { setAttribute("kind", newValue) }
    }
    /// In inches; pumps and valves have none.
    var diameter: Double? {
        get { attribute("diameter") }
        set { setAttribute("diameter", newValue) }
    }
    /// In feet; pumps and valves have none.
    var length: Double? {
        get { attribute("length") }
        set { setAttribute("length", newValue) }
    }
    var start: Joint? {
        get { toOne("start") }
        set { setToOne("start", newValue) }
    }
    var end: Joint? {
        get { toOne("end") }
        set { setToOne("end", newValue) }
    }
}
