internal import GrabenModel

extension SwiftGenerator {
    /// Writes a class, or the extension with its properties.
    func write(_ plan: ClassPlan, to text: inout SwiftText) {
        text.document(Documents.text(for: plan.entity))
        let members = members[plan.entity.index]
        let name = plan.className.swiftIdentifier
        // Under a default isolation objects would belong to one actor; they belong to their contexts.
        if plan.part == .properties {
            text.block("nonisolated extension \(name)") { text in
                writePackedNames(of: plan, to: &text, isOverride: false)
                write(members, prefix: plan.access.prefix, plan.access, to: &text)
            }
        } else {
            let access = plan.access == .public && !plan.isFinal ? "open " : plan.access.prefix
            text.block("nonisolated \(access)\(plan.isFinal ? "final " : "")class \(name): \(plan.superclass)") { text in
                writePackedNames(of: plan, to: &text, isOverride: true)
                write(members, prefix: plan.access.prefix + (plan.isFinal ? "" : "final "), plan.access, to: &text)
            }
        }
    }

    func write(_ members: [ClassMember], prefix: String, _ access: SwiftAccess, to text: inout SwiftText) {
        for (place, member) in members.enumerated() {
            if place > 0 { text.line() }
            // A static function is never overridden.
            member.write(to: &text, prefix: member.isStatic ? access.prefix : prefix, access: access)
        }
    }

    /// The names behind the lanes, which the library compares with the model when the class is bound. An extension cannot override, so a
    /// class written by hand is given the list to return.
    private func writePackedNames(of plan: ClassPlan, to text: inout SwiftText, isOverride: Bool) {
        let names = plan.entity.lanes.map { plan.entity.properties[$0].name }
        guard !names.isEmpty else { return }
        let list = "[\(names.map(SwiftText.literal).joined(separator: ", "))]"
        if isOverride {
            let access = plan.access == .public && !plan.isFinal ? "open " : plan.access.prefix
            text.document("The packed attributes in the order of the lanes that the accessors below name.")
            text.line("override \(access)class var packedAttributes: [String]? { \(list) }")
        } else {
            text.document("What the class returns as its `packedAttributes`, so that the lanes named below are compared with the model.")
            text.line("\(plan.access.prefix)static var packedAttributesOf\(plan.className): [String] { \(list) }")
        }
        text.line()
    }
}
