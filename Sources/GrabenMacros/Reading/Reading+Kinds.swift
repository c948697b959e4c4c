import SwiftSyntax

extension Reading {
    // MARK: Attributes

    func attribute(_ marker: AttributeSyntax?) throws(Problem) -> AttributePart {
        let label = marker.map { "@\($0.shortName)" } ?? "the attribute"
        var part = AttributePart(key: try string(marker, "name") ?? name, type: type.text)
        switch type.shape {
        case .value(let attributeType): part.attributeType = attributeType
        case .toMany(let member, let ordered):
            throw Problem(
                place, "\(name) leads to many objects: \(label) keeps values; write @Relationship",
                variable.adding(
                    "@Relationship(inverse: \\\(member).<#property#>)", "name the inverse of the \(ordered ? "ordered " : "")relationship"))
        case .other where !(type.text.hasPrefix("[") && type.text.contains(":")):
            throw Problem(place, "\(type.text) is no type that \(label) can keep")
        default: break
        }
        if marker?.shortName != "Derived" { part.defaultValue = try defaultValue() }
        if part.attributeType == nil, !type.isOptional, part.defaultValue == nil {
            throw Problem(
                place, "\(name) needs an initial value, which an object has whose value cannot be read; or write \(type.text)?",
                optional("write \(type.text)?"))
        }
        part.options = options(
            marker,
            [
                ("minimum", "minimum"), ("maximum", "maximum"), ("minimumLength", "minimumLength"), ("maximumLength", "maximumLength"),
                ("matching", "regularExpression"),
                ("renamedFrom", "renamingIdentifier"), ("userInfo", "userInfo"),
            ])
        part.storage = try storage(marker)
        return part
    }

    func derived(_ marker: AttributeSyntax) throws(Problem) -> AttributePart {
        guard let expression = marker.unlabeled().first, expression.stringLiteral?.isEmpty == false else {
            throw Problem(marker, "@Derived of \(name) has to be given its expression as text, as in @Derived(\"outgoing.@count\")")
        }
        guard type.isOptional else {
            throw Problem(
                place, "\(name) is derived at the first save and has no value before: write \(type.text)?", optional("write \(type.text)?"))
        }
        try refuseInitialValue("it is derived")
        var part = try attribute(marker)
        part.derivation = expression.trimmed
        return part
    }

    // MARK: Lanes

    func packing(_ marker: AttributeSyntax) throws(Problem) -> Packing {
        let names = try marker.unlabeled().map { expression throws(Problem) in
            guard let name = expression.stringLiteral, !name.isEmpty else {
                throw Problem(expression, "the lanes of \(name) have to be names between quotes")
            }
            return name
        }
        var packing: Packing
        switch type.shape {
        case .value("double"): packing = Packing(scalar: .double, isVector: false, lanes: names.isEmpty ? [name] : names)
        case .value("float"): packing = Packing(scalar: .float, isVector: false, lanes: names.isEmpty ? [name] : names)
        case .vector(let scalar, let width):
            if names.isEmpty {
                let axes = ["x", "y", "z", "w"].prefix(width).map(\.quoted).joined(separator: ", ")
                var named = marker
                named.leftParen = .leftParenToken()
                named.arguments = .argumentList(LabeledExprListSyntax([LabeledExprSyntax(expression: ExprSyntax("\(raw: axes)"))]))
                named.rightParen = .rightParenToken(trailingTrivia: marker.trailingTrivia)
                named.attributeName.trailingTrivia = []
                throw Problem(
                    marker, "\(name) is \(width) attributes: name its lanes, as in @Packed(\(axes))",
                    Remedy("name the lanes \(axes)", replace: marker, with: named))
            }
            packing = Packing(scalar: scalar, isVector: true, lanes: names)
        default:
            var problem = Problem(
                place, "@Packed keeps Double, Float, and SIMD2, SIMD3 or SIMD4 of them in columns, not \(type.text)",
                variable.removing(marker))
            if case .value(let value) = type.shape, value.hasPrefix("int"), let remedy = retyped("Double\(type.isOptional ? "?" : "")") {
                problem.remedies.append(remedy)
            }
            throw problem
        }
        let width = if case .vector(_, let width) = type.shape { width } else { 1 }
        guard packing.lanes.count == width else {
            throw Problem(
                marker,
                "@Packed names \(packing.lanes.count) lane\(packing.lanes.count == 1 ? "" : "s") for \(name), and \(type.text) has \(width)"
            )
        }
        if let twice = packing.lanes.indices.first(where: { packing.lanes[..<$0].contains(packing.lanes[$0]) }) {
            throw Problem(marker, "@Packed names the lane \(packing.lanes[twice]) of \(name) twice")
        }
        packing.defaults = try laneDefaults(packing)
        packing.options = options(marker, [("minimum", "minimum"), ("maximum", "maximum")])
        packing.renamed = try renamedLanes(marker, count: packing.lanes.count)
        packing.storage = try storage(marker)
        if packing.storage != nil, packing.isVector, type.isOptional {
            throw Problem(
                marker,
                "\(name) is kept in one field, which has a value or none, but its \(width) lanes have one each; use three properties")
        }
        return packing
    }

    private func renamedLanes(_ marker: AttributeSyntax, count: Int) throws(Problem) -> [String] {
        let old = try marker.unlabeled(after: "renamedFrom").map { expression throws(Problem) in
            guard let name = expression.stringLiteral else {
                throw Problem(expression, "renamedFrom of \(name) has to be the lanes' earlier names between quotes")
            }
            return name
        }
        guard old.isEmpty || old.count == count else {
            throw Problem(marker, "renamedFrom of \(name) names \(old.count) lanes, and there are \(count)")
        }
        return old
    }

    private func laneDefaults(_ packing: Packing) throws(Problem) -> [String] {
        guard let value = try defaultValue() else { return [] }
        let scalar = packing.scalar.rawValue
        guard packing.isVector else { return ["\(value) as \(scalar)"] }
        if let array = value.as(ArrayExprSyntax.self), array.elements.count == packing.lanes.count {
            return array.elements.map { "\($0.expression.trimmedDescription) as \(scalar)" }
        }
        return packing.lanes.indices.map { "(\(value) as \(type.text))[\($0)]" }
    }

    // MARK: Relationships and fetched properties

    func relationship(_ marker: AttributeSyntax?) throws(Problem) -> RelationshipPart {
        var part: RelationshipPart
        switch type.shape {
        case .toMany(let member, let ordered):
            guard !type.isOptional else {
                throw Problem(
                    place, "\(name) has no member or some, and is never nil: write \(type.text)",
                    retyped(type.text) ?? withoutInitialValue())
            }
            try refuseInitialValue("members belong to one object; add them in awakeFromInsert()")
            part = RelationshipPart(destination: member, isToMany: true, isOrdered: ordered)
        case .array(let member):
            throw Problem(
                place, "a relationship to many \(member)s is a ToMany<\(member)>, or an OrderedToMany<\(member)> where the order matters",
                retyped("OrderedToMany<\(member)>") ?? withoutInitialValue(), retyped("ToMany<\(member)>") ?? withoutInitialValue())
        case .set(let member):
            throw Problem(
                place, "a relationship to many \(member)s is a ToMany<\(member)>", retyped("ToMany<\(member)>") ?? withoutInitialValue())
        case .named where !PropertyType.foreign.contains(type.text):
            guard type.isOptional else {
                throw Problem(
                    place, "\(name) leads to one \(type.text), or to none before it is set: write \(type.text)?",
                    optional("write \(type.text)?"))
            }
            try refuseInitialValue("the object it leads to would be the same for all; set it in awakeFromInsert()")
            part = RelationshipPart(destination: type.text, isToMany: false, isOrdered: false)
        default:
            let kind = "an entity's class? for one object, ToMany or OrderedToMany of one for many"
            if let marker { throw Problem(place, "a relationship is \(kind), not \(type.text)", variable.removing(marker)) }
            throw Problem(place, "a relationship is \(kind), not \(type.text)")
        }
        part.inverse = try inverse(marker, part.destination)
        part.options = options(
            marker,
            [
                ("isOptional", "isOptional"), ("minimum", "minCount"), ("maximum", "maxCount"), ("deleteRule", "deleteRule"),
                ("renamedFrom", "renamingIdentifier"), ("userInfo", "userInfo"),
            ])
        return part
    }

    private func inverse(_ marker: AttributeSyntax?, _ destination: String) throws(Problem) -> RelationshipPart.Inverse? {
        guard let expression = marker?.argument("inverse"), !expression.isNilLiteral else { return nil }
        if let text = expression.stringLiteral, !text.isEmpty { return .name(text) }
        let path = expression.as(KeyPathExprSyntax.self)
        if let text = path?.text(behind: destination.lastComponent), text.allSatisfy({ !".[?!".contains($0) }) {
            return .path(text.filter { $0 != "`" }, "\\\(destination).\(text)")
        }
        if let path, let root = path.root, path.components.count == 1, root.trimmedDescription.lastComponent != destination.lastComponent {
            throw Problem(
                root, "\(name) leads to \(destination), so its inverse is a property of \(destination), not of \(root.trimmedDescription)",
                Remedy(
                    "write \\\(destination)\(path.components.trimmedDescription)", replace: root,
                    with: TypeSyntax("\(raw: destination)")))
        }
        throw Problem(
            expression, "the inverse of \(name) has to be one property of \(destination), as in \\\(destination).\(className.lowercased())")
    }

    func fetched(_ marker: AttributeSyntax) throws(Problem) -> FetchedPart {
        if case .named = type.shape, type.isOptional, !PropertyType.foreign.contains(type.text) {
            guard marker.argument("limit")?.trimmedDescription == "1" else {
                throw Problem(
                    place,
                    "a fetched property that is one \(type.text) or nil has a limit of 1; without it, it is an array: write [\(type.text)]",
                    retyped("[\(type.text)]") ?? withoutInitialValue())
            }
            return try fetched(marker, type.text, isOne: true)
        }
        guard case .array(let destination) = type.shape else {
            let destination: String =
                switch type.shape {
                case .toMany(let member, _), .set(let member): member
                default: type.text
                }
            throw Problem(
                place, "a fetched property is an array in the order of its request: write [\(destination)]",
                retyped("[\(destination)]") ?? withoutInitialValue())
        }
        guard !type.isOptional else {
            throw Problem(place, "what \(name) finds is never nil: write \(type.text)", retyped(type.text) ?? withoutInitialValue())
        }
        return try fetched(marker, destination, isOne: false)
    }

    private func fetched(_ marker: AttributeSyntax, _ destination: String, isOne: Bool) throws(Problem) -> FetchedPart {
        try refuseInitialValue("it is what its predicate finds")
        var options: [(label: String, value: String)] = []
        if let predicate = marker.unlabeled().first, !predicate.isNilLiteral {
            guard predicate.stringLiteral != nil else {
                throw Problem(predicate, "the predicate of \(name) has to be text between quotes; its values come from $FETCH_SOURCE")
            }
            options.append(("predicateFormat", predicate.trimmedDescription))
        }
        let sort = marker.unlabeled(after: "sort")
        if !sort.isEmpty { options.append(("sort", "[\(sort.map(\.trimmedDescription).joined(separator: ", "))]")) }
        let labels = [
            "limit", "offset", "batchSize", "includesSubentities", "includesPropertyValues", "includesPendingChanges",
            "returnsObjectsAsFaults", "returnsDistinctResults", "autoRefresh", "userInfo",
        ]
        options += self.options(marker, labels.map { ($0, $0) })
        return FetchedPart(destination: destination, isOne: isOne, options: options)
    }
}
