import FoundationEssentials
import GrabenDrawing
import GrabenLog

/// Values as text for tables and CSV: what `load` reads back by the attribute's type.
enum ValueText {
    /// References are named by `name`; no value is empty text.
    static func text(_ value: Value, name: (ObjectID) throws(CLIError) -> String) throws(CLIError) -> String {
        switch value {
        case .null: return ""
        case .bool(let value): return value ? "true" : "false"
        case .int(let value): return "\(value)"
        case .float(let value): return number(value.description)
        case .double(let value): return number(value.description)
        case .decimal(let value): return value.description
        case .string(let text), .uri(let text): return text
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            return DateText.text(seconds) ?? number(seconds.description)
        case .data(let data): return data.base64EncodedString()
        case .uuid(let uuid): return uuid.uuidString
        case .json(let data): return String(validating: data, as: UTF8.self) ?? data.base64EncodedString()
        case .reference(let id): return try name(id)
        case .references(let ids):
            var names: [String] = []
            for id in ids { names.append(try name(id)) }
            return names.joined(separator: " ")
        }
    }

    /// The text of a value that is no reference.
    static func text(_ value: Value) -> String { (try? text(value) { id in "\(id.rowNumber)" }) ?? "" }

    /// A number without the ".0" that says it is a fraction by type.
    static func number(_ text: String) -> String { text.hasSuffix(".0") ? String(text.dropLast(2)) : text }

    /// A count with a comma every three digits.
    static func grouped(_ number: some BinaryInteger) -> String { PlainText.grouped(number) }
}
