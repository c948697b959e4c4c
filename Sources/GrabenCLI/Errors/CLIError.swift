/// Why a command ended without its answer: what was being done, with which file and thing, and what to do next.
struct CLIError: Error {
    var exit: ExitCode
    /// Dotted and stable, for programs.
    var code: String
    var message: String
    var file: String?
    /// The byte in `file`.
    var offset: UInt64?
    /// The line in `file`, beginning with 1.
    var line: Int?
    /// The column of a table, by name or number.
    var column: String?
    /// The value that was refused, as it was written.
    var value: String?
    var hint: String?
    /// Further findings of the same kind.
    var others: [String] = []

    init(
        _ exit: ExitCode, _ code: String, _ message: String, file: String? = nil, offset: UInt64? = nil, line: Int? = nil,
        column: String? = nil, value: String? = nil, hint: String? = nil
    ) {
        self.exit = exit
        self.code = code
        self.message = message
        self.file = file
        self.offset = offset
        self.line = line
        self.column = column
        self.value = value
        self.hint = hint
    }

    static func usage(_ code: String, _ message: String, hint: String? = nil) -> CLIError {
        CLIError(.usage, "usage.\(code)", message, hint: hint)
    }

    static let interrupted = CLIError(.interrupted, "interrupted", "interrupted; nothing was changed")
}

extension String {
    /// The text in double quotes, without anything a terminal would act on and no longer than a line of a message bears.
    var shown: String {
        let visible = count > 80 ? prefix(80) + "…" : self[...]
        return "\"\(String(visible).withoutControls)\""
    }

    /// The lines of a message, each without what a terminal would act on.
    var linesWithoutControls: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withoutControls }.joined(separator: "\n")
    }

    /// The text with control characters written out.
    var withoutControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\t": text += "\\t"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case _ where scalar.isControl: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether a terminal might act on it: C0, DEL, C1, the two line separators and what turns the direction of writing.
    var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// "; did you mean …?", where there is something to suggest.
func suggestion(_ nearest: String?) -> String { nearest.map { "; did you mean \($0.shown)?" } ?? "" }
