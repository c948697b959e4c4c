import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_EntityProperty`, which `@Entity` puts before each property: getter and setter.
struct PropertyMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let className = node.argument("of")?.stringLiteral,
            let read = try? PropertyReader(className: className).read(variable)
        else {
            // What is wrong was told already; a property that stayed stored would make the compiler ask for an initialiser besides.
            return ["get { Swift.fatalError() }", "set {}"]
        }
        func number(_ label: String) -> Int { node.argument(label).flatMap { Int($0.trimmedDescription) } ?? 0 }
        let superclass = node.argument("superclass")?.stringLiteral ?? ""
        var property = read
        property.place = Place(accessors: number("accessors"), doubles: number("doubles"), floats: number("floats"))
        let isPublic = node.argument("isPublic")?.booleanLiteral ?? false
        let writer = AccessorWriter(
            place: ClassPlace(className: className, superclass: superclass.isEmpty ? nil : superclass),
            observesAccess: node.argument("observesAccess")?.booleanLiteral ?? false,
            isInlinable: isPublic && property.access == "public ")
        let accessors = writer.accessors(property)
        var written: [AccessorDeclSyntax] = ["\(raw: accessors.getAttributes)get {\n\(raw: accessors.get)\n}"]
        if let set = accessors.set { written.append("set {\n\(raw: set)\n}") }
        return written
    }
}
