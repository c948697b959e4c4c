public import GrabenLog

extension ManagedObjectContext {
    /// Calls `handler` after every save of this context with the ids of what was saved, until the token is given to `removeHandler(_:)`.
    ///
    /// The ids are `Sendable`: send them to another context and merge them there; its objects are never this one's.
    @discardableResult
    public func onDidSave(_ handler: @escaping (ContextSave) -> Void) -> HandlerToken {
        nextToken += 1
        saveHandlers.append((nextToken, handler))
        return HandlerToken(number: nextToken)
    }

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
        for id in save.updated {
            guard let object = registeredObject(for: id), !object.isFault else { continue }
            object.rebaseOnSnapshot(events: .merge)
        }
        for id in save.deleted {
            guard let object = registeredObject(for: id), !object.isInserted else { continue }
            object.fireIfNeeded()
            object.leaveDeleted()
        }
        noteForResults((save.updated + save.deleted).compactMap { registeredObject(for: $0) })
        resultWatch.catchUp()
    }

    func notifySaved(_ save: ContextSave) {
        guard !save.isEmpty else { return }
        for (_, handler) in saveHandlers { handler(save) }
    }
}

/// What one save of a context saved, by ids.
public struct ContextSave: Sendable, Equatable {
    /// Objects that were new.
    public var inserted: [ObjectID] = []
    /// Objects that were changed.
    public var updated: [ObjectID] = []
    /// Objects that were deleted.
    public var deleted: [ObjectID] = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    static func += (all: inout ContextSave, other: ContextSave) {
        all.inserted += other.inserted
        all.updated += other.updated
        all.deleted += other.deleted
    }
}
