/// Where a diagram's boxes stand, and which way its arrows go.
///
/// Boxes that arrows join stand in columns, each next to the ones it is joined with; an arrow that passes a column has a gap of its own
/// there, so that none runs behind a box. Groups of boxes that no arrow joins are laid out by themselves and set beside and below each other.
struct DiagramLayout {
    struct Place {
        var x = 0.0
        var y = 0.0
        var width = 0.0
        var height = 0.0
    }

    static let titleHeight = 24.0
    static let rowHeight = 17.0
    static let gap = 26.0
    /// Room between columns, for the arrows.
    static let alley = 90.0

    private(set) var places: [Place]
    /// For each arrow the points it goes through, in pairs: out of one box, then across each column, and into the other box.
    private(set) var ways: [[SIMD2<Double>]]
    private(set) var width = 0.0
    private(set) var height = 0.0

    init(_ diagram: Diagram) {
        places = diagram.boxes.map(Self.size)
        ways = diagram.arrows.map { _ in [] }
        let groups = Self.groups(of: diagram)
        var columns = groups.map { DiagramColumns(diagram, boxes: $0, sizes: places) }
        // The largest first, from left to right in shelves about as wide as everything is high.
        let area = columns.reduce(0) { $0 + ($1.width + Self.alley) * ($1.height + Self.gap) }
        let limit = max(columns.map(\.width).max() ?? 0, (area * 1.6).squareRoot())
        let order = columns.indices.sorted { (-columns[$0].height, $0) < (-columns[$1].height, $1) }
        var (x, y, shelf) = (0.0, 0.0, 0.0)
        for index in order {
            if x > 0, x + columns[index].width > limit {
                (x, y, shelf) = (0, y + shelf + Self.gap * 1.5, 0)
            }
            columns[index].move(by: SIMD2(x, y))
            x += columns[index].width + Self.gap * 1.5
            shelf = max(shelf, columns[index].height)
            width = max(width, x - Self.gap * 1.5)
        }
        height = y + shelf
        for group in columns {
            for (box, place) in group.placed { places[box] = place }
            for (arrow, way) in group.ways { ways[arrow] = way }
        }
    }

    private static func size(of box: Diagram.Box) -> Place {
        let names = box.rows.map { textWidth($0.name) }.max() ?? 0
        let kinds = box.rows.map { textWidth($0.kind) }.max() ?? 0
        return Place(
            width: max(110, max(textWidth(box.title) * 1.2 + 24, names + kinds + 36)),
            height: titleHeight + rowHeight * Double(box.rows.count) + (box.rows.isEmpty ? 0 : 8))
    }

    /// About how wide a text of 12 pixels is in a proportional face, on the generous side.
    static func textWidth(_ text: String) -> Double { Double(text.displayWidth) * 7.5 }

    /// The height of a row's middle, or of the title's, from the top of its box.
    static func height(of end: Diagram.End) -> Double {
        end.row.map { titleHeight + 4 + rowHeight * (Double($0) + 0.5) } ?? titleHeight / 2
    }

    /// The boxes that arrows join, each group in the order of the boxes.
    private static func groups(of diagram: Diagram) -> [[Int]] {
        var group = Array(diagram.boxes.indices)
        func root(_ box: Int) -> Int {
            var box = box
            while group[box] != box { box = group[box] }
            return box
        }
        for arrow in diagram.arrows {
            let (a, b) = (root(arrow.from.box), root(arrow.to.box))
            group[max(a, b)] = min(a, b)
        }
        let roots = diagram.boxes.indices.map(root)
        return Set(roots).sorted().map { wanted in roots.indices.filter { roots[$0] == wanted } }
    }
}
