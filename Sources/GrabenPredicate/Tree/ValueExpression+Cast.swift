import FoundationEssentials
import GrabenLog

/// The type names CAST knows.
enum CastType: String, CaseIterable {
    case date = "NSDate"
    case number = "NSNumber"
    case string = "NSString"
    // The language has no literals for these; a cast of a constant string is how a predicate that holds one is printed.
    case uuid = "NSUUID"
    case decimal = "NSDecimalNumber"
    case data = "NSData"
    case uri = "NSURL"
    case json = "JSON"
    case object = "NSManagedObjectID"
}

extension ValueExpression {
    /// A cast; one of a constant that can be made is the constant it makes, so that every constant has a printed form.
    static func casting(_ operand: ValueExpression, _ type: ValueExpression) -> ValueExpression {
        if case .value(let value) = operand, case .value(.string(let name)) = type, let kind = CastType(rawValue: name), kind != .string,
            let constant = kind.constant(value)
        {
            return .value(constant)
        }
        return .cast(operand, type)
    }
}

extension CastType {
    /// What a cast of a constant makes, or nil where it cannot be made.
    func constant(_ value: Value) -> Value? {
        switch (self, value) {
        case (.date, .date), (.uuid, .uuid), (.decimal, .decimal), (.data, .data), (.uri, .uri), (.json, .json), (.object, .reference):
            return value
        case (.date, .int(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case (.date, .double(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.number, .int), (.number, .double), (.number, .decimal), (.number, .bool): return value
        case (.number, .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
        case (.number, .string(let text)): return number(in: text)
        case (.uuid, .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
        case (.decimal, .string(let text)): return decimal(in: text).map { .decimal($0) }
        case (.decimal, .int(let number)): return .decimal(Decimal(number))
        case (.data, .string(let text)): return hexadecimal(in: text).map { .data($0) }
        case (.json, .string(let text)): return hexadecimal(in: text).map { .json($0) }
        case (.uri, .string(let text)): return .uri(text)
        case (.object, .string(let text)):
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt32($0) }
            guard parts.count == 3, let store = parts[0], let entity = parts[1], let row = parts[2] else { return nil }
            return .reference(ObjectID(store: store, entity: entity, row: row))
        default: return nil
        }
    }

    /// A whole text as a number: an integer if it is one that fits, else a double.
    private func number(in text: String) -> Value? {
        if let integer = Int64(text) { return .int(integer) }
        switch text {
        case "NaN": return .double(.nan)
        case "Infinity": return .double(.infinity)
        case "-Infinity": return .double(-.infinity)
        default: break
        }
        guard isDecimalNumber(text), let double = Double(text), double.isFinite else { return nil }
        return .double(double)
    }

    private func decimal(in text: String) -> Decimal? {
        if text == "NaN" { return .nan }
        guard isDecimalNumber(text), let value = Decimal(string: text), !value.isNaN else { return nil }
        return value
    }
}

/// Whether a text is digits with at most a sign, a point and an exponent: what `Double(_:)` takes less its hexadecimal and named forms.
private func isDecimalNumber(_ text: String) -> Bool {
    var rest = Substring(text)
    func digits() -> Bool {
        let count = rest.utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }.count
        rest = rest.dropFirst(count)
        return count > 0
    }
    if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
    guard digits() else { return false }
    if rest.first == "." {
        rest.removeFirst()
        guard digits() else { return false }
    }
    if rest.first == "e" || rest.first == "E" {
        rest.removeFirst()
        if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
        guard digits() else { return false }
    }
    return rest.isEmpty
}

private func hexadecimal(in text: String) -> Data? {
    let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count % 2 == 0 else { return nil }
    var bytes = Data(capacity: digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[place], let low = digits[place + 1] else { return nil }
        bytes.append(UInt8(high << 4 | low))
    }
    return bytes
}
