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
                writePackedNames(of: plan, to: &text)
                write(members, prefix: plan.access.prefix, plan.access, to: &text)
            }
        } else {
            let access = plan.access == .public && !plan.isFinal ? "open " : plan.access.prefix
            text.block("nonisolated \(access)\(plan.isFinal ? "final " : "")class \(name): \(plan.superclass)") { text in
                writeDeclaration(of: plan, to: &text)
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

    /// What the class says of itself: its entity, and the names behind the numbers and lanes that the accessors have, which the library
    /// compares with the model when the class is bound.
    private func writeDeclaration(of plan: ClassPlan, to text: inout SwiftText) {
        let entity = plan.entity
        let name = plan.className.swiftIdentifier
        let override = "override \(plan.access == .public && !plan.isFinal ? "open " : plan.access.prefix)class var"
        text.document("The entity's name.")
        text.line("\(override) entityName: String { \(SwiftText.literal(entity.name)) }")
        text.document("The entity, as the model has it.")
        text.line("\(override) entityDescription: EntityDescription? { \(options.modelTypeName.swiftIdentifier).entity(entityName) }")
        let paths = { (properties: [Property]) in
            properties.map { ".init(\(SwiftText.literal($0.name)), \\\(name).\($0.name.swiftIdentifier))" }
        }
        text.document("The key paths of the properties.")
        switch addressing(of: plan) {
        case .number:
            writeList("\(override) propertyKeyPaths: [PropertyKeyPath]", paths(entity.properties), to: &text)
            text.document("The properties by the numbers that the accessors have.")
            writeList("\(override) accessorKeys: [String]", entity.properties.map { SwiftText.literal($0.name) }, to: &text)
        case .name:
            writeList(
                "\(override) propertyKeyPaths: [PropertyKeyPath]", before: "super.propertyKeyPaths + ", paths(declared(by: plan)), to: &text
            )
        }
        let lanes = entity.lanes.map { SwiftText.literal(entity.properties[$0].name) }
        if !lanes.isEmpty {
            text.document("The packed attributes by the lanes that the accessors have.")
            text.line("\(override) packedAttributes: [String]? { [\(lanes.joined(separator: ", "))] }")
        }
        text.line()
    }

    private func writeList(_ head: String, before: String = "", _ elements: [String], to text: inout SwiftText) {
        let line = "\(head) { \(before)[\(elements.joined(separator: ", "))] }"
        guard line.count > 120 else { return text.line(line) }
        text.block(head) { text in
            text.line(before + "[")
            for element in elements { text.line("    \(element),") }
            text.line("]")
        }
    }

    /// The names behind the lanes. An extension cannot override, so a class written by hand is given the list to return.
    private func writePackedNames(of plan: ClassPlan, to text: inout SwiftText) {
        let names = plan.entity.lanes.map { SwiftText.literal(plan.entity.properties[$0].name) }
        guard !names.isEmpty else { return }
        text.document("What the class returns as its `packedAttributes`, so that the lanes named below are compared with the model.")
        text.line("\(plan.access.prefix)static var packedAttributesOf\(plan.className): [String] { [\(names.joined(separator: ", "))] }")
        text.line()
    }
}
