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
    /// As a Swift string literal.
    var quoted: String { StringLiteralExprSyntax(content: self).description }
}
