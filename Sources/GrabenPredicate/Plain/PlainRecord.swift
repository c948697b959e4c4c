import GrabenLog

/// An object made of plain data, so that predicates can be tried without a store.
///
/// Its entity has exactly the properties that are there: an object in it is a to-one relationship, an array of objects an ordered to-many
/// one, whose entity has every key that any member has; another array is an attribute with several values. Two records are the same
/// object only if they are the same instance.
package final class PlainRecord: PredicateObject {
    private enum Slot {
        case value(Value)
        case target(PlainRecord)
        case members([PlainRecord])
        case other(PredicateBinding)
    }

    package let schema: PlainSchema
    private let slots: [Slot]

    /// Makes a record and the schema that fits it.
    package convenience init(_ fields: [PlainField], name: String = "object") {
        self.init(fields, PlainSchema(name: name, objects: [fields]))
    }

    private init(_ fields: [PlainField], _ schema: PlainSchema) {
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
        case (.dynamic, _): .other(PredicateBinding(value, name: key))
        default: .value(.null)
        }
    }

    /// A predicate bound to a schema of another shape asks for what is not there; it gets nil.
    private func slot(_ index: Int) -> Slot { slots.indices.contains(index) ? slots[index] : .value(.null) }

    package var predicateIdentity: ObjectID? { nil }
    package var predicateSchema: any PredicateSchema { schema }

    package func predicateValue(at index: Int) throws -> Value {
        if case .value(let value) = slot(index) { return value }
        return .null
    }

    package func predicateTarget(at index: Int) throws -> (any PredicateObject)? {
        if case .target(let target) = slot(index) { return target }
        return nil
    }

    package func predicateMembers(at index: Int) throws -> [any PredicateObject] {
        if case .members(let members) = slot(index) { return members }
        return []
    }

    package func predicateBinding(at index: Int) throws -> PredicateBinding {
        switch slot(index) {
        case .value(let value): .value(value)
        case .target(let target): .object(target)
        case .members(let members): .list(members.map { .object($0) })
        case .other(let binding): binding
        }
    }

    package func isSameObject(as other: any PredicateObject) -> Bool {
        (other as? PlainRecord) === self
    }
}
