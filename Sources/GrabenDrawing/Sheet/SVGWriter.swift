/// Writes a drawing as SVG: to scale, y up, one path for each color; the same drawing gives the same bytes.
///
///     margin | the bounding box, `size` along its longer side | margin
///              the colors, where there are several
///              counts and bounding box            scale bar
package struct SVGWriter {
    /// The words around a drawing.
    package struct Labels: Sendable {
        /// What a point is called.
        package var points: String
        /// What a segment is called; nil in a drawing of points only.
        package var lines: String?
        /// What the two directions of the sheet are called.
        package var across = "x"
        package var up = "y"
        /// The unit of both directions.
        package var unit: String?
        /// The key that colors stand for; nil in a drawing of one color.
        package var color: String?

        package init(points: String, lines: String?) {
            self.points = points
            self.lines = lines
        }
    }

    /// Why a drawing cannot be drawn to scale.
    package enum Failure: Error {
        case notToScale
    }

    private let labels: Labels
    private let drawing: Drawing
    /// The longer side of the bounding box, in pixels.
    private let size: Double
    private let drawsPoints: Bool
    private let scale: Double
    private let margin = 20.0

    /// Prepares a drawing whose box's longer side takes `size` pixels.
    ///
    /// Throws where the points lie so far apart, or so close, that no number is the scale.
    package init(_ drawing: Drawing, _ labels: Labels, size: Double = 1000, drawsPoints: Bool) throws(Failure) {
        self.drawing = drawing
        self.labels = labels
        self.size = size
        self.drawsPoints = drawsPoints
        let longest = max(drawing.span.x, drawing.span.y)
        scale = longest > 0 ? size / longest : 1
        guard scale.isFinite, scale > 0 else { throw .notToScale }
    }

    /// Hands the SVG to `output`, piece by piece.
    package func write<E: Error>(to output: (String) throws(E) -> Void) throws(E) {
        let box = drawing.span * scale
        let width = max(box.x + 2 * margin, 440)
        let lines = ColorBuckets(drawing.segments, isColored: labels.color != nil && labels.lines != nil)
        let dots = ColorBuckets(drawsPoints ? drawing.points : [], isColored: labels.color != nil && labels.lines == nil)
        let legend = (labels.lines == nil ? dots : lines).buckets.filter { $0.label != nil }
        let perRow = max(1, Int((width - 2 * margin) / 120))
        let legendTop = box.y + 2 * margin
        let textTop = legendTop + Double((legend.count + perRow - 1) / perRow) * 18
        let height = textTop + 48
        try output(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(text(width))" height="\(text(height))" \
            viewBox="0 0 \(text(width)) \(text(height))">
            <title>\(counts.markupEscaped)</title>
            <rect width="100%" height="100%" fill="#ffffff"/>
            <rect id="box" x="\(text(margin))" y="\(text(margin))" width="\(text(box.x))" height="\(text(box.y))" fill="none" \
            stroke="#d8d8d8" stroke-width="0.5"/>

            """)
        try writeLines(lines, output)
        try writePoints(dots, output)
        try write(legend, top: legendTop, perRow: perRow, output)
        try writeTexts(top: textTop, width: width, output)
        try output("</svg>\n")
    }

    // MARK: Marks

    /// A place on the sheet.
    private func place(_ point: SIMD2<Double>) -> String {
        let x = margin + (point.x - drawing.lower.x) * scale
        let y = margin + (drawing.upper.y - point.y) * scale
        return "\(text(x)) \(text(y))"
    }

    private func writeLines<E: Error>(_ lines: ColorBuckets, _ output: (String) throws(E) -> Void) throws(E) {
        guard labels.lines != nil else { return }
        let width = drawing.segments.count > 50_000 ? "0.4" : drawing.segments.count > 5000 ? "0.8" : "1.4"
        try output("<g id=\"lines\" fill=\"none\" stroke-width=\"\(width)\" stroke-linecap=\"round\">\n")
        for bucket in lines.buckets where !bucket.marks.isEmpty {
            try output("<path stroke=\"\(bucket.color)\" d=\"")
            for mark in bucket.marks { try output("M\(place(mark.start))L\(place(mark.end))") }
            try output("\"/>\n")
        }
        try output("</g>\n")
    }

    private func writePoints<E: Error>(_ dots: ColorBuckets, _ output: (String) throws(E) -> Void) throws(E) {
        guard drawsPoints else { return }
        let width = drawing.points.count > 50_000 ? "1" : drawing.points.count > 5000 ? "2" : "2.6"
        try output("<g id=\"points\" fill=\"none\" stroke-width=\"\(width)\" stroke-linecap=\"round\">\n")
        for bucket in dots.buckets where !bucket.marks.isEmpty {
            let color = labels.lines == nil ? bucket.color : "#20333f"
            try output("<path stroke=\"\(color)\" d=\"")
            for mark in bucket.marks { try output("M\(place(mark.start))h0") }
            try output("\"/>\n")
        }
        try output("</g>\n")
    }

    // MARK: Words

    /// The counts of what is shown.
    package var counts: String {
        let points = "\(PlainText.grouped(drawing.points.count)) \(labels.points)"
        return labels.lines.map { "\(points), \(PlainText.grouped(drawing.segments.count)) \($0)" } ?? points
    }

    private func write<E: Error>(
        _ legend: [ColorBuckets.Bucket], top: Double, perRow: Int, _ output: (String) throws(E) -> Void
    ) throws(E) {
        guard !legend.isEmpty else { return }
        try output("<g id=\"colors\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#404040\">\n")
        for (index, bucket) in legend.enumerated() {
            let x = margin + Double(index % perRow) * 120
            let y = top + Double(index / perRow) * 18
            try output("<rect x=\"\(text(x))\" y=\"\(text(y - 8))\" width=\"14\" height=\"8\" fill=\"\(bucket.color)\"/>")
            try output("<text x=\"\(text(x + 18))\" y=\"\(text(y))\">\((bucket.label ?? "").markupEscaped)</text>\n")
        }
        try output("</g>\n")
    }

    private func writeTexts<E: Error>(top: Double, width: Double, _ output: (String) throws(E) -> Void) throws(E) {
        try output("<g id=\"words\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#404040\">\n")
        let color = labels.color.map { ", colored by \($0)" } ?? ""
        try output("<text id=\"counts\" x=\"\(text(margin))\" y=\"\(text(top + 8))\">\((counts + color).markupEscaped)</text>\n")
        if !drawing.isEmpty {
            let range =
                "\(labels.across) \(number(drawing.lower.x)) to \(number(drawing.upper.x)),"
                + " \(labels.up) \(number(drawing.lower.y)) to \(number(drawing.upper.y))"
            try output("<text id=\"range\" x=\"\(text(margin))\" y=\"\(text(top + 26))\" font-size=\"10\">\(range.markupEscaped)</text>\n")
        }
        if let bar = scaleBar {
            let right = width - margin
            let left = right - bar.length
            let label = bar.value + (labels.unit.map { " \($0)" } ?? "")
            try output(
                """
                <path id="scale" d="M\(text(left)) \(text(top + 16))v4h\(text(bar.length))v-4" fill="none" stroke="#404040"/>
                <text x="\(text(left + bar.length / 2))" y="\(text(top + 12))" text-anchor="middle">\(label.markupEscaped)</text>

                """)
        }
        try output("</g>\n")
    }

    /// A length of one, two or five times a power of ten that takes between a tenth and a quarter of the sheet.
    private var scaleBar: (length: Double, value: String)? {
        guard max(drawing.span.x, drawing.span.y) > 0 else { return nil }
        let most = size / 4 / scale
        var unit = 1.0
        // The loops end: a double has at most 308 decimal exponents on either side of 1.
        while unit > most { unit /= 10 }
        while unit * 10 <= most { unit *= 10 }
        guard unit > 0 else { return nil }
        let value = unit * 5 <= most ? unit * 5 : unit * 2 <= most ? unit * 2 : unit
        let label = value >= 1 && value < 1e15 ? PlainText.grouped(Int(value)) : value.description
        return (value * scale, label)
    }

    private func text(_ value: Double) -> String { PlainText.hundredths(value) }

    /// A coordinate of the drawing, with two decimals where that is not silly.
    private func number(_ value: Double) -> String { abs(value) < 1e12 ? text(value) : value.description }
}
