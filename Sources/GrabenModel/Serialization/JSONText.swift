package import GrabenLog

/// Reads JSON text into a tree, with the line and column of the first mistake.
///
/// Foundation's decoder says only that the text is wrong, not where, and lets the last of two equal keys win in silence. This one also
/// keeps integers of 64 bits and the sign of `-0`. Nesting is limited, so no text overflows the stack.
package struct JSONText {
    /// Where the text stops being JSON, and why.
    package struct Mistake: Error, Equatable, CustomStringConvertible {
        /// The line, beginning with 1.
        package let line: Int
        /// The byte within the line, beginning with 1.
        package let column: Int
        /// What was expected there.
        package let reason: String

        package var description: String { "line \(line), column \(column): \(reason)" }
    }

    /// How deep lists and objects may be nested.
    package static let depthLimit = 64

    private let bytes: [UInt8]
    private var position = 0

    /// The tree of a whole text, which holds one value and may begin with a byte order mark.
    ///
    /// Complexity: linear in the length of the text.
    package static func tree(of text: some Collection<UInt8>) throws(Mistake) -> CBOR {
        var reader = JSONText(bytes: Array(text))
        if reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
        let tree = try reader.value(depth: 0)
        reader.skipSpace()
        if reader.position < reader.bytes.count { throw reader.mistake("expected the end of the text") }
        return tree
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func mistake(_ reason: String, at place: Int? = nil) -> Mistake {
        let before = bytes[..<(place ?? position)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return Mistake(line: line, column: before.count - start + 1, reason: reason)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(Mistake) -> CBOR {
        skipSpace()
        guard depth < Self.depthLimit else { throw mistake("nested deeper than \(Self.depthLimit) levels") }
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case (UInt8(ascii: "0")...UInt8(ascii: "9"))?, UInt8(ascii: "-"): return try number()
        case nil: throw mistake("the text ends where a value should be")
        default:
            for (word, tree) in [("true", CBOR.bool(true)), ("false", .bool(false)), ("null", .null)]
            where bytes[position...].starts(with: word.utf8) {
                position += word.utf8.count
                return tree
            }
            throw mistake("expected a value")
        }
    }

    private mutating func object(depth: Int) throws(Mistake) -> CBOR {
        position += 1
        var fields: [(key: String, value: CBOR)] = []
        var keys: Set<String> = []
        skipSpace()
        if skip("}") { return .map(fields) }
        while true {
            skipSpace()
            let place = position
            guard next == UInt8(ascii: "\"") else { throw mistake("expected a key in double quotes") }
            let key = try string()
            skipSpace()
            guard skip(":") else { throw mistake("expected \":\" after the key \"\(key)\"") }
            guard keys.insert(key).inserted else { throw mistake("the key \"\(key)\" occurs twice", at: place) }
            fields.append((key, try value(depth: depth + 1)))
            skipSpace()
            if skip("}") { return .map(fields) }
            guard skip(",") else { throw mistake("expected \",\" or \"}\"") }
        }
    }

    private mutating func array(depth: Int) throws(Mistake) -> CBOR {
        position += 1
        var elements: [CBOR] = []
        skipSpace()
        if skip("]") { return .array(elements) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if skip("]") { return .array(elements) }
            guard skip(",") else { throw mistake("expected \",\" or \"]\"") }
        }
    }

    private mutating func number() throws(Mistake) -> CBOR {
        let start = position
        var isInteger = true
        let isNegative = skip("-")
        if !skip("0") { try digits() }
        if skip(".") {
            isInteger = false
            try digits()
        }
        if skip("e") || skip("E") {
            isInteger = false
            if !skip("-") { _ = skip("+") }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // An integer cannot be -0, so that one is a Double like those that are out of range.
        if isInteger, let number = Int64(text), !(number == 0 && isNegative) { return .int(number) }
        guard let number = Double(text), number.isFinite else { throw mistake("the number is out of range", at: start) }
        return .double(number)
    }

    private mutating func digits() throws(Mistake) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw mistake("expected a digit") }
    }

    private mutating func string() throws(Mistake) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw mistake("the text is not UTF-8", at: start) }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
            case 0..<0x20: throw mistake("a control character in text must be written as an escape", at: position - 1)
            default: text.append(byte)
            }
        }
        throw mistake("the text that begins here has no end", at: start)
    }

    private mutating func escape() throws(Mistake) -> [UInt8] {
        let place = position - 1
        guard let byte = next else { throw mistake("the text ends in an escape", at: place) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var units = [try codeUnit(place)]
            if UTF16.isLeadSurrogate(units[0]), skip("\\"), skip("u") { units.append(try codeUnit(place)) }
            guard let text = String(validating: units, as: UTF16.self) else { throw mistake("half of a surrogate pair", at: place) }
            return Array(text.utf8)
        default: throw mistake("unknown escape", at: place)
        }
    }

    private mutating func codeUnit(_ place: Int) throws(Mistake) -> UInt16 {
        let end = position + 4
        guard end <= bytes.count, bytes[position..<end].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16)
        else { throw mistake("expected four hexadecimal digits", at: place) }
        position = end
        return unit
    }
}
