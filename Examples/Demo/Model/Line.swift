import Graben

/// A pipe, pump or valve between two joints.
@Entity final class Line: ManagedObject {
    var name: String
    var kind: String
    /// In inches; pumps and valves have none.
    var diameter: Double?
    /// In feet; pumps and valves have none.
    var length: Double?
    var start: Joint?
    var end: Joint?
}
