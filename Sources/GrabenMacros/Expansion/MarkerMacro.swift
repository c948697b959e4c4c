import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`, `@Relationship` and their kin: they add nothing themselves, `@Entity` reads them. Outside of an entity they say so.
struct MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if let declared = declaration.as(ClassDeclSyntax.self) {
            guard declared.attributes.first("Entity") == nil else { return [] }
            context.diagnose(
                Problem(node, "@\(node.shortName) says something of an entity, and \(declared.name.text) is none: write @Entity too")
                    .diagnostic)
            return []
        }
        let enclosing = context.lexicalContext.first?.asProtocol(WithAttributesSyntax.self)
        guard declaration.is(VariableDeclSyntax.self), enclosing?.attributes.first("Entity") != nil else {
            context.diagnose(
                Problem(node, "@\(node.shortName) belongs before a property in the body of a class with @Entity").diagnostic)
            return []
        }
        return []
    }
}
