import GrabenLog

/// One criterion of an order: a key path and a direction.
public struct ObjectSortDescriptor: Sendable, Hashable, CustomStringConvertible {
    /// How strings are compared.
    public enum Comparison: String, Sendable, CaseIterable {
        /// By Unicode scalar: the order of the stored bytes, which an index has.
        case scalar
        /// As if all were in lower case; equals by Unicode scalar.
        case caseInsensitive
        /// As people sort: case and accents last, runs of digits by their value. Knows no locale.
        case natural
    }

    /// Where the value is: attributes of the object or, through to-one relationships, of others.
    public let keyPath: String
    /// Whether smaller values come first; nil counts as smaller than any value.
    public let ascending: Bool
    /// How strings are compared.
    public let comparison: Comparison

    /// Makes a criterion.
    public init(_ keyPath: String, ascending: Bool = true, comparison: Comparison = .scalar) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.comparison = comparison
    }

    /// Reads one criterion as `parse` does.
    ///
    /// Throws `ObjectPredicateError.syntax` where the text holds none or several.
    public init(text: String) throws(ObjectPredicateError) {
        let parsed = try Self.parse(text)
        guard parsed.count == 1 else {
            throw .syntax(
                PredicateSyntaxProblem(format: text, position: 0, expected: "one key path to sort by", found: "\(parsed.count) of them"))
        }
        self = parsed[0]
    }

    /// The criterion the other way round.
    public var reversed: ObjectSortDescriptor {
        ObjectSortDescriptor(keyPath, ascending: !ascending, comparison: comparison)
    }

    /// The text `parse` reads: `name`, `-name`, with `:caseInsensitive` or `:natural` behind.
    public var description: String {
        (ascending ? "" : "-") + keyPath + (comparison == .scalar ? "" : ":\(comparison.rawValue)")
    }

    /// Reads an order as command lines and models write it: `name,-z` or `name:asc,z:desc`; `:natural` and `:caseInsensitive` may follow.
    ///
    /// Throws `ObjectPredicateError.syntax`. The keys are checked when the order is bound to an entity.
    public static func parse(_ text: String) throws(ObjectPredicateError) -> [ObjectSortDescriptor] {
        var descriptors: [ObjectSortDescriptor] = []
        var position = 0
        func problem(_ expected: String, _ found: Substring) -> ObjectPredicateError {
            .syntax(
                PredicateSyntaxProblem(
                    format: text, position: position, expected: expected, found: found.isEmpty ? "nothing" : "\"\(found)\""))
        }
        if text.unicodeScalars.allSatisfy(\.properties.isWhitespace) { return [] }
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: ":", omittingEmptySubsequences: false).map { trimmed($0) }
            var key = parts[0]
            var ascending = true
            if key.first == "-" || key.first == "+" {
                ascending = key.removeFirst() == "+"
                key = trimmed(key)
            }
            guard !key.isEmpty, key.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }) else {
                throw problem("a key path to sort by", parts[0])
            }
            var comparison = Comparison.scalar
            for word in parts.dropFirst() {
                switch asciiLowercased(String(word)) {
                case "asc", "ascending": ascending = true
                case "desc", "descending": ascending = false
                case "scalar": comparison = .scalar
                case "caseinsensitive", "ci": comparison = .caseInsensitive
                case "natural": comparison = .natural
                default: throw problem("asc, desc, caseInsensitive or natural after \"\(key):\"", word)
                }
            }
            descriptors.append(ObjectSortDescriptor(String(key), ascending: ascending, comparison: comparison))
            position += item.unicodeScalars.count + 1
        }
        return descriptors
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
