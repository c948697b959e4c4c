import FoundationEssentials
import GrabenLog
import GrabenModel
import GrabenPredicate

/// JSON as the data a predicate is asked about.
///
/// A number with a point or an exponent is a double, others are integers. What JSON has no word for is an object of one key, as `dump` writes
/// it: `{"$date": "2024-03-10T12:00:00Z"}`, and likewise `$double`, `$decimal`, `$data`.
enum PlainJSON {
    /// A value that is tagged as one of a kind and is none.
    struct Misfit: Error {
        let reason: String
    }

    static func value(_ tree: CBOR) throws(Misfit) -> PlainValue {
        switch tree {
        case .null: return .value(.null)
        case .bool(let value): return .value(.bool(value))
        case .int(let value): return .value(.int(value))
        case .double(let value): return .value(.double(value))
        case .string(let text): return .value(.string(text))
        case .bytes(let bytes): return .value(.data(Data(bytes)))
        case .array(let elements):
            var members: [PlainValue] = []
            for element in elements { members.append(try value(element)) }
            return .array(members)
        case .map(let fields):
            if let tagged = try tagged(fields) { return .value(tagged) }
            return .object(try self.fields(fields))
        }
    }

    static func fields(_ fields: [(key: String, value: CBOR)]) throws(Misfit) -> [PlainField] {
        var result: [PlainField] = []
        result.reserveCapacity(fields.count)
        for field in fields { result.append((field.key, try value(field.value))) }
        return result
    }

    private static func tagged(_ fields: [(key: String, value: CBOR)]) throws(Misfit) -> Value? {
        guard fields.count == 1, let field = fields.first else { return nil }
        switch field.key {
        case "$date": return .date(try date(field.value))
        case "$double": return .double(try double(field.value))
        case "$decimal":
            guard let decimal = field.value.stringValue.flatMap({ Decimal(modelText: $0) }) else {
                throw Misfit(reason: "$decimal takes a decimal number as text")
            }
            return .decimal(decimal)
        case "$data":
            guard let data = field.value.stringValue.flatMap({ Data(base64Encoded: $0) }) else {
                throw Misfit(reason: "$data takes base64 as text")
            }
            return .data(data)
        default: return nil
        }
    }

    static func date(_ tree: CBOR) throws(Misfit) -> Date {
        let seconds: Double?
        switch tree {
        case .string(let text): seconds = DateText.seconds(text)
        case .int(let value): seconds = Double(value)
        case .double(let value): seconds = value
        default: seconds = nil
        }
        guard let seconds else { throw Misfit(reason: "a date is written as \"2024-03-10T12:00:00Z\" or as seconds since 2001") }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    static func double(_ tree: CBOR) throws(Misfit) -> Double {
        switch tree {
        case .int(let value): return Double(value)
        case .double(let value): return value
        case .string("nan"): return .nan
        case .string("inf"): return .infinity
        case .string("-inf"): return -.infinity
        default: throw Misfit(reason: "a double is a number, or \"nan\", \"inf\" or \"-inf\"")
        }
    }
}
