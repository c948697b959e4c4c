import GrabenFixtures

/// What a Swift programmer writes who needs no store: the measure of the object path. Unchecked exclusivity, as Graben's own fields have it.
final class PlainJoint {
    @exclusivity(unchecked) var x: Double
    @exclusivity(unchecked) var y: Double
    @exclusivity(unchecked) var z: Double

    init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    var position: SIMD3<Double> { [x, y, z] }
}

/// Plain objects in order of allocation and in random order, and the two loops that read them.
final class PlainJoints {
    let inOrder: [PlainJoint]
    private(set) lazy var shuffled: [PlainJoint] = {
        var random = SplitMix64(seed: 45)
        return inOrder.shuffled(using: &random)
    }()

    init(_ network: RandomNetwork, count: Int) {
        inOrder = (0..<count).map { PlainJoint(x: network.x[$0], y: network.y[$0], z: network.z[$0]) }
    }

    @inline(never) static func sumOfGetters(_ joints: [PlainJoint]) -> Double {
        var sum = 0.0
        for joint in joints { sum += joint.x + joint.y + joint.z }
        return sum
    }

    @inline(never) static func sumOfPositions(_ joints: [PlainJoint]) -> Double {
        var sum = SIMD3<Double>()
        for joint in joints { sum += joint.position }
        return sum.sum()
    }
}
