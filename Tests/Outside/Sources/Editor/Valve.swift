import Shapes

/// A line of the program's own: its lanes and numbers go on behind those of classes in another module.
@Entity final class Valve: Line {
    @Packed("u", "v") var handle: SIMD2<Double> = [0, 1]
    @Packed var opening: Float = 0.25
    var maker: String?
    @Attribute(storage: \Valve.turnsField) var turns: Int = 3
    private var turnsField = 0
}
