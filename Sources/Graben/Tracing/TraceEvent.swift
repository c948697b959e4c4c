public import GrabenLog

/// What a context tells its `traceHandler`: what it did that reads or writes a store, and how long that took.
public enum TraceEvent: Sendable {
    /// A request was run: a fetch, a count, or a fetched property's.
    case fetch(FetchTrace)
    /// A save has ended.
    case save(SaveTrace)
    /// An object's fault fired; `isMissing` where there was no record.
    case fault(ObjectID, isMissing: Bool)
    /// The context moved over commits of others.
    case merge(MergeTrace)
    /// A commit of the context waited for so many syncs of its store; 0 where another commit's sync took it along.
    case sync(store: UInt32, syncs: Int)
}

/// One request that was run.
public struct FetchTrace: Sendable {
    /// The entity.
    public var entity: String
    /// The predicate in the format language; nil where there is none.
    public var predicate: String?
    /// How many objects it found, after its window.
    public var count: Int
    /// How it was run, in words; nil where nobody noted that.
    public var plan: String?
    /// How long it took.
    public var duration: Duration
    /// Why it failed.
    public var failure: String?
}

/// One save that has ended.
public struct SaveTrace: Sendable {
    /// How many objects were new.
    public var inserted: Int
    /// How many objects were changed.
    public var updated: Int
    /// How many objects were deleted.
    public var deleted: Int
    /// How many commits it wrote: one for each store; none where there was nothing to save, or in a child context.
    public var commits: Int
    /// How often it waited for a disk.
    public var syncs: Int
    /// How long it took, hooks, validation and syncs included.
    public var duration: Duration
    /// Why it failed.
    public var failure: String?
}

/// A move of a context over commits of others.
public struct MergeTrace: Sendable {
    /// The store's number.
    public var store: UInt32
    /// The commit the context read before.
    public var from: UInt64
    /// The commit it reads now.
    public var to: UInt64
    /// Whether realised objects took in what changed.
    public var isMerging: Bool
    /// How many realised objects took something in.
    public var refreshed: Int
}
