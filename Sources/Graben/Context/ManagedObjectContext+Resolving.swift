import GrabenLog
import GrabenModel

/// Merge policies at work: a save that was refused because of conflicts changes the objects in conflict as the policy wants them and is
/// tried again. Nothing here runs under the writer lock, so whatever another context commits meanwhile is a conflict of the next try.
extension ManagedObjectContext {
    /// How often a save is tried again whose conflicts come of the decisions about earlier ones, and not of other commits.
    static var resolutionLimit: Int { 64 }

    /// Whether other commits came since the one that the context is based on.
    var isOvertaken: Bool { conflictSnapshots.contains { store, newest in snapshots[store] !== newest } }

    /// Decides conflicts by the merge policy; false, and nothing changed, where it refuses one.
    func resolve(_ conflicts: [SaveConflict]) throws(GrabenError) -> Bool {
        var decisions: [(conflict: SaveConflict, resolution: MergeResolution)] = []
        for conflict in conflicts {
            let resolution = mergePolicy.resolution(of: conflict)
            if resolution == .refuse { return false }
            decisions.append((conflict, resolution))
        }
        // What an overwriting object holds, before the snapshot moves on under it.
        var whole: [ObjectID: [(property: Int, value: Value)]] = [:]
        for (conflict, resolution) in decisions where resolution == .overwrite {
            whole[conflict.objectID] = object(with: conflict.objectID).ownValues
        }
        try settling { () throws(GrabenError) in
            try withoutUndo { () throws(GrabenError) in
                try moveToConflicts()
                for (conflict, resolution) in decisions {
                    try resolve(conflict, resolution, whole[conflict.objectID] ?? [])
                }
            }
        }
        return true
    }

    /// Moves to the commits that the conflicts were found with, not to later ones: a value made of both sides' would overwrite those unseen. In
    /// a child context the parent always shows what there is.
    private func moveToConflicts() throws(GrabenError) {
        for store in coordinator.stores {
            guard let newest = conflictSnapshots[store.number], let old = snapshots[store.number], newest !== old else { continue }
            // A commit in conflict may still be on its way to the disk, and is read only when it is there.
            if store.configuration.durability == .full { try store.synchronize() }
            advance(store, from: old, to: newest, merging: automaticallyMergesChangesFromParent, skipping: nil)
        }
        conflictSnapshots = [:]
    }

    private func resolve(
        _ conflict: SaveConflict, _ resolution: MergeResolution, _ whole: [(property: Int, value: Value)]
    ) throws(GrabenError) {
        let object = object(with: conflict.objectID)
        guard object.has(ObjectFlag.registered) else { return }
        switch conflict.kind {
        case .changed(let properties), .readChanged(let properties):
            // A child's object takes nothing in by itself.
            object.takeNewest(merged: automaticallyMergesChangesFromParent && parent == nil)
            if resolution == .rollback { return object.takeBackChanges(events: .merge) }
            if resolution == .storeTrump {
                for property in properties { object.takeStored(property.key) }
            }
            for (number, value) in whole { object.put(value, into: number) }
        case .deletedElsewhere:
            watched.removeAll { $0 === object }
            if resolution.isForStore || (!object.hasChanges && resolution != .overwrite) {
                object.followDeletion()
            } else {
                object.comeBack()
            }
        case .changedElsewhere:
            guard object.has(ObjectFlag.deleted) else { return }
            if resolution.isForStore { return takeBackDeletion(of: object) }
            object.takeNewest(merged: false)
        case .newReferrer:
            guard object.has(ObjectFlag.deleted) else { return }
            if resolution.isForStore { return takeBackDeletion(of: object) }
            object.takeNewest(merged: false)
            propagateDeletion(of: object)
        case .targetGone(let target, let key):
            if resolution == .rollback { return object.takeBackChanges(events: .merge) }
            object.giveUp(target, by: key, takingStored: resolution.isForStore)
        case .duplicate(_, _, let other): try resolveDuplicate(object, self.object(with: other), resolution, whole)
        }
        guard case .values(let values) = resolution else { return }
        if case .duplicate = conflict.kind { return }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) where !object.has(ObjectFlag.deleted) {
            try object.set(object.info.properties[try object.info.number(key)], to: value)
        }
    }

    /// Brings an object back whose deletion another commit stands against, and with it what went by its cascades.
    private func takeBackDeletion(of object: ManagedObject) {
        guard object.has(ObjectFlag.deleted) else { return }
        var gone: [ManagedObject] = []
        for number in object.info.relationships where object.info.properties[number].relationship?.deleteRule == .cascade {
            for id in object.relatedIDs(number) {
                if let other = registeredObject(for: id), other.has(ObjectFlag.deleted) { gone.append(other) }
            }
        }
        object.takeBackChanges(events: .merge)
        object.takeNewest(merged: false)
        gone.forEach(takeBackDeletion)
    }

    // MARK: Uniqueness constraints

    /// Two objects with one key: a new one becomes part of the other; of two saved ones the policy says which keeps the key.
    private func resolveDuplicate(
        _ object: ManagedObject, _ other: ManagedObject, _ resolution: MergeResolution, _ whole: [(property: Int, value: Value)]
    ) throws(GrabenError) {
        if resolution == .rollback { return object.takeBackChanges(events: .merge) }
        other.fireIfNeeded()
        guard !other.isDeleted, other.has(ObjectFlag.registered) else { return }
        if object.isInserted {
            let values: [(property: Int, value: Value)] =
                switch resolution {
                case .overwrite: whole
                case .objectTrump: object.ownValues.filter { $0.value != object.info.properties[$0.property].defaultValue }
                default: []
                }
            merge(object, into: other, values)
            if case .values(let chosen) = resolution {
                for (key, value) in chosen.sorted(by: { $0.key < $1.key }) {
                    try other.set(other.info.properties[try other.info.number(key)], to: value)
                }
            }
        } else if other.isInserted {
            // The saved one goes on; what it did not change itself it takes from the new one.
            let unchanged = other.ownValues.filter { entry in
                let property = other.info.properties[entry.property]
                return entry.value != property.defaultValue && object.changedValues()[property.name] == nil
            }
            merge(other, into: object, unchanged)
        } else if resolution == .storeTrump {
            for key in object.sharedKeys(with: other) { object.takeStored(key) }
        } else {
            delete(other)
            propagateDeletions()
        }
    }

    /// Lets a new object go whose key another one has: that takes these values of it, its members, and what refers to it.
    private func merge(_ object: ManagedObject, into other: ManagedObject, _ values: [(property: Int, value: Value)]) {
        var members: [(name: String, ids: [ObjectID])] = []
        for number in object.info.relationships where object.info.properties[number].kind == .toMany {
            members.append((object.info.properties[number].name, object.memberIDs(number)))
        }
        let referrers = unpairedReferrers(of: object)
        object.takeBackChanges(events: .merge)
        for (number, value) in values {
            // Properties that both have by inheritance have the same number.
            guard let shared = other.info.entity.propertyNumber(named: object.info.properties[number].name) else { continue }
            other.put(value, into: shared)
        }
        for (name, ids) in members {
            guard let number = other.info.entity.propertyNumber(named: name), other.info.properties[number].kind == .toMany else {
                continue
            }
            for id in ids where exists(id) { _ = try? other.relate(number, to: self.object(with: id)) }
        }
        for (referrer, number) in referrers {
            if referrer.info.properties[number].kind == .toOne {
                referrer.put(.reference(other.objectID), into: number)
            } else {
                referrer.replaceMembers(number, with: referrer.memberIDs(number).map { $0 == object.objectID ? other.objectID : $0 })
            }
        }
    }

    /// Changed objects that refer to a new one by a relationship without an inverse: nothing else tells of them.
    private func unpairedReferrers(of object: ManagedObject) -> [(object: ManagedObject, property: Int)] {
        var found: [(object: ManagedObject, property: Int)] = []
        for referrer in changed where referrer !== object && referrer.hasChanges && !referrer.has(ObjectFlag.deleted) {
            for number in referrer.info.relationships where referrer.info.properties[number].link?.inverse == nil {
                let refers =
                    referrer.info.properties[number].kind == .toOne
                    ? referrer._data?.values[number] == .reference(object.objectID)
                    : referrer.toManyState(number) != nil && referrer.hasMember(number, object.objectID)
                if refers { found.append((referrer, number)) }
            }
        }
        return found
    }

    /// Whether an id leads to an object of this context that is there.
    fileprivate func exists(_ id: ObjectID) -> Bool {
        if let object = registeredObject(for: id), !object.isFault || object.isDeleted { return !object.isDeleted }
        guard let stored = table(for: id)?.stored else { return false }
        if parent == nil { return snapshot(of: stored)?.contains(stored.code, id.row) == true }
        let object = object(with: id)
        object.fireIfNeeded()
        return !object.isDeleted
    }
}

extension ManagedObject {
    /// Every persistent value of the object itself: attributes, coordinates and to-ones, by property number.
    fileprivate final var ownValues: [(property: Int, value: Value)] {
        info.properties.filter { $0.isPersistent && $0.kind != .toMany }.map { ($0.number, primitive($0.number)) }
    }

    /// Reads what the snapshot has now under the object's own changes.
    fileprivate final func takeNewest(merged: Bool) {
        fireIfNeeded()
        // Where the context merges by itself, the object did so when the snapshot advanced.
        if !merged || has(CellFlag.stale) { rebaseOnSnapshot(events: .merge) }
    }

    /// Gives one property the value it has in the store.
    fileprivate final func takeStored(_ key: String) {
        guard let number = info.entity.propertyNumber(named: key) else { return }
        let property = info.properties[number]
        switch property.kind {
        case .packed: put(committedPacked(property.lane), into: number)
        case .toMany:
            // Who the members are was merged; only their order is the store's.
            let stored = committedMemberIDs(number)
            let members = memberIDs(number)
            let (here, there) = (Set(members), Set(stored))
            replaceMembers(number, with: stored.filter(here.contains) + members.filter { !there.contains($0) })
        default: put(isInserted ? property.defaultValue : baseValue(property, data), into: number)
        }
    }

    /// Sets a value as a setter would, the other side of a relationship included; a reference that leads nowhere is none.
    fileprivate final func put(_ value: Value, into number: Int) {
        guard let context else { return }
        var value = value
        if case .reference(let id) = value, !context.exists(id) { value = .null }
        guard primitive(number) != value else { return }
        change(info.properties[number], to: value)
    }

    /// Takes a reference to something that is gone out of the object, for what the store has in its place or for nothing.
    fileprivate final func giveUp(_ target: ObjectID, by key: String, takingStored: Bool) {
        guard let context, let number = info.entity.propertyNumber(named: key) else { return }
        guard info.properties[number].kind == .toOne else {
            context.withoutInverses { removeMember(number, target) }
            return
        }
        guard primitive(number) == .reference(target) else { return }
        context.withoutInverses { change(info.properties[number], to: .null) }
        if takingStored { takeStored(key) }
    }

    /// Another commit, or the parent, deleted the object, and so it is here: its changes go.
    fileprivate final func followDeletion() {
        guard let context else { return }
        for number in info.relationships {
            guard let inverse = info.properties[number].link?.inverse else { continue }
            for id in relatedIDs(number) where context.registeredObject(for: id)?.hasChanges == true {
                context.withoutInverses { context.object(with: id).release(inverse, of: objectID) }
            }
        }
        let wasRestoring = context.isRestoring
        context.isRestoring = true
        discardChanges(events: .merge)
        context.isRestoring = wasRestoring
        clear(.stale, .deletionPending)
        clear(ObjectFlag.deleted)
        leaveDeleted()
        _table.noteRowsChange()
    }

    /// An object that was deleted elsewhere is saved again under its id, with all it has here; references that lead nowhere are cleared.
    fileprivate final func comeBack() {
        guard let context else { return }
        let values = ownValues
        for (number, value) in values where info.properties[number].kind != .packed && info.accessors[number] == nil {
            data.values[number] = value
        }
        clear(.missing, .stale)
        set(ObjectFlag.inserted)
        context.list(self)
        _table.noteNewRow(_row)
        if !info.laneProperties.isEmpty {
            let overlay = _table.overlay(for: self)
            overlay.dirty[slot] = true
            overlay.kept[slot] = false
        }
        for (number, value) in values { put(value, into: number) }
        _table.openInboxes()
        for (number, state) in data.toMany {
            for id in state.order ?? state.added.ids where !context.exists(id) { context.withoutInverses { removeMember(number, id) } }
        }
    }

    /// The keys of the uniqueness constraints in which both have the same values.
    fileprivate final func sharedKeys(with other: ManagedObject) -> [String] {
        guard let groups = _table.stored?.store.uniqueKeys else { return [] }
        return groups.filter { group in
            group.indexes[info.index] != nil && group.indexes[other.info.index] != nil
                && group.properties.allSatisfy { primitive($0) == other.primitive($0) }
        }.flatMap(\.names)
    }
}
