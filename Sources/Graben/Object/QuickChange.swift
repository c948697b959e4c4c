import GrabenLog

/// A change that one of the object's own setters makes: between its announcements nothing has to be kept in the object.
///
/// Setters always call `willChangeValue(forKey:)` and `didChangeValue(forKey:)`, which a class may override. The library's own
/// implementations see here that a setter waits for them, note that they were reached, and leave the rest to it: no open change is kept, no
/// old value put into a `Value`. A pair that a program calls itself finds nothing here and opens and ends a change as ever.
struct QuickChange {
    enum Phase {
        case none
        /// The setter is about to announce the change.
        case armed
        /// `willChangeValue` was reached.
        case begun
        /// `didChangeValue` was reached.
        case ended
    }

    /// The object's address, to compare; it is alive, being the one whose setter runs.
    var object: UnsafeRawPointer?
    var property = -1
    var phase = Phase.none
}

extension ManagedObject {
    @inline(__always)
    private final var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// What `willChangeValue` does where a setter waits for it; false where none does.
    @inline(__always)
    final func beginsQuickly(_ key: String, _ table: ObjectTable) -> Bool {
        guard table.quick.phase == .armed, table.quick.object == address, table.info.properties[table.quick.property].name == key else {
            return false
        }
        fireIfNeeded()
        table.quick.phase = .begun
        return true
    }

    /// What `didChangeValue` does where a setter waits for it; false where none does.
    @inline(__always)
    final func endsQuickly(_ key: String, _ table: ObjectTable) -> Bool {
        guard table.quick.phase == .begun, table.quick.object == address, table.info.properties[table.quick.property].name == key else {
            return false
        }
        table.quick.phase = .ended
        return true
    }

    /// Announces a change, makes it, and announces its end; answers whether what `write` answers is to be recorded.
    ///
    /// An override that does not call `super` is taken at its word: without the beginning nothing is recorded, without the end the change
    /// stays open and the next save says so.
    @inline(__always)
    final func announce(_ property: PropertyInfo, _ table: ObjectTable, old: () -> Value, write: () -> Bool) -> Bool {
        // A setter inside an override of the pair announces changes of its own meanwhile.
        let outer = table.quick
        table.quick = QuickChange(object: address, property: property.number, phase: .armed)
        willChangeValue(forKey: property.name)
        let hasBegun = table.quick.phase == .begun && table.quick.object == address && table.quick.property == property.number
        if !hasBegun { table.quick = QuickChange() }
        let before = hasBegun ? old() : .null
        let isChanged = write()
        didChangeValue(forKey: property.name)
        let hasEnded = table.quick.phase == .ended
        table.quick = outer
        guard hasBegun else { return false }
        if !hasEnded {
            data.open.append(OpenChange(property: property.number, old: before, wrote: true))
            table.context?.openChangeCount += 1
        }
        return isChanged && hasEnded
    }

    /// Whether a change of the property can be made quickly: nobody has announced it by hand, and no field of the class's own is behind it.
    @inline(__always)
    final func isQuick(_ property: PropertyInfo, _ table: ObjectTable) -> Bool {
        let info = table.info
        if info.hasAccessors, info.accessors[property.number] != nil { return false }
        // Nobody's change is open in most contexts most of the time.
        guard table.context?.openChangeCount != 0, let data = keptData else { return true }
        return data.open.isEmpty
    }

    /// Sets an unpacked attribute or a to-one that fits, announced and recorded; false where it has to be done the long way.
    final func changeQuickly(_ property: PropertyInfo, to value: Value, _ target: ManagedObject?, _ table: ObjectTable) -> Bool {
        guard property.isValue, isQuick(property, table) else { return false }
        var old = Value.null
        let isChanged = announce(property, table) {
            old = storedValue(property)
            return old
        } write: {
            putUnpacked(property, value)
            return old != value
        }
        guard isChanged else { return true }
        guard isInserted, has(ObjectFlag.newInEvent), let context = table.context, !context.notesNewObjects, !isAwakening,
            !has(CellFlag.observed), !has(ObjectFlag.slow)
        else {
            record(property, old: old, new: value, target: target)
            return true
        }
        // Nobody has to know what a new object held before, nor that it changed.
        set(ObjectFlag.updated)
        guard property.kind == .toOne else { return true }
        if !table.referenceColumns.isEmpty { table.noteReference(property.number, _row, value) }
        if !context.isMaintainingInverses, !context.isRestoring {
            context.maintainInverse(of: self, property, old: old, new: value, target: target)
        }
        return true
    }

    /// Sets a lane that is Double and always has a value, announced and recorded; false where it has to be done the long way.
    final func changeLaneQuickly(_ lane: Int, to value: Double) -> Bool {
        let table = _table
        let info = table.info
        guard lane < info.laneProperties.count, !has(ObjectFlag.slow), has(ObjectFlag.registered) else { return false }
        let place = info.geometry.lanes[lane]
        let property = info.properties[info.laneProperties[lane]]
        guard place.isDouble, place.validityOffset == nil, isQuick(property, table), let context = table.context, !isAwakening else {
            return false
        }
        let offset = place.offset + slot * 8
        let entry = _entry
        var old = 0.0
        let isChanged = announce(property, table) {
            .double(UnsafeRawPointer(entry.pointee).load(fromByteOffset: offset, as: Double.self))
        } write: {
            old = UnsafeRawPointer(entry.pointee).load(fromByteOffset: offset, as: Double.self)
            guard old.bitPattern != value.bitPattern, !(old.isNaN && value.isNaN), has(ObjectFlag.registered) else { return false }
            let index = ChunkTable.index(of: entry)
            let overlay = table.chunks.makeOverlay(index)
            // What a new object held before this event is nothing.
            if !isInserted || !has(ObjectFlag.newInEvent) || context.notesNewObjects {
                context.noteEvent(overlay, slot: slot, index: index, in: table)
            }
            overlay.writable(lane: lane).storeBytes(of: value, toByteOffset: offset, as: Double.self)
            overlay.dirty[slot] = true
            overlay.kept[slot] = false
            return true
        }
        guard isChanged else { return true }
        if isInserted, has(ObjectFlag.newInEvent), !has(ObjectFlag.cell), !context.notesNewObjects {
            set(ObjectFlag.updated)
            return true
        }
        markUpdated(context)
        if has(CellFlag.observed) { context.notifyObservers(of: self, property.name, old: .double(old), new: .double(value)) }
        return true
    }
}
