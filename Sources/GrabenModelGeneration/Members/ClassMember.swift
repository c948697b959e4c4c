/// A declaration inside a generated class: what is written, and what has to be known of it to find clashes.
struct ClassMember {
    enum Body {
        /// A computed property; nil where it cannot be set.
        case property(get: String, set: String?)
        case function([String])
    }

    /// Its name; of a function with the labels, as in `addToLines(_:)`.
    let name: String
    /// The entity's property that it stands for; nil where it stands for none.
    let property: String?
    /// The types its text names, by which a class or property of such a name would hide them.
    var types: [String] = []
    let document: String
    /// The declaration up to its body, without attributes and access.
    let head: String
    let body: Body
    /// Whether its body may be compiled into other modules.
    var isInlinable = false

    /// The name without labels.
    var bareName: String { String(name.prefix { $0 != "(" }) }
    var isStatic: Bool { head.hasPrefix("static ") }

    func write(to text: inout SwiftText, prefix: String, access: SwiftAccess) {
        text.document(document)
        if isInlinable, access == .public { text.line("@inlinable") }
        switch body {
        case .property(let get, nil): text.line("\(prefix)\(head) { \(get) }")
        case .property(let get, let set?):
            text.block(prefix + head) {
                $0.line("get { \(get) }")
                $0.line("set { \(set) }")
            }
        case .function(let lines): text.block(prefix + head) { $0.lines(lines) }
        }
    }
}
