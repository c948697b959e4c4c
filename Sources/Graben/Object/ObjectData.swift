import GrabenLog

/// What is read or changed of an object beyond its packed attributes.
final class ObjectData {
    /// Where values that are not changed here come from.
    enum Base {
        /// Nothing read yet: bound to the record at the next access.
        case unbound
        /// The bytes of a record in the mapped log.
        case record(RecordView)
        /// Values taken from the parent context.
        case values([Value])
        /// A new object: the defaults.
        case defaults
    }

    var base: Base = .unbound
    /// The commit the object's values are based on.
    var baseCommit: UInt64 = 0
    /// Values set here, by property number.
    var values: PropertyValues = PropertyValues()
    /// To-many relationships looked at or changed here, by property number.
    var toMany: [(property: Int, state: ToManyState)] = []
    /// Results of fetched properties, by property number.
    var fetched: [(property: Int, ids: [ObjectID])] = []
    /// Changes announced and not yet ended.
    var open: [OpenChange] = []
    /// Changes refused while the object is in no context; the context it is inserted into throws them at its next save.
    var refusals: [GrabenError] = []
    /// Whether the object is to be saved though nothing changed.
    var isTouched = false
    /// What the current event changed, in order.
    var event: [EventChange] = []

    func toManyState(_ property: Int) -> ToManyState? { toMany.first { $0.property == property }?.state }
}

/// Values of an object's properties by number; most objects change a few of them or none.
struct PropertyValues {
    private var entries: [(property: Int32, value: Value)] = []

    var isEmpty: Bool { entries.isEmpty }
    var properties: [Int] { entries.map { Int($0.property) } }

    subscript(property: Int) -> Value? {
        get {
            for entry in entries where entry.property == Int32(truncatingIfNeeded: property) { return entry.value }
            return nil
        }
        set {
            for index in entries.indices where entries[index].property == Int32(truncatingIfNeeded: property) {
                if let newValue { entries[index].value = newValue } else { entries.remove(at: index) }
                return
            }
            if let newValue { entries.append((Int32(truncatingIfNeeded: property), newValue)) }
        }
    }

    mutating func removeAll() { entries.removeAll() }
}

/// A change between `willChangeValue` and `didChangeValue`.
struct OpenChange {
    let property: Int
    let old: Value
    /// How many `willChangeValue` calls are not answered yet.
    var depth = 1
    /// Whether a primitive value was written in between.
    var wrote = false
}

/// One thing an event changed in an object, with what is needed to take it back.
enum EventChange {
    case value(property: Int, old: Value)
    /// A member of an unordered to-many, or an append to an ordered one.
    case member(property: Int, id: ObjectID, added: Bool)
    /// An ordered to-many whose order changed otherwise.
    case order(property: Int, old: [ObjectID])
}
