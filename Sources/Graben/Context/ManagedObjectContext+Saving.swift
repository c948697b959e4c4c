import GrabenLog
import GrabenModel

extension ManagedObjectContext {
    /// Saves every change: of a root context in one commit for each store, of a child into its parent.
    ///
    /// Everything is validated first and every failure is reported at once; whatever fails, all changes stay as they are. With nothing to
    /// save nothing is written. With full durability the commit is on the disk when the call returns. Stores are committed one after the
    /// other: changes that span several stores are not one transaction.
    ///
    /// What another commit changed too, or what is not unique, is decided by `mergePolicy`.
    ///
    /// - Throws: `GrabenError.validation`, `.conflict`, `.store`, `.unbalancedChange`, `.endlessWillSave`, `.nestedSave`, and the error of a
    ///   change that was refused since the last save.
    public func save() throws(GrabenError) {
        checkOwner()
        try tracedSave { () throws(GrabenError) in try performSave() }
    }

    private func performSave() throws(GrabenError) -> ContextSave {
        guard !isClosed else { throw .noContext(entity: "context", doing: "saving") }
        guard !isSaving else { throw .nestedSave }
        processPendingChanges()
        propagateDeletions(of: propagatesDeletesAtEndOfEvent ? [] : changed.filter { $0.has(CellFlag.deletionPending) })
        processPendingChanges()
        if let refusal = refusals.first {
            refusals = []
            throw refusal
        }
        var payload = ContextSave()
        do {
            let standing = resultWatch.isUsed ? changed.filter { !$0.has(ObjectFlag.deleted) } : []
            let saved = try saveChanged(&payload)
            if !saved.isEmpty { statistics.saves += 1 }
            if coordinator.hasSavingHooks {
                for object in saved { object.didSave() }
            }
            noteForResults(lost: standing)
        }
        notifySaved(payload)
        // Nothing here holds the saved objects any more, so that those nobody else holds are let go.
        processPendingChanges()
        return payload
    }

    /// Writes the changes and answers the objects that were saved. Hooks and validation run meanwhile; they cannot save.
    ///
    /// Conflicts are decided by the merge policy, and what that made of the objects is validated and tried again.
    private func saveChanged(_ payload: inout ContextSave) throws(GrabenError) -> [ManagedObject] {
        isSaving = true
        defer { isSaving = false }
        notifyComingSave()
        var saved: [ManagedObject] = []
        var hooked = changed
        var decisions = 0
        while true {
            let valid = try prepareToSave(hooked)
            guard !valid.isEmpty || hasLooseRows else {
                delistClean()
                break
            }
            do throws(GrabenError) {
                // What hooks change from here on belongs to the next save.
                try settling { () throws(GrabenError) in
                    let objects = derive(valid)
                    if let parent {
                        let save = summary(of: objects)
                        try push(objects, to: parent)
                        payload += save
                        saved += objects
                    } else {
                        try commit(objects, &saved, &payload)
                    }
                }
                break
            } catch {
                defer { conflictSnapshots = [:] }
                // A race lost to another commit is that one's progress, and no reason to give up; decisions that lead to conflicts again are.
                if !isOvertaken { decisions += 1 }
                guard case .conflict(let conflicts) = error, decisions <= Self.resolutionLimit, try resolve(conflicts) else { throw error }
                hooked = endEventOfHooks()
            }
        }
        watched = []
        return saved
    }

    /// What handlers are told of a save of these objects.
    func summary(of objects: [ManagedObject]) -> ContextSave {
        var save = ContextSave()
        if !notifier.hearsSaves, traceHandler == nil { return save }
        for object in objects {
            if object.has(ObjectFlag.deleted) {
                if !object.isInserted { save.deleted.append(object.objectID) }
            } else if object.isInserted {
                save.inserted.append(object.objectID)
            } else {
                save.updated.append(object.objectID)
            }
        }
        return save
    }

    /// Runs hooks and validation until neither changes anything any more, and answers what is to be saved.
    private func prepareToSave(_ first: [ManagedObject]) throws(GrabenError) -> [ManagedObject] {
        var hooked = first
        var objects: [ManagedObject] = []
        var round = 0
        repeat {
            round += 1
            if round > 100, let object = hooked.first {
                throw .endlessWillSave(entity: object.info.name, uri: object.objectID.uriRepresentation)
            }
            try runWillSave(hooked)
            try checkOpenChanges()
            objects = changed
            if !changed.allBorrowed({ $0.hasChanges && $0.has(ObjectFlag.registered) }) {
                objects = changed.filter { $0.hasChanges && $0.has(ObjectFlag.registered) }
            }
            guard !objects.isEmpty else { return [] }
            if coordinator.hasAccessors {
                for object in objects where object.info.hasAccessors && !object.has(ObjectFlag.deleted) { object.takeFields() }
            }
            try validate(objects)
            // What a validation changed has to reach related objects, and be valid itself.
            hooked = endEventOfHooks()
        } while !hooked.isEmpty
        return objects
    }

    /// Runs `willSave` until no hook changes anything any more.
    private func runWillSave(_ objects: [ManagedObject]) throws(GrabenError) {
        var round = 0
        var pending = objects
        while true {
            if coordinator.hasSavingHooks {
                for object in pending where object.hasChanges && object.has(ObjectFlag.registered) { object.willSave() }
            }
            pending = endEventOfHooks()
            guard pending.contains(where: { $0.hasChanges && $0.has(ObjectFlag.registered) }) else { return }
            round += 1
            if round > 100, let object = pending.first(where: { $0.hasChanges && $0.has(ObjectFlag.registered) }) {
                throw .endlessWillSave(entity: object.info.name, uri: object.objectID.uriRepresentation)
            }
        }
    }

    /// Ends the event and answers what hooks changed: what it holds.
    func endEventOfHooks() -> [ManagedObject] {
        propagateDeletions()
        let changed = event.objects + event.inserted + event.deleted
        processPendingChanges()
        return changed
    }

    private func checkOpenChanges() throws(GrabenError) {
        guard openChangeCount > 0 else { return }
        var found: GrabenError?
        forEachTable { table in
            table.forEachRegistered { object in
                guard found == nil, let open = object._data?.open.first else { return }
                found = .unbalancedChange(
                    entity: object.info.name, key: object.info.properties[open.property].name, uri: object.objectID.uriRepresentation,
                    reason: "willChangeValue(forKey:) without its didChangeValue(forKey:); end the change and save again")
            }
        }
        if let found { throw found }
    }

    // MARK: Into the store

    private func commit(
        _ objects: [ManagedObject], _ saved: inout [ManagedObject], _ payload: inout ContextSave
    ) throws(GrabenError) {
        var byStore: [UInt32: [ManagedObject]] = [:]
        if let only = coordinator.stores.first, coordinator.stores.count == 1 {
            if !objects.isEmpty { byStore[only.number] = objects }
        } else {
            for object in objects { byStore[object._table.storeNumber, default: []].append(object) }
        }
        forEachTable { table in
            if table.hasLooseRows, let stored = table.stored { byStore[stored.storeNumber, default: []] += [] }
        }
        for store in coordinator.stores {
            guard let objects = byStore[store.number], let base = snapshots[store.number] else { continue }
            guard !store.configuration.isReadOnly else {
                throw .readOnly(what: store.configuration.path, reason: "the store was opened read-only")
            }
            let save = summary(of: objects)
            try commit(objects, to: store, base)
            payload += save
            if saved.isEmpty { saved = objects } else { saved += objects }
        }
    }

    private func commit(_ objects: [ManagedObject], to store: PersistentStore, _ base: LogSnapshot) throws(GrabenError) {
        let syncsBefore = store.log.statistics.syncs
        let writer = CommitWriter(context: self, store: store, objects: objects)
        let snapshot: LogSnapshot
        do {
            (_, snapshot) = try store.log.commit(author: transactionAuthor) {
                (newest: LogSnapshot, commit: inout CommitBuilder) throws(GrabenError) in
                let conflicts = try ConflictCheck(context: self, store: store, base: base, newest: newest).conflicts(objects)
                guard conflicts.isEmpty else {
                    conflictSnapshots[store.number] = newest
                    throw .conflict(conflicts)
                }
                try writer.write(newest, &commit)
            }
        } catch {
            writer.offered.takeBack()
            throw GrabenError(error)
        }
        // Its chunks are bound before the tables have moved onto it or a later one.
        defer { withExtendedLifetime(snapshot) {} }
        let own = snapshot.commitNumber
        if snapshot !== base {
            statistics.commits += 1
            let syncs = Int(store.log.statistics.syncs - syncsBefore)
            statistics.syncs += syncs
            traceHandler?(.sync(store: store.number, syncs: syncs))
        }
        let stale = objects.unlessAll { !($0.has(ObjectFlag.cell) && $0.has(CellFlag.stale) && !$0.has(ObjectFlag.deleted)) }
        // Only where other commits came before or after does an object have to know which one it was saved by.
        let newest = store.newestSnapshot
        let isAlone = own <= base.commitNumber + 1 && newest.commitNumber <= own
        writer.offered.settle(in: snapshot, isAlone: isAlone)
        settleSaved(objects, in: store, at: own, isAlone: isAlone)
        advance(store, from: base, to: newest, merging: automaticallyMergesChangesFromParent, skipping: own)
        for object in stale where object.has(ObjectFlag.registered) { object.rebaseOnSnapshot(events: .merge) }
    }

    /// The saved objects are clean: what they hold is what the store has.
    private func settleSaved(_ objects: [ManagedObject], in store: PersistentStore, at commit: UInt64, isAlone: Bool) {
        // Whether there is nothing else that could be new.
        let isEverything = objects.count == changed.count
        var others: [ManagedObject] = []
        var leaving: [ManagedObject] = []
        objects.forEachBorrowed { object in
            let isLean = !object.has(ObjectFlag.deleted) && (!object.has(ObjectFlag.cell) || object.isFresh)
            guard isAlone, isLean else { return others.append(object) }
            // Its values are forgotten with those of its chunk, or lie in columns only.
            object.clear(ObjectFlag.updated | ObjectFlag.listed | ObjectFlag.inserted)
            object.withTable { $0.sinceSweep += 1 }
        }
        // What waits in an inbox is saved as references; objects that leave would put it into the states of those that are settled.
        for case let table? in tables[store.number] ?? [] {
            table.dropInboxes()
            if isAlone { table.settleFresh(isEverything: isEverything) }
        }
        for object in others {
            let wasDeleted = object.has(ObjectFlag.deleted)
            object.clear(ObjectFlag.updated | ObjectFlag.listed | ObjectFlag.inserted)
            if object.has(ObjectFlag.cell) { object.clear(.stale) }
            object.withTable { $0.sinceSweep += 1 }
            guard !wasDeleted else {
                object.bindForGood()
                let isHeard = object.info.hooks.contains(.faulting)
                // Its last hook may read them, when the store does not have them any more.
                if isHeard || undoManager != nil { object.keepMembersOfItsOwn() }
                if isHeard {
                    leaving.append(object)
                } else {
                    object.leave()
                    object.clear(ObjectFlag.deleted | ObjectFlag.listed)
                }
                continue
            }
            guard let data = isAlone ? object._data : object.data else { continue }
            if isAlone, data.isUseless(hasTransients: object.withTable { $0.info.hasTransients }) {
                object._data = nil
                continue
            }
            data.values = object.transientValues
            data.base = .unbound
            data.baseCommit = commit
            data.toMany = []
            data.isTouched = false
        }
        // Rows moved without an object (a bulk edit) are saved with the rest of their chunk.
        for case let table? in tables[store.number] ?? [] {
            for case let overlay? in table.chunks.overlays { overlay.settleAll() }
            table.hasLooseRows = false
            table.vanishedEnd = 0
        }
        for object in leaving {
            object.keepLanes()
            leaveSoon(object)
        }
        delistClean()
        settleRows()
    }

    /// Which tables still have rows that only this context knows of, or has deleted.
    func settleRows() {
        forEachTable {
            $0.hasPendingRows = false
            $0.newRowEnd = 0
        }
        for object in changed where object.has(ObjectFlag.registered) && (object.isInserted || object.has(ObjectFlag.deleted)) {
            object._table.hasPendingRows = true
            if object.isInserted { object._table.newRowEnd = max(object._table.newRowEnd, Int(object._row) + 1) }
        }
    }
}
