import Graben

/// Classes that inherit from one another, with lanes of both widths at every level.
@Entity(isAbstract: true) class Element: ManagedObject {
    @Packed var elevation: Double = 1.5
    var label: String = "none"
    @FetchedProperty("label == $FETCH_SOURCE.label", sort: "elevation") var namesakes: [Element]
}

@Entity class Node: Element {
    @Packed("mass") var weight: Float?
    @Packed("x", "y", "z") var position: SIMD3<Double> = [1, 2, 3]
    @Packed("u", "v") var texture: SIMD2<Float> = .init(0.5, 0.25)
    @Packed("a", "b") var pair: SIMD2<Double>?
    @Packed("r", "g", "b2", "o") var color: SIMD4<Float>
}

@Entity final class Valve: Node {
    @Packed("q0", "q1", "q2", "q3") var turn: SIMD4<Double> = .init(0, 0, 0, 1)
    @Packed var opening: Float = 0.75
    @Packed("s", "t") var span: SIMD2<Double>
    var code: Int?
}

/// A class that observes access: its packed getters call the hooks.
@Entity final class Watched: ManagedObject {
    @Packed("x", "y") var place: SIMD2<Double>
    @Packed var height: Double?
    @Field var accesses: [String] = []

    override class var observesAccess: Bool { true }
    override func willAccessValue(forKey key: String?) {
        accesses.append(key ?? "all")
        super.willAccessValue(forKey: key)
    }
}
