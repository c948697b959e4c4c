import SwiftSyntax

extension TokenSyntax {
    /// The identifier without backticks.
    var name: String {
        let text = text
        return text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2 ? String(text.dropFirst().dropLast()) : text
    }
}

extension AttributeSyntax {
    /// The attribute's name without its module.
    var shortName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    var labeledArguments: [LabeledExprSyntax] {
        guard case .argumentList(let list) = arguments else { return [] }
        return Array(list)
    }

    func argument(_ label: String) -> ExprSyntax? { labeledArguments.first { $0.label?.text == label }?.expression }

    /// The arguments before the first label, and those that go on without one behind a label.
    func unlabeled(after label: String? = nil) -> [ExprSyntax] {
        let arguments = labeledArguments
        guard let label else { return arguments.prefix { $0.label == nil }.map(\.expression) }
        guard let start = arguments.firstIndex(where: { $0.label?.text == label }) else { return [] }
        return [arguments[start].expression] + arguments[(start + 1)...].prefix { $0.label == nil }.map(\.expression)
    }
}

extension AttributeListSyntax {
    /// The attributes of one name, outside of `#if`.
    func all(_ name: String) -> [AttributeSyntax] {
        compactMap { element in
            guard case .attribute(let attribute) = element, attribute.shortName == name else { return nil }
            return attribute
        }
    }
    func first(_ name: String) -> AttributeSyntax? { all(name).first }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var stringLiteral: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
    var isNilLiteral: Bool { self.is(NilLiteralExprSyntax.self) }
    /// The value of `true` or `false`.
    var booleanLiteral: Bool? { self.as(BooleanLiteralExprSyntax.self).map { $0.literal.tokenKind == .keyword(.true) } }
}

extension KeyPathExprSyntax {
    /// What stands behind the type it begins at; nil where that is another type. The parser does not know where in `\Space.Joint.point.x` the
    /// type ends.
    func text(behind type: String) -> String? {
        let text = trimmedDescription.dropFirst()
        if text.hasPrefix(".") { return String(text.dropFirst()) }
        let parts = text.split(separator: ".").map(String.init)
        let end = parts.firstIndex { $0.lastComponent == type } ?? (parts.first == "Self" ? 0 : nil)
        guard let end, end + 1 < parts.count else { return nil }
        return parts[(end + 1)...].joined(separator: ".")
    }
}

extension DeclModifierListSyntax {
    func contains(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) } }
    /// The access level as it is written, without those of setters; empty where none is.
    var access: String {
        let levels: [Keyword] = [.private, .fileprivate, .internal, .package, .public, .open]
        for modifier in self where modifier.detail == nil {
            for level in levels where modifier.name.tokenKind == .keyword(level) { return modifier.name.text }
        }
        return ""
    }
}

extension String {
    /// With a capital letter first, as behind `primitive` and `addTo`.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
    /// The name as it stands in Swift source: in backticks where the parser takes it for something else than a name.
    var identifier: String {
        let parsed = ExprSyntax("\(raw: self)").as(DeclReferenceExprSyntax.self)
        return parsed?.baseName.tokenKind == .identifier(self) && self != "Type" ? self : "`\(self)`"
    }

    /// What a model takes as a name: a letter or `_`, then letters, digits and `_`, by the same properties of Unicode as there.
    var isModelIdentifier: Bool {
        guard let first = unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
        return unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    /// The last name of a type that is written with what it stands in, `Space.Joint`.
    var lastComponent: String { split(separator: ".").last.map { $0.filter { $0 != "`" } } ?? self }

    /// As a Swift string literal.
    var quoted: String { StringLiteralExprSyntax(content: self).description }
}
