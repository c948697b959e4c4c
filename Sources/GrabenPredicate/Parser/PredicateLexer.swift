/// Cuts a format into tokens, one at a time.
struct PredicateLexer {
    let format: String
    let scalars: [Unicode.Scalar]
    private(set) var position = 0

    init(_ format: String) {
        self.format = format
        scalars = Array(format.unicodeScalars)
    }

    func fail(_ expected: String, found: String = "", at position: Int) -> ObjectPredicateError {
        .syntax(PredicateSyntaxProblem(format: format, position: position, expected: expected, found: found))
    }

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < scalars.count ? scalars[position + ahead] : nil
    }

    /// Moves past white space and answers where the next token begins.
    mutating func skipSpace() -> Int {
        while let scalar = peek(), isSpace(scalar) { position += 1 }
        return position
    }

    private func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || (scalar.value >= 9 && scalar.value <= 13) : scalar.properties.isWhitespace
    }

    /// The next token; `skipSpace` was called.
    mutating func next() throws(ObjectPredicateError) -> PredicateToken {
        guard let scalar = peek() else { return .end }
        if isIdentifierStart(scalar) { return .word(identifier()) }
        if isDigit(scalar) { return try number() }
        switch scalar {
        case "'", "\"": return .string(try string())
        case "#":
            position += 1
            if let quote = peek(), quote == "\"" || quote == "'" { return .escaped(try string()) }
            return .escaped(try name("the name that # escapes"))
        case "$":
            position += 1
            return .variable(try name("the name of a variable"))
        case "@":
            position += 1
            return .collection(try name("the name of a collection operator"))
        case "%":
            return try conversion()
        default:
            return try symbol(scalar)
        }
    }

    private mutating func identifier() -> String {
        let start = position
        while let scalar = peek(), isIdentifierPart(scalar) { position += 1 }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<position])
        return String(view)
    }

    private mutating func name(_ expected: String) throws(ObjectPredicateError) -> String {
        guard let scalar = peek(), isIdentifierStart(scalar) else {
            throw fail(expected, found: peek().map { "\"\($0)\"" } ?? "the end", at: position)
        }
        return identifier()
    }

    private mutating func symbol(_ scalar: Unicode.Scalar) throws(ObjectPredicateError) -> PredicateToken {
        if let second = peek(1), let symbol = PredicateSymbol(scalar, second) {
            position += 2
            return .symbol(symbol)
        }
        guard let symbol = PredicateSymbol(scalar) else {
            throw fail("a name, a value or an operator", found: quoted(scalar), at: position)
        }
        position += 1
        return .symbol(symbol)
    }

    private func quoted(_ scalar: Unicode.Scalar) -> String {
        scalar.value < 0x20 ? "a control character" : "\"\(scalar)\""
    }

    /// D19. Anything but a letter of the list after the length modifiers is an error, flags and widths included.
    private mutating func conversion() throws(ObjectPredicateError) -> PredicateToken {
        let start = position
        position += 1
        var modifiers = ""
        while let scalar = peek(), "hlqzt".unicodeScalars.contains(scalar), modifiers.count < 2 {
            modifiers.unicodeScalars.append(scalar)
            position += 1
        }
        guard let letter = peek(), "@Kdiuxocsfega".unicodeScalars.contains(letter),
            modifiers.isEmpty || (letter != "@" && letter != "K" && ["h", "hh", "l", "ll", "q", "z", "t"].contains(modifiers))
        else { throw fail("a conversion such as %@, %K or %d", found: "another one", at: start) }
        position += 1
        return .conversion(Character(letter))
    }

    // MARK: Numbers

    private mutating func number() throws(ObjectPredicateError) -> PredicateToken {
        let start = position
        if peek() == "0", let mark = peek(1),
            let radix = ["x": 16, "o": 8, "b": 2][mark.value | 0x20 < 0x80 ? Character(Unicode.Scalar(UInt8(mark.value | 0x20))) : " "]
        {
            position += 2
            return try prefixed(radix, start)
        }
        var isDouble = false
        digits()
        if peek() == ".", let after = peek(1), isDigit(after) {
            isDouble = true
            position += 1
            digits()
        }
        if let e = peek(), e == "e" || e == "E" {
            let sign = peek(1) == "+" || peek(1) == "-" ? 2 : 1
            if let digit = peek(sign), isDigit(digit) {
                isDouble = true
                position += sign
                digits()
            }
        }
        try endOfNumber(start)
        let text = String(String.UnicodeScalarView(scalars[start..<position]))
        if !isDouble, let integer = Int64(text) { return .int(integer) }
        guard let double = Double(text), double.isFinite else {
            throw fail("a number that fits a double", found: "one out of its range", at: start)
        }
        return .double(double)
    }

    private mutating func digits() {
        while let scalar = peek(), isDigit(scalar) { position += 1 }
    }

    private mutating func prefixed(_ radix: Int, _ start: Int) throws(ObjectPredicateError) -> PredicateToken {
        let first = position
        var integer: Int64? = 0
        var double = 0.0
        while let scalar = peek(), scalar.isASCII, let digit = Character(scalar).hexDigitValue, digit < radix {
            double = double * Double(radix) + Double(digit)
            if let value = integer {
                let (product, overflow) = value.multipliedReportingOverflow(by: Int64(radix))
                let (sum, overflow2) = product.addingReportingOverflow(Int64(digit))
                integer = overflow || overflow2 ? nil : sum
            }
            position += 1
        }
        guard position > first else { throw fail("digits after the prefix of a number", found: "none", at: start) }
        try endOfNumber(start)
        if let integer { return .int(integer) }
        guard double.isFinite else { throw fail("a number that fits a double", found: "one out of its range", at: start) }
        return .double(double)
    }

    private func endOfNumber(_ start: Int) throws(ObjectPredicateError) {
        if let scalar = peek(), isIdentifierPart(scalar) {
            throw fail("a number, and a space or an operator after it", found: "a number that touches a letter", at: start)
        }
    }

    // MARK: Strings

    /// D13.
    private mutating func string() throws(ObjectPredicateError) -> String {
        let start = position
        let quote = scalars[position]
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek() {
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escape(start) : scalar)
        }
        throw fail("\(quote) to end the string that begins here", found: "the end", at: start)
    }

    private mutating func escape(_ start: Int) throws(ObjectPredicateError) -> Unicode.Scalar {
        let place = position - 1
        guard let letter = peek() else { throw fail("the string to end", found: "the end after a backslash", at: start) }
        position += 1
        switch letter {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "x": return try code(digits: 2, place)
        case "u": return try surrogates(code: try hexadecimal(4, place), place)
        case "U": return try longCode(place)
        case "0"..."7":
            var value = letter.value - 0x30
            var count = 1
            while count < 3, let next = peek(), next >= "0", next <= "7" {
                value = value * 8 + next.value - 0x30
                position += 1
                count += 1
            }
            // Three octal digits end at 0o777, below the surrogates.
            return Unicode.Scalar(value) ?? "\u{FFFD}"
        default: return letter
        }
    }

    private mutating func hexadecimal(_ count: Int, _ place: Int) throws(ObjectPredicateError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let scalar = peek(), scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
                throw fail("\(count) hexadecimal digits in an escape", found: "fewer", at: place)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func code(digits: Int, _ place: Int) throws(ObjectPredicateError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(try hexadecimal(digits, place)) else {
            throw fail("an escape that names a Unicode scalar", found: "another number", at: place)
        }
        return scalar
    }

    /// `\U` is written with four digits or with eight: eight where so many stand there and name a scalar.
    private mutating func longCode(_ place: Int) throws(ObjectPredicateError) -> Unicode.Scalar {
        let start = position
        if scalars.count - start >= 8, let value = try? hexadecimal(8, place), let scalar = Unicode.Scalar(value) { return scalar }
        position = start
        return try surrogates(code: try hexadecimal(4, place), place)
    }

    /// A pair of `\u` escapes may spell one scalar in UTF-16, as JSON and Java write it.
    private mutating func surrogates(code: UInt32, _ place: Int) throws(ObjectPredicateError) -> Unicode.Scalar {
        if let scalar = Unicode.Scalar(code) { return scalar }
        if code < 0xDC00, peek() == "\\", peek(1) == "u" || peek(1) == "U" {
            position += 2
            let low = try hexadecimal(4, place)
            if (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)) {
                return scalar
            }
        }
        throw fail("an escape that names a Unicode scalar", found: "half of a surrogate pair", at: place)
    }
}
