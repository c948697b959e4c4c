import SwiftSyntax

/// A class with `@Entity` before it, as far as its own text says.
struct EntityDeclaration {
    let name: String
    /// The name in Swift source.
    var identifier: String { name.identifier }
    /// The superclass as written; nil where it is `ManagedObject` itself.
    let superclass: String?
    let entityName: String
    let node: AttributeSyntax
    /// The access level of members that the class has to show wherever it is seen itself, with a space; empty for internal.
    let access: String
    let isPublic: Bool
    let isFinal: Bool
    let observesAccess: Bool
    /// The kinds of hooks that the class itself overrides.
    private(set) var overriddenHooks: [String]
    var properties: [PropertyDeclaration] = []
    /// Keys that no two objects share.
    var uniqueKeys: [[String]] = []
    /// Orders in which objects can be found.
    var indexes: [IndexPart] = []
    /// Everything wrong with the class and its members.
    var problems: [Problem] = []
    /// Variables with a problem: they get accessors all the same, lest the compiler complain of missing initial values too.
    var invalid: Set<String> = []

    init(_ node: AttributeSyntax, _ declaration: some DeclGroupSyntax) throws(Problem) {
        guard let declared = declaration.as(ClassDeclSyntax.self) else { throw Self.notAClass(node, declaration) }
        self.node = node
        name = declared.name.name
        let entityName = node.unlabeled().first
        if let entityName, entityName.stringLiteral?.isEmpty ?? true, !entityName.isNilLiteral {
            throw Problem(entityName, "the name of the entity has to be text between quotes, without interpolation")
        }
        self.entityName = entityName?.stringLiteral ?? name
        guard self.entityName.isModelIdentifier else {
            throw Problem(
                entityName ?? ExprSyntax("\(raw: name)"),
                "a model has no name \(self.entityName.quoted): it begins with a letter or _ and goes on with letters, digits and _")
        }
        superclass = try Self.superclass(of: declared)
        if let parameters = declared.genericParameterClause {
            throw Problem(parameters, "\(name) is generic, and an entity has one class: make it a class without parameters")
        }
        let written = declared.modifiers.access
        access = ["public", "open", "package"].contains(written) ? written + " " : ""
        isPublic = written == "public" || written == "open"
        isFinal = declared.modifiers.contains(.final)
        observesAccess = declared.memberBlock.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.modifiers.contains(.override) else { return false }
            guard variable.bindings.first?.pattern.trimmedDescription == "observesAccess" else { return false }
            return variable.bindings.first?.accessorBlock?.description.contains("true") ?? false
        }
        overriddenHooks = Self.hooks(of: declared)
        readMembers(declared)
        if hasState(declared) { overriddenHooks.append("state") }
        readKeys(declared)
        refuseClashes(declared)
    }

    // MARK: The class itself

    private static func notAClass(_ node: AttributeSyntax, _ declaration: some DeclGroupSyntax) -> Problem {
        let kind: String
        if declaration.is(StructDeclSyntax.self) {
            kind = "a struct"
        } else if declaration.is(EnumDeclSyntax.self) {
            kind = "an enum"
        } else if declaration.is(ActorDeclSyntax.self) {
            kind = "an actor"
        } else if declaration.is(ProtocolDeclSyntax.self) {
            kind = "a protocol"
        } else if declaration.is(ExtensionDeclSyntax.self) {
            kind = "an extension"
        } else {
            kind = "none"
        }
        return Problem(node, "@Entity belongs before a class that inherits from ManagedObject, and this is \(kind)")
    }

    private static let protocols: Set<String> = [
        "Codable", "Encodable", "Decodable", "Equatable", "Hashable", "Comparable", "Identifiable", "Sendable", "CustomStringConvertible",
        "CustomDebugStringConvertible", "ObservableObject", "Observable", "AnyObject", "NSObject",
    ]

    private static func superclass(of declared: ClassDeclSyntax) throws(Problem) -> String? {
        let name = declared.name.name
        guard let first = declared.inheritanceClause?.inheritedTypes.first?.type else {
            var new = declared
            let trailing = declared.name.trailingTrivia
            new.name.trailingTrivia = []
            new.inheritanceClause = InheritanceClauseSyntax(
                colon: .colonToken(trailingTrivia: .space),
                inheritedTypes: [InheritedTypeSyntax(type: TypeSyntax("ManagedObject").with(\.trailingTrivia, trailing))])
            throw Problem(
                declared.name, "\(name) is an entity and has to inherit from ManagedObject, or from another entity's class",
                Remedy("inherit from ManagedObject", replace: declared, with: new))
        }
        let text = first.trimmedDescription
        if protocols.contains(text) {
            throw Problem(
                first, "\(name) is an entity and has to inherit from ManagedObject, or from another entity's class; \(text) is none",
                Remedy(
                    "inherit from ManagedObject", replace: first,
                    with: TypeSyntax("ManagedObject, \(raw: text)").with(\.trailingTrivia, first.trailingTrivia)))
        }
        for case .attribute(let attribute) in declared.attributes where attribute.shortName == "MainActor" {
            var new = declared
            new.attributes = new.attributes.filter { $0.trimmedDescription != attribute.trimmedDescription }
            throw Problem(
                attribute, "objects of \(name) belong to the context that made them, whichever actor has it: write `nonisolated` instead",
                Remedy("remove @MainActor", replace: declared, with: new))
        }
        return text == "ManagedObject" || text == "Graben.ManagedObject" ? nil : text
    }

    // MARK: Members

    private mutating func readMembers(_ declared: ClassDeclSyntax) {
        var reader = PropertyReader(className: name)
        for member in declared.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            reader.fields.formUnion(storageRoots(variable))
        }
        var keys: Set<String> = []
        var place = Place()
        for member in declared.memberBlock.members {
            if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                if let problem = objection(to: initializer) { problems.append(problem) }
                continue
            }
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                if let problem = objection(to: conditional) { problems.append(problem) }
                continue
            }
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            do throws(Problem) {
                guard var property = try reader.read(variable) else { continue }
                for key in property.keys where !keys.insert(key).inserted {
                    throw Problem(variable, "\(name) has another property \(key); \(property.name) needs a name of its own")
                }
                property.place = place
                place = place + property.size
                properties.append(property)
            } catch {
                problems.append(error)
                // Accessors and a property wrapper exclude each other, which the compiler would say once more.
                guard reader.foreignAttribute(of: variable) == nil else { continue }
                for binding in variable.bindings { invalid.insert(binding.pattern.trimmedDescription) }
            }
        }
    }

    /// Says where what is written for one property has the name of what is written for another, or by hand.
    private mutating func refuseClashes(_ declared: ClassDeclSyntax) {
        var owners: [String: String] = [:]
        for member in declared.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            for binding in variable.bindings {
                guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.name else { continue }
                owners[name] = "in the class"
            }
        }
        for property in properties {
            if let member = property.memberNames.first(where: { owners[$0] != nil }), let owner = owners[member] {
                problems.append(
                    Problem(
                        property.variable,
                        "@Entity writes \(member) for \(property.name), and there is another \(owner); give \(property.name) another name"))
                // The compiler would say of the member itself that it is there twice.
                invalid.insert(property.pattern)
            }
            for member in property.memberNames { owners[member] = "for \(property.name)" }
        }
        properties.removeAll { invalid.contains($0.pattern) }
    }

    /// The stored properties that attributes of a variable are kept in.
    private func storageRoots(_ variable: VariableDeclSyntax) -> [String] {
        PropertyReader.kinds.compactMap { kind in
            guard let path = variable.attributes.first(kind)?.argument("storage")?.as(KeyPathExprSyntax.self) else { return nil }
            return path.text(behind: name)?.split(whereSeparator: { ".[?!".contains($0) }).first.map { $0.filter { $0 != "`" } }
        }
    }

    private func objection(to initializer: InitializerDeclSyntax) -> Problem? {
        let parameters = initializer.signature.parameterClause.parameters
        let labels = parameters.map { $0.firstName.text }
        let isOurs =
            labels == ["entity", "insertInto"] || labels == ["context"]
            || (labels == ["_"] && parameters.first?.type.trimmedDescription.hasSuffix("ObjectSeed") == true)
        // One that is not `convenience` takes the inherited initialisers away, by which contexts make objects.
        guard isOurs || !initializer.modifiers.contains(.convenience) else { return nil }
        let text = "init(\(labels.map { $0 + ":" }.joined()))"
        return Problem(
            initializer.initKeyword,
            "\(name) cannot have an \(text) of its own: contexts make objects, new ones and fetched ones; write defaults as initial values, and "
                + "what more a new object needs into awakeFromInsert()",
            Remedy("override awakeFromInsert() instead", replace: initializer, with: Self.awakening(initializer)))
    }

    private static func awakening(_ initializer: InitializerDeclSyntax) -> DeclSyntax {
        DeclSyntax("override func awakeFromInsert() {}").with(\.leadingTrivia, initializer.leadingTrivia)
            .with(\.trailingTrivia, initializer.trailingTrivia)
    }

    private func objection(to conditional: IfConfigDeclSyntax) -> Problem? {
        for clause in conditional.clauses {
            guard case .decls(let members) = clause.elements else { continue }
            for member in members {
                guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.modifiers.contains(.static),
                    !variable.modifiers.contains(.class), variable.attributes.first("Field") == nil,
                    variable.bindings.contains(where: { $0.accessorBlock == nil })
                else { continue }
                return Problem(
                    variable,
                    "\(variable.bindings.trimmedDescription) stands inside #if, where no macro sees it: a store's model cannot depend on "
                        + "it; declare it outside, or write @Field")
            }
        }
        return nil
    }
}
