import SwiftSyntax

/// The class read last. The compiler sends the whole class once for each of its members; reading it anew for each would make the time for a
/// class grow with the square of its properties.
enum EntityCache {
    private struct Entry {
        let text: String
        /// Nil where the class cannot be read.
        let entity: EntityDeclaration?
    }
    /// Requests come one after the other, on the thread that serves the compiler.
    nonisolated(unsafe) private static var last: Entry?

    /// What a class declares; nil where it is no class of an entity.
    static func entity(_ node: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> EntityDeclaration? {
        let text = node.description + declaration.description
        if let last, last.text == text { return last.entity }
        let entity = try? EntityDeclaration(node, declaration)
        last = Entry(text: text, entity: entity)
        return entity
    }
}
