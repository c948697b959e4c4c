/// Who sees the generated declarations.
package enum SwiftAccess: String, Sendable, CaseIterable {
    case `internal`, package, `public`

    /// What stands before a declaration, a space behind it.
    var prefix: String { self == .internal ? "" : rawValue + " " }
}
