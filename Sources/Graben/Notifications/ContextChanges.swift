public import GrabenLog

/// What changed in a context during an event, by ids.
public struct ContextChanges: Sendable, Equatable {
    /// Objects that came into being.
    public var inserted: [ObjectID] = []
    /// Objects with changed properties, inserted and deleted ones not counted.
    public var updated: [ObjectID] = []
    /// Objects that were deleted.
    public var deleted: [ObjectID] = []
    /// Objects that took values from the store: refreshed or merged.
    public var refreshed: [ObjectID] = []
    /// Objects whose packed values changed, faults included: what a drawing has to draw anew.
    public var moved: [ObjectID] = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && moved.isEmpty }

    /// Adds what came later, as if both had been one event: what came and went is neither, what went and came again has changed.
    mutating func join(_ later: ContextChanges) {
        let (gone, back) = IDJoin.join(&inserted, &deleted, later.inserted, later.deleted)
        let new = Set(inserted)
        func add(_ list: inout [ObjectID], _ more: [ObjectID]) {
            list = IDJoin.union(list, more).filter { !gone.contains($0) && !new.contains($0) }
        }
        add(&updated, later.updated + back)
        add(&refreshed, later.refreshed)
        moved = IDJoin.union(moved, later.moved + back).filter { !gone.contains($0) }
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

    /// Adds what was saved later, as if both had been one save.
    mutating func join(_ later: ContextSave) {
        let (gone, back) = IDJoin.join(&inserted, &deleted, later.inserted, later.deleted)
        let new = Set(inserted)
        updated = IDJoin.union(updated, later.updated + back).filter { !gone.contains($0) && !new.contains($0) }
    }
}

/// Lists of ids put together. Complexity: O(ids).
private enum IDJoin {
    static func union(_ list: [ObjectID], _ more: [ObjectID]) -> [ObjectID] {
        if more.isEmpty { return list }
        var seen = Set(list)
        return list + more.filter { seen.insert($0).inserted }
    }

    /// Joins insertions and deletions; answers what is gone, and what went and came back.
    static func join(
        _ inserted: inout [ObjectID], _ deleted: inout [ObjectID], _ laterInserted: [ObjectID], _ laterDeleted: [ObjectID]
    ) -> (gone: Set<ObjectID>, back: [ObjectID]) {
        if laterInserted.isEmpty, laterDeleted.isEmpty { return ([], []) }
        let gone = Set(laterDeleted)
        let wasDeleted = Set(deleted)
        let back = laterInserted.filter { wasDeleted.contains($0) && !gone.contains($0) }
        let isBack = Set(back)
        let neverThere = Set(inserted).union(laterInserted).intersection(gone).subtracting(wasDeleted)
        inserted = union(inserted, laterInserted).filter { !gone.contains($0) && !isBack.contains($0) }
        deleted = union(deleted, laterDeleted).filter { !neverThere.contains($0) && !isBack.contains($0) }
        return (gone, back)
    }
}
