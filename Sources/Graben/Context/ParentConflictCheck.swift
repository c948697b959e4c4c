import GrabenLog
import GrabenModel

/// Compares what a child context is about to save with what its parent has by now: as `ConflictCheck` does with other commits.
///
/// The parent, another child of it, or a commit it took in may have changed what this child is based on. Only a property changed on both
/// sides to different values counts, or an object deleted on one side and changed, or referred to, on the other. Members that both sides
/// added or removed are merged.
struct ParentConflictCheck {
    let child: ManagedObjectContext
    let parent: ManagedObjectContext

    func conflicts(_ objects: [ManagedObject]) throws(GrabenError) -> [SaveConflict] {
        var conflicts: [SaveConflict] = []
        for object in objects {
            conflicts += object.has(ObjectFlag.deleted) ? self.conflicts(ofDeleted: object) : self.conflicts(of: object)
        }
        for object in child.watched where !object.hasChanges && object.has(ObjectFlag.registered) {
            if isMissing(object) {
                conflicts.append(conflict(object, .deletedElsewhere))
                continue
            }
            guard let original = original(of: object) else { continue }
            let changed = changes(of: original, against: object)
            if !changed.isEmpty { conflicts.append(conflict(object, .readChanged(changed))) }
        }
        // Keys have to be unique among what the contexts above and the store have.
        for store in child.coordinator.stores where !store.uniqueKeys.isEmpty {
            guard let snapshot = child.root.snapshots[store.number] else { continue }
            conflicts += try UniquenessCheck(context: child, store: store, snapshot: snapshot).conflicts(objects)
        }
        return conflicts
    }

    private func original(of object: ManagedObject) -> ManagedObject? {
        guard let stored = object._table.stored else { return nil }
        let original = parent.object(object._row, in: parent.table(stored, object.info))
        original.fireIfNeeded()
        return original.has(ObjectFlag.registered) ? original : nil
    }

    // MARK: Changed here

    private func conflicts(of object: ManagedObject) -> [SaveConflict] {
        if !object.isInserted, isMissing(object) {
            return object.hasValuesOfItsOwn ? [conflict(object, .deletedElsewhere)] : []
        }
        var conflicts: [SaveConflict] = []
        for number in object.info.relationships {
            let property = object.info.properties[number]
            var targets = object.toManyState(number).map { $0.order ?? $0.added.ids } ?? []
            if case .reference(let id)? = object._data?.values[number] { targets = [id] }
            guard let target = targets.first(where: isGone) else { continue }
            conflicts.append(conflict(object, .targetGone(target: target, key: property.name)))
        }
        guard !object.isInserted, let original = original(of: object) else { return conflicts }
        let both = changes(of: original, against: object).filter { $0.here != $0.base && $0.here != $0.stored }
        let changed = both + orders(of: object, original)
        return changed.isEmpty ? conflicts : conflicts + [conflict(object, .changed(changed))]
    }

    /// Whether the parent has deleted an object, and this save does not take that back.
    private func isGone(_ id: ObjectID) -> Bool {
        parent.registeredObject(for: id)?.has(ObjectFlag.deleted) == true && child.registeredObject(for: id)?.isInserted != true
    }

    /// Whether the parent does not have an object that was not inserted here: it was deleted there, or above, or by a commit that was taken in.
    func isMissing(_ object: ManagedObject) -> Bool {
        guard let stored = object._table.stored else { return false }
        var level: ManagedObjectContext? = parent
        while let context = level {
            if let known = context.registeredObject(for: object.objectID) {
                if known.isDeleted { return true }
                // What has been read is there, whatever became of it above since.
                if known.isInserted || !known.isFault { return false }
            }
            level = context.parent
        }
        return child.root.snapshot(of: stored)?.contains(stored.code, object._row) == false
    }

    /// Values in which the parent's object is another than what the child's is based on; derived ones follow from others and are nobody's
    /// change.
    private func changes(of original: ManagedObject, against object: ManagedObject) -> [SaveConflict.Property] {
        var found: [SaveConflict.Property] = []
        func compare(_ property: PropertyInfo, _ base: Value, _ here: Value, _ there: Value) {
            guard there != base else { return }
            found.append(.init(key: property.name, base: base, here: here, stored: there))
        }
        // What a fault is based on is what the parent has.
        object.fireIfNeeded()
        let data = object.data
        for property in object.info.properties where property.field >= 0 && property.attribute?.derivation == nil {
            compare(
                property, object.baseValue(property, data), object.primitive(property.number), original.storedValue(property.number))
        }
        guard !object.info.laneProperties.isEmpty else { return found }
        let overlay = object._table.chunks.overlay(object._table.chunkIndex(of: object._row))
        for (lane, number) in object.info.laneProperties.enumerated()
        where object.info.properties[number].attribute?.derivation == nil {
            let here = object.packedValue(lane)
            compare(
                object.info.properties[number], overlay?.baseValue(lane, object.slot) ?? here, here, original.packedValue(lane))
        }
        return found
    }

    /// Ordered relationships that were put in another order on both sides; additions alone are merged.
    private func orders(of object: ManagedObject, _ original: ManagedObject) -> [SaveConflict.Property] {
        var found: [SaveConflict.Property] = []
        for (number, state) in object._data?.toMany ?? [] {
            guard let order = state.order, let before = state.base else { continue }
            let there = original.memberIDs(number)
            let kept = Set(before).intersection(there)
            guard order != there, before.filter(kept.contains) != there.filter(kept.contains) else { continue }
            found.append(
                .init(
                    key: object.info.properties[number].name, base: .references(before), here: .references(order),
                    stored: .references(there)))
        }
        return found
    }

    // MARK: Deleted here

    private func conflicts(ofDeleted object: ManagedObject) -> [SaveConflict] {
        guard !object.isInserted, !isMissing(object), let original = original(of: object) else { return [] }
        if !changes(of: original, against: object).isEmpty { return [conflict(object, .changedElsewhere)] }
        var conflicts: [SaveConflict] = []
        for number in object.info.relationships {
            let property = object.info.properties[number]
            guard let inverse = property.link?.inverse, property.relationship?.deleteRule != .noAction else { continue }
            // What the delete rules reached here was changed or deleted by them.
            for id in original.relatedIDs(number) where child.registeredObject(for: id)?.hasChanges != true {
                guard !parent.object(with: id).isDeleted else { continue }
                let key = child.coordinator.infos[property.destination].properties[inverse].name
                conflicts.append(conflict(object, .newReferrer(referrer: id, key: key)))
            }
        }
        return conflicts
    }

    private func conflict(_ object: ManagedObject, _ kind: SaveConflict.Kind) -> SaveConflict {
        SaveConflict(entity: object.info.name, objectID: object.objectID, kind: kind)
    }
}
