import SwiftSyntax

/// The code that describes an entity.
struct DescriptionWriter {
    let entity: EntityDeclaration

    var text: String {
        var arguments = [entity.entityName.quoted]
        if let isAbstract = entity.node.argument("isAbstract") { arguments.append("isAbstract: \(isAbstract.trimmedDescription)") }
        if let superclass = entity.superclass { arguments.append("superentity: \(superclass).entityName") }
        arguments.append("managedObjectClassName: \(entity.name.quoted)")
        arguments += list("attributes", entity.properties.flatMap(attributes))
        arguments += list("relationships", entity.properties.compactMap(relationship))
        arguments += list("fetchedProperties", entity.properties.compactMap(fetched))
        arguments += list("uniquenessConstraints", entity.uniqueKeys.map { "[\($0.map(\.quoted).joined(separator: ", "))]" })
        if let renamed = entity.node.argument("renamedFrom") { arguments.append("renamingIdentifier: \(renamed.trimmedDescription)") }
        if let userInfo = entity.node.argument("userInfo") { arguments.append("userInfo: \(userInfo.trimmedDescription)") }
        return "Graben.EntityDescription(\n\(arguments.joined(separator: ",\n"))\n)"
    }

    private func list(_ label: String, _ elements: [String]) -> [String] {
        elements.isEmpty ? [] : ["\(label): [\n\(elements.joined(separator: ",\n"))\n]"]
    }

    private func call(_ name: String, _ arguments: [String], _ options: [(label: String, value: String)]) -> String {
        "Graben.\(name)(\((arguments + options.map { "\($0.label): \($0.value)" }).joined(separator: ", ")))"
    }

    private func attributes(_ property: PropertyDeclaration) -> [String] {
        switch property.kind {
        case .attribute(let part):
            var arguments = [
                part.key.quoted, part.attributeType.map { ".\($0)" } ?? "Graben.AttributeCoding.type(of: \(part.type).self)",
                "isOptional: \(property.isOptional)",
            ]
            if let value = part.defaultValue {
                arguments.append("defaultValue: Graben.AttributeCoding.value((\(value)) as \(part.type))")
            }
            if part.isTransient { arguments.append("isTransient: true") }
            return [call("AttributeDescription", arguments, part.options)]
        case .packed(let packing):
            return packing.lanes.indices.map { index in
                var arguments = [packing.lanes[index].quoted, ".\(packing.scalar)", "isOptional: \(property.isOptional)"]
                if index < packing.defaults.count {
                    arguments.append("defaultValue: Graben.AttributeCoding.value(\(packing.defaults[index]))")
                }
                arguments.append("isPacked: true")
                let renamed = index < packing.renamed.count ? [("renamingIdentifier", packing.renamed[index].quoted)] : []
                return call("AttributeDescription", arguments, packing.options + renamed)
            }
        case .relationship, .fetched: return []
        }
    }

    private func relationship(_ property: PropertyDeclaration) -> String? {
        guard case .relationship(let part) = property.kind else { return nil }
        var arguments = [property.name.quoted, "to: \(part.destination).entityName"]
        if let inverse = part.inverse { arguments.append("inverse: \(inverse.quoted)") }
        if part.isToMany { arguments.append("isToMany: true") }
        if part.isOrdered { arguments.append("isOrdered: true") }
        return call("RelationshipDescription", arguments, part.options)
    }

    private func fetched(_ property: PropertyDeclaration) -> String? {
        guard case .fetched(let part) = property.kind else { return nil }
        return call("FetchedPropertyDescription", [property.name.quoted, "of: \(part.destination).entityName"], part.options)
    }
}
