/// One group of boxes, joined by arrows, in columns.
///
///     column 0        column 1        column 2
///     ┌───┐           ┌───┐           ┌───┐
///     │ a ├───────────┤ b │     ┌─────┤ d │
///     └─┬─┘           └───┘     │     └───┘
///       └──────────────●────────┘              ● a slot: the way of an arrow past a column
///                     ┌───┐
///                     │ c │
///                     └───┘
struct DiagramColumns {
    private typealias Place = DiagramLayout.Place

    /// A box, or the slot of an arrow that passes the column.
    private struct Item {
        let box: Int?
        let width: Double
        let height: Double
        let column: Int
        var y = 0.0
        /// What arrows join it with in the columns to both sides: the other item, where there in it and where here in this one.
        var links: [(item: Int, there: Double, here: Double)] = []
    }

    private let diagram: Diagram
    private var items: [Item] = []
    private var columns: [[Int]] = []
    private var itemOfBox: [Int: Int] = [:]
    /// The items an arrow goes through, from its left end to its right one.
    private var chains: [(arrow: Int, items: [Int], isReversed: Bool)] = []
    private var lefts: [Double] = []
    private var widths: [Double] = []
    private var origin = SIMD2(0.0, 0.0)
    private(set) var width = 0.0
    private(set) var height = 0.0

    init(_ diagram: Diagram, boxes: [Int], sizes: [DiagramLayout.Place]) {
        self.diagram = diagram
        place(boxes, sizes)
        makeChains()
        for _ in 0..<8 {
            order(columns.indices.dropFirst())
            order(columns.indices.dropLast().reversed())
        }
        settle()
        measure()
    }

    mutating func move(by distance: SIMD2<Double>) { origin = distance }

    // MARK: Columns

    /// Walks outwards from the box with most neighbours: each next box stands in the column behind the nearest one it is joined with, or
    /// farther where that is full.
    private mutating func place(_ boxes: [Int], _ sizes: [DiagramLayout.Place]) {
        var neighbours: [Int: Set<Int>] = [:]
        for arrow in diagram.arrows where arrow.from.box != arrow.to.box {
            neighbours[arrow.from.box, default: []].insert(arrow.to.box)
            neighbours[arrow.to.box, default: []].insert(arrow.from.box)
        }
        let total = boxes.reduce(0) { $0 + sizes[$1].height + DiagramLayout.gap }
        let area = boxes.reduce(0) { $0 + (sizes[$1].height + DiagramLayout.gap) * (sizes[$1].width + DiagramLayout.alley) }
        let tallest = boxes.map { sizes[$0].height }.max() ?? 0
        let limit = min(total, max(tallest, (area / 1.5).squareRoot()))
        var used: [Double] = []
        func column(from first: Int, height: Double) -> Int {
            var column = first
            while column < used.count, used[column] > 0, used[column] + height > limit { column += 1 }
            return column
        }
        guard let start = boxes.max(by: { (neighbours[$0]?.count ?? 0, -$0) < (neighbours[$1]?.count ?? 0, -$1) }) else { return }
        // Its column is the middle one, so that a hub has neighbours on both sides: every second of the boxes around it goes to the left.
        var side: [Int: Int] = [start: 1]
        var depth: [Int: Int] = [start: 0]
        var queue = [start]
        var next = 0
        var toLeft = false
        while next < queue.count {
            let box = queue[next]
            next += 1
            for other in (neighbours[box] ?? []).sorted() where depth[other] == nil {
                depth[other] = (depth[box] ?? 0) + 1
                if box == start, (neighbours[start]?.count ?? 0) > 3 {
                    side[other] = toLeft ? -1 : 1
                    toLeft.toggle()
                } else {
                    side[other] = side[box] ?? 1
                }
                queue.append(other)
            }
        }
        var left: [[Int]] = []
        var right: [[Int]] = []
        for direction in [1, -1] {
            used = []
            var result: [[Int]] = []
            var columnOf: [Int: Int] = [:]
            for box in queue where side[box] == direction {
                let parent = (neighbours[box] ?? []).filter { depth[$0] == (depth[box] ?? 0) - 1 }.compactMap { columnOf[$0] }.min()
                let first = direction == 1 ? (box == start ? 0 : (parent ?? 0) + 1) : parent.map { $0 + 1 } ?? 0
                let height = sizes[box].height + DiagramLayout.gap
                let column = column(from: first, height: height)
                while used.count <= column {
                    used.append(0)
                    result.append([])
                }
                used[column] += height
                result[column].append(box)
                columnOf[box] = column
            }
            if direction == 1 { right = result } else { left = result }
        }
        for (column, boxes) in (left.reversed() + right).filter({ !$0.isEmpty }).enumerated() {
            columns.append([])
            for box in boxes {
                itemOfBox[box] = items.count
                columns[column].append(items.count)
                items.append(Item(box: box, width: sizes[box].width, height: sizes[box].height, column: column))
            }
        }
    }

    // MARK: Arrows

    private mutating func makeChains() {
        for (number, arrow) in diagram.arrows.enumerated() {
            guard let from = itemOfBox[arrow.from.box], let to = itemOfBox[arrow.to.box] else { continue }
            let isReversed = items[from].column > items[to].column
            let (first, last) = isReversed ? (to, from) : (from, to)
            var chain = [first]
            for column in (items[first].column + 1)..<max(items[last].column, items[first].column + 1) {
                columns[column].append(items.count)
                chain.append(items.count)
                items.append(Item(box: nil, width: 0, height: 6, column: column))
            }
            chain.append(last)
            chains.append((number, chain, isReversed))
            for (a, b) in zip(chain, chain.dropFirst()) where items[a].column != items[b].column {
                let (there, here) = (place(of: b, arrow), place(of: a, arrow))
                items[a].links.append((b, there, here))
                items[b].links.append((a, here, there))
            }
        }
    }

    /// Where an arrow meets an item, from the item's top.
    private func place(of item: Int, _ arrow: Diagram.Arrow) -> Double {
        guard let box = items[item].box else { return items[item].height / 2 }
        return DiagramLayout.height(of: arrow.from.box == box ? arrow.from : arrow.to)
    }

    // MARK: Order and height

    /// Sorts each column by where the arrows from the column before it come from.
    private mutating func order(_ wanted: some Sequence<Int>) {
        stack()
        for column in wanted {
            let keys = columns[column].map { item in
                let links = items[item].links
                guard !links.isEmpty else { return items[item].y }
                return links.reduce(0) { $0 + items[$1.item].y + $1.there - $1.here } / Double(links.count)
            }
            let sorted = zip(keys, columns[column]).enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
            columns[column] = sorted.map(\.element.1)
            stack(column)
        }
    }

    private mutating func stack() {
        for column in columns.indices { stack(column) }
    }

    /// One below the other, about a common middle.
    private mutating func stack(_ column: Int) {
        let total = columns[column].reduce(0) { $0 + items[$1].height + DiagramLayout.gap }
        var y = -total / 2
        for item in columns[column] {
            items[item].y = y
            y += items[item].height + DiagramLayout.gap
        }
    }

    /// Moves items to where their arrows run straight, as far as the order and the gaps allow.
    private mutating func settle() {
        stack()
        for round in 0..<40 {
            for column in round % 2 == 0 ? Array(columns.indices) : columns.indices.reversed() {
                var wanted = columns[column].map { item in
                    let links = items[item].links
                    guard !links.isEmpty else { return items[item].y }
                    return links.reduce(0) { $0 + items[$1.item].y + $1.there - $1.here } / Double(links.count)
                }
                // From both ends in turn, so that neither pushes the whole column away.
                let heights = columns[column].map { items[$0].height + DiagramLayout.gap }
                var down = wanted
                for place in wanted.indices.dropFirst() { down[place] = max(down[place], down[place - 1] + heights[place - 1]) }
                var up = wanted
                for place in wanted.indices.dropLast().reversed() { up[place] = min(up[place], up[place + 1] - heights[place]) }
                for place in wanted.indices { wanted[place] = (down[place] + up[place]) / 2 }
                for place in wanted.indices.dropFirst() { wanted[place] = max(wanted[place], wanted[place - 1] + heights[place - 1]) }
                for (item, y) in zip(columns[column], wanted) { items[item].y = y }
            }
        }
    }

    private mutating func measure() {
        let top = items.map(\.y).min() ?? 0
        for item in items.indices { items[item].y -= top }
        height = items.map { $0.y + $0.height }.max() ?? 0
        var x = 0.0
        for column in columns {
            let wide = column.map { items[$0].width }.max() ?? 0
            lefts.append(x)
            widths.append(wide)
            x += wide + DiagramLayout.alley
        }
        let loops = chains.contains { chain in
            chain.items.allSatisfy { items[$0].column == items[chain.items[0]].column } && items[chain.items[0]].column == columns.count - 1
        }
        width = x - DiagramLayout.alley + (loops ? DiagramLayout.alley / 2 : 0)
    }

    // MARK: Result

    var placed: [(box: Int, place: DiagramLayout.Place)] {
        items.compactMap { item in
            item.box.map { box in
                (
                    box,
                    DiagramLayout.Place(
                        x: origin.x + lefts[item.column] + (widths[item.column] - item.width) / 2, y: origin.y + item.y,
                        width: item.width, height: item.height)
                )
            }
        }
    }

    var ways: [(arrow: Int, way: [SIMD2<Double>])] {
        chains.map { chain in
            let arrow = diagram.arrows[chain.arrow]
            var ends = (arrow.from, arrow.to)
            if chain.isReversed { ends = (ends.1, ends.0) }
            func edge(_ item: Int, right: Bool) -> Double {
                let spare = (widths[items[item].column] - items[item].width) / 2
                return lefts[items[item].column] + (right ? widths[items[item].column] - spare : spare)
            }
            let (first, last) = (chain.items[0], chain.items[chain.items.count - 1])
            var way = [SIMD2(edge(first, right: true), items[first].y + DiagramLayout.height(of: ends.0))]
            for slot in chain.items.dropFirst().dropLast() {
                let y = items[slot].y + items[slot].height / 2
                way += [SIMD2(lefts[items[slot].column], y), SIMD2(lefts[items[slot].column] + widths[items[slot].column], y)]
            }
            // An arrow within a column leaves and comes back on the right.
            let isLoop = items[first].column == items[last].column
            way.append(SIMD2(edge(last, right: isLoop), items[last].y + DiagramLayout.height(of: ends.1)))
            if chain.isReversed { way.reverse() }
            return (chain.arrow, way.map { $0 + origin })
        }
    }
}
