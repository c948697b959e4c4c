/// A file of generated Swift.
package struct GeneratedFile: Sendable, Equatable {
    /// Its name without a folder, such as `Joint.swift`.
    package let name: String
    /// The whole source text.
    package let text: String
}
