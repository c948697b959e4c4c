import GrabenLog

/// Members that new objects got by references set in others, in the order they came, until someone looks at a relationship of the table.
///
/// Loading a drawing sets millions of references whose other sides nobody reads before the save, and the save does not need them: the
/// references say it all. So the other side of such a reference is a line in a list. Invariant: it is about objects that no store has, and
/// about relationships that are found by their members' references.
final class MemberInbox {
    private struct Delivery {
        let owner: Row
        let entity: UInt32
        let member: Row
    }

    let property: Int
    // Exclusivity is unchecked: nothing calls back while one is added.
    @exclusivity(unchecked) private var deliveries = UnsafeMutablePointer<Delivery>.allocate(capacity: 64)
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var capacity = 64

    init(property: Int) { self.property = property }

    deinit { deliveries.deallocate() }

    /// Adds a member of the owners' own store.
    @inline(__always)
    func append(_ owner: Row, entity: UInt32, member: Row) {
        if count == capacity { grow() }
        (deliveries + count).initialize(to: Delivery(owner: owner, entity: entity, member: member))
        count += 1
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutablePointer<Delivery>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: deliveries, count: count)
        deliveries.deallocate()
        deliveries = larger
        capacity *= 2
    }

    func forEach(store: UInt32, _ body: (Row, ObjectID) -> Void) {
        for index in 0..<count {
            let delivery = deliveries[index]
            body(delivery.owner, ObjectID(store: store, entity: delivery.entity, row: delivery.member))
        }
    }
}

extension ObjectTable {
    /// Puts everything that waits in the inboxes where it is read. Complexity: O(members that wait).
    @inline(__always)
    func openInboxes() {
        if !inboxes.isEmpty { moveInboxes() }
    }

    @inline(never)
    private func moveInboxes() {
        let waiting = inboxes
        dropInboxes()
        for inbox in waiting {
            inbox.forEach(store: storeNumber) { row, member in
                registered(row)?.state(inbox.property).added.insert(member)
            }
        }
    }

    /// Notes a member of a new object for later.
    @inline(__always)
    func deliver(entity: UInt32, member: Row, to row: Row, _ property: Int) {
        if let inbox = lastInbox, inbox._withUnsafeGuaranteedRef({ $0.property }) == property {
            return inbox._withUnsafeGuaranteedRef { $0.append(row, entity: entity, member: member) }
        }
        inbox(property).append(row, entity: entity, member: member)
    }
}

extension ManagedObject {
    /// What is known of a to-many here; nil where nobody asked and nothing changed.
    @inline(__always)
    final func toManyState(_ property: Int) -> ToManyState? {
        _table.openInboxes()
        return keptData?.toManyState(property)
    }

    /// Takes a new member in without looking at the others, announced; false where it has to be done the long way.
    final func attachQuickly(_ property: PropertyInfo, _ member: ObjectID, in context: ManagedObjectContext) -> Bool {
        let table = _table
        guard !property.isOrdered, isInserted, has(ObjectFlag.newInEvent), !context.notesNewObjects, !has(CellFlag.observed), !isAwakening,
            !has(ObjectFlag.slow),
            case .reverse? = table.stored?.relationships[property.number]
        else { return false }
        if context.openChangeCount > 0 || table.hasMemberStates, let data = keptData {
            if !data.open.isEmpty || data.toManyState(property.number) != nil { return false }
        }
        _ = announce(property, table) {
            .null
        } write: {
            table.deliver(entity: member.entityNumber, member: member.row, to: _row, property.number)
            return false
        }
        set(ObjectFlag.updated)
        return true
    }
}
