import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension Operand {
    private static let overflow = "the result is outside the range of 64-bit integers (write a decimal point to compute in doubles)"

    /// A binary operator (D3, D16). Integers stay integers and never wrap; nil makes nil.
    static func arithmetic(_ operation: ArithmeticOperator, _ a: Operand, _ b: Operand) throws(OperandProblem) -> Operand {
        if a.isNull || b.isNull { return .null }
        switch operation {
        case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: return .int(try bits(operation, a, b))
        default: break
        }
        if case .date(let x) = a { return try date(operation, x, b) }
        guard let x = a.number, let y = b.number else {
            throw OperandProblem("\(operation.rawValue) takes numbers, not \(a.number == nil ? a.kindName : b.kindName)")
        }
        switch (x, y) {
        case (.int(let x), .int(let y)): return try integers(operation, x, y)
        case (.double, _), (_, .double): return .double(try doubles(operation, x.double, y.double))
        case (.decimal(let x), .decimal(let y)): return try decimals(operation, x, y)
        case (.decimal(let x), .int(let y)): return try decimals(operation, x, Decimal(y))
        case (.int(let x), .decimal(let y)): return try decimals(operation, Decimal(x), y)
        }
    }

    private static func integers(_ operation: ArithmeticOperator, _ x: Int64, _ y: Int64) throws(OperandProblem) -> Operand {
        let result: (partialValue: Int64, overflow: Bool)
        switch operation {
        case .add: result = x.addingReportingOverflow(y)
        case .subtract: result = x.subtractingReportingOverflow(y)
        case .multiply: result = x.multipliedReportingOverflow(by: y)
        case .divide, .modulus:
            if y == 0 { throw OperandProblem("an integer is divided by 0") }
            result = operation == .divide ? x.dividedReportingOverflow(by: y) : (y == -1 ? 0 : x % y, false)
        case .power:
            if y < 0 { return .double(pow(Double(x), Double(y))) }
            return .int(try power(x, y))
        default: throw OperandProblem("\(operation.rawValue) does not apply to integers")
        }
        if result.overflow { throw OperandProblem(overflow) }
        return .int(result.partialValue)
    }

    private static func power(_ base: Int64, _ exponent: Int64) throws(OperandProblem) -> Int64 {
        // These never overflow, whatever the exponent.
        if base == 0 || base == 1 { return exponent == 0 ? 1 : base }
        if base == -1 { return exponent & 1 == 0 ? 1 : -1 }
        if exponent > 63 { throw OperandProblem(overflow) }
        var result: Int64 = 1
        for _ in 0..<exponent {
            let (product, over) = result.multipliedReportingOverflow(by: base)
            if over { throw OperandProblem(overflow) }
            result = product
        }
        return result
    }

    private static func doubles(_ operation: ArithmeticOperator, _ x: Double, _ y: Double) throws(OperandProblem) -> Double {
        switch operation {
        case .add: return x + y
        case .subtract: return x - y
        case .multiply: return x * y
        case .divide: return x / y
        case .modulus: return x.truncatingRemainder(dividingBy: y)
        case .power: return pow(x, y)
        default: throw OperandProblem("\(operation.rawValue) takes integers")
        }
    }

    private static func decimals(_ operation: ArithmeticOperator, _ x: Decimal, _ y: Decimal) throws(OperandProblem) -> Operand {
        let result: Decimal
        switch operation {
        case .add: result = x + y
        case .subtract: result = x - y
        case .multiply: result = x * y
        case .divide:
            if y == 0 { throw OperandProblem("a decimal is divided by 0") }
            result = x / y
        // A remainder or a power of decimals has no exact form in general.
        default: return .double(try doubles(operation, NumberOrder.double(x), NumberOrder.double(y)))
        }
        if result.isNaN, !x.isNaN, !y.isNaN { throw OperandProblem("the result is outside the range of decimals") }
        return .decimal(result)
    }

    private static func date(_ operation: ArithmeticOperator, _ x: Double, _ b: Operand) throws(OperandProblem) -> Operand {
        switch (operation, b) {
        case (.subtract, .date(let y)): return .double(x - y)
        case (.add, _), (.subtract, _):
            guard let y = b.number else { break }
            return .date(operation == .add ? x + y.double : x - y.double)
        default: break
        }
        throw OperandProblem("with dates only date - date, date + seconds and date - seconds can be computed")
    }

    // MARK: Bits

    private static func bits(_ operation: ArithmeticOperator, _ a: Operand, _ b: Operand) throws(OperandProblem) -> Int64 {
        let x = try integer(a, operation.rawValue)
        let y = try integer(b, operation.rawValue)
        switch operation {
        case .bitAnd: return x & y
        case .bitOr: return x | y
        case .bitXor: return x ^ y
        default:
            guard y >= 0, y < 64 else { throw OperandProblem("bits are shifted by 0 to 63 places, not \(y)") }
            return operation == .shiftLeft ? x << y : x >> y
        }
    }

    private static func integer(_ operand: Operand, _ operation: String) throws(OperandProblem) -> Int64 {
        guard case .int(let x) = operand.number else { throw OperandProblem("\(operation) takes integers, not \(operand.numberName)") }
        return x
    }

    private var numberName: String {
        switch self {
        case .double: "a double"
        case .decimal: "a decimal"
        default: kindName
        }
    }

    // MARK: One operand

    static func unary(_ operation: UnaryOperator, _ a: Operand) throws(OperandProblem) -> Operand {
        if a.isNull { return .null }
        if operation == .complement { return .int(~(try integer(a, "~"))) }
        guard let number = a.number else { throw OperandProblem("\(operation.rawValue) takes a number, not \(a.kindName)") }
        let isMinus = operation == .minus
        switch number {
        case .int(let x):
            if isMinus, x == .min { throw OperandProblem(overflow) }
            return .int(isMinus ? -x : x)
        case .double(let x): return .double(isMinus ? -x : x)
        case .decimal(let x): return .decimal(isMinus ? -x : x)
        }
    }

    /// The functions of one number or string.
    static func function(_ function: PredicateFunction, _ a: Operand) throws(OperandProblem) -> Operand {
        if function == .noindex { return a }
        if a.isNull { return .null }
        switch function {
        case .uppercase, .lowercase, .length:
            guard case .string(let text) = a else { throw OperandProblem("\(function.rawValue) takes a string, not \(a.kindName)") }
            if function == .length { return .int(Int64(text.utf16.count)) }
            return .string(function == .uppercase ? text.uppercased() : text.lowercased())
        case .onesComplement: return try unary(.complement, a)
        default: break
        }
        guard let number = a.number else { throw OperandProblem("\(function.rawValue) takes a number, not \(a.kindName)") }
        switch function {
        case .sqrt: return .double(number.double.squareRoot())
        case .ln: return .double(log(number.double))
        case .log: return .double(log10(number.double))
        case .exp: return .double(exp(number.double))
        case .randomn:
            guard case .int(let limit) = number, limit > 0 else { throw OperandProblem("randomn takes an integer above 0") }
            return .int(Int64.random(in: 0..<limit))
        case .abs:
            switch number {
            case .int(let x):
                if x == .min { throw OperandProblem(overflow) }
                return .int(Swift.abs(x))
            case .double(let x): return .double(x.magnitude)
            case .decimal(let x): return .decimal(x < 0 ? -x : x)
            }
        default:
            let rule: FloatingPointRoundingRule = function == .floor ? .down : function == .ceiling ? .up : .towardZero
            switch number {
            case .int: return .int(try integer(a, function.rawValue))
            case .double(let x): return .double(x.rounded(rule))
            case .decimal(let x): return .decimal(rounded(x, rule))
            }
        }
    }

    private static func rounded(_ x: Decimal, _ rule: FloatingPointRoundingRule) -> Decimal {
        guard !x.isNaN, let whole = x.description.split(separator: ".").first, let cut = Decimal(string: String(whole)) else { return x }
        if rule == .down, x < cut { return cut - 1 }
        if rule == .up, x > cut { return cut + 1 }
        return cut
    }
}
