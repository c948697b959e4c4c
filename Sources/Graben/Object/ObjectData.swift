import GrabenLog

/// What is read or changed of an object beyond its packed attributes.
// Exclusivity is unchecked: an object is used by one owner, and what calls back does so with nothing of its data being written.
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

    @exclusivity(unchecked) var base: Base = .unbound
    /// The commit the object's values are based on.
    @exclusivity(unchecked) var baseCommit: UInt64 = 0
    /// Values set here, by property number.
    @exclusivity(unchecked) var values: PropertyValues = PropertyValues()
    /// To-many relationships looked at or changed here, by property number.
    @exclusivity(unchecked) var toMany: [(property: Int, state: ToManyState)] = []
    /// Results of fetched properties, by property number.
    @exclusivity(unchecked) var fetched: [FetchedValue] = []
    /// Properties of a fault that are read from the snapshot without firing it.
    var partial = PropertyMask()
    /// Changes announced and not yet ended.
    @exclusivity(unchecked) var open: [OpenChange] = []
    /// Changes refused while the object is in no context; the context it is inserted into throws them at its next save.
    var refusals: [GrabenError] = []
    /// Whether the object is to be saved though nothing changed.
    @exclusivity(unchecked) var isTouched = false
    /// What the current event changed, in order.
    @exclusivity(unchecked) var event: [EventChange] = []

    /// Whether nothing of it is needed once its values are saved.
    func isUseless(hasTransients: Bool) -> Bool {
        fetched.isEmpty && event.isEmpty && open.isEmpty && (!hasTransients || values.isEmpty)
    }

    func toManyState(_ property: Int) -> ToManyState? { toMany.first { $0.property == property }?.state }
}

/// Values of an object's properties by number; most objects change a few of them or none, so two need no memory of their own.
struct PropertyValues {
    private typealias Entry = (property: Int32, value: Value)

    private static let nobody: Int32 = -1
    private var first: Entry = (nobody, .null)
    private var second: Entry = (nobody, .null)
    private var rest: [Entry] = []

    var isEmpty: Bool { first.property < 0 && second.property < 0 && rest.isEmpty }

    var properties: [Int] {
        var numbers: [Int] = []
        if first.property >= 0 { numbers.append(Int(first.property)) }
        if second.property >= 0 { numbers.append(Int(second.property)) }
        for entry in rest { numbers.append(Int(entry.property)) }
        return numbers
    }

    subscript(property: Int) -> Value? {
        @inline(__always)
        get {
            let number = Int32(truncatingIfNeeded: property)
            if first.property == number { return first.value }
            if second.property == number { return second.value }
            if rest.isEmpty { return nil }
            for entry in rest where entry.property == number { return entry.value }
            return nil
        }
        set {
            let number = Int32(truncatingIfNeeded: property)
            guard let newValue else { return remove(number) }
            if first.property == number {
                first.value = newValue
            } else if second.property == number {
                second.value = newValue
            } else if let index = rest.firstIndex(where: { $0.property == number }) {
                rest[index].value = newValue
            } else if first.property < 0 {
                first = (number, newValue)
            } else if second.property < 0 {
                second = (number, newValue)
            } else {
                rest.append((number, newValue))
            }
        }
    }

    private mutating func remove(_ number: Int32) {
        if first.property == number { first = (Self.nobody, .null) }
        if second.property == number { second = (Self.nobody, .null) }
        rest.removeAll { $0.property == number }
    }

    mutating func removeAll() { self = PropertyValues() }
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
