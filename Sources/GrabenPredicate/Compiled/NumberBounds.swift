import GrabenLog

/// The numbers for which a comparison with a constant is true, as ranges with their bounds included (D2: compared exactly).
///
/// An open bound becomes the next number: there is a next integer and a next double, so nothing is rounded. `!=` is the complement, which the
/// caller makes: it takes in nil and NaN.
enum NumberBounds {
    /// nil where the constant is of a kind that no range of integers stands for, or the operator is none of order or equality.
    static func integers(_ operation: PredicateOperator, _ constant: Operand.Number) -> [ClosedRange<Int64>]? {
        switch constant {
        case .int(let c):
            switch operation {
            case .equal: return [c...c]
            case .less: return c == .min ? [] : [.min...c - 1]
            case .lessOrEqual: return [.min...c]
            case .greater: return c == .max ? [] : [c + 1 ... .max]
            case .greaterOrEqual: return [c ... .max]
            default: return nil
            }
        case .double(let c): return integers(operation, c)
        case .decimal: return nil
        }
    }

    private static func integers(_ operation: PredicateOperator, _ c: Double) -> [ClosedRange<Int64>]? {
        let all: [ClosedRange<Int64>] = [.min ... .max]
        let isBelow = c < -0x1p63
        let isAbove = c >= 0x1p63
        // Behind the guards in each case `c` rounds to an Int64.
        switch operation {
        case .equal: return Int64(exactly: c).map { [$0...$0] } ?? []
        case .lessOrEqual:
            if c.isNaN || isBelow { return [] }
            return isAbove ? all : [.min...Int64(c.rounded(.down))]
        case .less:
            if c.isNaN || c <= -0x1p63 { return [] }
            return isAbove ? all : [.min...Int64(c.rounded(.up)) - 1]
        case .greaterOrEqual:
            if c.isNaN || isAbove { return [] }
            return isBelow ? all : [Int64(c.rounded(.up)) ... .max]
        case .greater:
            if c.isNaN || isAbove { return [] }
            return isBelow ? all : [Int64(c.rounded(.down)) + 1 ... .max]
        default: return nil
        }
    }

    /// As `integers`, for doubles; every kind of constant has such ranges.
    static func doubles(_ operation: PredicateOperator, _ constant: Operand.Number) -> [ClosedRange<Double>]? {
        let near = constant.double
        if near.isNaN { return OrderMask(operation) == nil ? nil : [] }
        /// -1, 0 or 1 as a double is below, equal to or above the constant.
        func order(_ x: Double) -> Int { Operand.Number.double(x).order(constant) ?? 0 }
        switch operation {
        case .equal: return order(near) == 0 ? [near...near] : []
        case .less, .lessOrEqual:
            let isOpen = operation == .less
            var x = near
            while order(x) > 0 || (isOpen && order(x) == 0) {
                if x == -.infinity { return [] }
                x = x.nextDown
            }
            return [-Double.infinity...x]
        case .greater, .greaterOrEqual:
            let isOpen = operation == .greater
            var x = near
            while order(x) < 0 || (isOpen && order(x) == 0) {
                if x == .infinity { return [] }
                x = x.nextUp
            }
            return [x...Double.infinity]
        default: return nil
        }
    }

    /// The numbers that lie in a range of each of two lists of at most one range.
    static func both<T: Comparable>(_ a: [ClosedRange<T>], _ b: [ClosedRange<T>]) -> [ClosedRange<T>] {
        guard let x = a.first, let y = b.first else { return [] }
        let low = max(x.lowerBound, y.lowerBound)
        let high = min(x.upperBound, y.upperBound)
        return low <= high ? [low...high] : []
    }

    /// Single numbers, sorted and each once, as ranges.
    static func union<T: Comparable>(_ ranges: [ClosedRange<T>]) -> [ClosedRange<T>] {
        var result: [ClosedRange<T>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound })
        where result.last.map({ $0.upperBound < range.lowerBound }) ?? true { result.append(range) }
        return result
    }
}
