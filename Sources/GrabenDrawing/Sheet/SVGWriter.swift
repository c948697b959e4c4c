/// Writes a drawing as SVG: to scale, y up, one path for each color; the same drawing gives the same bytes.
///
///     margin | the bounding box, `size` along its longer side | margin
///              the colors, where there are several
///              counts and bounding box            scale bar
struct SVGWriter {
    let plan: DrawingPlan
    let drawing: Drawing
    let unit: String?
    /// The longer side of the bounding box, in pixels.
    let size: Double
    let drawsPoints: Bool
    private let output: ByteOutput
    private let scale: Double
    private let margin = 20.0

    init(_ plan: DrawingPlan, _ drawing: Drawing, unit: String?, size: Double, drawsPoints: Bool, _ output: ByteOutput) throws(CLIError) {
        self.plan = plan
        self.drawing = drawing
        self.unit = unit
        self.size = size
        self.drawsPoints = drawsPoints
        self.output = output
        let longest = max(drawing.span.x, drawing.span.y)
        scale = longest > 0 ? size / longest : 1
        guard scale.isFinite, scale > 0 else {
            throw CLIError(.badData, "draw.range", "the points lie too far apart, or too close, to be drawn to scale")
        }
    }

    func write() throws(CLIError) {
        let box = drawing.span * scale
        let width = max(box.x + 2 * margin, 440)
        let lines = ColorBuckets(drawing.segments, isColored: plan.color != nil && plan.lines != nil)
        let dots = ColorBuckets(drawsPoints ? drawing.points : [], isColored: plan.color != nil && plan.lines == nil)
        let legend = (plan.lines == nil ? dots : lines).buckets.filter { $0.label != nil }
        let perRow = max(1, Int((width - 2 * margin) / 120))
        let legendTop = box.y + 2 * margin
        let textTop = legendTop + Double((legend.count + perRow - 1) / perRow) * 18
        let height = textTop + 48
        try output.write(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(text(width))" height="\(text(height))" \
            viewBox="0 0 \(text(width)) \(text(height))">
            <title>\(escaped(counts))</title>
            <rect width="100%" height="100%" fill="#ffffff"/>
            <rect id="box" x="\(text(margin))" y="\(text(margin))" width="\(text(box.x))" height="\(text(box.y))" fill="none" \
            stroke="#d8d8d8" stroke-width="0.5"/>

            """)
        try writeLines(lines)
        try writePoints(dots)
        try write(legend, top: legendTop, perRow: perRow)
        try writeTexts(top: textTop, width: width)
        try output.write("</svg>\n")
    }

    // MARK: Marks

    /// A place on the sheet.
    private func place(_ point: SIMD2<Double>) -> String {
        let x = margin + (point.x - drawing.lower.x) * scale
        let y = margin + (drawing.upper.y - point.y) * scale
        return "\(text(x)) \(text(y))"
    }

    private func writeLines(_ lines: ColorBuckets) throws(CLIError) {
        guard plan.lines != nil else { return }
        let width = drawing.segments.count > 50_000 ? "0.4" : drawing.segments.count > 5000 ? "0.8" : "1.4"
        try output.write("<g id=\"lines\" fill=\"none\" stroke-width=\"\(width)\" stroke-linecap=\"round\">\n")
        for bucket in lines.buckets where !bucket.marks.isEmpty {
            try output.write("<path stroke=\"\(bucket.color)\" d=\"")
            for mark in bucket.marks { try output.write("M\(place(mark.start))L\(place(mark.end))") }
            try output.write("\"/>\n")
        }
        try output.write("</g>\n")
    }

    private func writePoints(_ dots: ColorBuckets) throws(CLIError) {
        guard drawsPoints else { return }
        let width = drawing.points.count > 50_000 ? "1" : drawing.points.count > 5000 ? "2" : "2.6"
        try output.write("<g id=\"points\" fill=\"none\" stroke-width=\"\(width)\" stroke-linecap=\"round\">\n")
        for bucket in dots.buckets where !bucket.marks.isEmpty {
            let color = plan.lines == nil ? bucket.color : "#20333f"
            try output.write("<path stroke=\"\(color)\" d=\"")
            for mark in bucket.marks { try output.write("M\(place(mark.start))h0") }
            try output.write("\"/>\n")
        }
        try output.write("</g>\n")
    }

    // MARK: Words

    /// The counts of what is shown.
    var counts: String {
        let points = "\(ValueText.grouped(drawing.points.count)) \(plan.points.name)"
        return plan.lines.map { "\(points), \(ValueText.grouped(drawing.segments.count)) \($0.entity.name)" } ?? points
    }

    private func write(_ legend: [ColorBuckets.Bucket], top: Double, perRow: Int) throws(CLIError) {
        guard !legend.isEmpty else { return }
        try output.write("<g id=\"colors\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#404040\">\n")
        for (index, bucket) in legend.enumerated() {
            let x = margin + Double(index % perRow) * 120
            let y = top + Double(index / perRow) * 18
            try output.write("<rect x=\"\(text(x))\" y=\"\(text(y - 8))\" width=\"14\" height=\"8\" fill=\"\(bucket.color)\"/>")
            try output.write("<text x=\"\(text(x + 18))\" y=\"\(text(y))\">\(escaped(bucket.label ?? ""))</text>\n")
        }
        try output.write("</g>\n")
    }

    private func writeTexts(top: Double, width: Double) throws(CLIError) {
        try output.write("<g id=\"words\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#404040\">\n")
        let color = plan.color.map { ", colored by \($0.key)" } ?? ""
        try output.write("<text id=\"counts\" x=\"\(text(margin))\" y=\"\(text(top + 8))\">\(escaped(counts + color))</text>\n")
        if !drawing.isEmpty {
            let names = plan.projection.names(plan.axes)
            let range =
                "\(names.across) \(number(drawing.lower.x)) to \(number(drawing.upper.x)),"
                + " \(names.up) \(number(drawing.lower.y)) to \(number(drawing.upper.y))"
            try output.write("<text id=\"range\" x=\"\(text(margin))\" y=\"\(text(top + 26))\" font-size=\"10\">\(escaped(range))</text>\n")
        }
        if let bar = scaleBar {
            let right = width - margin
            let left = right - bar.length
            let label = bar.value + (unit.map { " \($0)" } ?? "")
            try output.write(
                """
                <path id="scale" d="M\(text(left)) \(text(top + 16))v4h\(text(bar.length))v-4" fill="none" stroke="#404040"/>
                <text x="\(text(left + bar.length / 2))" y="\(text(top + 12))" text-anchor="middle">\(escaped(label))</text>

                """)
        }
        try output.write("</g>\n")
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
        let label = value >= 1 && value < 1e15 ? ValueText.grouped(Int(value)) : value.description
        return (value * scale, label)
    }

    /// A coordinate of the sheet with two decimals.
    private func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = abs(hundredths) % 100
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// A coordinate of the drawing, with two decimals where that is not silly.
    private func number(_ value: Double) -> String {
        abs(value) < 1e12 ? text(value) : value.description
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text.withoutControls.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // What XML has no place for.
            case "\u{FFFE}", "\u{FFFF}": result += "?"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
