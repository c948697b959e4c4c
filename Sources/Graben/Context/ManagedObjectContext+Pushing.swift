import GrabenLog
import GrabenModel

/// A child context's save into its parent.
extension ManagedObjectContext {
    /// Makes the parent's objects what this context's are; the parent is changed, and the store is not.
    func push(_ objects: [ManagedObject], to parent: ManagedObjectContext) throws(GrabenError) {
        parent.processPendingChanges()
        try parent.settling { () throws(GrabenError) in
            let check = ParentConflictCheck(child: self, parent: parent)
            let conflicts = try check.conflicts(objects)
            if !conflicts.isEmpty { throw .conflict(conflicts) }
            put(objects, into: parent, check)
            settlePushed(objects, in: parent)
        }
        parent.processPendingChanges()
    }

    private func put(_ objects: [ManagedObject], into parent: ManagedObjectContext, _ check: ParentConflictCheck) {
        if undoManager != nil {
            for object in objects where object.has(ObjectFlag.deleted) { object.keepMembersOfItsOwn() }
        }
        for object in objects where object.isInserted && !object.has(ObjectFlag.deleted) { parent.adopt(object) }
        forEachTable { table in
            if table.hasLooseRows { pushLooseRows(of: table, to: parent) }
            guard table.vanishedEnd > 0, let stored = table.stored else { return }
            let target = parent.table(stored, table.info)
            target.vanishedEnd = max(target.vanishedEnd, table.vanishedEnd)
        }
        parent.withoutInverses {
            for object in objects where !object.has(ObjectFlag.deleted) {
                // Members are added to those the parent has by now.
                object.rebaseMembers()
                parent.take(object)
            }
            for object in objects where object.has(ObjectFlag.deleted) {
                guard let stored = object._table.stored, !check.isMissing(object) else { continue }
                let original = parent.object(object._row, in: parent.table(stored, object.info))
                guard !original.has(ObjectFlag.deleted), original.has(ObjectFlag.registered) else { continue }
                parent.markDeleted(original, propagating: false)
                if original.isInserted { parent.leaveSoon(original) }
            }
        }
    }

    /// What the objects hold is what the parent has.
    private func settlePushed(_ objects: [ManagedObject], in parent: ManagedObjectContext) {
        for object in objects {
            if object.isFresh { object.leaveFresh() }
            let wasDeleted = object.has(ObjectFlag.deleted)
            object.clear(ObjectFlag.updated | ObjectFlag.listed | ObjectFlag.inserted)
            object._table.sinceSweep += 1
            if wasDeleted {
                leaveSoon(object)
                continue
            }
            guard let data = object._data else { continue }
            if let stored = object._table.stored {
                let original = parent.object(object._row, in: parent.table(stored, object.info))
                data.base = .values(original.valuesForChild)
                data.values = object.transientValues
            }
            data.toMany = []
            data.isTouched = false
        }
        forEachTable { table in
            table.hasLooseRows = false
            for case let overlay? in table.chunks.overlays {
                overlay.dirty.forEach { slot in
                    // What the parent has now is what later changes are taken back to.
                    overlay.settle(slot)
                    overlay.kept[slot] = true
                    overlay.earlier[slot] = overlay.geometry.lanes.indices.map { overlay.geometry.value(overlay.data, $0, slot) }
                }
            }
        }
        delistClean()
    }

    /// Moves the parent's rows as a bulk edit moved this context's, where it has no object for them.
    private func pushLooseRows(of table: ObjectTable, to parent: ManagedObjectContext) {
        guard let stored = table.stored else { return }
        let target = parent.table(stored, table.info)
        for (index, overlay) in table.chunks.overlays.enumerated() {
            guard let overlay else { continue }
            overlay.dirty.forEach { slot in
                guard table.registered(row(chunk: index, slot: slot, in: table)) == nil else { return }
                let values = overlay.geometry.lanes.indices.map { overlay.geometry.value(overlay.data, $0, slot) }
                parent.setPacked(values, chunk: index, slot: slot, in: target)
            }
        }
    }

    /// Takes in a child's new object under the same id.
    private func adopt(_ object: ManagedObject) {
        guard let stored = object._table.stored else { return }
        let table = table(stored, object.info)
        if let original = table.registered(object._row) {
            // The child took a deletion back that it had saved here.
            if original.has(ObjectFlag.deleted) { undelete(original) }
            return
        }
        table.noteNewRow(object._row)
        let copy = object.info.objectClass.init(ObjectSeed(table, row: object._row))
        table.register(copy)
        copy.data.base = .defaults
        markInserted(copy)
        copy.applyDefaults()
    }

    /// Takes a child's values over into this context's object.
    private func take(_ object: ManagedObject) {
        guard let stored = object._table.stored else { return }
        let original = self.object(object._row, in: table(stored, object.info))
        guard original.has(ObjectFlag.registered) else { return }
        for (name, value) in object.isInserted ? object.allValues() : object.changedValues() {
            guard let number = object.info.entity.propertyNumber(named: name) else { continue }
            if case .references(let ids) = value {
                original.replaceMembers(number, with: ids)
            } else {
                original.releaseTarget(number, before: value)
                original.willChangeValue(forKey: name)
                original.setPrimitive(number, value)
                original.didChangeValue(forKey: name)
            }
        }
        for property in object.info.properties where property.kind == .transient {
            if let value = object._data?.values[property.number] { original.setPrimitive(property.number, value) }
        }
    }
}
