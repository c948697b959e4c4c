/// A cubic lattice of joints joined by lines along the three axes: a drawing of any size whose every count and sum has a closed form.
///
/// With n joints an edge there are n³ joints and 3n²(n-1) lines (n = 64: 262,144 and 774,144). Joint (i, j, k) has the row
/// `(i * n + j) * n + k`, stands at `origin + spacing * (i, j, k)` and is called `J` and its row. Lines come axis by axis, each from
/// the joint with the smaller coordinate.
///
///           3-------7
///          /|      /|
///         1-------5 |         the rows of n = 2:
///         | |     | |         i to the right, j to the back, k upwards
///         | 2-----|-6
///         |/      |/
///         0-------4
package struct Lattice: Sendable {
    package let n: Int
    package var spacing: Double = 1
    package var origin: (x: Double, y: Double, z: Double) = (0, 0, 0)

    /// - Precondition: `n` is at least 1 and at most 1,600 (so that rows fit 32 bits).
    package init(n: Int) {
        precondition((1...1600).contains(n), "A lattice has 1 to 1,600 joints an edge.")
        self.n = n
    }

    package struct Line: Equatable, Sendable {
        package let start: Int
        package let end: Int
    }

    package var jointCount: Int { n * n * n }
    package var lineCount: Int { 3 * n * n * (n - 1) }

    package func row(_ i: Int, _ j: Int, _ k: Int) -> Int { (i * n + j) * n + k }

    package func position(_ row: Int) -> (x: Double, y: Double, z: Double) {
        (
            origin.x + spacing * Double(row / (n * n)), origin.y + spacing * Double(row / n % n),
            origin.z + spacing * Double(row % n)
        )
    }

    package func name(_ row: Int) -> String { "J\(row)" }

    /// The line with this row. O(1), so a line's ends can be checked without keeping a list.
    package func line(_ row: Int) -> Line {
        let perAxis = n * n * (n - 1)
        let within = row % perAxis
        switch row / perAxis {
        case 0: return Line(start: within, end: within + n * n)
        case 1:
            let plane = within / (n * (n - 1))
            let start = plane * n * n + within % (n * (n - 1))
            return Line(start: start, end: start + n)
        default:
            let start = within / (n - 1) * n + within % (n - 1)
            return Line(start: start, end: start + 1)
        }
    }

    /// How many lines meet in a joint: 3 at a corner to 6 inside (fewer where n is 1).
    package func degree(_ row: Int) -> Int {
        [row / (n * n), row / n % n, row % n].reduce(0) { $0 + ($1 > 0 ? 1 : 0) + ($1 < n - 1 ? 1 : 0) }
    }

    /// The sum of the x of all joints at unit spacing from the origin zero; y and z have the same: n³(n-1)/2, exact in a double up to n = 1,600.
    package var coordinateSum: Double { Double(n * n * n * (n - 1) / 2) }
}
