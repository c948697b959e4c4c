/// A regular expression of MATCHES (D9), in the dialect of Swift's `Regex`, matched against the whole text by Unicode scalars.
struct MatchPattern {
    /// Longer ones are refused: the parser of `Regex` recurses, and a pattern may come from a stranger.
    static let longest = 1_000
    static let mostBrackets = 32

    private let regex: Regex<AnyRegexOutput>
    private let folding: PredicateStringOptions

    /// Why a pattern cannot be used.
    struct Refusal: Error {
        let reason: String
    }

    init(_ pattern: String, _ options: PredicateStringOptions) throws(Refusal) {
        guard pattern.unicodeScalars.count <= Self.longest else {
            throw Refusal(reason: "the pattern is longer than \(Self.longest) characters")
        }
        guard pattern.unicodeScalars.count(where: { $0 == "(" || $0 == "[" }) <= Self.mostBrackets else {
            throw Refusal(reason: "the pattern has more than \(Self.mostBrackets) opening brackets")
        }
        folding = options.intersection(.diacriticInsensitive)
        do {
            var regex = try Regex(TextFolding.fold(pattern, folding)).matchingSemantics(.unicodeScalar)
            if options.contains(.caseInsensitive) { regex = regex.ignoresCase() }
            self.regex = regex
        } catch {
            throw Refusal(reason: "the pattern is not a regular expression: \(error)")
        }
    }

    func matches(_ text: String) throws(Refusal) -> Bool {
        do {
            return try regex.wholeMatch(in: TextFolding.fold(text, folding)) != nil
        } catch {
            throw Refusal(reason: "matching failed: \(error)")
        }
    }
}
