import GrabenLog
import GrabenPredicate

/// What a fetch asks of one entity of one store: which rows of a snapshot match, in which order, at most how many.
///
/// A row's own values are always the snapshot's: rows of which a context has others are left out here and looked at by `FetchExecution`. What key
/// paths lead to is read as the context has it, where `includesPending` says so.
struct StoreQuery {
    let context: ManagedObjectContext
    let stored: StoredEntity
    let snapshot: LogSnapshot
    /// nil for every row.
    let predicate: BoundPredicate?
    /// nil for the order of rows, which is that of ids.
    let order: BoundSortOrder?
    /// Rows to leave out.
    let excluded: Set<Row>
    /// Whether unsaved changes of other objects count, where a key path leads to them.
    let includesPending: Bool
    /// How many rows the caller needs of the beginning of the order, at least 1.
    let limit: Int
    /// Whether the caller has to put rows of several queries in order.
    let needsKeys: Bool
    /// Answers true where nobody waits for the result any more; asked now and then.
    let isCancelled: () -> Bool
}

/// What a store answers.
struct StoreRows {
    /// In the query's order, equal ones by row; at most `limit`.
    var rows: [Row] = []
    /// What each row is ordered by; empty unless the query needs keys and has an order.
    var keys: [[Value]] = []
}
