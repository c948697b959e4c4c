import GrabenLog
import GrabenModel

/// The members of to-many relationships by id, without loading objects.
extension ManagedObject {
    // MARK: Reading

    /// Current members: in order where ordered, else by id.
    final func memberIDs(_ number: Int) -> [ObjectID] {
        guard let state = toManyState(number) else { return committedMemberIDs(number) }
        if let order = state.order { return order }
        let base = loadedBase(number, state)
        guard state.isChanged else { return base }
        let kept = state.removed.isEmpty ? base : base.filter { !state.removed.contains($0) }
        let members = kept + state.added.ids
        return info.properties[number].isOrdered ? members : members.sorted()
    }

    final func memberCount(_ number: Int) -> Int {
        guard let state = toManyState(number) else { return baseCount(number) }
        if let order = state.order { return order.count }
        return (state.base?.count ?? baseCount(number)) - state.removed.count + state.added.count
    }

    final func hasMember(_ number: Int, _ id: ObjectID) -> Bool {
        guard let state = toManyState(number) else { return baseContains(number, id) }
        if let order = state.order { return order.contains(id) }
        if state.added.contains(id) { return true }
        if state.removed.contains(id) { return false }
        return state.baseContains(id) ?? baseContains(number, id)
    }

    /// As `memberIDs(_:)`; the object keeps them, so that its relationship is a fault no more.
    final func loadMembers(_ number: Int) -> [ObjectID] {
        let state = state(number)
        if state.base == nil { state.base = committedMemberIDs(number) }
        return memberIDs(number)
    }

    /// Members as last fetched or saved.
    final func committedMemberIDs(_ number: Int) -> [ObjectID] {
        if let base = toManyState(number)?.base { return base }
        guard !has(ObjectFlag.inserted) else { return [] }
        guard let stored = _table.stored else { return [] }
        if let parent = _table.context?.parent {
            return parent.object(_row, in: parent.table(stored, info)).memberIDs(number)
        }
        guard let snapshot = _table.snapshot else { return [] }
        return reading([]) { () throws(LogError) in try stored.members(of: _row, info.properties[number], in: snapshot) }
    }

    private final func loadedBase(_ number: Int, _ state: ToManyState) -> [ObjectID] {
        if let base = state.base { return base }
        let base = committedMemberIDs(number)
        state.base = base
        return base
    }

    private final func baseCount(_ number: Int) -> Int {
        guard !has(ObjectFlag.inserted), let stored = _table.stored else { return 0 }
        if let parent = _table.context?.parent { return parent.object(_row, in: parent.table(stored, info)).memberCount(number) }
        guard let snapshot = _table.snapshot else { return 0 }
        return reading(0) { () throws(LogError) in try stored.memberCount(of: _row, info.properties[number], in: snapshot) }
    }

    final func baseContains(_ number: Int, _ id: ObjectID) -> Bool {
        guard !has(ObjectFlag.inserted), let stored = _table.stored else { return false }
        if let parent = _table.context?.parent { return parent.object(_row, in: parent.table(stored, info)).hasMember(number, id) }
        guard let snapshot = _table.snapshot else { return false }
        return reading(false) { () throws(LogError) in try stored.hasMember(of: _row, info.properties[number], id, in: snapshot) }
    }

    /// What an index or link table answers; where it cannot be read the error goes to the context.
    private final func reading<R>(_ fallback: R, _ body: () throws(LogError) -> R) -> R {
        do { return try body() } catch {
            _table.context?.report(.store(error))
            return fallback
        }
    }

    final func state(_ number: Int) -> ToManyState {
        _table.openInboxes()
        let data = data
        if let state = data.toManyState(number) { return state }
        let state = ToManyState()
        _table.hasMemberStates = true
        data.toMany.append((number, state))
        return state
    }

    /// Whether the members were not asked for yet.
    public final func hasFault(forRelationshipNamed name: String) -> Bool {
        guard let number = info.entity.propertyNumber(named: name) else { return false }
        let property = info.properties[number]
        switch property.kind {
        case .toMany: return !isInserted && toManyState(number)?.base == nil && toManyState(number)?.order == nil
        case .toOne:
            guard !isFault, let target = target(number) else { return isFault }
            return target.isFault
        default: return false
        }
    }

    /// Makes the members independent of the store's, which will have none once the deletion is saved: for undo to bring them back.
    final func keepMembersOfItsOwn() {
        for property in info.properties where property.kind == .toMany {
            let members = memberIDs(property.number)
            let state = state(property.number)
            state.base = []
            state.removed = IDSet()
            state.added = IDSet()
            state.order = nil
            for id in members { state.added.insert(id) }
        }
    }

    // MARK: Changing one side

    /// Adds a member on this side only, announced and recorded; at the end where ordered, or at `place`.
    final func addMember(_ number: Int, _ id: ObjectID, at place: Int? = nil) {
        guard let context, !hasMember(number, id) else { return }
        let property = info.properties[number]
        let before = beginMemberChange(property)
        let state = state(number)
        if let place, place < memberCount(number) || state.order != nil {
            let old = memberIDs(number)
            state.order = old
            state.order?.insert(id, at: min(max(place, 0), old.count))
            noteEvent(.order(property: number, old: old))
        } else {
            if state.order != nil {
                noteEvent(.order(property: number, old: memberIDs(number)))
                state.order?.append(id)
            } else {
                // An id that was removed comes back at the end of an ordered relationship, which only an order can say.
                if state.removed.contains(id) {
                    if property.isOrdered {
                        let old = memberIDs(number)
                        noteEvent(.order(property: number, old: old))
                        state.order = old + [id]
                    } else {
                        noteEvent(.member(property: number, id: id, added: true))
                        state.removed.remove(id)
                    }
                } else {
                    noteEvent(.member(property: number, id: id, added: true))
                    state.added.insert(id)
                }
            }
        }
        endMemberChange(property, before, context)
    }

    /// Takes a member out on this side only, announced and recorded.
    final func removeMember(_ number: Int, _ id: ObjectID) {
        guard let context, hasMember(number, id) else { return }
        let property = info.properties[number]
        let before = beginMemberChange(property)
        let state = state(number)
        if property.isOrdered {
            // Where it stood has to be known to bring it back there.
            let old = memberIDs(number)
            noteEvent(.order(property: number, old: old))
            if state.order != nil {
                state.order?.removeAll { $0 == id }
            } else if !state.added.remove(id) {
                state.removed.insert(id)
            }
        } else {
            noteEvent(.member(property: number, id: id, added: false))
            if !state.added.remove(id) { state.removed.insert(id) }
        }
        endMemberChange(property, before, context)
    }

    /// Replaces the order of the members, which stay the same or change with it; this side only.
    final func replaceMembers(_ number: Int, with ids: [ObjectID]) {
        guard let context else { return }
        let property = info.properties[number]
        let old = memberIDs(number)
        guard old != ids else { return }
        let before = beginMemberChange(property)
        noteEvent(.order(property: number, old: old))
        setMembersRaw(number, ids)
        endMemberChange(property, before, context)
    }

    /// Sets the members without announcing or recording it.
    final func setMembersRaw(_ number: Int, _ ids: [ObjectID]) {
        let state = state(number)
        let base = loadedBase(number, state)
        state.added = IDSet()
        state.removed = IDSet()
        state.order = nil
        if info.properties[number].isOrdered {
            if ids != base { state.order = ids }
            return
        }
        let wanted = Set(ids)
        let had = Set(base)
        for id in ids where !had.contains(id) { state.added.insert(id) }
        for id in base where !wanted.contains(id) { state.removed.insert(id) }
    }

    /// Puts the changes made here on top of the members that the snapshot, or the parent context, has now.
    final func rebaseMembers() {
        _table.openInboxes()
        guard let data = _data else { return }
        data.toMany.removeAll { !$0.state.isChanged }
        for (number, state) in data.toMany {
            if let order = state.order {
                let old = state.base ?? []
                state.base = nil
                let new = committedMemberIDs(number)
                state.base = new
                let merged = ToManyState.merged(order, base: old, with: new)
                state.order = merged == new ? nil : merged
            } else {
                state.base = nil
                for id in state.added.ids where baseContains(number, id) { state.added.remove(id) }
                for id in state.removed.ids where !baseContains(number, id) { state.removed.remove(id) }
            }
        }
        data.toMany.removeAll { !$0.state.isChanged }
    }

    private final func beginMemberChange(_ property: PropertyInfo) -> Value {
        willChangeValue(forKey: property.name)
        return has(CellFlag.observed) ? .references(memberIDs(property.number)) : .null
    }

    private final func endMemberChange(_ property: PropertyInfo, _ before: Value, _ context: ManagedObjectContext) {
        // An order that is the base's again is no change.
        if let state = toManyState(property.number), let order = state.order, order == loadedBase(property.number, state) {
            state.order = nil
            state.added = IDSet()
            state.removed = IDSet()
        }
        markUpdated(context)
        didChangeValue(forKey: property.name)
        if has(CellFlag.observed) {
            context.notifyObservers(of: self, property.name, old: before, new: .references(memberIDs(property.number)))
        }
        if has(ObjectFlag.slow) { context.noteTrackedChange(of: self, property.number) }
    }
}
