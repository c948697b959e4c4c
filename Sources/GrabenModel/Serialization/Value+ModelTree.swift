package import FoundationEssentials
internal import GrabenLog

/// Values of attributes in a model's tree. The attribute's type says how to read one; what JSON has no word for is an object of one key.
extension AttributeType {
    /// The tree of a value of this type.
    func tree(of value: Value, at place: String) throws(ModelError) -> CBOR {
        switch normalized(value) {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .float(let value): return .number(Double(value))
        case .double(let value): return .number(value)
        case .decimal(let value): return .tag("$decimal", .string(value.description))
        case .string(let value), .uri(let value): return .string(value)
        case .date(let value): return .tag("$date", .date(value))
        case .data(let value): return .tag("$data", .string(value.base64EncodedString()))
        case .uuid(let value): return .string(value.uuidString)
        case .json(let value):
            if let text = String(validating: value, as: UTF8.self) { return .string(text) }
            return .tag("$data", .string(value.base64EncodedString()))
        case .reference, .references, nil: throw unfit("\(value)", at: place)
        }
    }

    /// The value of this type that a tree stands for.
    func value(of tree: CBOR, at place: String) throws(ModelError) -> Value {
        switch (self, tree) {
        case (_, .null): return .null
        case (.boolean, .bool(let value)): return .bool(value)
        case (.int16, .int(let value)), (.int32, .int(let value)), (.int64, .int(let value)):
            if let value = normalized(.int(value)) { return value }
        case (.double, _):
            if let number = tree.number { return .double(number) }
        case (.float, _):
            if let number = tree.number { return .float(Float(number)) }
        case (.decimal, .int(let value)): return .decimal(Decimal(value))
        case (.decimal, _):
            if case .string(let text)? = tree.tagged("$decimal"), let value = Decimal(modelText: text) { return .decimal(value) }
        case (.string, .string(let text)): return .string(text)
        case (.uri, .string(let text)): return .uri(text)
        case (.uuid, .string(let text)):
            if let value = UUID(uuidString: text) { return .uuid(value) }
        case (.date, _):
            if let value = tree.tagged("$date")?.dateValue { return .date(value) }
        case (.data, _):
            if let value = tree.base64 { return .data(value) }
        case (.transformable, .string(let text)): return .json(Data(text.utf8))
        case (.transformable, _):
            if let value = tree.base64 { return .json(value) }
        default: break
        }
        throw unfit(tree.kindName, at: place)
    }

    private func unfit(_ found: String, at place: String) -> ModelError {
        let form =
            switch self {
            case .int16, .int32, .int64: "an integer in its range"
            case .double, .float: "a number or {\"$double\": \"nan\"}"
            case .decimal: "an integer or {\"$decimal\": \"0.1\"}"
            case .boolean: "true or false"
            case .string, .uri: "text"
            case .date: "{\"$date\": \"2001-01-01T00:00:00Z\"} or {\"$date\": seconds since then}"
            case .data: "{\"$data\": \"base64\"}"
            case .uuid: "a UUID as text"
            case .transformable: "JSON as text"
            }
        return .malformed(place: place, reason: "expected a value of type \(rawValue), written as \(form); found \(found)")
    }
}

extension CBOR {
    /// The number, in a form that JSON can write and that comes back with the same bits (of a NaN only that it is one).
    fileprivate static func number(_ value: Double) -> CBOR {
        if value.isFinite { return .double(value) }
        let name = value.isNaN ? "nan" : value < 0 ? "-inf" : "inf"
        return .tag("$double", .string(name))
    }

    fileprivate var number: Double? {
        switch self {
        case .int(let value): return Double(value)
        case .double(let value): return value
        default:
            guard case .string(let name)? = tagged("$double") else { return nil }
            switch name {
            case "nan": return .nan
            case "inf": return .infinity
            case "-inf": return -.infinity
            default: return nil
            }
        }
    }

    /// Text where that leads back to the very same date, else its seconds since 2001.
    fileprivate static func date(_ value: Date) -> CBOR {
        let seconds = value.timeIntervalSinceReferenceDate
        // Years 1 to 9999, between which the format has four digits for a year.
        if seconds >= -63_113_904_000, seconds < 252_455_616_000 {
            let text = value.formatted(.iso8601)
            if let back = try? Date(text, strategy: .iso8601), back.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern {
                return .string(text)
            }
        }
        return .number(seconds)
    }

    fileprivate var dateValue: Date? {
        if let number { return Date(timeIntervalSinceReferenceDate: number) }
        guard case .string(let text) = self else { return nil }
        if let date = try? Date(text, strategy: .iso8601) { return date }
        return try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    fileprivate var base64: Data? {
        guard case .string(let text)? = tagged("$data") else { return nil }
        return Data(base64Encoded: text)
    }

    /// The content of an object of this one key.
    fileprivate func tagged(_ key: String) -> CBOR? {
        guard case .map(let fields) = self, fields.count == 1, let field = fields.first, field.key == key else { return nil }
        return field.value
    }

    /// An object of one key.
    fileprivate static func tag(_ key: String, _ content: CBOR) -> CBOR { .map([(key: key, value: content)]) }
}

extension Decimal {
    /// A number written as `[+|-]digits[.digits][e[+|-]digits]` or `NaN`, and nothing besides: the library's parser stops in silence at
    /// the first byte it does not know.
    package init?(modelText text: String) {
        var rest = Substring(text)
        func skipDigits() -> Bool {
            let before = rest.utf8.count
            rest = rest.drop { $0.isASCII && $0.isNumber }
            return rest.utf8.count < before
        }
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        if text != "NaN" {
            _ = skip("+-")
            guard skipDigits(), !skip(".") || skipDigits() else { return nil }
            if skip("eE") {
                _ = skip("+-")
                guard skipDigits() else { return nil }
            }
            guard rest.isEmpty else { return nil }
        }
        guard let value = Decimal(string: text) else { return nil }
        self = value
    }
}
