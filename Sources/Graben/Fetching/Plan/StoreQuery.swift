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

extension StoreQuery {
    /// The rows that match. Errors of a row that the window does not reach may stay unseen.
    func storeRows() throws(GrabenError) -> StoreRows {
        let cursor = RowCursor(context: context, stored: stored, snapshot: snapshot, includesPending: includesPending)
        var found: [(row: Row, keys: [Value])] = []
        // Without an order the scan can end when the window is full.
        let enough = order == nil ? limit : Int.max
        try forEachRow(cursor) { row throws(ObjectPredicateError) in
            if let predicate, !(try predicate.evaluate(cursor)) { return true }
            found.append((row, try order?.values(of: cursor) ?? []))
            return found.count < enough
        }
        guard let order else { return StoreRows(rows: found.map(\.row)) }
        found.sort { a, b in
            let comparison = order.compare(a.keys, b.keys)
            return comparison == 0 ? a.row < b.row : comparison < 0
        }
        if found.count > limit { found.removeSubrange(limit...) }
        return StoreRows(rows: found.map(\.row), keys: needsKeys ? found.map(\.keys) : [])
    }

    /// How many rows match, whatever the limit.
    func storeCount() throws(GrabenError) -> Int {
        let cursor = RowCursor(context: context, stored: stored, snapshot: snapshot, includesPending: includesPending)
        guard let predicate else { return snapshot.liveCount(stored.code) - excluded.count { snapshot.contains(stored.code, $0) } }
        var count = 0
        try forEachRow(cursor) { _ throws(ObjectPredicateError) in
            if try predicate.evaluate(cursor) { count += 1 }
            return true
        }
        return count
    }

    /// Calls `body` with the rows that are not left out, ascending, the cursor on each, until it answers false.
    private func forEachRow(_ cursor: RowCursor, _ body: (Row) throws(ObjectPredicateError) -> Bool) throws(GrabenError) {
        var untilAsked = Self.rowsBetweenQuestions
        try snapshot.forEachLiveRow(stored.code) { row throws(GrabenError) in
            untilAsked -= 1
            if untilAsked == 0 {
                if isCancelled() { throw .cancelled(what: "fetching \(stored.info.name)") }
                untilAsked = Self.rowsBetweenQuestions
            }
            if !excluded.isEmpty, excluded.contains(row) { return true }
            cursor.move(to: row)
            do throws(ObjectPredicateError) { return try body(row) } catch { throw .predicate(error) }
        }
    }

    private static let rowsBetweenQuestions = 4096
}
