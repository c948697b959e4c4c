import GrabenLog

/// What one event changed in a context, and how to put it back.
///
/// Performing it changes the context, whose own noting of changes yields the inverse at the end of the event: undo and redo are the same
/// code. One old value is kept for each property, or row of a column, however often it changed.
final class ContextStep: UndoAction {
    struct ObjectChanges {
        let object: ManagedObject
        var changes: [EventChange]
    }
    struct PackedChanges {
        let table: ObjectTable
        let chunk: Int
        /// What the slots held.
        var before: EventSlots
        var slots: [UInt16] { before.slots }
        /// The lanes the event changed, by slot, as bits; all bits where there are more than 64.
        var lanes: [UInt64]
    }

    /// Unretained: an undo manager must not keep a context alive. The context takes its steps out of the manager when it ends.
    private(set) weak var context: ManagedObjectContext?
    let inserted: [ManagedObject]
    let deleted: [ManagedObject]
    let objects: [ObjectChanges]
    let packed: [PackedChanges]

    init(
        context: ManagedObjectContext?, inserted: [ManagedObject], deleted: [ManagedObject], objects: [ObjectChanges],
        packed: [PackedChanges]
    ) {
        self.context = context
        self.inserted = inserted
        self.deleted = deleted
        self.objects = objects
        self.packed = packed
    }

    /// A context that is ending is nil to those who do not hold it.
    func removing(_ context: ManagedObjectContext) -> (any UndoAction)? {
        self.context == nil || self.context === context ? nil : self
    }

    func isOfSameContext(as other: ContextStep) -> Bool { context != nil && context === other.context }

    var keptValueCount: Int {
        objects.reduce(0) { $0 + $1.changes.count } + packed.reduce(0) { $0 + $1.slots.count * $1.table.info.laneProperties.count }
    }

    func perform() {
        guard let context else { return }
        context.settling {
            context.isRestoring = true
            for object in deleted { context.undelete(object) }
            for change in packed.reversed() { context.restore(change) }
            for change in objects.reversed() { change.object.restore(change.changes, in: context) }
            for object in inserted.reversed() { context.uninsert(object) }
            context.isRestoring = false
        }
        for object in deleted where object.has(ObjectFlag.registered) { object.awake(fromSnapshotEvents: .undoDeletion) }
        for change in objects where change.object.has(ObjectFlag.registered) {
            change.object.awake(fromSnapshotEvents: .undoUpdate)
        }
        context.awakeRestored(packed)
        context.processPendingChanges()
    }
}

extension ManagedObject {
    /// Puts values and members back, announced, noted and shown to observers; the other sides have changes of their own.
    fileprivate final func restore(_ changes: [EventChange], in context: ManagedObjectContext) {
        context.withoutInverses {
            for change in changes.reversed() {
                switch change {
                case .value(let number, let old):
                    let key = info.properties[number].name
                    willChangeValue(forKey: key)
                    setPrimitive(number, old)
                    didChangeValue(forKey: key)
                case .member(let number, let id, let added):
                    if added { removeMember(number, id) } else { addMember(number, id) }
                case .order(let number, let old): replaceMembers(number, with: old)
                }
            }
        }
    }
}

extension ManagedObjectContext {
    /// Takes an insertion back: the object leaves the context, or is deleted where it was saved meanwhile.
    fileprivate func uninsert(_ object: ManagedObject) {
        guard object.has(ObjectFlag.registered), !object.has(ObjectFlag.deleted) else { return }
        if object.isInserted {
            event.deleted.append(object)
            leaveSoon(object)
        } else {
            markDeleted(object, propagating: false)
        }
    }

    /// Takes a deletion back: the same instance with the same id is in the context again.
    func undelete(_ object: ManagedObject) {
        guard !isClosed else { return }
        if object.has(CellFlag.leaving) { bidFarewell(to: object) }
        if object.has(ObjectFlag.registered), object.has(ObjectFlag.deleted) {
            object.clear(ObjectFlag.deleted)
            object.clear(.deletionPending)
            object._table.noteRowsChange()
            event.noteInserted(object)
            if object.isInserted || object.has(ObjectFlag.updated) { list(object) }
        } else if !object.has(ObjectFlag.registered) {
            reinsert(object)
        }
    }

    /// Brings an object back whose insertion was undone or whose deletion was saved: it is inserted, with the values it had.
    private func reinsert(_ object: ManagedObject) {
        let table = object._table
        guard table.context === self else { return }
        if let other = table.registered(object._row) {
            // Someone asked for the id meanwhile and got a fault that leads nowhere; the instance that was there before takes its place.
            guard other !== object, !other.hasChanges else { return }
            other.leave()
        }
        object.rejoin()
        object.set(ObjectFlag.inserted)
        list(object)
        event.noteInserted(object)
    }

    /// Puts packed values back: one old value for each row.
    fileprivate func restore(_ change: ContextStep.PackedChanges) {
        let table = change.table
        let laneCount = table.info.laneProperties.count
        for (index, slot) in change.slots.enumerated() {
            let slot = Int(slot)
            var values = (0..<laneCount).map { change.before.value(at: index, $0, table.info.geometry) }
            if change.lanes[index] != .max {
                _ = table.place(of: row(chunk: change.chunk, slot: slot, in: table))
                let current = table.chunks.chunk(change.chunk)
                for lane in values.indices where change.lanes[index] & (1 << UInt64(lane)) == 0 {
                    values[lane] = table.info.geometry.value(current, lane, slot)
                }
            }
            setPacked(values, chunk: change.chunk, slot: slot, in: table)
        }
    }

    fileprivate func awakeRestored(_ packed: [ContextStep.PackedChanges]) {
        for change in packed {
            for slot in change.slots {
                let row = row(chunk: change.chunk, slot: Int(slot), in: change.table)
                change.table.registered(row)?.awake(fromSnapshotEvents: .undoUpdate)
            }
        }
    }

    func row(chunk: Int, slot: Int, in table: ObjectTable) -> Row {
        table.row(slotNumber: chunk * ChunkGeometry.slotsPerChunk + slot)
    }

    /// Sets all lanes of one row, whether or not there is an object for it, noted as a change; objects' fields and observers follow.
    func setPacked(_ values: [Value], chunk: Int, slot: Int, in table: ObjectTable) {
        let row = row(chunk: chunk, slot: slot, in: table)
        _ = table.place(of: row)
        let current = table.chunks.chunk(chunk)
        guard values.indices.contains(where: { table.info.geometry.value(current, $0, slot) != values[$0] }) else { return }
        let overlay = table.chunks.makeOverlay(chunk)
        noteEvent(overlay, slot: slot, index: chunk, in: table)
        overlay.dirty[slot] = true
        overlay.kept[slot] = false
        let object = table.registered(row)
        for lane in values.indices {
            let old = table.info.geometry.value(overlay.data, lane, slot)
            guard old != values[lane] else { continue }
            let number = table.info.laneProperties[lane]
            // Those who override the pair see the change; nothing is recorded twice because the column has the value before the pair ends.
            object?.announcePacked(number, values[lane]) {
                table.info.geometry.setValue(overlay.writable(), lane, slot, values[lane])
            } ?? table.info.geometry.setValue(overlay.writable(), lane, slot, values[lane])
            if object == nil { tracker?.noteChange(table.id(row), number) }
        }
        if let object {
            object.markUpdated(self)
        } else {
            table.hasLooseRows = true
        }
    }
}

extension ManagedObject {
    /// A packed value changed by the context: field and column are written between the change notifications.
    fileprivate final func announcePacked(_ number: Int, _ new: Value, write: () -> Void) {
        let key = info.properties[number].name
        willChangeValue(forKey: key)
        info.accessors[number]?.set(self, new)
        write()
        didChangeValue(forKey: key)
    }
}
