import SwiftSyntax

extension EntityDeclaration {
    /// Reads `@Unique` and `@Index`, which stand before the class for several properties, and before a property for itself.
    mutating func readKeys(_ declared: ClassDeclSyntax) {
        for marker in declared.attributes.all("Unique") {
            do throws(Problem) { uniqueKeys.append(try names(marker)) } catch { problems.append(error) }
        }
        for marker in declared.attributes.all("Index") {
            do throws(Problem) { indexes.append(index(marker, try names(marker))) } catch { problems.append(error) }
        }
        for property in properties {
            for marker in property.variable.attributes.all("Unique") {
                do throws(Problem) { uniqueKeys.append([try key(of: property, marker)]) } catch { problems.append(error) }
            }
            for marker in property.variable.attributes.all("Index") {
                do throws(Problem) {
                    let key = try key(of: property, marker)
                    let isDescending = marker.argument("descending")?.booleanLiteral ?? false
                    indexes.append(index(marker, [isDescending ? "-\(key)" : key]))
                } catch { problems.append(error) }
            }
        }
    }

    /// The names before a class; those of properties declared here become the names that the model has for them.
    private func names(_ marker: AttributeSyntax) throws(Problem) -> [String] {
        var names: [String] = []
        for expression in marker.unlabeled() {
            guard let name = expression.stringLiteral, !name.isEmpty, name != "-" else {
                throw Problem(expression, "@\(marker.shortName) takes names of properties between quotes")
            }
            guard !names.contains(name) else { throw Problem(expression, "@\(marker.shortName) names \(name) twice") }
            names.append(name)
        }
        guard !names.isEmpty else {
            throw Problem(marker, "@\(marker.shortName) before a class names properties of it, as in @\(marker.shortName)(\"name\")")
        }
        return try names.map { name throws(Problem) in try modelName(name, marker) }
    }

    private func modelName(_ name: String, _ marker: AttributeSyntax) throws(Problem) -> String {
        let isDescending = name.hasPrefix("-") && marker.shortName == "Index"
        let bare = isDescending ? String(name.dropFirst()) : name
        guard let property = properties.first(where: { $0.name == bare }) else {
            // It may be inherited, and lanes have names of their own: the model says where it is neither.
            guard superclass == nil, !properties.contains(where: { $0.keys.contains(bare) }), invalid.isEmpty else { return name }
            throw Problem(marker, "@\(marker.shortName) names \(bare), which is no property of \(self.name)")
        }
        return (isDescending ? "-" : "") + (try key(of: property, marker))
    }

    /// The name in the model of a property that has one stored value.
    private func key(of property: PropertyDeclaration, _ marker: AttributeSyntax) throws(Problem) -> String {
        switch property.kind {
        case .attribute(let part) where !part.isTransient: return part.key
        case .packed(let packing) where !packing.isVector: return packing.lanes[0]
        case .relationship(let part) where !part.isToMany: return property.name
        default:
            throw Problem(
                marker, "\(property.name) has no single stored value that @\(marker.shortName) could compare",
                property.variable.removing(marker))
        }
    }

    private func index(_ marker: AttributeSyntax, _ keys: [String]) -> IndexPart {
        let plain = keys.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
        let name = marker.argument("name")?.stringLiteral ?? "by" + plain.map(\.capitalizedFirst).joined(separator: "And")
        let predicate = marker.argument("where").map { [(label: "partialPredicateFormat", value: $0.trimmedDescription)] }
        return IndexPart(name: name, keys: keys, options: predicate ?? [])
    }
}
