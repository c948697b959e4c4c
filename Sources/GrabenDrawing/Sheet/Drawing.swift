/// Points and segments in the plane, each with what colors it, and the box around the points; where they come from is the caller's matter.
package struct Drawing: Sendable {
    /// What a mark is colored by.
    package enum Color: Sendable, Equatable {
        case none
        case number(Double)
        case text(String)
    }

    /// A segment, or a point: a segment that ends where it starts.
    package struct Mark: Sendable {
        package let start: SIMD2<Double>
        package let end: SIMD2<Double>
        package let color: Color
    }

    package private(set) var segments: [Mark] = []
    package private(set) var points: [Mark] = []
    package private(set) var lower = SIMD2<Double>(repeating: .infinity)
    package private(set) var upper = SIMD2<Double>(repeating: -.infinity)

    package init() {}

    package var isEmpty: Bool { points.isEmpty }
    package var span: SIMD2<Double> { isEmpty ? .zero : upper - lower }

    /// Adds a point, which has to be finite, and widens the box to hold it.
    package mutating func addPoint(_ place: SIMD2<Double>, color: Color = .none) {
        points.append(Mark(start: place, end: place, color: color))
        lower.replace(with: place, where: place .< lower)
        upper.replace(with: place, where: place .> upper)
    }

    /// Adds a segment between two places that were added as points.
    package mutating func addSegment(_ start: SIMD2<Double>, _ end: SIMD2<Double>, color: Color = .none) {
        segments.append(Mark(start: start, end: end, color: color))
    }
}

extension Drawing.Color {
    /// The number, where it is a finite one.
    var number: Double? {
        if case .number(let value) = self, value.isFinite { return value }
        return nil
    }

    /// What tells colors apart that are no numbers; nil where there is none.
    var text: String? {
        switch self {
        case .none: nil
        case .number(let value): PlainText.number(value)
        case .text(let text): text
        }
    }
}
