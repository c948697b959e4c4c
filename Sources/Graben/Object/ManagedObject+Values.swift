public import GrabenLog

extension ManagedObject {
    // MARK: Keyed access

    /// Reads a property by name, between `willAccessValue(forKey:)` and `didAccessValue(forKey:)`.
    ///
    /// A relationship reads as the ids it refers to, a fetched property as the ids it finds.
    /// - Throws: `GrabenError.unknownKey`; what evaluating a fetched property throws.
    public final func value(forKey key: String) throws(GrabenError) -> Value {
        let property = info.properties[try info.number(key)]
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        switch property.kind {
        case .attribute, .packed, .transient, .toOne: return primitive(property.number)
        case .toMany: return .references(memberIDs(property.number))
        case .fetched: return .references(try fetchedIDs(property.number))
        }
    }

    /// Sets a property by name, between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
    ///
    /// A relationship takes `.reference`, `.references` or `.null`.
    /// - Throws: `GrabenError.unknownKey`, `.wrongType`, `.readOnlyProperty`, `.foreignObject`, `.noContext`.
    public final func setValue(_ value: Value, forKey key: String) throws(GrabenError) {
        try set(info.properties[try info.number(key)], to: value)
    }

    final func set(_ property: PropertyInfo, to value: Value) throws(GrabenError) {
        let fitting = try checked(value, for: property)
        if property.kind == .toMany {
            guard case .references(let ids) = fitting, let context else {
                throw .noContext(entity: info.name, doing: "setting \(property.name)")
            }
            try setMembers(property.number, ids.map { context.object(with: $0) })
            return
        }
        try checkChangeable(property.name)
        if case .reference(let id) = fitting, let context { try checkRelatable(context.object(with: id), property.name) }
        change(property, to: fitting)
    }

    /// Sets a value that fits, announced and recorded.
    final func change(_ property: PropertyInfo, to value: Value, target: ManagedObject? = nil) {
        let table = _table
        if property.kind != .packed, changeQuickly(property, to: value, target, table) { return }
        table.lastProperty = property.number
        willChangeValue(forKey: property.name)
        setPrimitive(property.number, value)
        didChangeValue(forKey: property.name)
    }

    /// Reads a property by name without announcing it, and without firing the object's fault for a packed attribute.
    ///
    /// - Throws: `GrabenError.unknownKey`.
    public final func primitiveValue(forKey key: String) throws(GrabenError) -> Value {
        let number = try info.number(key)
        return info.properties[number].kind == .toMany ? .references(memberIDs(number)) : primitive(number)
    }

    /// Sets a property by name without announcing or recording it; a two-way relationship's other side is the caller's to set.
    ///
    /// - Throws: `GrabenError.unknownKey`, `.wrongType`, `.readOnlyProperty`.
    public final func setPrimitiveValue(_ value: Value, forKey key: String) throws(GrabenError) {
        let number = try info.number(key)
        let property = info.properties[number]
        let fitting = try checked(value, for: property)
        if property.kind == .toMany {
            guard case .references(let ids) = fitting else { return }
            setMembersRaw(number, ids)
        } else {
            setPrimitive(number, fitting)
        }
    }

    // MARK: Accessors for subclasses

    /// What a subclass's getter of an unpacked attribute returns: the value, with the access announced; nil where there is none.
    public final func attribute<V: PrimitiveConvertible>(_ key: String, as type: V.Type = V.self) -> V? {
        guard let number = numberOrReport(key) else { return info.probe?.value(as: V.self) }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return V(primitiveValue: primitive(number))
    }

    /// What a subclass's setter of an unpacked attribute does: the value set, with the change announced and recorded.
    ///
    /// A value that does not fit is reported to the context, left out, and thrown by the next save.
    public final func setAttribute<V: PrimitiveConvertible>(_ key: String, _ value: V?) {
        do { try setValue(value?.primitiveValue ?? .null, forKey: key) } catch { refuse(error) }
    }

    /// What a subclass's getter of a to-one relationship returns.
    public final func toOne<T: ManagedObject>(_ key: String, as type: T.Type = T.self) -> T? {
        guard let number = numberOrReport(key) else { return info.probe?.child(T.self) }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return target(number) as? T
    }

    /// What a subclass's setter of a to-one relationship does; the other side is set too.
    public final func setToOne(_ key: String, _ object: ManagedObject?) {
        do throws(GrabenError) {
            try setTarget(info.properties[try info.number(key)], object)
        } catch { refuse(error) }
    }

    /// Makes a to-one relationship refer to an object, or to none; the other side is set too.
    final func setTarget(_ property: PropertyInfo, _ object: ManagedObject?) throws(GrabenError) {
        if let object, isRelatable(object) {} else { try checkRelatable(object, property.name) }
        guard property.kind == .toOne else {
            throw GrabenError.wrongType(entity: info.name, key: property.name, expected: "another kind of value", found: "an object")
        }
        if !has(ObjectFlag.registered) { try checkChangeable(property.name) }
        guard let object else { return change(property, to: .null) }
        let id = object.objectID
        let isNear = withTable { mine in
            object.withTable {
                $0.entityNumber == UInt32(truncatingIfNeeded: property.destination) && $0.storeNumber == mine.storeNumber
            }
        }
        if !isNear { try checkDestination(id, of: property) }
        change(property, to: .reference(id), target: object)
    }

    final func numberOrReport(_ key: String) -> Int? {
        do { return try info.number(key) } catch {
            info.probe?.note(key)
            _table.context?.report(error)
            return nil
        }
    }

    final func refuse(_ error: GrabenError) {
        if let context = _table.context { return context.refuse(error) }
        if _table.stored == nil { data.refusals.append(error) }
    }

    // MARK: Primitive values by number

    /// The value a property has now: a field of the class's own where there is one, else the store's.
    final func primitive(_ number: Int) -> Value {
        let info = info
        return primitive(info.properties[number], info)
    }

    /// The same for who has the entity's information at hand: each look for it counts a reference up and down, which costs as much as reading.
    @inline(__always)
    final func primitive(_ property: PropertyInfo, _ info: EntityInfo) -> Value {
        if info.hasAccessors, let accessor = info.accessors[property.number] {
            fireIfNeeded()
            return accessor.get(self)
        }
        return storedValue(property)
    }

    /// The value of an attribute or to-one as context, column or record have it, past any field of the class's own.
    final func storedValue(_ number: Int) -> Value { storedValue(info.properties[number]) }

    final func storedValue(_ property: PropertyInfo) -> Value {
        if property.kind == .packed { return packedValue(property.lane) }
        if has(ObjectFlag.fault) {
            if isPartial(property.number) { return partialValue(property) }
            fire()
        }
        guard let data = keptData else {
            if let freshValues { return freshValue(property, in: freshValues) }
            return isInserted ? property.defaultValue : snapshotValue(property)
        }
        if let value = data.values[property.number] { return value }
        return baseValue(property, data)
    }

    /// The value in the record of the table's snapshot: what an object has of which nothing is kept here.
    final func snapshotValue(_ property: PropertyInfo) -> Value {
        let table = _table
        guard property.kind != .transient, let stored = table.stored else { return property.defaultValue }
        do throws(LogError) {
            guard let record = try table.record(_row) else { return property.defaultValue }
            return try stored.value(property, of: record)
        } catch {
            table.context?.report(.store(error))
            return .null
        }
    }

    /// The value the object began with: of its record, its parent context or the model's default.
    final func baseValue(_ property: PropertyInfo, _ data: ObjectData) -> Value {
        switch data.base {
        case .unbound:
            guard bindRecordOrReport() else {
                data.base = .defaults
                return property.defaultValue
            }
            return baseValue(property, data)
        case .record(let record):
            guard property.kind != .transient, let stored = _table.stored else { return property.defaultValue }
            do { return try stored.value(property, of: record) } catch {
                _table.context?.report(.store(error))
                return .null
            }
        case .values(let values): return values[property.number]
        case .defaults: return property.defaultValue
        }
    }

    /// Writes a value where the property keeps it: field, column or object. Announces and records nothing.
    final func setPrimitive(_ number: Int, _ value: Value) {
        let property = info.properties[number]
        if let accessor = info.accessors[number] {
            accessor.set(self, value)
        } else {
            setStored(property, value)
        }
    }

    /// Writes a value in column or object, past any field.
    final func setStored(_ property: PropertyInfo, _ value: Value) {
        guard property.kind == .packed else {
            putUnpacked(property, value)
            markWritten(property.number)
            return
        }
        guard !isLoose else {
            data.values[property.number] = value
            return
        }
        guard has(ObjectFlag.registered), let context = _table.context else { return }
        // What a slot holds already makes no overlay and no undo step.
        guard info.geometry.value(_entry.pointee, property.lane, slot) != value else { return markWritten(property.number) }
        let overlay = _table.overlay(for: self)
        if !isAwakening, let data = keptData, let index = data.open.firstIndex(where: { $0.property == property.number }) {
            data.open[index].wrote = true
            context.noteEvent(overlay, self)
        } else if !overlay.dirty[slot] {
            overlay.kept[slot] = true
        }
        info.geometry.setValue(overlay.writable(), property.lane, slot, value)
    }

    /// Puts a value of an unpacked property where the object keeps such values: a lane while it is fresh, else its data.
    @inline(__always)
    final func putUnpacked(_ property: PropertyInfo, _ value: Value) {
        let isInLane = property.fresh.map { lane in freshValues?.set(lane, slot, value) ?? false } ?? false
        if !isInLane { data.values[property.number] = value }
        if property.isKey { _table.context?.noteKey(self) }
    }

    private final func markWritten(_ number: Int) {
        guard let data = keptData, let index = data.open.firstIndex(where: { $0.property == number }) else { return }
        data.open[index].wrote = true
    }

    /// Puts the model's defaults in place, in fields and columns too.
    final func applyDefaults() {
        for number in info.defaulted {
            if info.properties[number].kind == .packed || info.accessors[number] != nil {
                setPrimitive(number, info.properties[number].defaultValue)
                if info.accessors[number] != nil { setStored(info.properties[number], info.properties[number].defaultValue) }
            }
        }
        guard !info.laneProperties.isEmpty, has(ObjectFlag.registered) else { return }
        let overlay = _table.overlay(for: self)
        overlay.dirty[slot] = true
        overlay.kept[slot] = false
    }

    // MARK: Checks

    final func checkChangeable(_ key: String) throws(GrabenError) {
        if has(ObjectFlag.registered) || (_table.stored == nil && !has(CellFlag.missing)) { return }
        throw .noContext(entity: info.name, doing: "setting \(key)")
    }

    /// The value as the property holds it, or the error that says what it takes.
    final func checked(_ value: Value, for property: PropertyInfo) throws(GrabenError) -> Value {
        func wrong(_ expected: String) -> GrabenError {
            .wrongType(entity: info.name, key: property.name, expected: expected, found: value.summary)
        }
        switch property.kind {
        case .attribute, .packed, .transient:
            guard let type = property.attributeType else { return value }
            if value.isNull, property.kind == .packed, property.isRequired { throw wrong("a number (it is not optional)") }
            guard let fitting = type.normalized(value) else { throw wrong("a value of type \(type.rawValue)") }
            return fitting
        case .toOne:
            switch value {
            case .null: return value
            case .reference(let id):
                try checkDestination(id, of: property)
                return value
            default: throw wrong("a reference")
            }
        case .toMany:
            guard case .references(let ids) = value.isNull ? .references([]) : value else { throw wrong("references") }
            for id in ids { try checkDestination(id, of: property) }
            return .references(ids)
        case .fetched: throw .readOnlyProperty(entity: info.name, key: property.name)
        }
    }

    /// Whether an id is of the object's store and of the entity that a relationship leads to.
    private final func checkDestination(_ id: ObjectID, of property: PropertyInfo) throws(GrabenError) {
        if _table.stored == nil { throw .noContext(entity: info.name, doing: "setting \(property.name)") }
        if id.storeNumber == _table.stored?.storeNumber, let infos = _table.context?.coordinator.infos, Int(id.entityNumber) < infos.count,
            infos[property.destination].entity.concreteDescendants.contains(Int(id.entityNumber))
        {
            return
        }
        throw .foreignObject(
            entity: info.name, key: property.name,
            reason: "\(id.uriRepresentation) is of another store or not a \(destinationName(property))")
    }

    /// Whether an object can plainly be related to this one: both are in one context, and nothing says that either is gone.
    @inline(__always)
    private final func isRelatable(_ object: ManagedObject) -> Bool {
        let standing = ObjectFlag.registered | ObjectFlag.inserted
        guard _word & (standing | ObjectFlag.deleted) == standing, object._word & (standing | ObjectFlag.deleted) == standing else {
            return false
        }
        return withTable { mine in object.withTable { $0.context === mine.context } }
    }

    /// Whether an object can be related to this one.
    final func checkRelatable(_ object: ManagedObject?, _ key: String) throws(GrabenError) {
        guard let object else { return }
        guard let context else { throw .noContext(entity: info.name, doing: "setting \(key)") }
        guard object.context === context else {
            let reason =
                object.context == nil
                ? "the \(object.info.name) belongs to no context"
                : "the \(object.info.name) belongs to another context; get it here by context.object(with: its objectID)"
            throw .foreignObject(entity: info.name, key: key, reason: reason)
        }
        // The delete rules have run, or will have run, without this reference; it would be saved and lead nowhere.
        guard !isDeleted else { throw .foreignObject(entity: info.name, key: key, reason: "this \(info.name) is deleted") }
        guard !object.isDeleted, !object.isFault || context.exists(object) else {
            throw .foreignObject(
                entity: info.name, key: key, reason: "\(object.objectID.uriRepresentation) is deleted or was never there")
        }
    }
}

extension ManagedObjectContext {
    /// Whether a fault leads to a record: in the snapshot, or in a commit the snapshot has not reached yet, or to an object of a context
    /// above.
    fileprivate func exists(_ object: ManagedObject) -> Bool {
        guard let stored = object._table.stored else { return false }
        var level = parent
        while let current = level {
            if let original = current.tables[stored.storeNumber]?[object.info.index]?.registered(object._row) {
                if original.isDeleted { return false }
                if original.isInserted { return true }
            }
            level = current.parent
        }
        return root.snapshot(of: stored)?.contains(stored.code, object._row) == true
            || stored.store.newestSnapshot.contains(stored.code, object._row)
    }
}
