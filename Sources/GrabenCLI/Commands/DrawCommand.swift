import Graben
import GrabenDrawing
import GrabenModel

/// A drawing of points and lines as SVG.
enum DrawCommand {
    static func run(_ session: Session) throws {
        let invocation = session.invocation
        let target = invocation.value("output") ?? "-"
        guard target != "-" || !invocation.has("json") else {
            throw CLIError.usage("conflict", "--json says what was drawn, and standard output holds the drawing: use -o FILE")
        }
        let size = try size(invocation)
        let store = try OpenStore(session)
        let plan = try DrawingPlan(invocation, store)
        let read = try StoreDrawing(plan, store, invocation)
        let svg = try writer(read.drawing, plan, size, drawsPoints: plan.lines == nil || invocation.has("points"))
        if read.skippedPoints > 0 { session.warn("\(read.skippedPoints) \(plan.points.name) without a place are not drawn") }
        if read.skippedLines > 0, let lines = plan.lines {
            session.warn("\(read.skippedLines) \(lines.entity.name) without two ends that have a place are not drawn")
        }
        func write(to output: ByteOutput) throws(CLIError) {
            try svg.write { (text) throws(CLIError) in try output.write(text) }
        }
        guard target != "-" else { return try write(to: session.output) }
        let file = try OutputFile(target, besides: store.path)
        try write(to: file.output)
        try file.finish()
        if invocation.has("json") {
            try report(read, target, plan, JSONWriter(session.output))
        } else {
            try session.output.write("drew \(svg.counts) into \(target)\n")
        }
    }

    private static func writer(
        _ drawing: Drawing, _ plan: DrawingPlan, _ size: Double, drawsPoints: Bool
    ) throws(CLIError) -> SVGWriter {
        var labels = SVGWriter.Labels(points: plan.points.name.withoutControls, lines: plan.lines?.entity.name.withoutControls)
        let names = plan.projection.names(plan.axes)
        labels.across = names.across.withoutControls
        labels.up = names.up.withoutControls
        labels.unit = plan.axes.first.flatMap { plan.points.property(named: $0)?.attribute?.userInfo["unit"] }?.withoutControls
        labels.color = plan.color?.key.withoutControls
        do { return try SVGWriter(drawing, labels, size: size, drawsPoints: drawsPoints) } catch {
            throw CLIError(.badData, "draw.range", "the points lie too far apart, or too close, to be drawn to scale")
        }
    }

    private static func size(_ invocation: Invocation) throws(CLIError) -> Double {
        guard let text = invocation.value("size") else { return 1000 }
        guard let size = Double(text), (10...100_000).contains(size) else {
            throw .usage("bad-value", "--size takes a number of pixels from 10 to 100000, not \(text.shown)")
        }
        return size
    }

    private static func report(_ read: StoreDrawing, _ file: String, _ plan: DrawingPlan, _ json: JSONWriter) throws(CLIError) {
        let names = plan.projection.names(plan.axes)
        let drawing = read.drawing
        try json.beginObject()
        try json.field("file", file)
        try json.field("points", drawing.points.count)
        try json.field("segments", drawing.segments.count)
        try json.field("skippedPoints", read.skippedPoints)
        try json.field("skippedLines", read.skippedLines)
        try json.key("box")
        try json.beginObject()
        if !drawing.isEmpty {
            for (name, low, high) in [(names.across, drawing.lower.x, drawing.upper.x), (names.up, drawing.lower.y, drawing.upper.y)] {
                try json.key(name)
                try json.beginArray()
                try json.number(low)
                try json.number(high)
                try json.endArray()
            }
        }
        try json.endObject()
        try json.endObject()
        try json.newline()
    }
}
