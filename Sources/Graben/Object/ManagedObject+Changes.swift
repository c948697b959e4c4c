public import GrabenLog

extension ManagedObject {
    // MARK: The will/did pairs

    final func accessWillBegin(_ key: String?) {
        #if DEBUG
            _table.context?.checkOwner(self)
        #endif
        guard has(ObjectFlag.fault | ObjectFlag.slow) else { return }
        if has(ObjectFlag.slow) { noteTrackedAccess(key) }
        guard has(ObjectFlag.fault) else { return }
        if let key, let number = _table.propertyNumber(named: key) {
            if isPartial(number) { return }
            switch info.properties[number].kind {
            case .packed where info.accessors[number] == nil, .toMany, .fetched: return
            default: break
            }
        }
        fire()
    }

    final func changeWillBegin(_ key: String) {
        #if DEBUG
            _table.context?.checkOwner(self)
        #endif
        if withTable({ beginsQuickly(key, $0) }) { return }
        guard let number = _table.propertyNumber(named: key) else { return }
        fireIfNeeded()
        let data = data
        if let index = data.open.firstIndex(where: { $0.property == number }) {
            data.open[index].depth += 1
            return
        }
        let property = info.properties[number]
        data.open.append(OpenChange(property: number, old: property.kind == .toMany ? .null : primitive(number)))
        _table.context?.openChangeCount += 1
    }

    final func changeDidEnd(_ key: String) {
        if withTable({ endsQuickly(key, $0) }) { return }
        guard let number = _table.propertyNumber(named: key) else { return }
        guard let data = _data, let index = data.open.firstIndex(where: { $0.property == number }) else {
            let error = GrabenError.unbalancedChange(
                entity: info.name, key: key, uri: objectID.uriRepresentation,
                reason: "didChangeValue(forKey:) without its willChangeValue(forKey:); the change is not recorded")
            _table.context?.report(error)
            return
        }
        data.open[index].depth -= 1
        guard data.open[index].depth == 0 else { return }
        let change = data.open.remove(at: index)
        _table.context?.openChangeCount -= 1
        let property = info.properties[number]
        guard property.kind != .toMany, property.kind != .fetched else { return }
        let new = primitive(number)
        guard new != change.old else {
            noticeUnnamedField(property, change)
            return
        }
        record(property, old: change.old, new: new)
    }

    /// A class that keeps an attribute in a field and does not say so cannot be undone; debug builds notice.
    private final func noticeUnnamedField(_ property: PropertyInfo, _ change: OpenChange) {
        #if DEBUG
            guard !change.wrote, info.accessors[property.number] == nil, type(of: self) != ManagedObject.self else { return }
            guard Mirror(reflecting: self).children.contains(where: { !($0.label ?? "_").isEmpty }) else { return }
            _table.context?.report(.unnamedField(className: "\(type(of: self))", key: property.name))
        #endif
    }

    // MARK: Recording

    /// Notes a change of an attribute or to-one relationship whose new value is in place: event, flags, column, the other side, observers.
    ///
    /// - Parameter target: the object that a to-one refers to now, where it is at hand.
    final func record(_ property: PropertyInfo, old: Value, new: Value, target: ManagedObject? = nil) {
        guard let context, !isAwakening else { return }
        if property.kind == .packed {
            recordPacked(property, new, context)
        } else {
            noteEvent(.value(property: property.number, old: old))
            if info.accessors[property.number] != nil { data.values[property.number] = new }
            if property.isKey { context.noteKey(self) }
        }
        markUpdated(context)
        if property.kind == .toOne { _table.noteReference(property.number, _row, new) }
        if property.kind == .toOne, !context.isMaintainingInverses, !context.isRestoring {
            context.maintainInverse(of: self, property, old: old, new: new, target: target)
        }
        if has(CellFlag.observed) { context.notifyObservers(of: self, property.name, old: old, new: new) }
        if has(ObjectFlag.slow) { context.noteTrackedChange(of: self, property.number) }
    }

    private final func recordPacked(_ property: PropertyInfo, _ new: Value, _ context: ManagedObjectContext) {
        let overlay = _table.overlay(for: self)
        if info.accessors[property.number] != nil {
            context.noteEvent(overlay, self)
            info.geometry.setValue(overlay.writable(), property.lane, slot, new)
        }
        overlay.dirty[slot] = true
        overlay.kept[slot] = false
    }

    @inline(__always)
    final func markUpdated(_ context: ManagedObjectContext) {
        set(ObjectFlag.updated)
        context.list(self)
        // A new object is in the event as such, and what it held before is nothing to take back to.
        if isInserted, has(ObjectFlag.newInEvent), !context.notesNewObjects { return }
        if !has(ObjectFlag.inEvent) {
            set(ObjectFlag.inEvent)
            context.event.objects.append(self)
            context.noteTurn()
        }
    }

    /// Keeps what an event changed; only a property's first change in the event counts.
    final func noteEvent(_ change: EventChange) {
        if isInserted, has(ObjectFlag.newInEvent), _table.context?.notesNewObjects == false { return }
        let data = data
        switch change {
        case .value(let property, _):
            for case .value(property, _) in data.event { return }
        case .order(let property, _):
            for case .order(property, _) in data.event { return }
        case .member(let property, let id, let added):
            if let last = data.event.last, case .member(property, id, !added) = last {
                data.event.removeLast()
                return
            }
        }
        data.event.append(change)
    }

    // MARK: What changed

    /// New values of persistent properties that differ from those last fetched or saved; empty after a save.
    public final func changedValues() -> [String: Value] {
        _table.openInboxes()
        guard hasChanges, let data = _data else { return changedPackedValues() }
        var changes = changedPackedValues()
        for number in data.values.properties where info.properties[number].isPersistent {
            let property = info.properties[number]
            guard let value = data.values[number] else { continue }
            if has(ObjectFlag.inserted) || value != baseValue(property, data) { changes[property.name] = value }
        }
        for (number, state) in data.toMany where state.isChanged {
            changes[info.properties[number].name] = .references(memberIDs(number))
        }
        return changes
    }

    /// The values of all persistent properties.
    final func allValues() -> [String: Value] {
        var values: [String: Value] = [:]
        for property in info.properties where property.isPersistent {
            values[property.name] = property.kind == .toMany ? .references(memberIDs(property.number)) : primitive(property.number)
        }
        return values
    }

    /// Values that are not those a new object begins with.
    private final func valuesBeyondDefaults() -> [String: Value] {
        allValues().filter { key, value in
            guard let number = info.entity.propertyNumber(named: key) else { return false }
            return value != (info.properties[number].kind == .toMany ? .references([]) : info.properties[number].defaultValue)
        }
    }

    private final func changedPackedValues() -> [String: Value] {
        var changes: [String: Value] = [:]
        guard has(ObjectFlag.registered), let overlay = _table.chunks.overlay(_table.chunkIndex(of: _row)), overlay.dirty[slot] else {
            return changes
        }
        for (lane, number) in info.laneProperties.enumerated() {
            let value = packedValue(lane)
            if has(ObjectFlag.inserted) || value != overlay.baseValue(lane, slot) { changes[info.properties[number].name] = value }
        }
        return changes
    }

    /// New values of properties changed since the end of the last event.
    public final func changedValuesForCurrentEvent() -> [String: Value] {
        // All that a new object has is new in the event.
        if isInserted, has(ObjectFlag.newInEvent) { return valuesBeyondDefaults() }
        var changes: [String: Value] = [:]
        for change in _data?.event ?? [] {
            switch change {
            case .value(let number, _): changes[info.properties[number].name] = primitive(number)
            case .member(let number, _, _), .order(let number, _):
                changes[info.properties[number].name] = .references(memberIDs(number))
            }
        }
        if has(ObjectFlag.registered), let overlay = _table.chunks.overlay(_table.chunkIndex(of: _row)) {
            overlay.completeEvent()
            for (lane, number) in info.laneProperties.enumerated() {
                guard let old = overlay.event.value(lane, slot, info.geometry), old != packedValue(lane) else {
                    continue
                }
                changes[info.properties[number].name] = packedValue(lane)
            }
        }
        return changes
    }

    /// Values of persistent properties as last fetched or saved, `.null` for nil; nil keys mean all that need no fetch.
    ///
    /// - Throws: `GrabenError.unknownKey`.
    public final func committedValues(forKeys keys: [String]?) throws(GrabenError) -> [String: Value] {
        var numbers: [Int] = []
        if let keys {
            for key in keys { numbers.append(try info.number(key)) }
        } else {
            numbers = info.properties.filter { $0.kind != .toMany || toManyState($0.number) != nil }.map(\.number)
        }
        fireIfNeeded()
        var values: [String: Value] = [:]
        for number in numbers {
            let property = info.properties[number]
            switch property.kind {
            case .attribute, .toOne: values[property.name] = has(ObjectFlag.inserted) ? .null : baseValue(property, data)
            case .packed: values[property.name] = has(ObjectFlag.inserted) ? .null : committedPacked(property.lane)
            case .toMany: values[property.name] = .references(committedMemberIDs(number))
            case .transient, .fetched: break
            }
        }
        return values
    }

    final func committedPacked(_ lane: Int) -> Value {
        guard has(ObjectFlag.registered), let overlay = _table.chunks.overlay(_table.chunkIndex(of: _row)) else {
            return packedValue(lane)
        }
        return overlay.baseValue(lane, slot)
    }

    /// Whether persistent values differ from the saved ones.
    public final var hasPersistentChangedValues: Bool { has(ObjectFlag.deleted) || isInserted || !changedValues().isEmpty }

    /// Whether values were set here, beyond what follows from changes of other objects: members, and references cleared.
    final var hasValuesOfItsOwn: Bool {
        changedValues().contains { key, value in
            guard let property = info.entity.propertyNumber(named: key).map({ info.properties[$0] }) else { return false }
            return property.kind != .toMany && !(property.kind == .toOne && value.isNull)
        }
    }

    /// Marks the object for saving though nothing of it changed.
    public final func touch() {
        guard let context else { return }
        fireIfNeeded()
        data.isTouched = true
        markUpdated(context)
    }
}

/// What happened since the last event ended.
struct ContextEvent {
    var inserted: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    var objects: [ManagedObject] = []
    var chunks: [(table: ObjectTable, overlay: OverlayChunk, index: Int)] = []

    mutating func noteInserted(_ object: ManagedObject) {
        object.set(ObjectFlag.newInEvent)
        inserted.append(object)
    }

    var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && objects.isEmpty && chunks.isEmpty }
}

extension ManagedObjectContext {
    /// Keeps what a slot holds before its first change in the event.
    @inline(__always)
    func noteEvent(_ overlay: OverlayChunk, _ object: ManagedObject) {
        noteEvent(overlay, slot: object.slot, index: object._table.chunkIndex(of: object._row), in: object._table)
    }

    func noteEvent(_ overlay: OverlayChunk, slot: Int, index: Int, in table: ObjectTable) {
        if overlay.event.isEmpty {
            event.chunks.append((table, overlay, index))
            noteTurn()
        }
        overlay.noteEvent(slot)
    }
}
