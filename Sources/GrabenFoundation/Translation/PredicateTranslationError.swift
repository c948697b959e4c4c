import Graben

/// Why a predicate or an order of Foundation's has no counterpart in Graben's language.
public enum PredicateTranslationError: Error, Sendable, CustomStringConvertible {
    /// A key path reads no property that the class's `propertyKeyPaths` has.
    case unmappedKeyPath(UnmappedKeyPath)
    /// An expression has nothing that it could become.
    case unsupported(expression: String, reason: String)

    /// One line: what cannot be translated, why, and what to write instead.
    public var description: String {
        switch self {
        case .unmappedKeyPath(let path): path.description
        case .unsupported(let expression, let reason): "cannot translate \(expression): \(reason)"
        }
    }
}
