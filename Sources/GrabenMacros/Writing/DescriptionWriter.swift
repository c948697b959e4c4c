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
        arguments += list("indexes", entity.indexes.map(index))
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
            // Options stand in the order of the initialiser: the derivation behind the rules, before what the attribute was called.
            let derivation = part.derivation.map { [(label: "derivationExpression", value: $0.trimmedDescription)] } ?? []
            let rules = part.options.prefix { $0.label != "renamingIdentifier" && $0.label != "userInfo" }
            return [call("AttributeDescription", arguments, rules + derivation + part.options.dropFirst(rules.count))]
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
        var arguments = [property.name.quoted, "to: Graben.EntityReference.name(of: \(part.destination).self)"]
        switch part.inverse {
        case .name(let name): arguments.append("inverse: \(name.quoted)")
        case .path(let name, let path):
            arguments.append("inverse: Graben.EntityReference.inverse(\(name.quoted), \(path), of: \(entity.identifier).self)")
        case nil: break
        }
        if part.isToMany { arguments.append("isToMany: true") }
        if part.isOrdered { arguments.append("isOrdered: true") }
        return call("RelationshipDescription", arguments, part.options)
    }

    private func index(_ index: IndexPart) -> String {
        let elements = index.keys.map { key in
            let isDescending = key.hasPrefix("-")
            let name = (isDescending ? String(key.dropFirst()) : key).quoted
            return isDescending ? ".init(\(name), isAscending: false)" : ".init(\(name))"
        }
        return call("IndexDescription", [index.name.quoted, "[\(elements.joined(separator: ", "))]"], index.options)
    }

    private func fetched(_ property: PropertyDeclaration) -> String? {
        guard case .fetched(let part) = property.kind else { return nil }
        return call(
            "FetchedPropertyDescription", [property.name.quoted, "of: Graben.EntityReference.name(of: \(part.destination).self)"],
            part.options)
    }
}
