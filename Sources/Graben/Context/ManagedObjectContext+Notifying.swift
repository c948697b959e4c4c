extension ManagedObjectContext {
    // MARK: Handlers

    /// Calls `handler` at the end of every event that changed something, and after a refresh or merge took something in, until the token it
    /// answers is cancelled or released.
    ///
    /// A handler may do anything with the context. What it does is told after every handler has heard of what it was told itself, so all
    /// hear of everything in the order in which it happened, and none is called inside another. Handlers that answer each notification with
    /// another change are stopped after a thousand of them, with `GrabenError.endlessNotifications`.
    public func onDidChange(_ handler: @escaping (ContextChanges) -> Void) -> NotificationToken { notifier.changes.add(handler) }

    /// Calls `handler` before a save that has something to save, with the ids of what has changed so far, until the token is cancelled or
    /// released.
    ///
    /// It comes before the objects' `willSave()`, and before validation; what a handler changes is saved too. A save inside it is
    /// `GrabenError.nestedSave`. A save that fails afterwards, or that a merge policy tries again, has called it once.
    public func onWillSave(_ handler: @escaping (ContextSave) -> Void) -> NotificationToken { notifier.comingSaves.add(handler) }

    /// Calls `handler` after every save of this context with the ids of what was saved, until the token is cancelled or released.
    ///
    /// The ids are `Sendable`: send them to another context and merge them there; its objects are never this one's. A handler may change and
    /// save; see `onDidChange(_:)` for the order in which that is told.
    public func onDidSave(_ handler: @escaping (ContextSave) -> Void) -> NotificationToken { notifier.saves.add(handler) }

    // MARK: Sequences

    /// What changes in the context from now on, event by event.
    public var changes: ContextNotifications<ContextChanges> { ContextNotifications(mailbox: notifier.makeChangeBox()) }

    /// What the context saves from now on, save by save. `PersistentContainer.transactions(since:)` tells what anyone saves.
    public var saves: ContextNotifications<ContextSave> { ContextNotifications(mailbox: notifier.makeSaveBox()) }

    // MARK: Merging

    /// Takes in what another context saved: the snapshot advances, inserted objects come in as faults, changed ones that are realised here
    /// take the saved values under their own changes, deleted ones are deleted. A child context takes what its parents have.
    ///
    /// Ids of stores that this context does not read are left out. Complexity: O(commits since the snapshot + ids).
    public func mergeChanges(from save: ContextSave) {
        guard !isClosed else { return }
        processPendingChanges()
        if parent == nil { advanceSnapshots(merging: true) }
        for id in save.inserted where table(for: id) != nil { _ = object(with: id) }
        guard parent != nil else { return }
        settling {
            for id in save.updated {
                guard let object = registeredObject(for: id), !object.isFault else { continue }
                object.rebaseOnSnapshot(events: .merge)
            }
            for id in save.deleted {
                guard let object = registeredObject(for: id), !object.isInserted else { continue }
                object.fireIfNeeded()
                object.leaveDeleted()
            }
        }
        noteForResults((save.updated + save.deleted).compactMap { registeredObject(for: $0) })
        resultWatch.catchUp()
    }

    // MARK: Telling

    func notify(_ changes: ContextChanges) {
        guard !changes.isEmpty, notifier.hearsChanges else { return }
        if !notifier.post(.changed(changes)) { report(.endlessNotifications) }
    }

    func notifySaved(_ save: ContextSave) {
        guard !save.isEmpty, notifier.hearsSaves else { return }
        if !notifier.post(.saved(save)) { report(.endlessNotifications) }
    }

    /// Tells handlers of a save that is to begin, and ends the event of what they changed.
    func notifyComingSave() {
        guard !notifier.comingSaves.isEmpty else { return }
        let save = summary(of: changed.filter { $0.hasChanges && $0.has(ObjectFlag.registered) })
        guard !save.isEmpty || hasLooseRows else { return }
        notifier.comingSaves.deliver(save)
        _ = endEventOfHooks()
    }
}
