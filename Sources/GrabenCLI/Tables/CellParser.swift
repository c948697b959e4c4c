import FoundationEssentials
import GrabenLog
import GrabenModel

/// Values from the text of a cell, by the attribute's type. Nothing is guessed: text that is not wholly a value is none.
enum CellParser {
    static func value(of text: String, as type: AttributeType) -> Value? {
        switch type {
        case .int16, .int32, .int64: return Int64(text).flatMap { type.normalized(.int($0)) }
        case .double: return Double(text).map { .double($0) }
        case .float: return Float(text).map { .float($0) }
        case .decimal: return Decimal(modelText: text).map { .decimal($0) }
        case .boolean:
            switch text {
            case "true", "1": return .bool(true)
            case "false", "0": return .bool(false)
            default: return nil
            }
        case .string: return .string(text)
        case .uri: return .uri(text)
        case .uuid: return UUID(uuidString: text).map { .uuid($0) }
        case .date:
            let seconds = DateText.seconds(text) ?? Double(text)
            return seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .data: return Data(base64Encoded: text).map { .data($0) }
        case .transformable: return (try? JSONText.tree(of: text.utf8)).map { _ in .json(Data(text.utf8)) }
        }
    }

    /// What a cell of this type looks like, for messages.
    static func form(of type: AttributeType) -> String {
        switch type {
        case .int16, .int32, .int64:
            type.integerRange.map { "an integer from \($0.lowerBound) to \($0.upperBound)" } ?? "an integer"
        case .double, .float: "a number"
        case .decimal: "a decimal number"
        case .boolean: "true or false"
        case .string, .uri: "text"
        case .uuid: "a UUID"
        case .date: "a date such as 2001-02-03T04:05:06Z"
        case .data: "base64"
        case .transformable: "JSON"
        }
    }

    // MARK: JSON

    /// The value that JSON stands for, in the forms `dump` writes and a model has; nil where it is of another kind.
    static func value(of tree: CBOR, as type: AttributeType) -> Value? {
        switch (type, tree) {
        case (_, .null): return .null
        case (.boolean, .bool(let value)): return .bool(value)
        case (.int16, .int(let value)), (.int32, .int(let value)), (.int64, .int(let value)): return type.normalized(.int(value))
        case (.double, _): return number(tree).map { .double($0) }
        case (.float, .int), (.float, .double), (.float, .map): return number(tree).map { .float(Float($0)) }
        case (.decimal, .int(let value)): return .decimal(Decimal(value))
        case (.decimal, _): return text(tree, tag: "$decimal").flatMap { value(of: $0, as: .decimal) }
        case (.date, _):
            if case .map(let fields) = tree, fields.count == 1, let field = fields.first, field.key == "$date" {
                return value(of: field.value, as: .date)
            }
            if let seconds = number(tree) { return .date(Date(timeIntervalSinceReferenceDate: seconds)) }
            return text(tree, tag: nil).flatMap { value(of: $0, as: .date) }
        case (.data, _): return text(tree, tag: "$data").flatMap { value(of: $0, as: .data) }
        case (.transformable, .string(let text)): return value(of: text, as: .transformable)
        case (.transformable, _): return text(tree, tag: "$data").flatMap { Data(base64Encoded: $0) }.map { .json($0) }
        case (.string, .string(let text)), (.uri, .string(let text)), (.uuid, .string(let text)): return value(of: text, as: type)
        default: return nil
        }
    }

    private static func number(_ tree: CBOR) -> Double? {
        switch tree {
        case .int(let value): return Double(value)
        case .double(let value): return value
        default:
            switch tree["$double"]?.stringValue {
            case "nan": return .nan
            case "inf": return .infinity
            case "-inf": return -.infinity
            default: return nil
            }
        }
    }

    /// The text of a string, or of an object with this one key.
    private static func text(_ tree: CBOR, tag: String?) -> String? {
        if case .string(let text) = tree { return text }
        guard let tag, case .map(let fields) = tree, fields.count == 1, let field = fields.first, field.key == tag else { return nil }
        return field.value.stringValue
    }
}
