import GrabenLog
import GrabenModel

extension ObjectSeed {
    /// For an object in no context: packed values live in the object itself, so packed getters take the slow path.
    init(detached info: EntityInfo, row: UInt32) {
        self.init(ObjectTable(info: info, stored: nil, snapshot: nil, context: nil), row: row, flags: ObjectFlag.slow)
    }

    /// For an object in no context, whose class may be bound nowhere.
    init(detached entity: Entity, _ objectClass: ManagedObject.Type) {
        self.init(detached: EntityInfo(entity: entity, objectClass: objectClass), row: 0)
    }
}

extension ManagedObject {
    @inline(__always)
    final func fireIfNeeded() {
        if has(ObjectFlag.fault) { fire() }
    }

    /// Reads the object: binds it to its record's bytes, or to the parent context's values, and runs `awakeFromFetch`.
    ///
    /// Where the record is missing the object reads nil and defaults from now on, says that it is deleted, and the context reports it once.
    final func fire() {
        clear(ObjectFlag.fault)
        guard let context = _table.context else { return }
        context.checkOwner(self)
        context.statistics.firedFaults += 1
        do throws(GrabenError) {
            guard try bindBase(in: context) else { throw GrabenError.objectNotFound(entity: info.name, uri: objectID.uriRepresentation) }
        } catch {
            set(CellFlag.missing)
            data.base = .defaults
            writeFields()
            context.report(error)
            context.traceHandler?(.fault(objectID, isMissing: true))
            return
        }
        writeFields()
        context.noteAwake(self)
        context.traceHandler?(.fault(objectID, isMissing: false))
    }

    /// Whether a base was found for the object's values.
    private final func bindBase(in context: ManagedObjectContext) throws(GrabenError) -> Bool {
        if let parent = context.parent {
            guard let stored = _table.stored else { return false }
            let original = parent.object(_row, in: parent.table(stored, info))
            original.fireIfNeeded()
            guard !original.isDeleted else { return false }
            data.base = .values(original.valuesForChild)
            // All of the object is of one moment, though its chunk may have been lent earlier.
            if !info.laneProperties.isEmpty, _table.chunks.overlay(_table.chunkIndex(of: _row))?.dirty[slot] != true { takeParentsPacked() }
            return true
        }
        context.statistics.storeReads += 1
        do throws(LogError) {
            guard let record = try _table.record(_row) else { return false }
            // Bytes that lie in the mapped log are found again as fast as they could be kept.
            if record.isCopy { bind(record) }
            return true
        } catch { throw .store(error) }
    }

    /// What an object of a child context begins with, by property number.
    final var valuesForChild: [Value] { info.properties.map { $0.isValue ? storedValue($0.number) : .null } }

    /// The values that outlive a save: those no store has.
    final var transientValues: PropertyValues {
        var kept = PropertyValues()
        guard let data = _data else { return kept }
        for number in data.values.properties where info.properties[number].kind == .transient { kept[number] = data.values[number] }
        return kept
    }

    /// Binds the object to its record in the context's snapshot.
    final func bindRecord() throws(GrabenError) -> Bool {
        guard let stored = _table.stored, let snapshot = _table.snapshot else { return false }
        do {
            guard let record = try snapshot.record(stored.code, _row) else { return false }
            bind(record)
            return true
        } catch { throw .store(error) }
    }

    private final func bind(_ record: RecordView) {
        let data = data
        data.base = .record(record)
        data.baseCommit = _table.snapshot?.commitNumber ?? 0
    }

    /// As `bindRecord()`; a record that cannot be read is reported to the context.
    final func bindRecordOrReport() -> Bool {
        do { return try bindRecord() } catch {
            _table.context?.report(error)
            return false
        }
    }

    /// Writes the values of attributes kept in fields of the class's own through its primitive accessors.
    final func writeFields() {
        guard info.hasAccessors else { return }
        for (number, accessor) in info.accessors.enumerated() {
            if let accessor { accessor.set(self, storedValue(number)) }
        }
    }

    /// Lets go of what was read and becomes a fault, between the hooks.
    ///
    /// - Parameter goesOn: called after the first hook, which may have changed the object: lets go of its changes, or answers false and the object stays
    ///   what it is.
    final func turnIntoFault(_ goesOn: () -> Bool) {
        let isTold = !has(ObjectFlag.fault) && !has(CellFlag.missing)
        if isTold { willTurnIntoFault() }
        guard has(ObjectFlag.registered), goesOn() else { return }
        _data = nil
        guard isTold else { return }
        set(ObjectFlag.fault)
        didTurnIntoFault()
        if has(CellFlag.observed) { dropObservers() }
    }

    /// Leaves the context for good, with values from the last snapshot only.
    final func detach() {
        let isNew = has(ObjectFlag.inserted)
        var kept: ObjectData?
        if isNew {
            kept = ObjectData()
            kept?.base = .defaults
        } else if let data = _data, case .values = data.base {
            // A child's object has no snapshot to read from: it keeps what its parent had.
            kept = ObjectData()
            kept?.base = data.base
        }
        clearCellFlags()
        _data = kept
        _table.unregister(self)
        clear(ObjectFlag.all & ~ObjectFlag.cell)
        if isNew { set(.missing) }
    }

    final func awakeOnInsert() {
        awakeFromInsert()
        takeFields()
    }

    /// Brings columns up to date with packed attributes that the class keeps in fields, which a primitive setter writes alone.
    final func takeFields() {
        // A fault's fields hold nothing yet, though a bulk edit may have moved its row.
        guard info.hasAccessors, has(ObjectFlag.registered), !has(ObjectFlag.fault) else { return }
        for (lane, number) in info.laneProperties.enumerated() {
            guard let value = info.accessors[number]?.get(self), value != packedValue(lane) else { continue }
            let overlay = _table.overlay(for: self)
            info.geometry.setValue(overlay.writable(), lane, slot, value)
            overlay.dirty[slot] = true
            overlay.kept[slot] = false
        }
    }
}
