import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Entity`: the members of the class, and an accessor for each property.
struct EntityMacro: MemberMacro, MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        do throws(Problem) {
            let entity = try EntityDeclaration(node, declaration)
            for problem in entity.problems { context.diagnose(problem.diagnostic) }
            return ClassWriter(entity: entity).members().map { DeclSyntax("\(raw: $0)") }
        } catch {
            context.diagnose(error.diagnostic)
            return []
        }
    }

    /// The class is wanted whole for each of its members, because a property's number depends on those before it. What is wrong is told
    /// once, where the members are made.
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let variable = member.as(VariableDeclSyntax.self), let entity = EntityCache.entity(node, declaration) else { return [] }
        guard let pattern = variable.bindings.first?.pattern.trimmedDescription else { return [] }
        if variable.bindings.count == 1, variable.bindings.first?.accessorBlock == nil, variable.bindingSpecifier.text == "var",
            entity.invalid.contains(pattern)
        {
            return ["@_EntityProperty"]
        }
        guard let property = entity.properties.first(where: { $0.pattern == pattern }) else { return [] }
        let place = property.place
        let arguments: [String] = [
            "of: \(entity.name.quoted)", "superclass: \((entity.superclass ?? "").quoted)", "accessors: \(place.accessors)",
            "doubles: \(place.doubles)", "floats: \(place.floats)", "observesAccess: \(entity.observesAccess)",
            "isPublic: \(entity.isPublic)",
        ]
        return ["@_EntityProperty(\(raw: arguments.joined(separator: ", ")))"]
    }
}
