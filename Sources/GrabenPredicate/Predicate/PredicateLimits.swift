/// What a program is willing to parse.
///
/// The limits bound the depth of the tree and so the stack anything needs that walks it. A program that takes predicates from strangers
/// also turns off `allowsMatches`: a regular expression can take time exponential in its length.
public struct PredicateLimits: Sendable, Equatable {
    /// How deep brackets and prefix operators may nest; operators, four times as deep.
    public var depth: Int
    /// How long a format may be, in bytes of UTF-8.
    public var formatLength: Int
    /// Whether MATCHES may be used.
    public var allowsMatches: Bool

    /// Makes limits; a depth over 1,024 counts as 1,024.
    public init(depth: Int = 256, formatLength: Int = 1 << 20, allowsMatches: Bool = true) {
        self.depth = Swift.min(depth, 1_024)
        self.formatLength = formatLength
        self.allowsMatches = allowsMatches
    }

    /// 256 levels, a megabyte, MATCHES allowed.
    public static let standard = PredicateLimits()
}
