import GrabenLog
import GrabenModel

/// What may have changed in a context: which entities, and which objects.
struct ResultChange {
    /// Numbers of entities with objects that came, went or changed.
    var entities: Set<Int> = []
    /// Objects whose values may have changed.
    var ids: Set<ObjectID> = []
    /// Whether the context forgot all its objects.
    var isReset = false

    var isEmpty: Bool { entities.isEmpty && !isReset }

    mutating func add(_ id: ObjectID) {
        entities.insert(Int(id.entityNumber))
        ids.insert(id)
    }

    mutating func add(_ other: ResultChange) {
        entities.formUnion(other.entities)
        ids.formUnion(other.ids)
        isReset = isReset || other.isReset
    }
}

/// Something that keeps a result up to date.
protocol ResultObserver: AnyObject {
    /// Notes what changed; nothing is fetched yet.
    func note(_ change: ResultChange)
    /// Brings the result up to date, where anything was noted and its context is not in the middle of a save.
    func catchUp()
}

/// Tells results of a context what may have changed. While nobody asks, it costs one test for each event.
final class ResultWatch {
    private struct Observer {
        weak var observer: (any ResultObserver)?
    }

    private var observers: [Observer] = []
    /// How often objects of each entity changed, for caches that find out at their next read.
    private var stamps: [Int: UInt64] = [:]
    /// How often any objects did.
    private var total: UInt64 = 0
    /// Whether anyone looks at the stamps.
    private var isStamped = false

    /// Whether changes have to be noted at all.
    var isUsed: Bool { isStamped || !observers.isEmpty }

    func add(_ observer: any ResultObserver) { observers.append(Observer(observer: observer)) }

    func remove(_ observer: any ResultObserver) { observers.removeAll { $0.observer == nil || $0.observer === observer } }

    /// How often objects of these entities, or of any, changed since someone asked first.
    func stamp(of entities: Set<Int>?) -> UInt64 {
        isStamped = true
        guard let entities else { return total }
        return entities.reduce(0) { $0 + (stamps[$1] ?? 0) }
    }

    func note(_ change: ResultChange) {
        guard !change.isEmpty else { return }
        if isStamped {
            total += 1
            for entity in change.entities { stamps[entity, default: 0] += 1 }
        }
        for entry in observers { entry.observer?.note(change) }
    }

    /// Lets results catch up. Called where an event has ended; a handler may add and remove others.
    func catchUp() {
        if observers.isEmpty { return }
        observers.removeAll { $0.observer == nil }
        for entry in observers { entry.observer?.catchUp() }
    }
}

extension ManagedObjectContext {
    /// Notes what an event changed.
    func noteForResults(_ event: ContextEvent) {
        guard resultWatch.isUsed else { return }
        resultWatch.note(resultChange(of: event))
    }

    func resultChange(of event: ContextEvent) -> ResultChange {
        var change = ResultChange()
        for object in event.inserted { change.add(object.objectID) }
        for object in event.deleted { change.add(object.objectID) }
        for object in event.objects { change.add(object.objectID) }
        for (table, overlay, index) in event.chunks {
            for slot in overlay.event.slots { change.add(table.id(row(chunk: index, slot: Int(slot), in: table))) }
        }
        return change
    }

    /// Notes what commits changed that the context's snapshot moved over.
    func noteForResults(_ touched: TouchedRows, of store: PersistentStore) {
        guard resultWatch.isUsed else { return }
        var change = ResultChange()
        for (code, rows) in touched.entities {
            guard let entity = store.entityNumber(of: code) else { continue }
            func add(_ list: some Sequence<Row>) {
                for row in list { change.add(ObjectID(store: store.number, entity: UInt32(entity), row: row)) }
            }
            add(rows.inserted)
            add(rows.updated)
            add(rows.moved)
            add(rows.deleted)
            add(rows.followed)
        }
        resultWatch.note(change)
    }

    /// Notes what a rollback is about to take back.
    func noteForResultsBeforeRollback() {
        guard resultWatch.isUsed else { return }
        var change = ResultChange()
        for object in changed { change.add(object.objectID) }
        forEachTable { table in
            guard table.hasLooseRows else { return }
            for (index, overlay) in table.chunks.overlays.enumerated() {
                overlay?.dirty.forEach { change.add(table.id(row(chunk: index, slot: $0, in: table))) }
            }
        }
        resultWatch.note(change)
    }

    /// Notes those of the objects to be saved that are not there any more: another context deleted them, and nothing of their own was to be saved.
    func noteForResults(lost objects: [ManagedObject]) {
        noteForResults(
            objects.filter { object in
                guard !object.isDeleted, object.has(ObjectFlag.registered), let stored = object._table.stored else { return true }
                return parent == nil && snapshot(of: stored)?.contains(stored.code, object._row) == false
            })
    }

    /// Notes objects whose values were put back or read anew.
    func noteForResults(_ objects: [ManagedObject]) {
        guard resultWatch.isUsed else { return }
        var change = ResultChange()
        for object in objects { change.add(object.objectID) }
        resultWatch.note(change)
    }
}
