import GrabenLog

/// Setters that nobody has to hear of: in objects that are new in this event, of classes that do not override the change hooks.
///
/// What such an object held before is nothing (`QuickChange`), so the value goes to its place and that is all. Everything else goes the long
/// way, by `change(_:to:target:)`.
extension ManagedObject {
    /// Whether a change of the object needs neither announcing nor noting, as far as the object itself says.
    @inline(__always)
    private final var isQuietlyNew: Bool {
        let needed = ObjectFlag.registered | ObjectFlag.inserted | ObjectFlag.newInEvent
        return _word & (needed | ObjectFlag.deleted | ObjectFlag.cell | ObjectFlag.slow) == needed
    }

    /// Sets an attribute of a fresh object; false where it has to be done the long way.
    @inline(__always)
    final func setQuietly(_ accessor: Int, _ value: Value) -> Bool {
        guard isQuietlyNew, let fresh = freshValues else { return false }
        return withTable { table in
            guard table.isQuiet, table.isCalm, accessor < table.quickCount else { return false }
            let quick = table.quickAccessors[accessor]
            guard quick.kind == .attribute, !quick.isNarrow else { return false }
            return fresh.set(quick.lane, slot, value)
        }
    }

    /// The same for text, which need not be put into a `Value` first.
    @inline(__always)
    final func setQuietly(_ accessor: Int, text: String) -> Bool {
        guard isQuietlyNew, let fresh = freshValues else { return false }
        return withTable { table in
            guard table.isQuiet, table.isCalm, accessor < table.quickCount else { return false }
            let quick = table.quickAccessors[accessor]
            guard quick.kind == .attribute, quick.lane.kind == .text else { return false }
            fresh.setText(quick.lane, slot, text)
            return true
        }
    }

    /// Makes a fresh object refer to another new one, for the first time, and notes the other side; false where it has to be done the long way.
    @inline(__always)
    final func setTargetQuietly(_ accessor: Int, _ target: ManagedObject) -> Bool {
        guard isQuietlyNew, target.isQuietlyNew, let fresh = freshValues else { return false }
        return withTable { table in
            target.withTable { other in
                guard table.isQuiet, other.isQuiet, table.isCalm, accessor < table.quickCount else { return false }
                let quick = table.quickAccessors[accessor]
                guard quick.kind == .toOne, other.entityNumber == UInt32(truncatingIfNeeded: quick.destination),
                    other.storeNumber == table.storeNumber, table.hasSameContext(as: other), table.referenceColumns.isEmpty,
                    fresh.reference(quick.lane, slot) == nil
                else { return false }
                let row = target._row
                if quick.inverse >= 0 {
                    guard !other.hasMemberStates, other.isReverse[Int(quick.inverse)], !table.isMaintainingInverses else { return false }
                    other.deliver(entity: table.entityNumber, member: _row, to: row, Int(quick.inverse))
                }
                fresh.setReference(quick.lane, slot, entity: other.entityNumber, row: row)
                return true
            }
        }
    }

    /// Sets a lane that is Double and always has a value; false where it has to be done the long way.
    ///
    /// A fault becomes an object that was realised, though nothing of its record is read for a lane.
    @inline(__always)
    final func setLaneQuietly(_ lane: Int, _ value: Double) -> Bool {
        let word = _word
        guard word & (ObjectFlag.registered | ObjectFlag.deleted | ObjectFlag.cell | ObjectFlag.slow) == ObjectFlag.registered else {
            return false
        }
        let entry = _entry
        return withTable { table in
            guard table.isQuiet, table.isCalm, lane < table.plainLaneCount else { return false }
            let offset = lane * (8 * ChunkGeometry.slotsPerChunk) + slot * 8
            if word & ObjectFlag.newInEvent != 0, word & ObjectFlag.inserted != 0, ChunkTable.overlay(of: entry) != nil {
                assert(
                    table.chunks.lentCount == 0, "a packed attribute is set while its column is lent to a closure; change it after the loop"
                )
                // Its slot has been something to save since it came.
                entry.pointee.storeBytes(of: value, toByteOffset: offset, as: Double.self)
                return true
            }
            return changeLane(offset, value, entry, table)
        }
    }

    @inline(never)
    private final func changeLane(_ offset: Int, _ value: Double, _ entry: ChunkTable.Entry, _ table: ObjectTable) -> Bool {
        guard let context = table.context else { return false }
        if has(ObjectFlag.fault), !realiseQuietly(table, context) { return false }
        let old = entry.pointee.load(fromByteOffset: offset, as: Double.self)
        guard old.bitPattern != value.bitPattern, !(old.isNaN && value.isNaN) else { return true }
        let slot = slot
        func write(_ overlay: OverlayChunk) {
            context.noteEvent(overlay, slot: slot, index: overlay.index, in: table)
            overlay.writable(lane: offset / (8 * ChunkGeometry.slotsPerChunk)).storeBytes(of: value, toByteOffset: offset, as: Double.self)
            overlay.dirty[slot] = true
            overlay.kept[slot] = false
        }
        assert(table.chunks.lentCount == 0, "a packed attribute is set while its column is lent to a closure; change it after the loop")
        if let overlay = ChunkTable.overlay(of: entry) {
            overlay._withUnsafeGuaranteedRef(write)
        } else {
            write(table.chunks.makeOverlay(ChunkTable.index(of: entry)))
        }
        markUpdated(context)
        return true
    }

    /// As `fireIfNeeded()`, for who fires many: the record is read when something of it is asked for, where nobody hears of its being read.
    @inline(__always)
    final func fireQuietlyIfNeeded(in context: ManagedObjectContext) {
        guard has(ObjectFlag.fault) else { return }
        guard withTable({ table in table.readsQuietly && realiseQuietly(table, context) }) else { return fire() }
        context.statistics.storeReads += 1
    }

    /// Ends an object's being a fault where nobody hears of it and its record is there, without reading that; false where it has to be fired.
    private final func realiseQuietly(_ table: ObjectTable, _ context: ManagedObjectContext) -> Bool {
        guard !table.info.hooks.contains(.awaking), context.traceHandler == nil, let stored = table.stored, let snapshot = table.snapshot,
            snapshot.contains(stored.code, _row)
        else { return false }
        clear(ObjectFlag.fault)
        context.statistics.firedFaults += 1
        return true
    }
}

/// Getters of to-ones that nobody has to hear of: of objects of which nothing is kept here, or which are fresh.
extension ManagedObject {
    /// The object a to-one leads to, or nil; `isKnown` says whether that is the answer, or the long way has to find it.
    @inline(__always)
    final func targetQuietly(_ accessor: Int, isKnown: inout Bool) -> ManagedObject? {
        guard _word & (ObjectFlag.registered | ObjectFlag.cell | ObjectFlag.slow) == ObjectFlag.registered else { return nil }
        return withTable { table in
            guard table.readsQuietly, accessor < table.quickCount, table.quickAccessors[accessor].kind == .toOne,
                let context = table.contextReference
            else { return nil }
            return context._withUnsafeGuaranteedRef { targetQuietly(table.quickAccessors[accessor], table, $0, isKnown: &isKnown) }
        }
    }

    @inline(__always)
    private final func targetQuietly(
        _ quick: QuickAccessor, _ table: ObjectTable, _ context: ManagedObjectContext, isKnown: inout Bool
    ) -> ManagedObject? {
        context.checkOwner(self)
        // Who follows faults hears of each.
        guard context.traceHandler == nil else { return nil }
        if has(ObjectFlag.inserted) {
            guard let fresh = freshValues else { return nil }
            isKnown = true
            guard let (entity, row) = fresh.reference(quick.lane, slot) else { return nil }
            return context.object(with: ObjectID(store: table.storeNumber, entity: entity, row: row))
        }
        guard let id = table.referenceQuietly(_row, quick, context, isKnown: &isKnown) else {
            if isKnown { endFaultQuietly(context) }
            return nil
        }
        endFaultQuietly(context)
        return context.object(with: id)
    }

    @inline(__always)
    private final func endFaultQuietly(_ context: ManagedObjectContext) {
        guard has(ObjectFlag.fault) else { return }
        clear(ObjectFlag.fault)
        context.statistics.firedFaults += 1
        context.statistics.storeReads += 1
    }
}

extension ObjectTable {
    /// What the record of a row refers to. Not known where there is no record, or one of an older layout, or one whose bytes have to be kept.
    @inline(__always)
    fileprivate func referenceQuietly(
        _ row: Row, _ quick: QuickAccessor, _ context: ManagedObjectContext, isKnown: inout Bool
    ) -> ObjectID? {
        if quick.ahead >= 0 {
            let window = Int(row) / ReadAhead.rowsPerWindow
            if readAhead.window != window, readAhead.note(row, { referenceReader() }) { prefetchFirst(context) }
            if readAhead.window == window, let targets = readAhead.targets {
                let place = Int(row) % ReadAhead.rowsPerWindow
                let ofField = targets + Int(quick.ahead) * ReadAhead.rowsPerWindow
                if place + ReadAhead.distance < ReadAhead.rowsPerWindow { prefetch(ofField[place + ReadAhead.distance], context) }
                let target = ofField[place]
                if target != ReadAhead.unknown {
                    isKnown = true
                    return target == ReadAhead.none ? nil : id(of: target)
                }
            }
        }
        let isFirst = !isAtHand(row)
        guard let store, let record = try? record(row), record.layout.number == layoutNumber, !record.isCopy else { return nil }
        if isFirst { prefetchTargets(of: record, but: quick, store, context) }
        if let (code, target) = record.reference(Int(quick.field)) {
            guard let entity = store.entityNumber(of: code) else { return nil }
            isKnown = true
            return ObjectID(store: storeNumber, entity: UInt32(truncatingIfNeeded: entity), row: target)
        }
        isKnown = record.isNull(Int(quick.field))
        return nil
    }

    @inline(__always)
    private func id(of target: ReferenceAhead.Target) -> ObjectID {
        ObjectID(store: storeNumber, entity: UInt32(truncatingIfNeeded: target >> 32), row: Row(truncatingIfNeeded: target))
    }

    /// The first rows of a window, before which nobody could begin.
    @inline(never)
    private func prefetchFirst(_ context: ManagedObjectContext) {
        guard let targets = readAhead.targets, let stored else { return }
        for field in stored.quick.aheadFields.indices {
            for place in 0..<ReadAhead.distance { prefetch(targets[field * ReadAhead.rowsPerWindow + place], context) }
        }
    }

    /// Begins to fetch from memory what a target's object reads first.
    @inline(__always)
    private func prefetch(_ target: ReferenceAhead.Target, _ context: ManagedObjectContext) {
        guard target < ReadAhead.none, let table = context.lastTable else { return }
        table._withUnsafeGuaranteedRef {
            if $0.entityNumber == UInt32(truncatingIfNeeded: target >> 32) { $0.prefetch(Row(truncatingIfNeeded: target)) }
        }
    }

    /// What reads references of neighbouring rows; nil where they are not this table's to read.
    @inline(never)
    private func referenceReader() -> ReferenceAhead? {
        guard let store, let stored, let snapshot else { return nil }
        let fields = stored.quick.aheadFields
        return ReferenceAhead(snapshot, stored.code, stored.layout, fields: fields, rowsPerWindow: ReadAhead.rowsPerWindow) {
            store.entityNumber(of: $0)
        }
    }

    /// Who follows one reference of an object mostly follows the others as well, and reads where they lead at random.
    @inline(__always)
    private func prefetchTargets(of record: RecordView, but quick: QuickAccessor, _ store: PersistentStore, _ context: ManagedObjectContext)
    {
        guard let table = context.lastTable else { return }
        for number in 0..<quickCount where quickAccessors[number].kind == .toOne && quickAccessors[number].field != quick.field {
            guard let (code, row) = record.reference(Int(quickAccessors[number].field)), let entity = store.entityNumber(of: code) else {
                continue
            }
            table._withUnsafeGuaranteedRef { if $0.entityNumber == UInt32(truncatingIfNeeded: entity) { $0.prefetch(row) } }
        }
    }
}

extension ObjectTable {
    /// Whether nothing that goes on in the context has to hear of each change of a new object: no announced change is open, no fault is firing,
    /// nothing is being undone.
    @inline(__always)
    var isCalm: Bool { contextReference?._withUnsafeGuaranteedRef { $0.isCalm } ?? false }
    @inline(__always)
    var isMaintainingInverses: Bool { contextReference?._withUnsafeGuaranteedRef { $0.isMaintainingInverses } ?? true }
    @inline(__always)
    func hasSameContext(as other: ObjectTable) -> Bool { contextReference?.toOpaque() == other.contextReference?.toOpaque() }
}

extension ManagedObjectContext {
    /// Whatever has to hear of every change of every object makes this false.
    @inline(__always)
    var isCalm: Bool { openChangeCount == 0 && awakening.isEmpty && !notesNewObjects }
}
