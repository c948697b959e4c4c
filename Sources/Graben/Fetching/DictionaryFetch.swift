import GrabenLog
import GrabenModel
import GrabenPredicate

/// Runs a request for dictionaries: columns of objects, or of groups of them.
///
/// What is saved counts and nothing else (S85): the objects' values are read from the snapshot.
struct DictionaryFetch {
    let context: ManagedObjectContext
    let info: EntityInfo
    var request: FetchParameters
    let variables: [String: PredicateBinding]
    var isCancelled: () -> Bool = { false }

    /// A bound column; the first ones are those of the result, the others help with groups, order and `havingPredicate`.
    struct Column {
        let name: String
        let bound: BoundColumn
        let expression: ObjectExpression
        let declared: FetchColumn?
    }

    func run() throws(GrabenError) -> [FetchedDictionary] {
        context.checkOwner()
        return try context.traced(info.name, request.predicate?.format, count: { $0.count }) { () throws(GrabenError) in try rows() }
    }

    private func rows() throws(GrabenError) -> [FetchedDictionary] {
        var plan = try DictionaryPlan(self)
        let rows = plan.isGrouped ? try groups(&plan) : try objects(&plan)
        let names = plan.visible.map(\.name)
        return rows.map { FetchedDictionary(names: names, values: Array($0.prefix(names.count))) }
    }

    func bind(_ expression: ObjectExpression, isDistinct: Bool = false) throws(GrabenError) -> BoundColumn {
        do {
            return try BoundColumn(
                expression, isDistinct: isDistinct, schema: context.coordinator.model.schema(of: info.entity), variables: variables)
        } catch { throw .predicate(error) }
    }

    // MARK: One row for each object

    private func objects(_ plan: inout DictionaryPlan) throws(GrabenError) -> [[Value]] {
        var inner = request
        inner.includesPendingChanges = false
        // Where the stores can put objects in order, they need not hand out more than the window.
        let isSortedByStores = plan.ordersByObjects
        let hasWindowAfter = request.isDistinct || !isSortedByStores
        if hasWindowAfter { (inner.limit, inner.offset) = (0, 0) }
        if !isSortedByStores {
            inner.sort = []
            for descriptor in request.sort { try plan.addOrder(descriptor, self) }
        }
        let ids = try execution(inner).run(variables: variables)
        var cursors = StoreCursors(context)
        var rows: [[Value]] = []
        rows.reserveCapacity(ids.count)
        for id in ids {
            guard let cursor = try cursors.cursor(for: id) else { continue }
            var values: [Value] = []
            values.reserveCapacity(plan.columns.count)
            for column in plan.columns {
                values.append(try typed(column, try read { () throws(ObjectPredicateError) in try column.bound.value(of: cursor) }))
            }
            rows.append(values)
        }
        if !isSortedByStores { sort(&rows, plan) }
        if request.isDistinct { rows = distinct(rows, plan.visible.count) }
        return hasWindowAfter ? window(rows) : rows
    }

    // MARK: One row for each group

    private struct Group {
        var keys: [Value]
        let first: ObjectID?
        var totals: [BoundColumn.Totals]
    }

    private func groups(_ plan: inout DictionaryPlan) throws(GrabenError) -> [[Value]] {
        for descriptor in request.sort { try plan.addOrder(descriptor, self) }
        let having = try plan.having(self)
        var inner = request
        inner.includesPendingChanges = false
        (inner.sort, inner.limit, inner.offset) = ([], 0, 0)
        let ids = try execution(inner).run(variables: variables)
        var cursors = StoreCursors(context)
        var groups: [Group] = []
        var places: [RowKey: Int] = [:]
        let begin = plan.columns.map { $0.bound.begin() }
        // Without a key all objects are one group, even where there are none.
        if plan.keys.isEmpty { groups.append(Group(keys: [], first: nil, totals: begin)) }
        for id in ids {
            guard let cursor = try cursors.cursor(for: id) else { continue }
            var place = 0
            if !plan.keys.isEmpty {
                var keys: [Value] = []
                for key in plan.keys { keys.append(try read { () throws(ObjectPredicateError) in try key.bound.value(of: cursor) }) }
                let key = RowKey(keys)
                if let known = places[key] {
                    place = known
                } else {
                    place = groups.count
                    places[key] = place
                    groups.append(Group(keys: keys, first: id, totals: begin))
                }
            }
            for (number, column) in plan.columns.enumerated() where column.bound.isAggregate {
                try read { () throws(ObjectPredicateError) in try column.bound.add(cursor, to: &groups[place].totals[number]) }
            }
        }
        var rows: [[Value]] = []
        for group in groups {
            var values: [Value] = []
            for (number, column) in plan.columns.enumerated() {
                if let key = plan.keys.firstIndex(where: { $0.expression == column.expression }) {
                    values.append(try typed(column, group.keys[key]))
                } else {
                    var first: RowCursor?
                    if let id = group.first { first = try cursors.cursor(for: id) }
                    values.append(
                        try typed(
                            column,
                            try read { () throws(ObjectPredicateError) in try column.bound.value(of: group.totals[number], first: first) }))
                }
            }
            if let having, !(try read { () throws(ObjectPredicateError) in try having.evaluate(RowObject(plan.schema, values)) }) {
                continue
            }
            rows.append(values)
        }
        sort(&rows, plan)
        if request.isDistinct { rows = distinct(rows, plan.visible.count) }
        return window(rows)
    }

    // MARK: Parts

    private func execution(_ parameters: FetchParameters) -> FetchExecution {
        FetchExecution(context: context, info: info, request: parameters, isCancelled: isCancelled)
    }

    private func typed(_ column: Column, _ value: Value) throws(GrabenError) -> Value {
        try column.declared?.typed(value, entity: info.name) ?? value
    }

    private func read<R>(_ body: () throws(ObjectPredicateError) -> R) throws(GrabenError) -> R {
        do { return try body() } catch { throw .predicate(error) }
    }

    /// Puts rows in order; equal ones keep theirs.
    private func sort(_ rows: inout [[Value]], _ plan: DictionaryPlan) {
        guard !plan.order.isEmpty else { return }
        let sorted = rows.enumerated().sorted { a, b in
            for (descriptor, column) in plan.order {
                let comparison = descriptor.compare(a.element[column], b.element[column])
                if comparison != 0 { return comparison < 0 }
            }
            return a.offset < b.offset
        }
        rows = sorted.map(\.element)
    }

    /// The first of rows that are the same in what the result shows.
    private func distinct(_ rows: [[Value]], _ count: Int) -> [[Value]] {
        var seen: Set<RowKey> = []
        return rows.filter { seen.insert(RowKey(Array($0.prefix(count)))).inserted }
    }

    private func window(_ rows: [[Value]]) -> [[Value]] {
        let rest = rows.dropFirst(request.offset)
        return Array(request.limit > 0 ? rest.prefix(request.limit) : rest)
    }
}

/// One cursor for each entity, moved from row to row.
struct StoreCursors {
    private let context: ManagedObjectContext
    private let includesPending: Bool
    private var cursors: [RowCursor] = []
    private var last = 0

    init(_ context: ManagedObjectContext, includesPending: Bool = false) {
        self.context = context
        self.includesPending = includesPending
    }

    /// The object as the context has it, where unsaved changes count; nil where it does not exist.
    mutating func pendingOrStored(_ id: ObjectID) throws(GrabenError) -> (any PredicateObject)? {
        if includesPending {
            for level in sequence(first: context, next: \.parent) {
                guard let object = level.registeredObject(for: id) else { continue }
                if object.hasChanges, object.isDeleted { return nil }
                if object.hasChanges { return ObjectCursor(object, in: level) }
            }
        }
        return try cursor(for: id)
    }

    /// The cursor on the row of an object; nil where the snapshot does not have it.
    mutating func cursor(for id: ObjectID) throws(GrabenError) -> RowCursor? {
        if last < cursors.count, cursors[last].isOf(id) {
            cursors[last].move(to: id.row)
            return cursors[last]
        }
        if let place = cursors.firstIndex(where: { $0.isOf(id) }) {
            last = place
            cursors[place].move(to: id.row)
            return cursors[place]
        }
        do throws(LogError) {
            guard let cursor = try context.storeCursor(for: id, includesPending: includesPending) else { return nil }
            last = cursors.count
            cursors.append(cursor)
            return cursor
        } catch { throw .store(error) }
    }
}
