import GrabenLog
import GrabenModel
import GrabenPredicate

/// Runs one request: scans the rows of the snapshot and the pending objects, sorts, and cuts out the window.
struct FetchExecution {
    let context: ManagedObjectContext
    let info: EntityInfo
    let request: FetchParameters

    func run(variables: [String: PredicateBinding]) throws(GrabenError) -> [ObjectID] {
        guard request.limit >= 0, request.offset >= 0 else {
            throw .invalidRequest(reason: "fetching \(info.name): limit and offset cannot be negative")
        }
        let predicate = try bind(variables)
        let order = try bindSort()
        // Without a sort the scan can end when the window is full.
        let (end, isEndless) = request.offset.addingReportingOverflow(request.limit)
        let enough = order == nil && request.limit > 0 && !isEndless ? end : Int.max
        var found: [(id: ObjectID, keys: [Value])] = []
        let entities = request.includesSubentities ? info.entity.concreteDescendants : info.entity.isAbstract ? [] : [info.index]
        for store in (request.stores ?? context.coordinator.stores).sorted(by: { $0.number < $1.number }) {
            for entity in entities {
                guard let stored = store.stored(entity: entity) else { continue }
                try scan(stored, predicate, order, enough, &found)
            }
        }
        if let order {
            found.sort { a, b in
                let comparison = order.compare(a.keys, b.keys)
                return comparison == 0 ? a.id < b.id : comparison < 0
            }
        }
        let window = found.dropFirst(request.offset)
        return (request.limit > 0 ? window.prefix(request.limit) : window).map(\.id)
    }

    private func bind(_ variables: [String: PredicateBinding]) throws(GrabenError) -> BoundPredicate? {
        guard let predicate = request.predicate else { return nil }
        do { return try predicate.bind(to: context.coordinator.model.schema(of: info.entity), variables: variables) } catch {
            throw .predicate(error)
        }
    }

    private func bindSort() throws(GrabenError) -> BoundSortOrder? {
        guard !request.sort.isEmpty else { return nil }
        do { return try BoundSortOrder(request.sort, schema: context.coordinator.model.schema(of: info.entity)) } catch {
            throw .predicate(error)
        }
    }

    private func scan(
        _ stored: StoredEntity, _ predicate: BoundPredicate?, _ order: BoundSortOrder?, _ enough: Int,
        _ found: inout [(id: ObjectID, keys: [Value])]
    ) throws(GrabenError) {
        guard let snapshot = context.root.snapshot(of: stored) else { return }
        let pending = request.includesPendingChanges ? PendingObjects(context, stored) : PendingObjects()
        let cursor = RowCursor(
            context: context, stored: stored, snapshot: snapshot, includesPending: request.includesPendingChanges)
        // Pending objects stand among the others by id, so that a window without an order is the same one before and after a save.
        var waiting = pending.objects[...]
        func considerPending(before row: Row?) throws(GrabenError) {
            while found.count < enough, let next = waiting.first, row.map({ next.object._row < $0 }) ?? true {
                waiting.removeFirst()
                try consider(next, next.object.objectID, predicate, order, &found)
            }
        }
        try snapshot.forEachLiveRow(stored.code) { row throws(GrabenError) in
            if !pending.isEmpty {
                try considerPending(before: row)
                if pending.rows.contains(row) || found.count >= enough { return found.count < enough }
            }
            cursor.move(to: row)
            try consider(cursor, cursor.id, predicate, order, &found)
            return found.count < enough
        }
        try considerPending(before: nil)
    }

    private func consider(
        _ object: any PredicateObject, _ id: ObjectID, _ predicate: BoundPredicate?, _ order: BoundSortOrder?,
        _ found: inout [(id: ObjectID, keys: [Value])]
    ) throws(GrabenError) {
        do throws(ObjectPredicateError) {
            if let predicate, !(try predicate.evaluate(object)) { return }
            found.append((id, try order?.values(of: object) ?? []))
        } catch { throw .predicate(error) }
    }
}

/// Objects of one entity with unsaved changes, in a context and those above it; the nearest context's say counts.
private struct PendingObjects {
    /// Rows the scan of the snapshot leaves out.
    var rows: Set<Row> = []
    /// Those that exist: inserted and updated ones.
    var objects: [ObjectCursor] = []

    var isEmpty: Bool { rows.isEmpty }

    init() {}

    init(_ context: ManagedObjectContext, _ stored: StoredEntity) {
        context.forEachChanged(of: stored) { object, context in
            rows.insert(object._row)
            if !object.has(ObjectFlag.deleted) { objects.append(ObjectCursor(object, in: context)) }
        }
        objects.sort { $0.object._row < $1.object._row }
    }
}
