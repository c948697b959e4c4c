import GrabenLog
import GrabenModel

/// The objects of one concrete entity of one store in one context: the registry by row, and the chunks they read.
///
/// The table outlives its context when the program still holds objects; they keep it, and so their chunks, alive.
final class ObjectTable {
    let info: EntityInfo
    /// Where the rows live; nil for objects that are in no context.
    let stored: StoredEntity?
    /// Keeps the store alive for objects that are held longer than container and context; `stored` does not.
    let store: PersistentStore?
    /// The layout of the records that this program writes.
    let layoutNumber: UInt32
    /// What the ids of the table's objects have besides their rows.
    let storeNumber: UInt32
    let entityNumber: UInt32
    let chunks: ChunkTable
    /// The context; cleared when it ends. Unretained because the context owns the table and clears this in `deinit`.
    var context: ManagedObjectContext? {
        @inline(__always) get { contextReference?.takeUnretainedValue() }
        set { contextReference = newValue.map { Unmanaged.passUnretained($0) } }
    }
    /// The same, for who looks without counting a reference: whoever uses an object of the table keeps the context alive, or has none.
    @exclusivity(unchecked) private(set) var contextReference: Unmanaged<ManagedObjectContext>?
    /// The snapshot the rows are read from; nil in a child context, which reads from its parent.
    @exclusivity(unchecked) private(set) var snapshot: LogSnapshot?
    /// Snapshots of files before a compaction, in whose mappings records lie that objects still answer from.
    private var retired: [LogSnapshot] = []
    /// Where rows lie that are not at their own number. Objects know their row by it, so a table keeps the map it began with: whoever moves
    /// a context onto a file whose chunks were put in another order gives the entity a new table and moves the registered objects there.
    let slotMap: SlotMap?
    /// The cells of objects of this table that are in no registry.
    @exclusivity(unchecked) var aside: [ObjectIdentifier: UnsafeMutablePointer<ObjectCell>] = [:]

    @exclusivity(unchecked) var pages = ObjectPages()
    @exclusivity(unchecked) var registeredCount = 0
    /// The faults made last, of which most are not in the pages.
    @exclusivity(unchecked) var nursery = Nursery()
    /// How many objects the last sweep of all of them left.
    var countAfterSweep = 0
    /// Registrations since the last sweep, and objects that became clean: what a sweep may let go of.
    @exclusivity(unchecked) var sinceSweep = 0
    /// A hook that a sweep runs may register so many objects that another would begin.
    var isSweeping = false
    /// Rows reserved from the store and not handed out.
    @exclusivity(unchecked) var reserved: Range<Row> = 0..<0
    private var nextReservation = 16
    /// One past the highest row handed out and not saved; 0 where there is none.
    @exclusivity(unchecked) var newRowEnd = 0
    /// The rows that exist in a snapshot, by chunk, once a column of an entity with gaps was walked.
    var liveCache: (snapshot: LogSnapshot, sets: [SlotSet])?
    /// Targets of to-one relationships by row, once someone asked; dropped where rows come or go.
    @exclusivity(unchecked) var referenceColumns: [Int: [UInt32]] = [:]
    /// Whether rows were inserted or deleted since the last save, so that the snapshot alone does not say which exist.
    @exclusivity(unchecked) var hasPendingRows = false
    /// One past the highest row whose object vanished since the last save; references without an inverse may still name it.
    var vanishedEnd = 0
    /// Whether rows without an object may have unsaved packed values: a bulk edit by id makes no objects.
    @exclusivity(unchecked) var hasLooseRows = false

    /// Whether reads of the table's objects are noted for Swift's `Observation`.
    var isTracked = false

    /// The property that was looked up last. An accessor announces by name what it knows by number, twice: this spares the look-up.
    @exclusivity(unchecked) var lastProperty = 0

    /// Whether setters of fresh objects need announce nothing: the class has no hook that would hear it.
    let isQuiet: Bool
    /// Whether nobody hears of an access, nor of a fault that fires.
    let readsQuietly: Bool
    /// `stored`'s accessors; none where the table is of no store.
    let quickAccessors: UnsafePointer<QuickAccessor>
    let quickCount: Int
    let isReverse: UnsafePointer<Bool>
    /// How many lanes at the beginning are Doubles that always have a value.
    let plainLaneCount: Int

    let isWithLanes: Bool
    /// Whether an instance that nobody holds can become the object of another row: it has no state of its own, and nobody hears of its end.
    let recycles: Bool
    let soleCounts = ReferenceCounts.sole

    /// The change that a setter of one of the table's objects is making.
    @exclusivity(unchecked) var quick = QuickChange()
    /// Members that nobody has looked at yet.
    @exclusivity(unchecked) private(set) var inboxes: [MemberInbox] = []
    /// The one that got something last; `inboxes` keeps it alive.
    @exclusivity(unchecked) private(set) var lastInbox: Unmanaged<MemberInbox>?

    func dropInboxes() {
        lastInbox = nil
        inboxes = []
    }

    /// Where members of a relationship wait.
    func inbox(_ property: Int) -> MemberInbox {
        let inbox: MemberInbox
        if let known = inboxes.first(where: { $0.property == property }) {
            inbox = known
        } else {
            inbox = MemberInbox(property: property)
            inboxes.append(inbox)
        }
        lastInbox = Unmanaged.passUnretained(inbox)
        return inbox
    }

    /// Whether any object's members were ever asked for or changed but by the inboxes.
    @exclusivity(unchecked) var hasMemberStates = false
    /// The record read last: getters of one object mostly follow one another.
    @exclusivity(unchecked) private var lastRecord: RecordView?
    /// What the records behind it refer to. Of the snapshot, as that one is.
    @exclusivity(unchecked) var readAhead = ReadAhead()

    private static let noAccessors = QuickAccessors()

    init(info: EntityInfo, stored: StoredEntity?, snapshot: LogSnapshot?, context: ManagedObjectContext?) {
        self.info = info
        self.stored = stored
        store = stored?.store
        storeNumber = stored?.storeNumber ?? 0
        layoutNumber = stored?.layout.number ?? 0
        entityNumber = UInt32(truncatingIfNeeded: info.index)
        self.snapshot = snapshot
        contextReference = context.map { Unmanaged.passUnretained($0) }
        let quick = stored?.quick ?? Self.noAccessors
        // Where a context works on objects without their classes, those have no accessors either.
        isQuiet = stored != nil && info.freshByteCount > 0 && !info.hooks.contains(.changing)
        readsQuietly = stored != nil && info.freshByteCount > 0 && info.hooks.isDisjoint(with: [.access, .awaking])
        quickAccessors = UnsafePointer(quick.accessors)
        quickCount = stored?.info === info ? quick.count : 0
        isReverse = UnsafePointer(quick.isReverse)
        isWithLanes = info.geometry.byteCount > 0
        recycles = stored != nil && info.freshByteCount > 0 && info.hooks.isDisjoint(with: [.state, .faulting])
        plainLaneCount = info.geometry.lanes.prefix { $0.isDouble && $0.validityOffset == nil }.count
        slotMap = (snapshot ?? stored.flatMap { context?.root.snapshot(of: $0) }).flatMap { snapshot in
            stored.flatMap { snapshot.slotMap($0.code) }
        }
        chunks = ChunkTable(geometry: info.geometry, freshLanes: info.freshLanes, freshByteCount: info.freshByteCount)
        chunks.home = self
        chunks.advance(to: snapshot, discardingOverlays: true) { _ in nil }
    }

    deinit {
        // Every object keeps the table alive, so there are none.
        pages.deallocate()
        nursery.deallocate()
    }

    /// Whether an id is of the table's objects.
    @inline(__always)
    func holds(_ id: ObjectID) -> Bool { id.entityNumber == entityNumber && id.storeNumber == storeNumber }

    @inline(__always)
    func id(_ row: Row) -> ObjectID { ObjectID(store: storeNumber, entity: entityNumber, row: row) }

    /// The number of a property; the one looked up last is found by comparing its name, without hashing.
    func propertyNumber(named key: String) -> Int? {
        if lastProperty < info.properties.count, info.properties[lastProperty].name == key { return lastProperty }
        guard let number = info.entity.propertyNumber(named: key) else { return nil }
        lastProperty = number
        return number
    }

    // MARK: Registry

    @inline(__always)
    func registered(_ row: Row) -> ManagedObject? {
        if let object = nursery.object(of: row) { return object.takeUnretainedValue() }
        return pages.place(of: row)?.pointee
    }

    /// The word of a row's object; nil where the context knows none.
    @inline(__always)
    func word(of row: Row) -> UInt64? {
        if let object = nursery.object(of: row) { return object._withUnsafeGuaranteedRef { $0._word } }
        return pages.borrow(row) { $0._word }
    }

    func register(_ object: ManagedObject) { register(object, row: object._row) }

    /// As `register(_:)`, for whoever knows the row.
    func register(_ object: ManagedObject, row: Row) {
        enter(object, row)
        if object.has(ObjectFlag.cell) {
            object.moveCell { object.set(ObjectFlag.registered) }
        } else {
            object.set(ObjectFlag.registered)
        }
        sinceSweep += 1
    }

    /// Registers a new object, which stays until it is saved, so that no sweep need look for it before.
    @inline(__always)
    func registerNew(_ object: ManagedObject, row: Row) {
        enter(object, row)
        object.set(ObjectFlag.registered | ObjectFlag.inserted | ObjectFlag.listed | ObjectFlag.newInEvent)
    }

    @inline(__always)
    private func enter(_ object: ManagedObject, _ row: Row) {
        pages.put(.passRetained(object), row)
        if isTracked { object.set(ObjectFlag.slow) }
        registeredCount += 1
    }

    func unregister(_ object: ManagedObject) {
        let row = object._row
        guard object.has(ObjectFlag.registered) else { return }
        if nursery.object(of: row) != nil { emptyNursery() }
        guard let known = pages.take(row) else { return }
        object.moveCell { object.clear(ObjectFlag.registered) }
        registeredCount -= 1
        known.release()
    }

    /// Calls `body` with every registered object, by ascending row.
    func forEachRegistered(_ body: (ManagedObject) -> Void) {
        emptyNursery()
        var next = 0
        while let row = pages.firstRow(from: next) {
            next = Int(row) + 1
            if let object = pages.place(of: row)?.pointee { body(object) }
        }
    }

    // MARK: Records

    /// The record of a row in the table's snapshot, where there is one. Valid until the table advances.
    @inline(__always)
    func record(_ row: Row) throws(LogError) -> RecordView? {
        if isAtHand(row) { return lastRecord }
        guard let stored, let snapshot, let record = try snapshot.record(stored.code, row) else { return nil }
        lastRecord = record
        return record
    }

    /// Whether a row's record is the one read last.
    @inline(__always)
    func isAtHand(_ row: Row) -> Bool { lastRecord?.row == row }

    // MARK: Rows and chunks

    /// The address of the chunk entry and the slot of a row, the chunk bound.
    @inline(__always)
    func place(of row: Row) -> (entry: ChunkTable.Entry, slot: Int) {
        let slot = slotNumber(row)
        let chunk = slot / ChunkGeometry.slotsPerChunk
        let entry = chunks.entry(chunk)
        if isWithLanes, !chunks.isBound(entry) { bind(chunk) }
        return (entry, slot % ChunkGeometry.slotsPerChunk)
    }

    func chunkIndex(of row: Row) -> Int { slotNumber(row) / ChunkGeometry.slotsPerChunk }

    /// Where a row lies in the columns.
    @inline(__always)
    func slotNumber(_ row: Row) -> Int { slotMap?.slot(row) ?? Int(row) }

    /// The row that lies at a place in the columns.
    @inline(__always)
    func row(slotNumber: Int) -> Row { slotMap?.row(slotNumber) ?? Row(truncatingIfNeeded: slotNumber) }

    /// The snapshot that says which rows there are and which slots they have: the table's own, or in a child context the root's.
    var rootSnapshot: LogSnapshot? {
        if let snapshot { return snapshot }
        guard let context, let stored else { return nil }
        return context.root.snapshot(of: stored)
    }

    func bind(_ index: Int) {
        if let snapshot, let stored {
            if let chunk = context?.readChunk(stored, snapshot, index) { chunks.bind(index, to: chunk) }
        } else if let parent = context?.parent, let stored {
            parent.table(stored, info).lend(index, to: self)
        }
    }

    /// Lets a child's table read a chunk as this context has it: its own bytes where they cannot change under the child, else a copy.
    private func lend(_ index: Int, to child: ObjectTable) {
        if !chunks.isBound(index) { bind(index) }
        guard chunks.isBound(index) else { return }
        if chunks.overlay(index) == nil, let owner = snapshot {
            child.chunks.bind(index, to: chunks.chunk(index))
            child.chunks.keepAlive(owner)
        } else {
            child.chunks.bindCopy(index, of: chunks.chunk(index))
        }
    }

    /// The context's own copy of the chunk that holds an object.
    func overlay(for object: ManagedObject) -> OverlayChunk { chunks.makeOverlay(chunkIndex(of: object._row)) }

    func advance(to newSnapshot: LogSnapshot?, discardingOverlays: Bool) {
        lastRecord = nil
        readAhead = ReadAhead()
        if let snapshot, let newSnapshot, !newSnapshot.isOfSameFile(as: snapshot) { leaveFile(of: snapshot) }
        let stored = stored
        let context = context
        chunks.advance(to: newSnapshot, discardingOverlays: discardingOverlays) { index in
            guard let newSnapshot, let stored else { return nil }
            return context?.readChunk(stored, newSnapshot, index)
        }
        snapshot = newSnapshot
        // An error handler may have read something meanwhile.
        lastRecord = nil
        readAhead = ReadAhead()
        if !referenceColumns.isEmpty { referenceColumns = [:] }
    }

    /// Before the table moves to the file a compaction made: records that are the same there are bound anew when they are read; the old file
    /// stays mapped for objects that answer from earlier ones, and for those that are in no registry.
    private func leaveFile(of old: LogSnapshot) {
        var isNeeded = !aside.isEmpty
        forEachRegistered { object in
            guard let data = object.keptData, case .record = data.base else { return }
            if object.has(CellFlag.stale) || object.has(CellFlag.missing) { isNeeded = true } else { data.base = .unbound }
        }
        if isNeeded { retired.append(old) }
    }

    /// The packed values the parent context has for a row; nil in a root context.
    func parentValues(_ row: Row) -> [Value]? {
        guard let parent = context?.parent, let stored, info.geometry.byteCount > 0 else { return nil }
        let table = parent.table(stored, info)
        let (entry, slot) = table.place(of: row)
        return info.geometry.lanes.indices.map { info.geometry.value(entry.pointee, $0, slot) }
    }

    /// Binds what a child has of its parent's chunks anew, under what the child changed. Its objects were refreshed before.
    func bindLentChunksAnew() {
        // What is gone there keeps its values.
        chunks.rebindAll { index, slot in
            registered(row(slotNumber: index * ChunkGeometry.slotsPerChunk + slot))?.has(CellFlag.missing) == true
        } _: {
            bind($0)
        }
    }

    // MARK: New rows

    /// A row for a new object.
    func takeRow() throws(GrabenError) -> Row {
        guard let stored else { throw .noStore(entity: info.name, reason: "the object belongs to no store") }
        if reserved.isEmpty {
            reserved = try stored.reserveRows(nextReservation)
            nextReservation = min(nextReservation * 2, 4096)
        }
        guard let row = takeReservedRow() else { throw .noStore(entity: info.name, reason: "the store has no rows left") }
        return row
    }

    /// One of the rows at hand; nil where there is none.
    @inline(__always)
    func takeReservedRow() -> Row? {
        guard !reserved.isEmpty else { return nil }
        let row = reserved.lowerBound
        reserved = row + 1..<reserved.upperBound
        noteNewRow(row)
        return row
    }

    /// Lets the columns reach up to a row that is not saved yet.
    func noteNewRow(_ row: Row) {
        newRowEnd = max(newRowEnd, Int(row) + 1)
        noteRowsChange()
    }

    func noteRowsChange() {
        hasPendingRows = true
        if !referenceColumns.isEmpty { referenceColumns = [:] }
    }

    /// Returns the rows that were reserved and not used.
    func releaseRows() {
        guard let stored, !reserved.isEmpty else { return }
        stored.releaseRows(reserved)
        reserved = 0..<0
    }
}
