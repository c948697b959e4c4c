internal import FoundationEssentials
internal import GrabenLog

/// Values as Core Data's model files spell them.
enum XcodeValueText {
    static func boolean(_ text: String) -> Bool? {
        switch text {
        case "YES", "true", "1": true
        case "NO", "false", "0": false
        default: nil
        }
    }

    /// The value of a type that a text spells; nil where it spells none. Dates are seconds since 2001.
    static func value(of text: String, as type: AttributeType) -> Value? {
        switch type {
        case .int16, .int32, .int64: integer(text).flatMap { type.normalized(.int($0)) }
        case .double: number(text).map { .double($0) }
        case .float: float(text).map { .float($0) }
        case .decimal: Decimal(modelText: text).map { .decimal($0) }
        case .boolean: boolean(text).map { .bool($0) }
        case .string: .string(text)
        case .uri: .uri(text)
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .date: number(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .data, .transformable: nil
        }
    }

    /// The text that `value(of:as:)` reads back as the same value; nil where there is none.
    static func text(of value: Value) -> String? {
        switch value {
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .float(let number): "\(number)"
        case .decimal(let number): number.description
        case .bool(let flag): flag ? "YES" : "NO"
        case .string(let text), .uri(let text): text
        case .uuid(let uuid): uuid.uuidString
        case .date(let date): seconds(date.timeIntervalSinceReferenceDate)
        default: nil
        }
    }

    /// A number of seconds; whole ones are written without a point, as other tools do.
    private static func seconds(_ value: Double) -> String {
        guard let whole = Int64(exactly: value), abs(whole) < 1 << 53, value != 0 || value.sign == .plus else { return "\(value)" }
        return "\(whole)"
    }

    /// Whole numbers, also where a tool wrote `0.0` or `1e3`.
    private static func integer(_ text: String) -> Int64? {
        if let number = Int64(text) { return number }
        guard let number = number(text), number.magnitude <= 0x1p53 else { return nil }
        return Int64(exactly: number)
    }

    /// Through its own parser: rounding a Double can end one step away.
    private static func float(_ text: String) -> Float? {
        guard let number = number(text), let value = Float(text), value.isFinite || !number.isFinite else { return nil }
        return value
    }

    /// A number in decimal digits, or `nan`, `inf`, `-inf`; nil where it is beyond all numbers, for nobody means infinity by that.
    static func number(_ text: String) -> Double? {
        switch text {
        case "nan": return .nan
        case "inf": return .infinity
        case "-inf": return -.infinity
        default:
            let digits: (UInt8) -> Bool = { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"),
                    UInt8(ascii: "E"):
                    true
                default: false
                }
            }
            guard text.utf8.allSatisfy(digits), let value = Double(text), value.isFinite else { return nil }
            return value
        }
    }
}
