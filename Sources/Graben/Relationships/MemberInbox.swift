import GrabenLog

/// Members that new objects got by references set in others, in the order they came, until someone looks at a relationship of the table.
///
/// Loading a drawing sets millions of references whose other sides nobody reads before the save, and the save does not need them: the
/// references say it all. So the other side of such a reference is a line in a list. Invariant: it is about objects that no store has, and
/// about relationships that are found by their members' references.
struct MemberInbox {
    let property: Int
    private(set) var rows: [Row] = []
    private(set) var members: [ObjectID] = []

    init(property: Int) { self.property = property }

    @inline(__always)
    mutating func append(_ row: Row, _ member: ObjectID) {
        rows.append(row)
        members.append(member)
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
        inboxes = []
        for inbox in waiting {
            for (row, member) in zip(inbox.rows, inbox.members) {
                guard let object = registered(row) else { continue }
                object.state(inbox.property).added.insert(member)
            }
        }
    }

    /// Notes a member of a new object for later.
    @inline(__always)
    func deliver(_ member: ObjectID, to row: Row, _ property: Int) {
        for index in inboxes.indices where inboxes[index].property == property {
            inboxes[index].append(row, member)
            return
        }
        var inbox = MemberInbox(property: property)
        inbox.append(row, member)
        inboxes.append(inbox)
    }
}

extension ManagedObject {
    /// What is known of a to-many here; nil where nobody asked and nothing changed.
    @inline(__always)
    final func toManyState(_ property: Int) -> ToManyState? {
        _table.openInboxes()
        return _data?.toManyState(property)
    }

    /// Takes a new member in without looking at the others, announced; false where it has to be done the long way.
    final func attachQuickly(_ property: PropertyInfo, _ member: ObjectID, in context: ManagedObjectContext) -> Bool {
        let table = _table
        guard !property.isOrdered, isInserted, has(ObjectFlag.newInEvent), !context.notesNewObjects, !has(CellFlag.observed), !isAwakening,
            case .reverse? = table.stored?.relationships[property.number]
        else { return false }
        if context.openChangeCount > 0 || table.hasMemberStates, let data = _data {
            if !data.open.isEmpty || data.toManyState(property.number) != nil { return false }
        }
        _ = announce(property, table) {
            .null
        } write: {
            table.deliver(member, to: _row, property.number)
            return false
        }
        set(ObjectFlag.updated)
        return true
    }
}
