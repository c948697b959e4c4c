import FoundationEssentials

/// Exact comparisons among integers, doubles and decimals (D2): none is ever converted to another where that could round.
enum NumberOrder {
    /// Negative, zero or positive; nil where one is NaN.
    static func order(_ a: Int64, _ b: Double) -> Int? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        // Within the range the truncated double is an exact integer, and what was cut off decides between equals.
        let whole = b.rounded(.towardZero)
        let integer = Int64(whole)
        if a != integer { return a < integer ? -1 : 1 }
        return b == whole ? 0 : (b > whole ? -1 : 1)
    }

    static func order(_ a: Double, _ b: Double) -> Int? {
        if a < b { return -1 }
        if a > b { return 1 }
        return a == b ? 0 : nil
    }

    static func order(_ a: Decimal, _ b: Decimal) -> Int? {
        if a.isNaN || b.isNaN { return nil }
        return a == b ? 0 : (a < b ? -1 : 1)
    }

    static func order(_ a: Decimal, _ b: Double) -> Int? {
        if a.isNaN || b.isNaN { return nil }
        if b.isInfinite { return b > 0 ? -1 : 1 }
        // Rounding to the nearest double keeps order, so only a tie needs more digits than a double has.
        let near = double(a)
        if near != b { return near < b ? -1 : 1 }
        return exactOrder(a, b)
    }

    /// The double nearest to a decimal.
    static func double(_ decimal: Decimal) -> Double {
        decimal.isNaN ? .nan : Double(decimal.description) ?? .nan
    }

    /// Compares by writing both as whole numbers over the same powers of two and ten.
    private static func exactOrder(_ a: Decimal, _ b: Double) -> Int {
        if b == 0 { return a == 0 ? 0 : (a < 0 ? -1 : 1) }
        // The same sign here: the nearest double has that of the decimal.
        let sign = b < 0 ? -1 : 1
        var left = BigNatural()
        var decimals = 0
        var seenPoint = false
        for byte in a.description.utf8 {
            if byte == 0x2E { seenPoint = true }
            guard byte >= 0x30, byte <= 0x39 else { continue }
            left.multiply(by: 10, adding: UInt32(byte - 0x30))
            if seenPoint { decimals += 1 }
        }
        // |b| = significand · 2^power, the significand a whole number of 53 bits.
        let magnitude = b.magnitude
        let power = Int(magnitude.exponent) - 52
        let significand = UInt64((magnitude.significand * 0x1p52).rounded())
        var right = BigNatural(significand)
        for _ in 0..<decimals { right.multiply(by: 10, adding: 0) }
        if power < 0 { left.shift(by: -power) } else { right.shift(by: power) }
        return sign * left.order(right)
    }
}

/// A natural number of any size, as far as comparing a decimal with a double needs one.
private struct BigNatural {
    /// Least significant first, no zeros at the end.
    private var limbs: [UInt32] = []

    init() {}

    init(_ value: UInt64) {
        limbs = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)]
        trim()
    }

    mutating func multiply(by factor: UInt32, adding: UInt32) {
        var carry = UInt64(adding)
        for place in limbs.indices {
            let product = UInt64(limbs[place]) * UInt64(factor) + carry
            limbs[place] = UInt32(truncatingIfNeeded: product)
            carry = product >> 32
        }
        if carry > 0 { limbs.append(UInt32(carry)) }
    }

    mutating func shift(by count: Int) {
        for _ in 0..<count / 16 { multiply(by: 1 << 16, adding: 0) }
        multiply(by: 1 << UInt32(count % 16), adding: 0)
    }

    private mutating func trim() {
        while limbs.last == 0 { limbs.removeLast() }
    }

    func order(_ other: BigNatural) -> Int {
        if limbs.count != other.limbs.count { return limbs.count < other.limbs.count ? -1 : 1 }
        for place in limbs.indices.reversed() where limbs[place] != other.limbs[place] {
            return limbs[place] < other.limbs[place] ? -1 : 1
        }
        return 0
    }
}
