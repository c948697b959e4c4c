import GrabenLog
import GrabenModel
import GrabenPredicate

/// Runs one request: asks the stores for rows, looks at pending objects itself, puts both in order and cuts out the window.
struct FetchExecution {
    let context: ManagedObjectContext
    let info: EntityInfo
    let request: FetchParameters
    var isCancelled: () -> Bool = { false }

    /// One of the things found; its keys where there is an order.
    typealias Found = (id: ObjectID, keys: [Value])

    func run(variables: [String: PredicateBinding]) throws(GrabenError) -> [ObjectID] {
        context.checkOwner()
        return try context.traced(info.name, request.predicate?.format, count: { $0.count }, plan: { plan }) { () throws(GrabenError) in
            try find(variables)
        }
    }

    private func find(_ variables: [String: PredicateBinding]) throws(GrabenError) -> [ObjectID] {
        let (predicate, order, end) = try prepared(variables)
        if predicate?.constant == false { return [] }
        let sources = try sources()
        if order == nil, sources.count == 1, let only = sources.first, only.pending.count == 0 {
            let rows = try only.query(predicate, nil, end, needsKeys: false, self).storeRows().rows.dropFirst(request.offset)
            return (request.limit > 0 ? rows.prefix(request.limit) : rows).map { only.stored.id(of: $0) }
        }
        var found: [Found] = []
        for source in sources {
            let room = order == nil ? end - found.count : end
            if room == 0 { break }
            let more = try matches(source, predicate, order, room, isAlone: sources.count == 1)
            found = found.isEmpty ? more : merge(found, more, order, end)
        }
        return window(found)
    }

    /// How it runs, in words, for who follows it; what needs variables is not told.
    private var plan: String? { (try? explain()).map { "\($0)" } }

    private func window(_ found: [Found]) -> [ObjectID] {
        let window = found.dropFirst(request.offset)
        return (request.limit > 0 ? window.prefix(request.limit) : window).map(\.id)
    }

    // MARK: In two parts

    /// What the stores find, whatever is pending: for who looks at pending objects elsewhere and later. All of it, or with `isCut` no more than
    /// the window needs.
    func storeSide(isCut: Bool) throws(GrabenError) -> [Found] {
        let (predicate, order, end) = try prepared([:])
        if predicate?.constant == false { return [] }
        var found: [Found] = []
        for source in try sources() {
            let rows = try source.query(predicate, order, isCut ? end : .max, needsKeys: true, self).storeRows()
            let more = rows.rows.enumerated().map { place, row in (source.stored.id(of: row), order == nil ? [] : rows.keys[place]) }
            found = found.isEmpty ? more : merge(found, more, order, .max)
        }
        return found
    }

    /// The window over what the stores found and what is pending now.
    func finish(_ stored: [Found]) throws(GrabenError) -> [ObjectID] {
        let (predicate, order, _) = try prepared([:])
        if predicate?.constant == false { return [] }
        var found = stored
        for source in try sources() where !source.pending.rows.isEmpty {
            found.removeAll {
                $0.id.storeNumber == source.stored.storeNumber && Int($0.id.entityNumber) == source.stored.info.index
                    && source.pending.rows.contains($0.id.row)
            }
            found = merge(found, try source.pending.matches(predicate, order), order, .max)
        }
        return window(found)
    }

    /// What the request comes to for every store: predicate, order, and how many objects from the beginning the window needs.
    func prepared(
        _ variables: [String: PredicateBinding]
    ) throws(GrabenError) -> (predicate: BoundPredicate?, order: BoundSortOrder?, end: Int) {
        try checkWindow()
        let predicate = try bind(try wanted(), variables)
        let order = try bindSort()
        let (end, isEndless) = request.offset.addingReportingOverflow(request.limit)
        return (predicate, order, request.limit > 0 && !isEndless ? end : Int.max)
    }

    /// The request's predicate, and its box as one.
    private func wanted() throws(GrabenError) -> ObjectPredicate? {
        guard let box = try request.boundingBox?.predicate(of: info) else { return request.predicate }
        return request.predicate.map { box && $0 } ?? box
    }

    /// How many objects the window has; nothing is put in order.
    func count(variables: [String: PredicateBinding]) throws(GrabenError) -> Int {
        context.checkOwner()
        return try context.traced(info.name, request.predicate?.format, count: { $0 }, plan: { plan }) { () throws(GrabenError) in
            try countMatches(variables)
        }
    }

    private func countMatches(_ variables: [String: PredicateBinding]) throws(GrabenError) -> Int {
        let (predicate, _, _) = try prepared(variables)
        if predicate?.constant == false { return 0 }
        var total = 0
        for source in try sources() {
            total += try source.query(predicate, nil, .max, needsKeys: false, self).storeCount()
            total += try source.pending.matches(predicate, nil).count
        }
        let behind = max(0, total - request.offset)
        return request.limit > 0 ? min(behind, request.limit) : behind
    }

    private func checkWindow() throws(GrabenError) {
        guard request.limit >= 0, request.offset >= 0 else {
            throw .invalidRequest(reason: "fetching \(info.name): limit and offset cannot be negative")
        }
    }

    func bind(_ predicate: ObjectPredicate?, _ variables: [String: PredicateBinding]) throws(GrabenError) -> BoundPredicate? {
        guard let predicate else { return nil }
        do throws(ObjectPredicateError) {
            let bound = try predicate.bind(to: context.coordinator.model.schema(of: info.entity), variables: variables)
            return bound.constant == true ? nil : bound
        } catch { throw .predicate(error) }
    }

    func bindSort() throws(GrabenError) -> BoundSortOrder? {
        guard !request.sort.isEmpty else { return nil }
        do { return try BoundSortOrder(request.sort, schema: context.coordinator.model.schema(of: info.entity)) } catch {
            throw .predicate(error)
        }
    }

    // MARK: Sources

    /// One entity of one store, by ascending ids.
    struct Source {
        let stored: StoredEntity
        let snapshot: LogSnapshot
        let pending: PendingRows

        func query(
            _ predicate: BoundPredicate?, _ order: BoundSortOrder?, _ limit: Int, needsKeys: Bool, _ execution: FetchExecution
        ) -> StoreQuery {
            StoreQuery(
                context: execution.context, stored: stored, snapshot: snapshot, predicate: predicate, order: order,
                excluded: pending.rows, includesPending: execution.request.includesPendingChanges, limit: limit, needsKeys: needsKeys,
                isCancelled: execution.isCancelled)
        }
    }

    func sources() throws(GrabenError) -> [Source] {
        let stores = context.coordinator.stores
        if let asked = request.stores, let foreign = asked.first(where: { store in !stores.contains { $0 === store } }) {
            throw .invalidRequest(
                reason: "fetching \(info.name): affectedStores has \(foreign.configuration.path), which is none of the context's stores")
        }
        let entities = request.includesSubentities ? info.entity.concreteDescendants : info.entity.isAbstract ? [] : [info.index]
        var sources: [Source] = []
        for store in (request.stores ?? stores).sorted(by: { $0.number < $1.number }) {
            for entity in entities.sorted() {
                guard let stored = store.stored(entity: entity), let snapshot = context.root.snapshot(of: stored) else { continue }
                let pending = request.includesPendingChanges ? PendingRows(context, stored, snapshot) : PendingRows()
                sources.append(Source(stored: stored, snapshot: snapshot, pending: pending))
            }
        }
        return sources
    }

    private func matches(
        _ source: Source, _ predicate: BoundPredicate?, _ order: BoundSortOrder?, _ limit: Int, isAlone: Bool
    ) throws(GrabenError) -> [Found] {
        let pending = try source.pending.matches(predicate, order)
        let needsKeys = order != nil && !(isAlone && pending.isEmpty)
        let query = source.query(predicate, order, limit, needsKeys: needsKeys, self)
        let answer = try query.storeRows()
        var found: [Found] = []
        found.reserveCapacity(answer.rows.count + pending.count)
        for (place, row) in answer.rows.enumerated() {
            found.append((source.stored.id(of: row), needsKeys ? answer.keys[place] : []))
        }
        return pending.isEmpty ? found : merge(found, pending, order, limit)
    }

    /// Two lists in order as one, at most so much of it. Without an order they are by id.
    private func merge(_ a: [Found], _ b: [Found], _ order: BoundSortOrder?, _ limit: Int) -> [Found] {
        if b.isEmpty { return a }
        var merged: [Found] = []
        merged.reserveCapacity(min(a.count + b.count, limit))
        var (left, right) = (a[...], b[...])
        while merged.count < limit, let x = left.first, let y = right.first {
            let comparison = order?.compare(x.keys, y.keys) ?? 0
            merged.append(comparison < 0 || (comparison == 0 && x.id < y.id) ? left.removeFirst() : right.removeFirst())
        }
        merged += left.prefix(limit - merged.count)
        merged += right.prefix(limit - merged.count)
        return merged
    }
}

/// Rows of one entity of which a context, or one above it, has other values than the snapshot.
struct PendingRows {
    /// Rows that the snapshot does not answer for.
    private(set) var rows: Set<Row> = []
    /// Those that exist, inserted and updated ones; the nearest context's say counts.
    private var objects: [ObjectCursor] = []
    /// Rows without an object that a bulk edit moved.
    private var loose: [Row] = []
    /// What the loose rows are read through.
    private var cursor: RowCursor?

    init() {}

    init(_ context: ManagedObjectContext, _ stored: StoredEntity, _ snapshot: LogSnapshot) {
        context.forEachChanged(of: stored) { object, context in
            rows.insert(object._row)
            // One that was changed here and deleted elsewhere says that it is deleted, too.
            if !object.isDeleted { objects.append(ObjectCursor(object, in: context)) }
        }
        var level: ManagedObjectContext? = context
        while let current = level {
            if let table = current.tables[stored.storeNumber]?[stored.info.index], table.hasLooseRows {
                addLoose(of: table, snapshot, stored)
            }
            level = current.parent
        }
        if !loose.isEmpty { cursor = RowCursor(context: context, stored: stored, snapshot: snapshot, includesPending: true) }
    }

    private mutating func addLoose(of table: ObjectTable, _ snapshot: LogSnapshot, _ stored: StoredEntity) {
        for (index, overlay) in table.chunks.overlays.enumerated() {
            overlay?.dirty.forEach { slot in
                let row = table.row(slotNumber: index * ChunkGeometry.slotsPerChunk + slot)
                if snapshot.contains(stored.code, row), rows.insert(row).inserted { loose.append(row) }
            }
        }
    }

    /// How many of them exist.
    var count: Int { objects.count + loose.count }

    /// The pending objects that match, in order.
    func matches(_ predicate: BoundPredicate?, _ order: BoundSortOrder?) throws(GrabenError) -> [(id: ObjectID, keys: [Value])] {
        var found: [(id: ObjectID, keys: [Value])] = []
        do throws(ObjectPredicateError) {
            for object in objects where try predicate?.evaluate(object) ?? true {
                found.append((object.object.objectID, try order?.values(of: object) ?? []))
            }
            if let cursor {
                for row in loose {
                    cursor.move(to: row)
                    if try predicate?.evaluate(cursor) ?? true { found.append((cursor.id, try order?.values(of: cursor) ?? [])) }
                }
            }
        } catch { throw .predicate(error) }
        found.sort { a, b in
            let comparison = order?.compare(a.keys, b.keys) ?? 0
            return comparison == 0 ? a.id < b.id : comparison < 0
        }
        return found
    }
}
