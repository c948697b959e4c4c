/// What the lexer hands to the parser.
enum PredicateToken: Equatable {
    /// An identifier or a keyword; the parser knows which by its place.
    case word(String)
    /// `#word`: a name whatever it says.
    case escaped(String)
    /// `$name`.
    case variable(String)
    /// `@name`.
    case collection(String)
    case string(String)
    case int(Int64)
    case double(Double)
    /// `%@`, `%K`, `%d` and so on: the letter that ends it.
    case conversion(Character)
    case symbol(PredicateSymbol)
    case end

    /// The token as an error names it.
    var text: String {
        switch self {
        case .word(let word): "\"\(word)\""
        case .escaped(let word): "\"#\(word)\""
        case .variable(let name): "\"$\(name)\""
        case .collection(let name): "\"@\(name)\""
        case .string: "a string"
        case .int, .double: "a number"
        case .conversion(let letter): "\"%\(letter)\""
        case .symbol(let symbol): "\"\(symbol.rawValue)\""
        case .end: "the end"
        }
    }
}

enum PredicateSymbol: String, CaseIterable {
    case open = "("
    case close = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"
    case comma = ","
    case dot = "."
    case colon = ":"
    case equal = "="
    case doubleEqual = "=="
    case notEqual = "!="
    case lessGreater = "<>"
    case less = "<"
    case greater = ">"
    case lessEqual = "<="
    case equalLess = "=<"
    case greaterEqual = ">="
    case equalGreater = "=>"
    case not = "!"
    case and = "&&"
    case or = "||"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case plus = "+"
    case minus = "-"
    case star = "*"
    case power = "**"
    case slash = "/"
    case tilde = "~"

    private static let byText = Dictionary(
        uniqueKeysWithValues: allCases.map { symbol in (symbol.rawValue.utf8.reduce(UInt16(0)) { $0 << 8 | UInt16($1) }, symbol) })

    /// The symbol of one ASCII character, or of two.
    init?(_ first: Unicode.Scalar, _ second: Unicode.Scalar? = nil) {
        // Of two characters the first would vanish from the number they make if it were NUL.
        guard first.isASCII, first.value != 0, second?.isASCII ?? true else { return nil }
        let (first, text) = (UInt16(truncatingIfNeeded: first.value), second.map { UInt16(truncatingIfNeeded: $0.value) })
        guard let symbol = Self.byText[text.map { first << 8 | $0 } ?? first] else { return nil }
        self = symbol
    }

    /// The arithmetic operator a symbol stands for between two operands.
    var arithmetic: ArithmeticOperator? {
        switch self {
        case .bitAnd: .bitAnd
        case .bitOr: .bitOr
        case .bitXor: .bitXor
        case .shiftLeft: .shiftLeft
        case .shiftRight: .shiftRight
        case .plus: .add
        case .minus: .subtract
        case .star: .multiply
        case .power: .power
        case .slash: .divide
        default: nil
        }
    }

    /// The comparison a symbol stands for.
    var comparison: PredicateOperator? {
        switch self {
        case .equal, .doubleEqual: .equal
        case .notEqual, .lessGreater: .notEqual
        case .less: .less
        case .greater: .greater
        case .lessEqual, .equalLess: .lessOrEqual
        case .greaterEqual, .equalGreater: .greaterOrEqual
        default: nil
        }
    }
}

/// The reserved words, by their lowercase spelling.
enum PredicateKeyword: String, CaseIterable {
    case and, or, not, `in`, all, any, some, none, like, ci, matches, contains, between, null, `nil`, `self`, `true`, yes, `false`, no
    case first, last, size, anykey, subquery, fetch, cast, ternary, function
    case caseInsensitive = "caseinsensitive"
    case beginsWith = "beginswith"
    case endsWith = "endswith"
    case truePredicate = "truepredicate"
    case falsePredicate = "falsepredicate"

    private static let bySpelling = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    init?(_ word: String) {
        guard let keyword = Self.bySpelling[asciiLowercased(word)] else { return nil }
        self = keyword
    }

    /// The comparison a keyword stands for.
    var comparison: PredicateOperator? {
        switch self {
        case .in: .in
        case .between: .between
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .like: .like
        case .matches: .matches
        default: nil
        }
    }

    var quantifier: PredicateQuantifier? {
        switch self {
        case .any, .some: .any
        case .all: .all
        case .none: PredicateQuantifier.none
        default: nil
        }
    }
}

/// Whether a name can be written without quotes (D14).
func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, isIdentifierStart(first) else { return false }
    return name.unicodeScalars.allSatisfy(isIdentifierPart)
}

func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar == "_" || (scalar.value | 0x20 >= 0x61 && scalar.value | 0x20 <= 0x7A) }
    return scalar.properties.isXIDStart
}

func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return isIdentifierStart(scalar) || isDigit(scalar) }
    return scalar.properties.isXIDContinue
}

func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= 0x30 && scalar.value <= 0x39 }
