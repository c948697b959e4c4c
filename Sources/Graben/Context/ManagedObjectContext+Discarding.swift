import GrabenLog

extension ManagedObjectContext {
    /// Takes back what was changed of one object since the last save, and leaves every other change as it is: what to do with an object that
    /// keeps the rest from being saved.
    ///
    /// A new object leaves the context, a deleted one returns, a changed one has its saved values again; the other sides of its
    /// relationships follow. It is no undo step. An object of no context, or of another one, is left alone.
    ///
    /// Complexity: O(members of its relationships); reads nothing that was not read.
    public func discardChanges(of object: ManagedObject) {
        guard object.context === self, object.hasChanges else { return }
        withoutUndo {
            object.takeBackChanges(events: .rollback)
            noteForResults([object])
        }
    }
}

extension ManagedObject {
    /// Takes the object's unsaved changes back, on both sides of its relationships.
    final func takeBackChanges(events: SnapshotEvents) {
        guard let context, hasChanges else { return }
        let isNew = isInserted
        context.settling {
            let wasRestoring = context.isRestoring
            context.isRestoring = true
            defer { context.isRestoring = wasRestoring }
            giveBackMembers()
            guard !isNew else { return }
            let wasDeleted = has(ObjectFlag.deleted)
            clear(ObjectFlag.deleted)
            clear(.deletionPending)
            _table.noteRowsChange()
            discardChanges(events: events)
            if wasDeleted { clear(ObjectFlag.updated) }
            leaveDeletedMembers()
        }
        if isNew, has(ObjectFlag.registered) { context.vanish(self) }
    }
}
