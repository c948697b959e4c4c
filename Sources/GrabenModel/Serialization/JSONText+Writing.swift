internal import FoundationEssentials
package import GrabenLog

extension JSONText {
    /// The text of a tree: keys sorted, two spaces a level, an object or list on one line where it fits; ends with a newline.
    ///
    /// Bytes are written as `{"$data": "base64"}`, numbers that are not finite as `{"$double": "nan"}`, `"inf"` and `"-inf"`.
    /// Complexity: the length of the text times its depth.
    package static func text(of tree: CBOR) -> String { block(tree, indentation: 0, used: 0) + "\n" }

    /// The width up to which a list or an object stays on one line.
    private static let width = 110

    private static func block(_ tree: CBOR, indentation: Int, used: Int) -> String {
        let flat = line(tree)
        // The outermost levels are always opened, one entity or property a line at most.
        if used + flat.utf8.count <= width, indentation > 2 || !isContainer(tree) { return flat }
        let inner = indentation + 2
        let margin = String(repeating: " ", count: inner)
        let end = "\n" + String(repeating: " ", count: indentation)
        switch tree {
        case .array(let elements) where !elements.isEmpty:
            return "[\n" + elements.map { margin + block($0, indentation: inner, used: inner) }.joined(separator: ",\n") + end + "]"
        case .map(let fields) where !fields.isEmpty:
            let lines = fields.sorted { $0.key < $1.key }.map { key, value in
                let head = margin + quoted(key) + ": "
                return head + block(value, indentation: inner, used: head.utf8.count)
            }
            return "{\n" + lines.joined(separator: ",\n") + end + "}"
        default: return flat
        }
    }

    private static func isContainer(_ tree: CBOR) -> Bool {
        switch tree {
        case .array, .map: true
        default: false
        }
    }

    private static func line(_ tree: CBOR) -> String {
        switch tree {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): "\(value)"
        case .double(let value): value.isFinite ? "\(value)" : "{\"$double\": \"\(value)\"}"
        case .bytes(let value): "{\"$data\": \"\(Data(value).base64EncodedString())\"}"
        case .string(let value): quoted(value)
        case .array(let elements): "[" + elements.map(line).joined(separator: ", ") + "]"
        case .map(let fields):
            "{" + fields.sorted { $0.key < $1.key }.map { quoted($0) + ": " + line($1) }.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// The text as it stands between double quotes.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            // The two line separators are legal in JSON and not in the JavaScript it is often pasted into.
            case "\0"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
