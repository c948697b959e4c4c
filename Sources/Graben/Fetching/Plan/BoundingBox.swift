import GrabenPredicate

/// A box in the space of an entity's packed attributes, its faces included.
///
///     var request = Joint.fetchRequest()
///     request.boundingBox = BoundingBox(from: [0, 0, 0], to: [10, 10, 5])
///
/// It is looked for in columns: chunks whose values lie outside are skipped, and no record is read.
public struct BoundingBox: Sendable, Hashable {
    /// The least value on each axis.
    public var lower: [Double]
    /// The greatest value on each axis.
    public var upper: [Double]
    /// The attributes that are the axes; empty for the entity's first packed attributes, in the order of its declaration.
    public var keys: [String]

    /// A box between two corners, whichever has the lower value on each axis. Corners of another number of axes each are an error of the fetch.
    public init(from corner: [Double], to other: [Double], keys: [String] = []) {
        lower = corner
        upper = other
        for axis in corner.indices where axis < other.count {
            lower[axis] = Swift.min(corner[axis], other[axis])
            upper[axis] = Swift.max(corner[axis], other[axis])
        }
        self.keys = keys
    }

    /// A box between two corners of a space of three axes.
    public init(from corner: SIMD3<Double>, to other: SIMD3<Double>, keys: [String] = []) {
        self.init(from: (0..<3).map { corner[$0] }, to: (0..<3).map { other[$0] }, keys: keys)
    }

    /// A box between two corners of a plane.
    public init(from corner: SIMD2<Double>, to other: SIMD2<Double>, keys: [String] = []) {
        self.init(from: (0..<2).map { corner[$0] }, to: (0..<2).map { other[$0] }, keys: keys)
    }
}

extension BoundingBox {
    /// The box as a predicate of an entity: a range for each axis.
    func predicate(of info: EntityInfo) throws(GrabenError) -> ObjectPredicate {
        func refuse(_ reason: String) -> GrabenError { .invalidRequest(reason: "fetching \(info.name) in a bounding box: \(reason)") }
        guard lower.count == upper.count, !lower.isEmpty else {
            throw refuse("it has \(lower.count) lower and \(upper.count) upper bounds")
        }
        var names = keys
        if names.isEmpty { names = info.laneProperties.prefix(lower.count).map { info.properties[$0].name } }
        guard names.count == lower.count else {
            throw refuse(
                keys.isEmpty
                    ? "it has \(lower.count) axes and the entity \(names.count) packed attributes; say by keys: which attributes they are"
                    : "it has \(lower.count) axes and \(names.count) keys")
        }
        var parts: [ObjectPredicate] = []
        for (axis, name) in names.enumerated() {
            _ = try info.number(name)
            parts.append(
                ObjectPredicate(
                    root: .comparison(
                        PredicateComparison(
                            left: .path(.object, [.key(name)]), comparison: .between,
                            right: .aggregate([.value(.double(lower[axis])), .value(.double(upper[axis]))])))))
        }
        return .all(parts)
    }
}
