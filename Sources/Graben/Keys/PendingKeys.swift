import GrabenLog
import GrabenModel
import GrabenPredicate

/// Keys of a context's unsaved objects by one uniqueness constraint, so that a look-up among them costs no walk over all.
///
/// An entry says that an object may have a key; whoever finds one looks at the object. What an object is given later is added when it is noted,
/// and old entries stay until the context has nothing unsaved any more.
final class PendingKeys {
    let properties: [Int]
    /// The entities the constraint is of.
    let entities: Set<Int>
    private var found: [RowKey: [ObjectID]] = [:]
    /// Objects noted and not looked at yet.
    private var unread: [ManagedObject] = []

    init(_ plan: KeyPlan, _ changed: [ManagedObject]) {
        properties = plan.properties
        entities = Set(plan.info.entity.concreteDescendants)
        unread = changed
    }

    func note(_ object: ManagedObject) { unread.append(object) }

    func ids(of values: [Value]) -> [ObjectID] {
        if !unread.isEmpty { readAll() }
        return found[RowKey(values)] ?? []
    }

    private func readAll() {
        for object in unread where entities.contains(object.info.index) && object.hasChanges && !object.isDeleted {
            let values = properties.map { object.primitive($0) }
            if values.contains(where: \.isNull) { continue }
            let id = object.objectID
            let key = RowKey(values)
            if found[key]?.contains(id) != true { found[key, default: []].append(id) }
        }
        unread.removeAll(keepingCapacity: true)
    }
}

extension ManagedObjectContext {
    func pendingKeys(of plan: KeyPlan) -> PendingKeys {
        if let known = pendingKeys.first(where: {
            $0.properties == plan.properties && $0.entities.isSuperset(of: plan.info.entity.concreteDescendants)
        }) {
            return known
        }
        let keys = PendingKeys(plan, changed)
        pendingKeys.append(keys)
        return keys
    }

    /// Notes an object whose key may be another one now.
    @inline(__always)
    func noteKey(_ object: ManagedObject) {
        if !pendingKeys.isEmpty { noteInKeys(object) }
    }

    @inline(never)
    private func noteInKeys(_ object: ManagedObject) {
        for keys in pendingKeys { keys.note(object) }
    }
}
