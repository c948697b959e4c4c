import GrabenLog

extension ManagedObjectContext {
    /// Deletes an object: at once for the context, in the store when saved.
    ///
    /// Its `prepareForDeletion()` runs now; related objects are reached by the delete rules when the event ends. An object that was never
    /// saved vanishes. An object of no context, or of another one, is left alone and the error is thrown by the next save.
    public func delete(_ object: ManagedObject) {
        guard object.context === self else {
            return refuse(
                object.context == nil
                    ? .noContext(entity: object.info.name, doing: "deleting")
                    : .foreignObject(entity: object.info.name, key: "", reason: "it belongs to another context and cannot be deleted here"))
        }
        object.prepareForDeletion()
        guard !object.has(ObjectFlag.deleted), object.has(ObjectFlag.registered) else { return }
        markDeleted(object, propagating: true)
    }

    /// The object is realised, so that a save can compare what others did with what it was when it was deleted.
    func markDeleted(_ object: ManagedObject, propagating: Bool) {
        object.fireIfNeeded()
        object.set(ObjectFlag.deleted)
        object._table.noteRowsChange()
        if propagating { object.set(CellFlag.deletionPending) }
        list(object)
        event.deleted.append(object)
        noteTurn()
    }

    /// Reaches related objects of everything deleted, and what that deletes in turn; objects never saved vanish.
    ///
    /// - Parameter earlier: objects deleted in events that have ended without reaching anything.
    func propagateDeletions(of earlier: [ManagedObject] = []) {
        var vanishing: [ManagedObject] = []
        func propagate(_ object: ManagedObject) {
            guard object.has(CellFlag.deletionPending) else { return }
            object.clear(CellFlag.deletionPending)
            propagateDeletion(of: object)
            if object.isInserted { vanishing.append(object) }
        }
        earlier.forEach(propagate)
        var place = 0
        while place < event.deleted.count {
            propagate(event.deleted[place])
            place += 1
        }
        // Not before: what a cascade reaches looks its owner up by id, and has to find this instance.
        vanishing.forEach(vanish)
    }

    /// Takes an object that the store does not have out of the context. It says that it is deleted meanwhile, so that hooks relate nothing to it.
    func vanish(_ object: ManagedObject) {
        object.set(ObjectFlag.deleted)
        object._table.vanishedEnd = max(object._table.vanishedEnd, Int(object._row) + 1)
        object.leave()
        object.clear(ObjectFlag.inserted | ObjectFlag.updated | ObjectFlag.deleted)
    }
}

extension ManagedObject {
    /// Leaves the context with its last values, packed ones included.
    final func leave() {
        guard has(ObjectFlag.registered) else { return }
        _table.openInboxes()
        let wasAwake = !has(ObjectFlag.fault)
        if wasAwake { willTurnIntoFault() }
        // The hook that follows may empty the class's own fields; undo puts these values back into them.
        if info.hasAccessors, wasAwake {
            for (number, accessor) in info.accessors.enumerated() where info.properties[number].kind != .packed {
                if let accessor { data.values[number] = accessor.get(self) }
            }
        }
        for (lane, number) in info.laneProperties.enumerated() { data.values[number] = packedValue(lane) }
        if !info.laneProperties.isEmpty {
            if let overlay = _table.chunks.overlay(_table.chunkIndex(of: _row)) { overlay.takeBase(slot) }
            set(ObjectFlag.slow)
        }
        _table.unregister(self)
        _table.noteRowsChange()
        set(CellFlag.missing)
        if wasAwake { didTurnIntoFault() }
        if has(CellFlag.observed) { dropObservers() }
    }

    /// Comes back into the context it left, with the values it left with, as something to save.
    final func rejoin() {
        let values = info.laneProperties.map { _data?.values[$0] }
        clear(ObjectFlag.slow | ObjectFlag.fault)
        clear(.missing)
        _table.register(self)
        _table.noteNewRow(_row)
        defer { writeFields() }
        guard !info.laneProperties.isEmpty else { return }
        _ = _table.place(of: _row)
        let overlay = _table.overlay(for: self)
        overlay.dirty[slot] = true
        for (lane, number) in info.laneProperties.enumerated() {
            data.values[number] = nil
            info.geometry.setValue(overlay.writable(), lane, slot, values[lane] ?? info.properties[number].defaultValue)
        }
    }
}
