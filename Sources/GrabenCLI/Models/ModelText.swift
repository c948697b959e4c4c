import GrabenDrawing
import GrabenModel

/// Entities and their properties as text.
enum ModelText {
    static func write(_ entity: Entity, _ session: Session) throws {
        var head = session.terminal.heading(entity.name)
        if let parent = entity.superentity { head += ": \(parent.name)" }
        if entity.isAbstract { head += " (abstract)" }
        try session.output.write(head + "\n")
        var rows: [(String, String, String)] = []
        for property in entity.properties {
            switch property.kind {
            case .attribute(let attribute):
                rows.append((property.name, attribute.composite ?? attribute.type.rawValue, describe(attribute)))
            case .relationship(let relationship, _):
                let arrow = relationship.isToMany ? "→ many \(relationship.destination)" : "→ \(relationship.destination)"
                rows.append((property.name, arrow, describe(relationship)))
            case .fetched(let fetched, _): rows.append((property.name, "fetched \(fetched.destination)", describe(fetched)))
            }
        }
        let first = rows.map(\.0.displayWidth).max() ?? 0
        let second = rows.map(\.1.displayWidth).max() ?? 0
        for (name, type, rest) in rows {
            var line = "  \(name)\(String(repeating: " ", count: first - name.displayWidth))  \(type)"
            if !rest.isEmpty { line += String(repeating: " ", count: second - type.displayWidth + 2) + rest }
            try session.output.write(line.withoutControls + "\n")
        }
        for key in entity.uniqueKeys {
            try session.output.write("  unique: \(key.properties.map { entity.properties[$0].name }.joined(separator: ", "))\n")
        }
        for index in entity.description.indexes {
            let condition = index.partialPredicateFormat.map { " where \($0)" } ?? ""
            let elements = index.elements.map { element in
                let key =
                    switch element.key {
                    case .property(let name): name
                    case .expression(let text, let type): "(\(text)) as \(type.rawValue)"
                    }
                return (element.isAscending ? "" : "-") + key + (element.kind == .sorted ? "" : " \(element.kind.rawValue)")
            }
            try session.output.write("  index \(index.name): \(elements.joined(separator: ", "))\(condition)".withoutControls + "\n")
        }
    }

    /// What a model has besides entities.
    static func writeRest(of model: ManagedObjectModel, _ session: Session) throws {
        var lines: [String] = []
        for composite in model.composites {
            let elements = composite.elements.map { "\($0.name) \($0.composite ?? $0.type.rawValue)\($0.isOptional ? "?" : "")" }
            lines.append("composite \(composite.name): \(elements.joined(separator: ", "))")
        }
        for template in model.fetchRequestTemplates {
            lines.append("fetch request \(template.name): \(template.request.entity)\(describe(template.request).prefixedUnlessEmpty(" "))")
        }
        for configuration in model.configurations {
            lines.append("configuration \(configuration.name): \(configuration.entities.joined(separator: ", "))")
        }
        guard !lines.isEmpty else { return }
        if !model.entities.isEmpty { try session.output.write("\n") }
        for line in lines { try session.output.write(line.withoutControls + "\n") }
    }

    static func describe(_ attribute: AttributeDescription) -> String {
        var words: [String] = []
        if attribute.isPacked { words.append("packed") }
        if attribute.isTransient { words.append("transient") }
        if attribute.isOptional { words.append("optional") }
        if let expression = attribute.derivationExpression { words.append("derived from \(expression)") }
        if let value = attribute.defaultValue { words.append("default \(ValueText.text(value))") }
        if let least = attribute.minimum { words.append("at least \(ValueText.text(least))") }
        if let greatest = attribute.maximum { words.append("at most \(ValueText.text(greatest))") }
        if let length = attribute.minimumLength { words.append("length at least \(length)") }
        if let length = attribute.maximumLength { words.append("length at most \(length)") }
        if let pattern = attribute.regularExpression { words.append("matches \(pattern)") }
        return words.joined(separator: ", ")
    }

    static func describe(_ relationship: RelationshipDescription) -> String {
        var words = [relationship.inverse.map { "inverse \($0)" } ?? "no inverse"]
        if relationship.isOrdered { words.append("ordered") }
        if relationship.isOptional { words.append("optional") }
        if relationship.minCount > 0 { words.append("at least \(relationship.minCount)") }
        if relationship.maxCount > 0, relationship.isToMany { words.append("at most \(relationship.maxCount)") }
        words.append("delete rule \(relationship.deleteRule.rawValue)")
        return words.joined(separator: ", ")
    }

    static func describe(_ fetched: FetchedPropertyDescription) -> String {
        describe(fetched.request) + (fetched.autoRefresh ? "; refreshed by itself" : "")
    }

    static func describe(_ request: FetchRequestDescription) -> String {
        var words: [String] = []
        if let format = request.predicateFormat { words.append("where \(format)") }
        if !request.sort.isEmpty { words.append("sort \(request.sort.joined(separator: ", "))") }
        if let limit = request.limit { words.append("limit \(limit)") }
        if request.offset > 0 { words.append("offset \(request.offset)") }
        if !request.includesSubentities { words.append("without sub-entities") }
        if !request.includesPendingChanges { words.append("without unsaved changes") }
        if request.result != .objects { words.append("as \(request.result.rawValue)") }
        return words.joined(separator: "; ")
    }
}

extension String {
    fileprivate func prefixedUnlessEmpty(_ prefix: String) -> String { isEmpty ? "" : prefix + self }
}
