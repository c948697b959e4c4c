/// The operators of comparisons.
public enum PredicateOperator: String, Sendable, CaseIterable {
    /// Equal; two nils are equal.
    case equal = "=="
    /// Not equal; nil differs from every value.
    case notEqual = "!="
    /// Before, among numbers, strings or dates.
    case less = "<"
    /// Before or equal; true of two nils.
    case lessOrEqual = "<="
    /// After, among numbers, strings or dates.
    case greater = ">"
    /// After or equal; true of two nils.
    case greaterOrEqual = ">="
    /// Within two bounds, both included.
    case between = "BETWEEN"
    /// A member of a collection, or a part of a string.
    case `in` = "IN"
    /// The reverse of `in`.
    case contains = "CONTAINS"
    /// The string begins with another.
    case beginsWith = "BEGINSWITH"
    /// The string ends with another.
    case endsWith = "ENDSWITH"
    /// The whole string fits a pattern of `*` (any run) and `?` (one scalar).
    case like = "LIKE"
    /// The whole string fits a regular expression.
    case matches = "MATCHES"
}

/// The letters in brackets after an operator: what a comparison of strings ignores.
public struct PredicateStringOptions: OptionSet, Sendable, Hashable {
    /// The letters as bits.
    public let rawValue: UInt8
    /// Makes options of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `c`: full Unicode case folding, the same in every locale.
    public static let caseInsensitive = PredicateStringOptions(rawValue: 1)
    /// `d`: without non-spacing marks.
    public static let diacriticInsensitive = PredicateStringOptions(rawValue: 2)
    /// `n`: accepted, changes nothing.
    public static let normalized = PredicateStringOptions(rawValue: 4)
    /// `l`: accepted, changes nothing: comparisons know no locale.
    public static let localized = PredicateStringOptions(rawValue: 8)
    /// `w`: accepted, changes nothing.
    public static let words = PredicateStringOptions(rawValue: 16)

    package static let letters: [(letter: Character, option: PredicateStringOptions)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localized), ("w", .words),
    ]

    /// Those of the options that change how a string reads.
    package var folding: PredicateStringOptions { intersection([.caseInsensitive, .diacriticInsensitive]) }
}
