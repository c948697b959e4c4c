/// Writes a diagram as SVG; the same diagram gives the same bytes.
package struct DiagramSVG {
    private let diagram: Diagram
    private let layout: DiagramLayout
    private let margin = 24.0
    private let font = "font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"12\""

    /// Lays a diagram out. Complexity: about the square of the number of boxes in a column, and linear in the arrows' lengths.
    package init(_ diagram: Diagram) {
        self.diagram = diagram
        layout = DiagramLayout(diagram)
    }

    /// Hands the SVG to `output`, piece by piece.
    package func write<E: Error>(to output: (String) throws(E) -> Void) throws(E) {
        let (width, height) = (layout.width + 2 * margin, layout.height + 2 * margin)
        try output(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" \
            viewBox="\(number(-margin)) \(number(-margin)) \(number(width)) \(number(height))" \(font)>
            <title>\(diagram.title.markupEscaped)</title>
            <rect x="\(number(-margin))" y="\(number(-margin))" width="\(number(width))" height="\(number(height))" fill="#ffffff"/>

            """)
        for (box, place) in zip(diagram.boxes, layout.places) { try output(text(of: box, place)) }
        for number in diagram.arrows.indices { try output(text(ofArrow: number)) }
        try output("</svg>\n")
    }

    private func text(of box: Diagram.Box, _ place: DiagramLayout.Place) -> String {
        let (x, y, width) = (place.x, place.y, place.width)
        let shape = "x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(place.height))\" rx=\"5\""
        let slant = box.isAbstract ? " font-style=\"italic\"" : ""
        let title = DiagramLayout.titleHeight
        var text = "<g><rect \(shape) fill=\"#ffffff\" stroke=\"none\"/>"
        text += "<path d=\"M\(number(x)) \(number(y + title)) v\(number(5 - title)) q0 -5 5 -5 h\(number(width - 10)) q5 0 5 5 "
        text += "v\(number(title - 5)) z\" fill=\"\(box.isAbstract ? "#eeeeee" : "#dfe8f5")\"/>"
        text += "<rect \(shape) fill=\"none\" stroke=\"#55606e\"/>"
        text += "<text x=\"\(number(x + width / 2))\" y=\"\(number(y + 16.5))\" text-anchor=\"middle\" font-weight=\"bold\"\(slant)>"
        text += "\(box.title.markupEscaped)</text>"
        for (index, row) in box.rows.enumerated() {
            let base = number(y + DiagramLayout.height(of: Diagram.End(0, row: index)) + 4)
            let style = row.style == .query ? " font-style=\"italic\"" : ""
            let color = row.style == .plain ? "#767676" : row.style == .link ? "#2f5d9b" : "#7a5c1e"
            text += "\n<text x=\"\(number(x + 9))\" y=\"\(base)\"\(style)>\(row.name.markupEscaped)</text>"
            text += "<text x=\"\(number(x + width - 9))\" y=\"\(base)\" text-anchor=\"end\" fill=\"\(color)\"\(style)>"
            text += "\(row.kind.markupEscaped)</text>"
        }
        return text + "</g>\n"
    }

    private func text(ofArrow index: Int) -> String {
        let arrow = diagram.arrows[index]
        let way = layout.ways[index]
        guard let first = way.first, let last = way.last, way.count >= 2 else { return "" }
        let isLoop = way.count == 2 && isInColumn(arrow)
        // Which way is out of the box at either end.
        let out = isLoop || way[1].x > first.x ? 1.0 : -1.0
        let outLast = isLoop || way[way.count - 2].x > last.x ? 1.0 : -1.0
        var path = "M\(point(first))"
        if isLoop {
            // Several between the same boxes bulge by different amounts.
            let bulge = max(first.x, last.x) + 26 + Double(index % 5) * 7
            path += " C\(point(SIMD2(bulge, first.y))) \(point(SIMD2(bulge, last.y))) \(point(last))"
        } else {
            for step in stride(from: 0, to: way.count - 1, by: 2) {
                let (a, b) = (way[step], way[step + 1])
                let middle = (a.x + b.x) / 2
                if step > 0 { path += " L\(point(a))" }
                path += " C\(point(SIMD2(middle, a.y))) \(point(SIMD2(middle, b.y))) \(point(b))"
            }
        }
        let isParent = arrow.toHead == .parent
        let stroke = "fill=\"none\" stroke=\"\(isParent ? "#8a8a8a" : "#2f5d9b")\" stroke-width=\"1.2\""
        let heads = head(arrow.fromHead, at: first, out) + head(arrow.toHead, at: last, outLast)
        return "<path d=\"\(path)\" \(stroke)/>" + (heads.isEmpty ? "" : "<path d=\"\(heads)\" \(stroke.replaced(isParent))/>") + "\n"
    }

    private func isInColumn(_ arrow: Diagram.Arrow) -> Bool {
        let (a, b) = (layout.places[arrow.from.box], layout.places[arrow.to.box])
        return abs(a.x + a.width / 2 - b.x - b.width / 2) < 0.01
    }

    /// One point for one object, two for many, a hollow triangle at what is inherited from.
    private func head(_ head: Diagram.Head, at tip: SIMD2<Double>, _ out: Double) -> String {
        func wings(_ shift: Double) -> String {
            let x = number(tip.x + out * (7 + shift))
            return "M\(x) \(number(tip.y - 4)) L\(number(tip.x + out * shift)) \(number(tip.y)) L\(x) \(number(tip.y + 4))"
        }
        switch head {
        case .none: return ""
        case .one: return wings(0)
        case .many: return wings(0) + " " + wings(5)
        case .parent:
            let x = number(tip.x + out * 11)
            return "M\(point(tip)) L\(x) \(number(tip.y - 6)) L\(x) \(number(tip.y + 6)) z"
        }
    }

    private func point(_ point: SIMD2<Double>) -> String { "\(number(point.x)) \(number(point.y))" }
    private func number(_ value: Double) -> String { PlainText.number((value * 10).rounded() / 10) }
}

extension String {
    /// The stroke of a head: that of a parent hides the line behind it.
    fileprivate func replaced(_ isParent: Bool) -> String { isParent ? "fill=\"#ffffff\"" + dropFirst("fill=\"none\"".count) : self }
}
