import FoundationEssentials
import Graben
import GrabenDrawing

extension Demo {
    /// Step 10: a drawing of the town, to scale, in the current directory.
    func draw() throws {
        try steps.begin("Draw the town")
        let path = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: "ky10.svg").path
        let container = try openStore()
        let context = newContext(container)
        let joints = try context.fetchIDs(Joint.fetchRequest())
        let lines = try context.fetch(Line.fetchRequest())
        let ends = lines.compactMap { line in line.start.flatMap { start in line.end.map { (start.objectID, $0.objectID) } } }
        let drawing = try context.withPositions(of: Joint.self) { positions in
            func place(_ id: ObjectID) -> SIMD2<Double> { [positions[id].x, positions[id].y] }
            var drawing = Drawing()
            for id in joints { drawing.addPoint(place(id)) }
            for (start, end) in ends { drawing.addSegment(place(start), place(end)) }
            return drawing
        }
        try checkErrors()
        try check(drawing, context)
        try container.close()

        var labels = SVGWriter.Labels(points: "joints", lines: "lines")
        labels.unit = "feet"
        var svg = ""
        do {
            try SVGWriter(drawing, labels, drawsPoints: true).write { svg += $0 }
        } catch {
            throw DemoFailure("the town cannot be drawn to scale")
        }
        do {
            try Data(svg.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw DemoFailure("writing '\(path)': \(error)")
        }
        let written = try SegmentReader(path: path)
        try expect("segments in '\(path)'", written.segments.count, is: fixtures.expected.counts.lines)
        try expect("segments in '\(path)' inside the box", written.segments.count { written.isInside($0) }, is: written.segments.count)
        let span = drawing.span
        try expect("the drawing is to scale", abs(written.width / written.height - span.x / span.y) < 1e-4)
        try steps.show(
            "\(path): \(written.segments.count.grouped) segments, all inside the box of \(span.x.short) by \(span.y.short) feet, to scale")
    }

    /// The drawing's box is the one the fixture names, moved as the joints were: rounding keeps order, so it is the same to the last bit.
    private func check(_ drawing: Drawing, _ context: ManagedObjectContext) throws {
        let expected = fixtures.expected.boundingBox
        let delta = SIMD2(Self.delta.x, Self.delta.y)
        try expect("lower corner of the drawing", drawing.lower, is: SIMD2(expected.x.min, expected.y.min) + delta)
        try expect("upper corner of the drawing", drawing.upper, is: SIMD2(expected.x.max, expected.y.max) + delta)
        try expect("joints drawn", drawing.points.count, is: fixtures.expected.counts.joints)
        try expect("lines drawn", drawing.segments.count, is: fixtures.expected.counts.lines)
    }
}

/// Reads the segments and the box of a drawing back from its file.
private struct SegmentReader {
    let segments: [[Double]]
    let width: Double
    let height: Double
    private let left: Double
    private let top: Double

    init(path: String) throws {
        let tags = try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "<")
        func attribute(_ name: String, of tag: Substring) throws(DemoFailure) -> Substring {
            // Attributes stand one after the other: name="value".
            let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
            guard let place = parts.firstIndex(where: { $0.hasSuffix(" \(name)=") }), place + 1 < parts.count else {
                throw DemoFailure("'\(path)' has a <\(tag.prefix(20))…> without \(name)")
            }
            return parts[place + 1]
        }
        guard let box = tags.first(where: { $0.hasPrefix("rect id=\"box\"") }),
            let group = tags.firstIndex(where: { $0.hasPrefix("g id=\"lines\"") }), group + 1 < tags.count
        else { throw DemoFailure("'\(path)' has no box or no lines") }
        let numbers = try ["x", "y", "width", "height"].map { Double(try attribute($0, of: box)) ?? .nan }
        (left, top, width, height) = (numbers[0], numbers[1], numbers[2], numbers[3])
        segments = try attribute("d", of: tags[group + 1]).split(separator: "M").map { segment in
            segment.split { $0 == "L" || $0 == " " }.map { Double($0) ?? .nan }
        }
    }

    /// Whether both ends are in the box; the file has two decimals.
    func isInside(_ segment: [Double]) -> Bool {
        guard segment.count == 4 else { return false }
        return [0, 2].allSatisfy { place in
            segment[place] >= left - 0.01 && segment[place] <= left + width + 0.01
                && segment[place + 1] >= top - 0.01 && segment[place + 1] <= top + height + 0.01
        }
    }
}
