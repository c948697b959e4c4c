import Graben
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
        let drawing = try Drawing(plan, store, invocation)
        let drawsPoints = plan.lines == nil || invocation.has("points")
        let unit = plan.axes.first.flatMap { plan.points.property(named: $0)?.attribute?.userInfo["unit"] }
        func writer(_ output: ByteOutput) throws -> SVGWriter {
            try SVGWriter(plan, drawing, unit: unit, size: size, drawsPoints: drawsPoints, output)
        }
        if drawing.skippedPoints > 0 { session.warn("\(drawing.skippedPoints) \(plan.points.name) without a place are not drawn") }
        if drawing.skippedLines > 0, let lines = plan.lines {
            session.warn("\(drawing.skippedLines) \(lines.entity.name) without two ends that have a place are not drawn")
        }
        guard target != "-" else { return try writer(session.output).write() }
        let file = try OutputFile(target, besides: store.path)
        let svg = try writer(file.output)
        try svg.write()
        try file.finish()
        if invocation.has("json") {
            try report(drawing, target, plan, JSONWriter(session.output))
        } else {
            try session.output.write("drew \(svg.counts) into \(target)\n")
        }
    }

    private static func size(_ invocation: Invocation) throws(CLIError) -> Double {
        guard let text = invocation.value("size") else { return 1000 }
        guard let size = Double(text), (10...100_000).contains(size) else {
            throw .usage("bad-value", "--size takes a number of pixels from 10 to 100000, not \(text.shown)")
        }
        return size
    }

    private static func report(_ drawing: Drawing, _ file: String, _ plan: DrawingPlan, _ json: JSONWriter) throws(CLIError) {
        let names = plan.projection.names(plan.axes)
        try json.beginObject()
        try json.field("file", file)
        try json.field("points", drawing.points.count)
        try json.field("segments", drawing.segments.count)
        try json.field("skippedPoints", drawing.skippedPoints)
        try json.field("skippedLines", drawing.skippedLines)
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
