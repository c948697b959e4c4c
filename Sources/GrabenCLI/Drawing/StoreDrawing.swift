import FoundationEssentials
import Graben
import GrabenDrawing
import GrabenLog
import GrabenModel

/// A drawing as read from a store, with the counts of what has no place in it.
struct StoreDrawing {
    private(set) var drawing = Drawing()
    /// Lines that have no end or whose ends have no place.
    private(set) var skippedLines = 0
    private(set) var skippedPoints = 0

    init(_ plan: DrawingPlan, _ store: OpenStore, _ invocation: Invocation) throws {
        var places: [ObjectID: (point: SIMD2<Double>, color: Value)] = [:]
        let chosen = plan.lines == nil ? try Selection(plan.points, invocation) : Selection(plan.points)
        try chosen.forEach(in: store) { object in
            guard let place = try Self.place(of: object, plan) else {
                skippedPoints += 1
                return
            }
            let isColored = plan.color.map { !$0.isOfLines } ?? false
            let color: Value = isColored ? try object.value(forKey: plan.color?.key ?? "") : .null
            places[object.objectID] = (place, color)
            drawing.addPoint(place, color: color.drawingColor)
        }
        guard let lines = plan.lines else { return }
        try Selection(lines.entity, invocation).forEach(in: store) { line in
            guard case .reference(let first) = try line.value(forKey: lines.start),
                case .reference(let second) = try line.value(forKey: lines.end), let start = places[first], let end = places[second]
            else {
                skippedLines += 1
                return
            }
            let color: Value
            if let wanted = plan.color {
                color = wanted.isOfLines ? try line.value(forKey: wanted.key) : Self.mean(start.color, end.color)
            } else {
                color = .null
            }
            drawing.addSegment(start.point, end.point, color: color.drawingColor)
        }
    }

    private static func place(of object: ManagedObject, _ plan: DrawingPlan) throws -> SIMD2<Double>? {
        var coordinates: [Double] = []
        for axis in plan.axes {
            guard let number = try object.value(forKey: axis).number, number.isFinite else {
                // An axis the view does not read may be missing.
                coordinates.append(.nan)
                continue
            }
            coordinates.append(number)
        }
        let place = plan.projection(coordinates)
        return place.x.isFinite && place.y.isFinite ? place : nil
    }

    private static func mean(_ a: Value, _ b: Value) -> Value {
        guard let a = a.number, let b = b.number else { return .null }
        return .double((a + b) / 2)
    }
}

extension Value {
    /// The value as a number, where it is one.
    var number: Double? {
        switch self {
        case .double(let value): value
        case .float(let value): Double(value)
        case .int(let value): Double(value)
        case .decimal(let value): Double(value.description)
        default: nil
        }
    }

    fileprivate var drawingColor: Drawing.Color {
        if isNull { return .none }
        return number.map { .number($0) } ?? .text(ValueText.text(self).withoutControls)
    }
}
