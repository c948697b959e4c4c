import GrabenLog
import GrabenModel

/// A place to work with objects: it hands out one instance for each id, notes what changes, and saves or takes back the changes as a whole.
///
/// A context belongs to whoever made it and is used there only. It reads one snapshot of each store, which advances as a whole: at a save,
/// a merge, a reset, a refresh, and before a fetch unless the context is pinned.
public final class ManagedObjectContext {
    /// The coordinator whose stores the context reads and writes.
    public let coordinator: PersistentStoreCoordinator
    /// The context whose objects this one works on, or nil for a root context.
    public let parent: ManagedObjectContext?
    /// A name for messages.
    public var name: String?
    /// Who is written into the commits of this context, until cleared.
    public var transactionAuthor: String?
    /// Where changes can be taken back; nil until one is set.
    @exclusivity(unchecked)
    public var undoManager: ObjectUndoManager? {
        willSet {
            // What was changed before belongs to who was there before.
            if newValue !== undoManager, !isClosed { processPendingChanges() }
        }
        didSet {
            guard undoManager !== oldValue else { return }
            oldValue?.removeAllActions(of: self)
            undoManager?.attach(self)
        }
    }
    /// Whether the context takes other contexts' commits into objects it has realised, as soon as its snapshot advances.
    public var automaticallyMergesChangesFromParent = false
    /// Whether the snapshot stays where it is until the next save.
    public var isPinned = false
    /// Whether deletions reach related objects at the end of the event (the default) or only at save.
    public var propagatesDeletesAtEndOfEvent = true
    /// What a save does about conflicts; a context made by a container, like every other, begins with the error.
    public var mergePolicy = MergePolicy.error
    /// Receives errors of members that cannot throw: getters, setters and hooks.
    ///
    /// A change that was refused is also thrown by the next `save()`.
    public var errorHandler: ((GrabenError) -> Void)?
    /// What the context did so far.
    @exclusivity(unchecked)
    public internal(set) var statistics = ContextStatistics()
    /// Told of every fetch, save, fired fault, merge and sync when it is done; nil unless set, and then nothing is measured.
    ///
    /// It is called inside what it tells of: it may read, and must not change anything of the context.
    @exclusivity(unchecked)
    public var traceHandler: ((TraceEvent) -> Void)?

    /// The entities without their classes, where objects are to have no hooks and rules of their own.
    private let plainInfos: [EntityInfo]?
    /// Who may use the context, for checks of debug builds.
    var owner = ContextOwner.maker
    /// The tables by store and entity, made when first needed.
    var tables: [UInt32: [ObjectTable?]] = [:]
    /// The snapshot of each store, by store number; empty in a child context.
    var snapshots: [UInt32: LogSnapshot] = [:]

    /// Where the last new object went: most come in long runs of one class.
    @exclusivity(unchecked) var lastInsert: LastInsert? {
        didSet {
            lastInsertClass = lastInsert?.objectClass
            lastInsertTable = lastInsert.map { Unmanaged.passUnretained($0.table) }
        }
    }
    /// The same without a reference that is counted; `lastInsert` holds the table.
    @exclusivity(unchecked) private(set) var lastInsertClass: ObjectIdentifier?
    @exclusivity(unchecked) private(set) var lastInsertTable: Unmanaged<ObjectTable>?
    /// The table that was looked up last, without a reference that is counted; `tables` holds it.
    @exclusivity(unchecked) var lastTable: Unmanaged<ObjectTable>?

    /// Objects with unsaved changes in the order of their first change; entries whose flags are gone are skipped.
    @exclusivity(unchecked) var changed: [ManagedObject] = []
    @exclusivity(unchecked) var event = ContextEvent()
    /// Whether the first change of an event is to be told to `turn`.
    @exclusivity(unchecked) var awaitsTurn = false
    /// Sees to it that `endTurn()` is called at the next turn of the actor that the context belongs to.
    var turn: (@Sendable () -> Void)?
    /// Announced changes that have not ended.
    @exclusivity(unchecked) var openChangeCount = 0
    /// Objects whose `awakeFromFetch` is running, innermost last.
    @exclusivity(unchecked) var awakening: [ObjectIdentifier] = []
    /// Whether a change is the other side of one being made.
    @exclusivity(unchecked) var isMaintainingInverses = false
    /// The commits that the last try to save was in conflict with, by store number.
    var conflictSnapshots: [UInt32: LogSnapshot] = [:]
    /// Unchanged objects that the next save compares with the store too.
    var watched: [ManagedObject] = []
    /// Errors of refused changes, thrown by the next save.
    var refusals: [GrabenError] = []
    var keyObservers: [ObjectIdentifier: [KeyObserver]] = [:]
    var pathObservations: [Int: PathObservation] = [:]
    /// Who is told what happens here.
    let notifier = ContextNotifier()
    /// Who reads what of the objects, where the context uses `Observation`.
    @exclusivity(unchecked) var tracker: ObjectTracker?
    /// Regular expressions of the model that values were compared with.
    var patterns: [String: Regex<AnyRegexOutput>] = [:]
    var nextToken = 0
    /// Fetched properties being evaluated, to find cycles.
    var evaluating: [(object: ObjectIdentifier, property: Int)] = []
    /// Who keeps results up to date and has to hear of changes.
    let resultWatch = ResultWatch()
    /// Of fetched properties that refresh themselves, the entities that decide what they find; nil for any.
    var fetchedEntities: [FetchedPropertyKey: Set<Int>?] = [:]
    /// Keys of unsaved objects, for look-ups by them.
    @exclusivity(unchecked) var pendingKeys: [PendingKeys] = []
    /// How look-ups by key are made; a root context's, used by those below it too.
    var keyPlans: [KeyPlan] = []
    var lastKeyPlan: KeyPlan?
    /// Set while undo, redo or a merge policy put values back.
    @exclusivity(unchecked) var isRestoring = false
    /// How many changes of state are under way, one inside the other, and what is to be told when they are done.
    @exclusivity(unchecked) var settlingDepth = 0
    @exclusivity(unchecked) var postponed = PostponedHooks()
    /// Set from the first `willSave` of a save until it is written; a save inside would write half of the changes, or never end.
    var isSaving = false
    var isClosed = false
    /// Set from the first farewell on, while hooks may still use the context.
    var isEnding = false

    init(coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext?, usesPlainObjects: Bool = false) {
        self.coordinator = coordinator
        self.parent = parent
        plainInfos = usesPlainObjects ? coordinator.infos.map { EntityInfo(entity: $0.entity, objectClass: ManagedObject.self) } : nil
        if parent == nil {
            for store in coordinator.stores { snapshots[store.number] = store.newestSnapshot }
        }
    }

    /// A root context that reads and writes a coordinator's stores, and takes other contexts' commits into realised objects only when asked.
    public convenience init(coordinator: PersistentStoreCoordinator) { self.init(coordinator: coordinator, parent: nil) }

    /// A context that works on this one's objects: its saves change them, and reach the store when this context is saved.
    public convenience init(parent: ManagedObjectContext) {
        self.init(coordinator: parent.coordinator, parent: parent)
        automaticallyMergesChangesFromParent = true
    }

    deinit {
        end()
        // Columns lent after `close()` have tables of their own, which may outlive the context.
        forEachTable { $0.context = nil }
    }

    /// Ends the context: runs `didTurnIntoFault` for every realised object and gives unused rows back. Objects still held answer from the
    /// context's last snapshot and refuse changes.
    public func close() { end() }

    private func end() {
        guard !isClosed, !isEnding else { return }
        isEnding = true
        tellOfEnd()
        isClosed = true
        undoManager = nil
        let awake = dropAllObjects()
        forEachTable { table in
            table.releaseRows()
            table.context = nil
        }
        lastTable = nil
        tables = [:]
        lastInsert = nil
        notifier.finish()
        for object in awake { object.didTurnIntoFault() }
    }

    var root: ManagedObjectContext {
        var context = self
        while let parent = context.parent { context = parent }
        return context
    }

    // MARK: Tables and snapshots

    func snapshot(of stored: StoredEntity) -> LogSnapshot? { snapshots[stored.storeNumber] }

    func table(_ stored: StoredEntity, _ info: EntityInfo) -> ObjectTable {
        if let table = tables[stored.storeNumber]?[info.index] { return table }
        let table = ObjectTable(
            info: plainInfos?[info.index] ?? info, stored: stored, snapshot: snapshots[stored.storeNumber], context: self)
        table.isTracked = tracker != nil
        tables[stored.storeNumber, default: .init(repeating: nil, count: coordinator.infos.count)][info.index] = table
        return table
    }

    /// The table of an id's objects where the context has one.
    @inline(__always)
    func table(of id: ObjectID) -> ObjectTable? {
        if let table = lastTable?.takeUnretainedValue(), table.holds(id) { return table }
        guard let table = tables[id.storeNumber]?[Int(id.entityNumber)] else { return nil }
        lastTable = .passUnretained(table)
        return table
    }

    /// The table of an id's objects, or nil where the id is of no store or entity of the coordinator.
    func table(for id: ObjectID) -> ObjectTable? {
        if let table = table(of: id) { return table }
        guard let store = coordinator.store(numbered: id.storeNumber), let stored = store.stored(entity: Int(id.entityNumber)) else {
            return nil
        }
        if parent == nil, snapshots[id.storeNumber] == nil { snapshots[id.storeNumber] = store.newestSnapshot }
        return table(stored, coordinator.infos[Int(id.entityNumber)])
    }

    func forEachTable(_ body: (ObjectTable) -> Void) {
        for tables in tables.values {
            for case let table? in tables { body(table) }
        }
    }

    /// Calls `body` with each object of one entity that has unsaved changes, here or in a context above, and with the context it is changed
    /// in. Of several contexts that changed a row, the nearest one's object counts.
    func forEachChanged(of stored: StoredEntity, _ body: (ManagedObject, ManagedObjectContext) -> Void) {
        var seen: Set<Row> = []
        var level: ManagedObjectContext? = self
        while let context = level {
            for object in context.changed where object.hasChanges && object.has(ObjectFlag.registered) && object._table.stored === stored {
                if seen.insert(object._row).inserted { body(object, context) }
            }
            level = context.parent
        }
    }

    /// A chunk of a snapshot; a damaged one is reported and read as zeros.
    func readChunk(_ stored: StoredEntity, _ snapshot: LogSnapshot, _ index: Int) -> UnsafeRawPointer? {
        guard index < snapshot.chunkCount(stored.code) else { return nil }
        do {
            return try snapshot.chunk(stored.code, index)
        } catch {
            report(.store(error))
            return nil
        }
    }

    // MARK: Errors

    func report(_ error: GrabenError) { errorHandler?(error) }

    /// Reports a change that was not made; the next save throws it too.
    func refuse(_ error: GrabenError) {
        refusals.append(error)
        report(error)
    }
}

/// Counts of what a context did since it was made; `traceHandler` tells of each of them as it happens.
public struct ContextStatistics: Sendable, Equatable {
    /// Fetch requests run, counts and those of fetched properties included.
    public var fetches = 0
    /// Faults that fired, by an access or on request.
    public var firedFaults = 0
    /// Records read from a store to fire a fault. A child's faults read none: they take what the parent has.
    public var storeReads = 0
    /// Saves that had something to save and did it; of a child context into its parent.
    public var saves = 0
    /// Commits written by saves of this context: one for each store that a save changed; none in a child context.
    public var commits = 0
    /// Syncs of the log that were made while those commits waited to be durable; one sync may be of several contexts' commits.
    public var syncs = 0
    /// Commits of others that the context's snapshots have moved over.
    public var mergedCommits = 0
}

/// The class of the last new object, and where its objects go as long as no store is added.
struct LastInsert {
    let objectClass: ObjectIdentifier
    let storeCount: Int
    let table: ObjectTable
}
