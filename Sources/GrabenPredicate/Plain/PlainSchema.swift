import GrabenLog

/// The entity of plain records: the properties that they have, by what their values are.
package final class PlainSchema: PredicateSchema {
    package let name: String
    package let propertyNames: [String]
    private let properties: [ByteString: PredicateProperty]

    /// The schema that fits all of the objects.
    package init(name: String, objects: [[PlainField]]) {
        self.name = name
        var names: [String] = []
        var values: [ByteString: [PlainValue]] = [:]
        for field in objects.joined() {
            let key = ByteString(text: field.key)
            if values[key] == nil { names.append(field.key) }
            values[key, default: []].append(field.value)
        }
        propertyNames = names
        var properties: [ByteString: PredicateProperty] = [:]
        for (index, name) in names.enumerated() {
            let key = ByteString(text: name)
            properties[key] = PredicateProperty(index: index, kind: Self.kind(values[key] ?? [], name))
        }
        self.properties = properties
    }

    package func property(named name: String) -> PredicateProperty? { properties[ByteString(text: name)] }

    /// Whether a predicate bound to one of two schemas means the same to records of the other: names in one order, and of equal kinds.
    package func hasShape(of other: PlainSchema) -> Bool {
        if self === other { return true }
        guard propertyNames.count == other.propertyNames.count, TextSearch.equal(name, other.name) else { return false }
        for (name, otherName) in zip(propertyNames, other.propertyNames) {
            guard TextSearch.equal(name, otherName), let kind = property(named: name)?.kind,
                let otherKind = other.property(named: name)?.kind
            else { return false }
            switch (kind, otherKind) {
            case (.attribute(let x), .attribute(let y)): if x != y { return false }
            case (.dynamic, .dynamic): break
            case (.toOne(let x as PlainSchema), .toOne(let y as PlainSchema)): if !x.hasShape(of: y) { return false }
            case (.toMany(let x as PlainSchema, _), .toMany(let y as PlainSchema, _)): if !x.hasShape(of: y) { return false }
            default: return false
            }
        }
        return true
    }

    /// The kind that holds all the values of a name; nulls fit any.
    private static func kind(_ values: [PlainValue], _ name: String) -> PredicatePropertyKind {
        var families: Set<PredicateFamily?> = []
        var objects: [[PlainField]] = []
        var members: [PlainValue] = []
        var arrays = 0
        for value in values {
            switch value {
            case .value(.null): break
            case .value(let value): families.insert(PredicateFamily(value))
            case .object(let fields): objects.append(fields)
            case .array(let elements):
                arrays += 1
                members += elements
            }
        }
        switch (families.isEmpty, objects.isEmpty, arrays == 0) {
        case (false, true, true): return .attribute(families.count == 1 ? families.first ?? nil : nil)
        case (true, false, true): return .toOne(PlainSchema(name: name, objects: objects))
        case (true, true, false):
            var fields: [[PlainField]] = []
            for case .object(let object) in members { fields.append(object) }
            if fields.isEmpty || fields.count < members.count { return .dynamic }
            return .toMany(PlainSchema(name: name, objects: fields), ordered: true)
        default: return .dynamic
        }
    }
}

extension PredicateFamily {
    /// The family of a value; nil for nil and references.
    init?(_ value: Value) {
        switch value {
        case .bool, .int, .float, .double, .decimal: self = .number
        case .string, .uri: self = .string
        case .date: self = .date
        case .data, .json: self = .data
        case .uuid: self = .uuid
        case .null, .reference, .references: return nil
        }
    }
}
