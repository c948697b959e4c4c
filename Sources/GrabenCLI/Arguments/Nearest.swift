import GrabenPredicate

/// What a mistyped word was meant to be.
enum Nearest {
    static func name(to word: String, in names: [String]) -> String? { nearestName(to: word, in: names) }
}
