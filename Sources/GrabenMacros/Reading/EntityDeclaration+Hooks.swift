import SwiftSyntax

/// The hooks of `ManagedObject` that a class overrides.
extension EntityDeclaration {
    private static let kinds: [String: String] = [
        "willChangeValue": "changing", "didChangeValue": "changing",
        "willAccessValue": "access", "didAccessValue": "access",
        "validateForInsert": "validation", "validateForUpdate": "validation", "validateForDelete": "validation",
        "validateValue": "validation",
        "willSave": "saving", "didSave": "saving",
        "willTurnIntoFault": "faulting", "didTurnIntoFault": "faulting",
        "awakeFromInsert": "awaking", "awakeFromFetch": "awaking", "awake": "awaking",
    ]

    /// Whether objects of the class hold something, or do something when they end, that the library does not know of.
    func hasState(_ declared: ClassDeclSyntax) -> Bool {
        let patterns = Set(properties.map(\.pattern))
        return declared.memberBlock.members.contains { member in
            if member.decl.is(DeinitializerDeclSyntax.self) { return true }
            guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.modifiers.contains(.static),
                !variable.modifiers.contains(.class)
            else { return false }
            return variable.bindings.contains { binding in
                if patterns.contains(binding.pattern.trimmedDescription) { return false }
                guard let accessors = binding.accessorBlock else { return true }
                guard case .accessors(let list) = accessors.accessors else { return false }
                return list.allSatisfy {
                    $0.accessorSpecifier.tokenKind == .keyword(.willSet) || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
                }
            }
        }
    }

    /// The kinds of hooks a class overrides, by the names they have in `ClassHooks.Kinds`. What stands inside `#if`, or is written by another
    /// macro, is not seen here: such a class is taken to override all of them.
    static func hooks(of declared: ClassDeclSyntax) -> [String] {
        let isForeign = declared.attributes.contains { element in
            guard case .attribute(let attribute) = element else { return true }
            return !["Entity", "Unique", "Index", "available", "objc", "preconcurrency"].contains(attribute.shortName)
        }
        let isOpaque = declared.memberBlock.members.contains {
            $0.decl.is(IfConfigDeclSyntax.self) || $0.decl.is(MacroExpansionDeclSyntax.self)
        }
        guard !isForeign, !isOpaque else { return ["all"] }
        let names = declared.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
            .filter { $0.modifiers.contains(.override) }.map(\.name.name)
        return Set(names.compactMap { kinds[$0] }).sorted()
    }
}
