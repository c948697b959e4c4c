import GrabenLog

@testable import GrabenPredicate

/// Data with names and no model, such as JSON: what a plain record is made of.
indirect enum PlainValue {
    case value(Value)
    case array([PlainValue])
    /// Names and values, each name once.
    case object([(key: String, value: PlainValue)])
}

/// An object made of plain data, so that predicates can be tried without a store.
///
/// Its entity has exactly the properties that are there: an object in it is a to-one relationship, an array of objects an ordered to-many
/// one, whose entity has every key that any member has; another array is an attribute with several values. Two records are the same
/// object only if they are the same instance.
final class PlainRecord: PredicateObject {
    private enum Slot {
        case value(Value)
        case target(PlainRecord)
        case members([PlainRecord])
        case other(PredicateBinding)
    }

    let schema: PlainSchema
    private let slots: [Slot]

    /// Makes a record and the schema that fits it.
    convenience init(_ fields: [(key: String, value: PlainValue)], name: String = "object") {
        self.init(fields, PlainSchema(name: name, objects: [fields]))
    }

    private init(_ fields: [(key: String, value: PlainValue)], _ schema: PlainSchema) {
        self.schema = schema
        var slots: [Slot] = Array(repeating: .value(.null), count: schema.propertyNames.count)
        for field in fields {
            guard let property = schema.property(named: field.key) else { continue }
            slots[property.index] = Self.slot(field.value, property.kind, field.key)
        }
        self.slots = slots
    }

    private static func slot(_ value: PlainValue, _ kind: PredicatePropertyKind, _ key: String) -> Slot {
        switch (kind, value) {
        case (.attribute, .value(let value)): .value(value)
        case (.toOne(let target as PlainSchema), .object(let fields)): .target(PlainRecord(fields, target))
        case (.toMany(let target as PlainSchema, _), .array(let members)):
            .members(
                members.compactMap {
                    if case .object(let fields) = $0 { PlainRecord(fields, target) } else { nil }
                })
        case (.dynamic, _): .other(binding(value, key))
        default: .value(.null)
        }
    }

    private static func binding(_ value: PlainValue, _ key: String) -> PredicateBinding {
        switch value {
        case .value(let value): .value(value)
        case .array(let members): .list(members.map { binding($0, key) })
        case .object(let fields): .object(PlainRecord(fields, name: key))
        }
    }

    var predicateIdentity: ObjectID? { nil }
    var predicateSchema: any PredicateSchema { schema }

    func predicateValue(at index: Int) throws -> Value {
        if case .value(let value) = slots[index] { return value }
        return .null
    }

    func predicateTarget(at index: Int) throws -> (any PredicateObject)? {
        if case .target(let target) = slots[index] { return target }
        return nil
    }

    func predicateMembers(at index: Int) throws -> [any PredicateObject] {
        if case .members(let members) = slots[index] { return members }
        return []
    }

    func predicateBinding(at index: Int) throws -> PredicateBinding {
        switch slots[index] {
        case .value(let value): .value(value)
        case .target(let target): .object(target)
        case .members(let members): .list(members.map { .object($0) })
        case .other(let binding): binding
        }
    }

    func isSameObject(as other: any PredicateObject) -> Bool {
        (other as? PlainRecord) === self
    }
}

/// The entity of plain records.
final class PlainSchema: PredicateSchema {
    let name: String
    let propertyNames: [String]
    private let properties: [ByteString: PredicateProperty]

    /// The schema that fits all of the objects.
    init(name: String, objects: [[(key: String, value: PlainValue)]]) {
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

    func property(named name: String) -> PredicateProperty? { properties[ByteString(text: name)] }

    /// The kind that holds all the values of a name; nulls fit any.
    private static func kind(_ values: [PlainValue], _ name: String) -> PredicatePropertyKind {
        var families: Set<PredicateFamily?> = []
        var objects: [[(key: String, value: PlainValue)]] = []
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
            var fields: [[(key: String, value: PlainValue)]] = []
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
