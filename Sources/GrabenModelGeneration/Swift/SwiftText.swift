/// Source text that is put together line by line.
struct SwiftText {
    private(set) var text = ""
    private var depth = 0

    mutating func line(_ line: String = "") {
        if !line.isEmpty { text += String(repeating: "    ", count: depth) + line }
        text += "\n"
    }

    mutating func lines(_ lines: [String]) {
        for line in lines { self.line(line) }
    }

    /// A head, an indented body in braces.
    mutating func block(_ head: String, _ body: (inout SwiftText) -> Void) {
        line(head + " {")
        depth += 1
        body(&self)
        depth -= 1
        line("}")
    }

    /// Text as a comment of a declaration: line breaks stay, and nothing in it ends the comment.
    mutating func document(_ text: String) {
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            self.line(line.isEmpty ? "///" : "/// " + line)
        }
    }

    /// Text as a literal of one line.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            // Also what turns the direction of writing, which would show other code than is compiled.
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FEFF}":
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
