import GrabenLog

extension ManagedObjectContext {
    // MARK: Taking changes back

    /// Takes back everything since the last save: new objects leave, deleted ones return, changed ones have their saved values again. The
    /// undo stack is emptied.
    ///
    /// Complexity: O(changed objects); reads nothing from the store.
    public func rollback() {
        processPendingChanges()
        noteForResultsBeforeRollback()
        settling {
            forgetEvent()
            let objects = changed
            changed = []
            pendingKeys = []
            for object in objects {
                object.clear(ObjectFlag.listed)
                guard object.has(ObjectFlag.registered) else { continue }
                guard !object.isInserted else {
                    leaveSoon(object)
                    continue
                }
                object.clear(ObjectFlag.deleted)
                object.clear(.deletionPending)
                object.discardChanges(events: .rollback)
            }
            forEachTable { table in
                for (index, overlay) in table.chunks.overlays.enumerated() {
                    guard let overlay else { continue }
                    overlay.dirty.forEach { slot in
                        // New objects leave with what they have.
                        guard table.registered(row(chunk: index, slot: slot, in: table))?.isInserted != true else { return }
                        overlay.restore(slot)
                    }
                }
                table.hasLooseRows = false
                table.referenceColumns = [:]
                table.chunks.dropRedundantOverlays()
            }
            dropFetchedCaches()
            refusals = []
            watched = []
            settleRows()
            undoManager?.removeAllActions(of: self)
        }
        sweepIfWorthwhile()
        resultWatch.catchUp()
    }

    /// Drops an event that nobody is told of. Hooks of objects that were let go of may have begun one when the last has ended.
    private func forgetEvent() {
        for object in event.objects {
            object.clear(ObjectFlag.inEvent)
            object.keptData?.event = []
        }
        for object in event.inserted { object.clear(ObjectFlag.newInEvent) }
        for (_, overlay, _) in event.chunks { overlay.event = EventSlots() }
        event = ContextEvent()
    }

    /// Forgets every object and every change, and moves to the newest snapshot. Objects still held answer from the last snapshot, belong to
    /// no context and refuse changes.
    public func reset() {
        tellOfEnd()
        undoManager?.removeAllActions(of: self)
        let awake = dropAllObjects()
        forEachTable {
            $0.releaseRows()
            $0.context = nil
        }
        lastTable = nil
        tables = [:]
        lastInsert = nil
        if parent == nil {
            for store in coordinator.stores { snapshots[store.number] = store.newestSnapshot }
        }
        forgetLookups()
        resultWatch.note(ResultChange(isReset: true))
        for object in awake { object.didTurnIntoFault() }
        resultWatch.catchUp()
    }

    // MARK: Refreshing

    /// Reads an object anew from the newest commit.
    ///
    /// - Parameter mergeChanges: true re-applies unsaved changes on top of what is read, and keeps transient values; false drops both and
    ///   turns the object into a fault. Either way the results of its fetched properties are dropped.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.context === self else { return report(.noContext(entity: object.info.name, doing: "refreshing")) }
        processPendingChanges()
        if !isPinned { advanceSnapshots(merging: automaticallyMergesChangesFromParent) }
        guard object.has(ObjectFlag.registered) else { return }
        object.dropFetched()
        if mergeChanges {
            object.rebaseOnSnapshot(events: .refresh)
        } else {
            drop(object)
        }
        var changes = ContextChanges()
        changes.refreshed = [object.objectID]
        notify(changes)
        noteForResults([object])
        resultWatch.catchUp()
    }

    /// Makes an object a fault; what was changed of it is lost, by its last hook too.
    private func drop(_ object: ManagedObject) {
        guard !object.isInserted else { return }
        var wasChanged = false
        object.clear(.missing)
        object.turnIntoFault {
            wasChanged = object.hasChanges
            object.giveBackMembers()
            if let data = object._data, !data.open.isEmpty {
                openChangeCount -= data.open.count
                data.open = []
            }
            if !object.info.laneProperties.isEmpty {
                if parent != nil {
                    object.takeParentsPacked()
                } else if let overlay = object._table.chunks.overlay(object._table.chunkIndex(of: object._row)) {
                    overlay.takeBase(object.slot)
                }
            }
            if wasChanged { object._table.noteRowsChange() }
            object.clear(ObjectFlag.updated | ObjectFlag.deleted)
            object.clear(.deletionPending, .stale)
            return true
        }
        if wasChanged { object.leaveDeletedMembers() }
        tracker?.noteChange(object.objectID)
    }

    /// Refreshes every object: clean ones become faults, changed ones keep their changes on top of what is read anew.
    public func refreshAllObjects() {
        processPendingChanges()
        if !isPinned { advanceSnapshots(merging: automaticallyMergesChangesFromParent) }
        forEachTable { table in
            var objects: [ManagedObject] = []
            table.forEachRegistered { objects.append($0) }
            let rebased = Set(objects.filter(\.hasChanges).map(ObjectIdentifier.init))
            settling {
                for object in objects where object.hasChanges {
                    object.dropFetched()
                    object.rebaseOnSnapshot(events: .refresh)
                }
            }
            for object in objects where !rebased.contains(ObjectIdentifier(object)) && object.has(ObjectFlag.registered) {
                object.dropFetched()
                // A hook of one before may have changed it.
                if object.hasChanges { object.rebaseOnSnapshot(events: .refresh) } else { drop(object) }
            }
            if parent != nil { table.bindLentChunksAnew() }
        }
    }

    func dropFetchedCaches() {
        forEachTable { $0.forEachRegistered { $0.dropFetched() } }
    }

    /// Lets the next save fail, or ask the merge policy, where another commit changed or deleted an object that this context only read.
    ///
    /// The object is realised, so that there is something to compare with. An object of another context is left alone.
    public func detectConflicts(for object: ManagedObject) {
        guard object.context === self else { return report(.noContext(entity: object.info.name, doing: "detecting conflicts")) }
        object.fireIfNeeded()
        if !watched.contains(where: { $0 === object }) { watched.append(object) }
    }

    // MARK: Advancing

    /// Moves the context to the newest commit of each store, as a whole.
    func advanceSnapshots(merging: Bool) {
        // A hook that fetches meanwhile reads where the context is.
        guard parent == nil, !isClosed, !isSettling else { return }
        for store in coordinator.stores {
            guard let old = snapshots[store.number] else {
                snapshots[store.number] = store.newestSnapshot
                continue
            }
            let newest = store.newestSnapshot { report($0) }
            if newest !== old { advance(store, from: old, to: newest, merging: merging, skipping: nil) }
        }
        resultWatch.catchUp()
    }

    /// Moves one store's tables from a snapshot to a later one.
    ///
    /// - Parameter own: the commit this context just wrote, whose changes it has already.
    func advance(_ store: PersistentStore, from old: LogSnapshot, to new: LogSnapshot, merging: Bool, skipping own: UInt64?) {
        settling { move(store, from: old, to: new, merging: merging, skipping: own) }
    }

    private func move(_ store: PersistentStore, from old: LogSnapshot, to new: LogSnapshot, merging: Bool, skipping own: UInt64?) {
        var touched = TouchedRows()
        var others = 0
        // After a compaction the same commit has another snapshot, and what follows it is not in that.
        var step = old.commitNumber < new.commitNumber ? old.next : nil
        while let commit = step {
            if commit.commitNumber != own {
                touched.add(commit.changes)
                others += 1
            }
            if commit.commitNumber == new.commitNumber { break }
            step = commit.next
        }
        var changes = ContextChanges()
        var merged: [MergedObject] = []
        var followers = changed.filter { $0.keptData?.toMany.isEmpty == false }
        for case let table? in tables[store.number] ?? [] {
            guard let code = table.stored?.code, let rows = touched.entities[code] else { continue }
            settle(table, rows, merging: merging, own, &merged, &changes)
            guard merging else { continue }
            followers += rows.followed.compactMap { table.registered($0) }.filter { !$0.hasChanges && $0._data?.toMany.isEmpty == false }
        }
        snapshots[store.number] = new
        for case let table? in tables[store.number] ?? [] { table.advance(to: new, discardingOverlays: false) }
        for merge in merged where merge.object.has(ObjectFlag.registered) {
            merge.object.rebaseOnSnapshot(events: .merge, observed: merge.observed)
        }
        for object in followers where object.has(ObjectFlag.registered) { object.rebaseMembers() }
        if tracker != nil {
            for case let table? in tables[store.number] ?? [] {
                if let rows = table.stored.flatMap({ touched.entities[$0.code] }) { noteTrackedRows(table, rows) }
            }
        }
        statistics.mergedCommits += others
        if others > 0 {
            traceHandler?(
                .merge(
                    MergeTrace(
                        store: store.number, from: old.commitNumber, to: new.commitNumber, isMerging: merging, refreshed: merged.count)))
        }
        changes.refreshed = merged.map(\.object.objectID)
        forgetLookups()
        noteForResults(touched, of: store)
        if !changes.isEmpty, notifier.hearsChanges { postponed.changes.append(changes) }
    }

    /// Before the snapshot advances: what must keep its values is bound to them.
    private func settle(
        _ table: ObjectTable, _ rows: TouchedRows.Entity, merging: Bool, _ own: UInt64?, _ merged: inout [MergedObject],
        _ changes: inout ContextChanges
    ) {
        for row in rows.deleted {
            guard let object = table.registered(row), !object.isInserted else { continue }
            // What nobody here has met nobody here misses.
            changes.deleted.append(table.id(row))
            // A fault that was deleted meanwhile fires from the snapshot that still has it.
            object.fireIfNeeded()
            object.bindForGood()
            object.keepLanes()
            object.set(object.hasChanges ? CellFlag.stale : CellFlag.missing)
        }
        for row in rows.inserted {
            changes.inserted.append(table.id(row))
            // An object that said it was deleted is there again: another context took its deletion back.
            guard let object = table.registered(row), object.has(CellFlag.missing) else { continue }
            object.clear(CellFlag.missing)
            merged.append(MergedObject(object))
        }
        for row in rows.updated {
            guard let object = table.registered(row), !object.isFault, object.has(ObjectFlag.registered) else { continue }
            if merging || object.isSaved(by: own) { merged.append(MergedObject(object)) } else { object.stayBehind() }
        }
        for row in rows.moved {
            changes.moved.append(table.id(row))
            guard let object = table.registered(row), !object.isFault else { continue }
            if merging || object.isSaved(by: own) {
                if !rows.updated.contains(row) { merged.append(MergedObject(object)) }
            } else {
                let overlay = table.overlay(for: object)
                if !overlay.dirty[object.slot] { overlay.kept[object.slot] = true }
                object.stayBehind()
            }
        }
    }
}

extension ManagedObject {
    /// Binds a realised object to the record it was read from, before the snapshot goes on without it.
    final func bindForGood() {
        guard !isFault, !isInserted else { return }
        if case .unbound = data.base { _ = bindRecordOrReport() }
    }

    /// Forgets values that were only set to what they were, while the record they were set over is at hand: afterwards they would look like
    /// changes made here.
    final func forgetUnchangedValues() {
        guard !isInserted, let data = keptData, !data.values.isEmpty else { return }
        for number in data.values.properties {
            let property = info.properties[number]
            if property.kind != .transient, data.values[number] == baseValue(property, data) { data.values[number] = nil }
        }
    }

    /// Keeps the values of the commit it was read from, though the snapshot goes on; a save compares with that commit.
    final func stayBehind() {
        bindForGood()
        if !isFault, !isInserted { set(CellFlag.stale) }
    }

    /// Whether the object was saved by a commit of this context that the snapshot has not reached yet.
    final func isSaved(by commit: UInt64?) -> Bool { commit != nil && keptData?.baseCommit == commit }

    /// Another commit deleted the object: it keeps its values and says it is deleted.
    final func leaveDeleted() {
        keepLanes()
        set(CellFlag.missing)
    }

    /// Keeps the packed values it has, though the snapshot goes on without it.
    final func keepLanes() {
        guard !info.laneProperties.isEmpty else { return }
        let overlay = _table.overlay(for: self)
        if !overlay.dirty[slot] { overlay.kept[slot] = true }
    }

    /// Takes the saved values of everything that changed here; unsaved values are lost, observers see them go.
    final func discardChanges(events: SnapshotEvents) {
        let before = observedValues()
        if let data = _data {
            context?.openChangeCount -= data.open.count
            data.open = []
            data.event = []
            data.isTouched = false
            data.values.removeAll()
            data.toMany = []
            dropFetched()
        }
        if !info.laneProperties.isEmpty, let overlay = _table.chunks.overlay(_table.chunkIndex(of: _row)), overlay.dirty[slot] {
            overlay.restore(slot)
        }
        if !_table.referenceColumns.isEmpty { _table.referenceColumns = [:] }
        clear(ObjectFlag.updated | ObjectFlag.inEvent)
        if !isFault { writeFields() }
        tellChange(from: before, events)
    }

    /// Reads the object anew from the context's snapshot, with its unsaved changes on top.
    ///
    /// - Parameter observed: what observers saw before, where the snapshot has advanced since.
    final func rebaseOnSnapshot(events: SnapshotEvents, observed: [(key: String, value: Value)]? = nil) {
        guard !isFault, !isInserted, let context = _table.context else { return }
        let before = observed ?? observedValues()
        let data = data
        let mine = data.values
        // What was read but never changed goes; what was changed here stays.
        var kept = PropertyValues()
        for number in mine.properties {
            let property = info.properties[number]
            guard let value = mine[number] else { continue }
            if property.kind == .transient || value != baseValue(property, data) { kept[number] = value }
        }
        if let parent = context.parent {
            guard let stored = _table.stored else { return }
            let original = parent.object(_row, in: parent.table(stored, info))
            original.fireIfNeeded()
            guard !original.isDeleted else {
                keepLanes()
                if !has(ObjectFlag.deleted) { set(CellFlag.missing) }
                return
            }
            data.base = .values(original.valuesForChild)
            clear(.missing)
        } else {
            let base = data.base
            data.base = .unbound
            if !bindRecordOrReport(), !has(ObjectFlag.deleted) {
                data.base = base
                set(CellFlag.missing)
                return
            }
        }
        data.values = kept
        clear(CellFlag.stale)
        rebaseMembers()
        dropFetched()
        if context.parent != nil { rebasePackedOnParent() } else { rebasePacked() }
        writeFields()
        tellChange(from: before, events)
    }

    /// Puts the parent context's packed values in place; unsaved ones are lost.
    final func takeParentsPacked() {
        guard let values = _table.parentValues(_row) else { return }
        let chunk = _table.chunkIndex(of: _row)
        let isSame = values.indices.allSatisfy { info.geometry.value(_table.chunks.chunk(chunk), $0, slot) == values[$0] }
        guard let overlay = _table.chunks.overlay(chunk) ?? (isSame ? nil : _table.chunks.makeOverlay(chunk)) else { return }
        overlay.earlier[slot] = values
        overlay.restore(slot)
    }

    private final func rebasePackedOnParent() {
        guard !info.laneProperties.isEmpty else { return }
        guard let overlay = _table.chunks.overlay(_table.chunkIndex(of: _row)), overlay.dirty[slot] else { return takeParentsPacked() }
        guard let values = _table.parentValues(_row) else { return }
        for lane in values.indices where info.geometry.value(overlay.data, lane, slot) == overlay.baseValue(lane, slot) {
            info.geometry.setValue(overlay.writable(), lane, slot, values[lane])
        }
        overlay.earlier[slot] = values
    }

    private final func rebasePacked() {
        guard !info.laneProperties.isEmpty, let overlay = _table.chunks.overlay(_table.chunkIndex(of: _row)) else { return }
        guard overlay.dirty[slot] else {
            overlay.takeBase(slot)
            return
        }
        // Lanes changed here keep their value; the others take the snapshot's.
        for lane in info.laneProperties.indices {
            let mine = info.geometry.value(overlay.data, lane, slot)
            if mine == overlay.baseValue(lane, slot) {
                info.geometry.setValue(overlay.writable(), lane, slot, info.geometry.value(overlay.base, lane, slot))
            }
        }
        overlay.earlier[slot] = nil
    }
}

/// An object that takes in what commits of others did, and what its observers see before the snapshot advances: an object of which nothing is
/// kept reads the new values from then on.
private struct MergedObject {
    let object: ManagedObject
    let observed: [(key: String, value: Value)]

    init(_ object: ManagedObject) {
        self.object = object
        observed = object.observedValues()
        object.forgetUnchangedValues()
    }
}
