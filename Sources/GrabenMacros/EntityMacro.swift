import SwiftSyntax
import SwiftSyntaxMacros

struct EntityMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        ["var trivial: Int { 42 }"]
    }
}
