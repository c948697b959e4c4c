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
        let keys = try request.sort.map { descriptor throws(GrabenError) in try SortKey(descriptor, context.coordinator, info) }
        // Without a sort the scan can end when the window is full.
        let enough = keys.isEmpty && request.limit > 0 ? request.offset + request.limit : Int.max
        var found: [(id: ObjectID, keys: [Value])] = []
        let entities = request.includesSubentities ? info.entity.concreteDescendants : info.entity.isAbstract ? [] : [info.index]
        for store in request.stores ?? context.coordinator.stores {
            for entity in entities {
                guard let stored = store.stored(entity: entity) else { continue }
                try scan(stored, predicate, keys, enough, &found)
            }
        }
        if !keys.isEmpty {
            found.sort { a, b in
                for (index, key) in keys.enumerated() {
                    switch key.compare(a.keys[index], b.keys[index]) {
                    case ..<0: return true
                    case 1...: return false
                    default: continue
                    }
                }
                return a.id < b.id
            }
        }
        let window = found.dropFirst(request.offset)
        return (request.limit > 0 ? window.prefix(request.limit) : window).map(\.id)
    }

    private func bind(_ variables: [String: PredicateBinding]) throws(GrabenError) -> BoundPredicate? {
        guard let predicate = request.predicate else { return nil }
        do throws(PredicateError) { return try predicate.bind(to: EntitySchema(context.coordinator, info), variables: variables) } catch {
            throw .predicate(error)
        }
    }

    private func scan(
        _ stored: StoredEntity, _ predicate: BoundPredicate?, _ keys: [SortKey], _ enough: Int,
        _ found: inout [(id: ObjectID, keys: [Value])]
    ) throws(GrabenError) {
        guard let snapshot = context.root.snapshot(of: stored) else { return }
        let pending = request.includesPendingChanges ? PendingObjects(context, stored) : PendingObjects()
        let cursor = RowCursor(
            context: context, stored: stored, snapshot: snapshot, includesPending: request.includesPendingChanges)
        try snapshot.forEachLiveRow(stored.code) { row throws(GrabenError) in
            if !pending.isEmpty, pending.rows.contains(row) { return found.count < enough }
            cursor.move(to: row)
            try consider(cursor, cursor.id, predicate, keys, &found)
            return found.count < enough
        }
        for object in pending.objects where found.count < enough {
            try consider(object, object.object.objectID, predicate, keys, &found)
        }
        // Pending objects stand among the others by id.
        if keys.isEmpty, !pending.objects.isEmpty { found.sort { $0.id < $1.id } }
    }

    private func consider(
        _ object: any PredicateObject, _ id: ObjectID, _ predicate: BoundPredicate?, _ keys: [SortKey],
        _ found: inout [(id: ObjectID, keys: [Value])]
    ) throws(GrabenError) {
        do throws(PredicateError) {
            if let predicate, !(try predicate.evaluate(object)) { return }
        } catch { throw .predicate(error) }
        var values: [Value] = []
        for key in keys { values.append(try key.value(of: object)) }
        found.append((id, values))
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
        var level: ManagedObjectContext? = context
        while let current = level {
            for object in current.changed where object.hasChanges && object.has(ObjectFlag.registered) {
                guard object._table.stored === stored, rows.insert(object._row).inserted else { continue }
                if !object.has(ObjectFlag.deleted) { objects.append(ObjectCursor(object, in: current)) }
            }
            level = current.parent
        }
        objects.sort { $0.object._row < $1.object._row }
    }
}

/// A sort descriptor with its key path looked up.
struct SortKey {
    private let path: [Int]
    private let descriptor: ObjectSortDescriptor

    init(_ descriptor: ObjectSortDescriptor, _ coordinator: PersistentStoreCoordinator, _ info: EntityInfo) throws(GrabenError) {
        self.descriptor = descriptor
        var path: [Int] = []
        var info = info
        let steps = descriptor.keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (index, step) in steps.enumerated() {
            let number = try info.number(step)
            let property = info.properties[number]
            path.append(number)
            switch property.kind {
            case .attribute, .packed, .transient:
                guard index == steps.count - 1 else {
                    throw .invalidRequest(reason: "sorting by \(descriptor.keyPath): \(info.name).\(step) is a value and leads nowhere")
                }
            case .toOne: info = coordinator.infos[property.destination]
            case .toMany, .fetched:
                throw .invalidRequest(reason: "sorting by \(descriptor.keyPath): \(info.name).\(step) is not one value")
            }
        }
        self.path = path
    }

    func value(of object: any PredicateObject) throws(GrabenError) -> Value {
        do {
            var current = object
            for number in path.dropLast() {
                guard let next = try current.predicateTarget(at: number) else { return .null }
                current = next
            }
            return try path.last.map { try current.predicateValue(at: $0) } ?? .null
        } catch let error as LogError {
            throw .store(error)
        } catch let error as PredicateError {
            throw .predicate(error)
        } catch {
            throw .invalidRequest(reason: "sorting by \(descriptor.keyPath): \(error)")
        }
    }

    /// Below, equal or above zero as `a` comes before, with or after `b`.
    func compare(_ a: Value, _ b: Value) -> Int { descriptor.compare(a, b) }
}
