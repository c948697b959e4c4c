internal import FoundationEssentials
internal import GrabenLog
internal import GrabenModel

/// Comments of generated declarations: the model's own words where its userInfo has some, else what the model says in Swift's place.
enum Documents {
    /// The words a model's author left under `documentation`.
    private static func own(_ userInfo: [String: String]) -> String? {
        guard let text = userInfo["documentation"], text.contains(where: { !$0.isWhitespace }) else { return nil }
        return text
    }

    static func text(for entity: Entity) -> String {
        own(entity.description.userInfo) ?? "An object of the entity \(entity.name)."
    }

    static func text(for attribute: AttributeDescription) -> String {
        if let own = own(attribute.userInfo) { return own }
        var words = ["The attribute \(attribute.name)"]
        if let expression = attribute.derivationExpression { words.append("derived from `\(expression)`") }
        if attribute.isTransient { words.append("in memory only") }
        if let value = attribute.defaultValue, !value.isNull, attribute.composite == nil { words.append("at first \(plain(value))") }
        if let least = attribute.minimum { words.append("at least \(plain(least))") }
        if let greatest = attribute.maximum { words.append("at most \(plain(greatest))") }
        if let length = attribute.minimumLength { words.append("of a length of at least \(length)") }
        if let length = attribute.maximumLength { words.append("of a length of at most \(length)") }
        return words.joined(separator: ", ").oneLine + "."
    }

    private static func plain(_ value: Value) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): value.description
        case .string(let text), .uri(let text): SwiftText.literal(text)
        // In a form that every date has, also one of no calendar.
        case .date(let date): "\(date.timeIntervalSinceReferenceDate) s after 2001 began"
        case .data(let data): "\(data.count) bytes"
        case .uuid(let id): id.uuidString
        case .json(let data): String(decoding: data, as: UTF8.self)
        case .null, .reference, .references: "nil"
        }
    }

    static func text(for relationship: RelationshipDescription) -> String {
        if let own = own(relationship.userInfo) { return own }
        let inverse = relationship.inverse.map { "; the other side is \(relationship.destination).\($0)" } ?? ""
        let rule =
            switch relationship.deleteRule {
            case .nullify: ""
            case .cascade: "; deleted with this object"
            case .deny: "; this object cannot be deleted while there is one"
            case .noAction: "; left alone when this object is deleted"
            }
        return "The relationship \(relationship.name) to \(relationship.destination)\(inverse)\(rule)."
    }

    static func text(for fetched: FetchedPropertyDescription) -> String {
        if let own = own(fetched.userInfo) { return own }
        let condition = fetched.predicateFormat.map { " where `\($0.oneLine)`" } ?? ""
        return "The fetched property \(fetched.name): \(fetched.destination)\(condition)."
    }
}

extension String {
    /// The text with line breaks as spaces.
    var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
