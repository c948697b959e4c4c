/// The functions of the language, by the name they are printed with.
package enum PredicateFunction: String, Sendable, CaseIterable {
    case count, sum, min, max, average, median, mode, stddev
    case sqrt, ln, log, exp, floor, ceiling, trunc, abs
    case uppercase, lowercase, length
    case now, random, randomn, noindex
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case power = "raise:toPower:"
    case bitAnd = "bitwiseAnd:with:"
    case bitOr = "bitwiseOr:with:"
    case bitXor = "bitwiseXor:with:"
    case shiftLeft = "leftshift:by:"
    case shiftRight = "rightshift:by:"
    case onesComplement = "onesComplement:"

    package var argumentCount: Int {
        switch self {
        case .now, .random: 0
        case .add, .subtract, .multiply, .divide, .modulus, .power, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: 2
        default: 1
        }
    }

    /// The binary operator a two-argument function stands for.
    package var arithmetic: ArithmeticOperator? {
        switch self {
        case .add: .add
        case .subtract: .subtract
        case .multiply: .multiply
        case .divide: .divide
        case .modulus: .modulus
        case .power: .power
        case .bitAnd: .bitAnd
        case .bitOr: .bitOr
        case .bitXor: .bitXor
        case .shiftLeft: .shiftLeft
        case .shiftRight: .shiftRight
        default: nil
        }
    }

    /// The function a written name means: single words in any case and with or without a colon, the others exactly.
    package init?(written name: String) {
        if let exact = PredicateFunction(rawValue: name) {
            self = exact
            return
        }
        let word = asciiLowercased(name.hasSuffix(":") ? String(name.dropLast()) : name)
        if word == "onescomplement" {
            self = .onesComplement
            return
        }
        guard !word.contains(":"), let function = PredicateFunction(rawValue: word) else { return nil }
        self = function
    }
}

/// Lowercases A to Z only: keywords fold in ASCII, so that no other letter can spell one.
func asciiLowercased(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
}
