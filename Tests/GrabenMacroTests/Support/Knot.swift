import Graben

/// A class that keeps attributes in fields of its own: numbers, an optional, a vector.
@Entity final class Knot: ManagedObject {
    @Attribute(storage: \Knot.point.x) var x: Double = 4
    @Attribute(storage: \Knot.point.y) var y: Double
    @Attribute(storage: \Knot.levelField) var level: Int = 3
    @Attribute(storage: \Knot.loadField) var load: Double?
    @Packed("p", "q", "r", storage: \Knot.corner) var cornerPoint: SIMD3<Double> = [7, 8, 9]
    @Packed(storage: \Knot.weightField) var weight: Float?
    var title: String?

    private var point: SIMD2<Double> = [-1, -1]
    private var levelField = -1
    private var loadField: Double?
    private var corner: SIMD3<Double> = [-1, -1, -1]
    private var weightField: Float?

    /// What the fields hold, past all accessors.
    var fields: [Double?] { [point.x, point.y, Double(levelField), loadField, corner.x, corner.y, corner.z, weightField.map(Double.init)] }

    override func didTurnIntoFault() {
        (point, levelField, loadField, corner, weightField) = ([-2, -2], -2, -2, [-2, -2, -2], -2)
    }
}

/// A class whose fetched properties say everything that a request can say.
@Entity final class Inspector: ManagedObject {
    @FetchedProperty(
        "height > 1", sort: "-height", "kode", limit: 5, offset: 1, batchSize: 2, includesSubentities: false,
        includesPropertyValues: false, includesPendingChanges: false, returnsObjectsAsFaults: false, returnsDistinctResults: true,
        userInfo: ["a": "b"])
    var keyed: [Keyed]
    @FetchedProperty(sort: "height", includesPendingChanges: false, returnsObjectsAsFaults: false) var saved: [Keyed]
}
