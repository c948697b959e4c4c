/// How points in space come onto the sheet: across to the right and up.
enum Projection: Sendable {
    /// Two of the axes as they are.
    case plane(Int, Int)
    /// All three at angles of 120 degrees, lengths along each kept.
    case isometric

    static let views = ["top", "front", "side", "iso"]

    init?(view: String) {
        switch view {
        case "top": self = .plane(0, 1)
        case "front": self = .plane(0, 2)
        case "side": self = .plane(1, 2)
        case "iso": self = .isometric
        default: return nil
        }
    }

    /// How many axes it reads.
    var axisCount: Int {
        switch self {
        case .plane(let across, let up): max(across, up) + 1
        case .isometric: 3
        }
    }

    func callAsFunction(_ point: [Double]) -> SIMD2<Double> {
        switch self {
        case .plane(let across, let up): return [point[across], point[up]]
        case .isometric:
            let cosine = 0.866_025_403_784_438_6
            return [(point[0] - point[1]) * cosine, (point[0] + point[1]) / 2 + point[2]]
        }
    }

    /// What the two directions of the sheet are called.
    func names(_ axes: [String]) -> (across: String, up: String) {
        switch self {
        case .plane(let across, let up): (axes[across], axes[up])
        case .isometric: ("across", "up")
        }
    }
}
