import SwiftDiagnostics
import SwiftSyntax

/// A misuse of the macros: what it is about, and what to do instead.
struct Problem: Error {
    let node: Syntax
    let message: String
    /// What an editor offers: a title and the change of the text.
    var remedies: [Remedy] = []

    init(_ node: some SyntaxProtocol, _ message: String, _ remedies: Remedy...) {
        self.node = Syntax(node)
        self.message = message
        self.remedies = remedies
    }

    var diagnostic: Diagnostic {
        Diagnostic(
            node: node, message: Sentence(message),
            fixIts: remedies.map { FixIt(message: Sentence($0.title), changes: [.replace(oldNode: $0.old, newNode: $0.new)]) })
    }
}

/// One change of the source that mends a problem.
struct Remedy {
    let title: String
    let old: Syntax
    let new: Syntax

    init(_ title: String, replace old: some SyntaxProtocol, with new: some SyntaxProtocol) {
        self.title = title
        self.old = Syntax(old)
        self.new = Syntax(new)
    }
}

private struct Sentence: DiagnosticMessage, FixItMessage {
    let message: String
    init(_ message: String) { self.message = message }

    var severity: DiagnosticSeverity { .error }
    var diagnosticID: MessageID { MessageID(domain: "Graben", id: "entity") }
    var fixItID: MessageID { diagnosticID }
}

extension VariableDeclSyntax {
    /// Puts an attribute before the declaration.
    func adding(_ attribute: String, _ title: String) -> Remedy {
        var new = self
        let leading = leadingTrivia
        new.leadingTrivia = []
        let parsed: AttributeSyntax = "\(raw: attribute)"
        let first = parsed.with(\.leadingTrivia, leading).with(\.trailingTrivia, .space)
        new.attributes = [.attribute(first)] + new.attributes
        return Remedy(title, replace: self, with: new)
    }

    /// Takes an attribute away.
    func removing(_ attribute: AttributeSyntax) -> Remedy {
        var new = self
        let leading = leadingTrivia
        new.attributes = new.attributes.filter { $0.id != attribute.id && $0.trimmedDescription != attribute.trimmedDescription }
        new.leadingTrivia = leading
        return Remedy("remove \(attribute.trimmedDescription)", replace: self, with: new)
    }
}
