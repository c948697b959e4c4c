import SwiftSyntax

/// Makes a property of the model of a variable of a class, or says what is wrong with it.
struct PropertyReader {
    let className: String
    /// Stored properties that hold attributes: no attributes themselves.
    var fields: Set<String> = []

    /// The attributes that make a variable a property of one kind; a variable without any is taken by its type.
    static let kinds = ["Attribute", "Packed", "Relationship", "FetchedProperty", "Derived", "Transient"]
    private static let additions = ["Unique", "Index"]
    /// What Swift itself may write before a variable that stays what it is.
    private static let harmless: Set<String> = [
        "available", "inlinable", "usableFromInline", "MainActor", "exclusivity", "ObservationIgnored", "_EntityProperty",
    ]
    /// Members of `ManagedObject` that no property can be called like.
    private static let taken: Set<String> = [
        "entity", "objectID", "managedObjectContext", "isFault", "isInserted", "isUpdated", "isDeleted", "hasChanges", "hashValue",
        "hasPersistentChangedValues", "predicateLiteral",
    ]

    /// The property that a variable declares; nil where it is none of the model's: computed, static, or storage of the class's own.
    func read(_ variable: VariableDeclSyntax) throws(Problem) -> PropertyDeclaration? {
        let markers = (Self.kinds + Self.additions + ["Field"]).compactMap { variable.attributes.first($0) }
        let modifiers = variable.modifiers
        guard !modifiers.contains(.static), !modifiers.contains(.class) else {
            guard let marker = markers.first else { return nil }
            throw Problem(marker, "@\(marker.shortName) before a property of the class itself: only objects' properties are in the model")
        }
        guard let binding = variable.bindings.first, let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            guard variable.attributes.first("Field") == nil else { return nil }
            throw Problem(variable, "declare each property by itself: a tuple cannot be taken apart into attributes")
        }
        let name = pattern.identifier.name
        if let accessors = binding.accessorBlock { return try refuse(variable, name, accessors, markers) }
        guard variable.attributes.first("Field") == nil else {
            if let other = markers.first(where: { $0.shortName != "Field" }) {
                throw Problem(
                    other, "\(name) cannot be both a @Field, which the model does not know, and @\(other.shortName)",
                    variable.removing(other))
            }
            return nil
        }
        if modifiers.contains(.lazy) || modifiers.contains(.weak) || modifiers.contains(.unowned) || fields.contains(name) {
            guard let marker = markers.first else { return nil }
            throw Problem(
                marker, "\(name) is storage of the class's own and cannot be @\(marker.shortName)", variable.removing(marker))
        }
        guard variable.bindings.count == 1 else {
            throw Problem(variable, "declare each property by itself: `var` with several names cannot become attributes")
        }
        try checkIsVariable(variable, name)
        try checkAttributes(variable, name)
        try checkName(name, pattern)
        guard !modifiers.contains(.override) else {
            throw Problem(
                pattern,
                "\(name) is a property of the superclass already, which keeps its value: override willChangeValue(forKey:) or "
                    + "didChangeValue(forKey:) to follow it")
        }
        guard !Self.taken.contains(name) else {
            throw Problem(pattern, "every ManagedObject has \(name) already; give the property another name")
        }
        let (kind, isOptional) = try self.kind(of: variable, name, binding)
        if case .attribute(let part) = kind, part.key != name, !part.key.isModelIdentifier { throw Self.noName(part.key, variable) }
        if case .packed(let packing) = kind { try checkLanes(packing, variable) }
        let access = modifiers.access
        return PropertyDeclaration(
            variable: variable, name: name, access: access.isEmpty ? "" : access + " ", isOptional: isOptional, kind: kind)
    }

    // MARK: What cannot be a property

    private func refuse(
        _ variable: VariableDeclSyntax, _ name: String, _ accessors: AccessorBlockSyntax, _ markers: [AttributeSyntax]
    ) throws(Problem) -> PropertyDeclaration? {
        if case .accessors(let list) = accessors.accessors,
            let observer = list.first(where: { ["willSet", "didSet"].contains($0.accessorSpecifier.text) })
        {
            guard variable.attributes.first("Field") == nil, !fields.contains(name) else { return nil }
            throw Problem(
                observer,
                "\(name) is kept in the store, so \(observer.accessorSpecifier.text) would never run; override didChangeValue(forKey:), or "
                    + "write @Field where the model shall not know it",
                variable.adding("@Field", "keep \(name) out of the model with @Field"))
        }
        guard let marker = markers.first else { return nil }
        throw Problem(
            marker, "\(name) is computed and has no value that @\(marker.shortName) could keep; remove its body or the attribute",
            variable.removing(marker))
    }

    private func checkIsVariable(_ variable: VariableDeclSyntax, _ name: String) throws(Problem) {
        guard variable.bindingSpecifier.tokenKind == .keyword(.let) else { return }
        let token = variable.bindingSpecifier
        throw Problem(
            token,
            "\(name) is a constant, but objects of an entity are made first and filled then: write `var`, or @Field before what the "
                + "model shall not know",
            Remedy("write `var`", replace: token, with: token.with(\.tokenKind, .keyword(.var))),
            variable.adding("@Field", "keep \(name) out of the model with @Field"))
    }

    /// Names that backticks do not make a member of: `object.self` and `Class.Type` have meanings of their own.
    private static let unusable: Set<String> = ["self", "Self", "Type", "Protocol", "_"]
    /// Modules that accessors name, so that a member of the same name would hide them.
    private static let modules: Set<String> = ["Graben", "Swift"]

    private func checkName(_ name: String, _ place: some SyntaxProtocol) throws(Problem) {
        guard !Self.unusable.contains(name) else {
            throw Problem(
                place,
                "Swift takes object.\(name) for something else than a property; give it another name, and the attribute this one by "
                    + "@Attribute(name: \(name.quoted))")
        }
        guard !Self.modules.contains(name) else {
            throw Problem(place, "\(name) would hide the module that the accessors are written with; give the property another name")
        }
        guard name.isModelIdentifier else { throw Self.noName(name, place) }
    }

    private func checkLanes(_ packing: Packing, _ variable: VariableDeclSyntax) throws(Problem) {
        let place: AttributeSyntax? = variable.attributes.first("Packed")
        for lane in packing.lanes {
            if let place, packing.isVector {
                try checkName(lane, place)
            } else if !lane.isModelIdentifier {
                throw Self.noName(lane, variable)
            }
        }
    }

    private static func noName(_ name: String, _ place: some SyntaxProtocol) -> Problem {
        Problem(place, "a model has no name \(name.quoted): it begins with a letter or _ and goes on with letters, digits and _")
    }

    private func checkAttributes(_ variable: VariableDeclSyntax, _ name: String) throws(Problem) {
        var found: AttributeSyntax?
        for case .attribute(let attribute) in variable.attributes {
            let short = attribute.shortName
            if Self.kinds.contains(short) {
                if let found {
                    throw Problem(
                        attribute, "\(name) cannot be both @\(found.shortName) and @\(short)", variable.removing(attribute))
                }
                found = attribute
            }
        }
        if let attribute = foreignAttribute(of: variable) {
            throw Problem(
                attribute,
                "@\(attribute.shortName) and @Entity would both make \(name); write @Field before what the model shall not know",
                variable.adding("@Field", "keep \(name) out of the model with @Field"))
        }
    }

    /// An attribute that is neither the library's nor harmless: a property wrapper or another macro.
    func foreignAttribute(of variable: VariableDeclSyntax) -> AttributeSyntax? {
        for case .attribute(let attribute) in variable.attributes {
            let name = attribute.shortName
            if !Self.kinds.contains(name), !Self.additions.contains(name), !Self.harmless.contains(name), name != "Field" {
                return attribute
            }
        }
        return nil
    }

    // MARK: Kinds

    private func kind(
        of variable: VariableDeclSyntax, _ name: String, _ binding: PatternBindingSyntax
    ) throws(Problem) -> (PropertyDeclaration.Kind, isOptional: Bool) {
        let value = binding.initializer?.value
        let type: PropertyType
        if let annotation = binding.typeAnnotation {
            type = PropertyType(annotation.type)
            try checkOptional(type, name, annotation.type)
        } else if let inferred = value.flatMap({ PropertyType(inferredFrom: $0) }) {
            type = inferred
        } else {
            throw Problem(
                binding.pattern,
                "write the type of \(name), as in `var \(name): String?`: a macro sees what is written, not what is inferred")
        }
        let reading = Reading(variable: variable, name: name, type: type, binding: binding, className: className)
        if let marker = variable.attributes.first("Packed") { return (.packed(try reading.packing(marker)), type.isOptional) }
        if let marker = variable.attributes.first("Relationship") { return (.relationship(try reading.relationship(marker)), true) }
        if let marker = variable.attributes.first("FetchedProperty") { return (.fetched(try reading.fetched(marker)), false) }
        if let marker = variable.attributes.first("Derived") { return (.attribute(try reading.derived(marker)), true) }
        if let marker = variable.attributes.first("Transient") {
            var part = try reading.attribute(marker)
            part.isTransient = true
            return (.attribute(part), type.isOptional)
        }
        if let marker = variable.attributes.first("Attribute") { return (.attribute(try reading.attribute(marker)), type.isOptional) }
        return try reading.undecorated()
    }

    private func checkOptional(_ type: PropertyType, _ name: String, _ syntax: TypeSyntax) throws(Problem) {
        guard type.isImplicitlyUnwrapped else { return }
        throw Problem(
            syntax, "\(name) may have no value, and reading it must not end the program: write \(type.text)?",
            Remedy(
                "write \(type.text)?", replace: syntax, with: TypeSyntax("\(raw: type.text)?").with(\.trailingTrivia, syntax.trailingTrivia)
            ))
    }
}
