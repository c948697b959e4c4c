internal import GrabenModel

extension String {
    /// The text as an identifier of Swift: in backticks where it is a word of the language.
    var swiftIdentifier: String { SwiftWords.reserved.contains(self) ? "`\(self)`" : self }

    /// Whether Swift takes it as an identifier, in backticks if need be.
    var isSwiftIdentifier: Bool { isModelIdentifier && !SwiftWords.unusable.contains(self) }

    /// The text with its first letter in upper case, as it stands inside a longer name.
    var capitalizedFirst: String { isEmpty ? self : first.map { $0.uppercased() + dropFirst() } ?? self }
}

/// Words of Swift that cannot stand as identifiers without backticks, or at all.
enum SwiftWords {
    /// What backticks do not help: `_` is a pattern, and `object.self` and `Class.Type` have meanings of their own.
    static let unusable: Set<String> = ["_", "self", "Self", "Type", "Protocol"]

    static let reserved: Set<String> = [
        "Any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else", "enum",
        "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is",
        "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
