public import GrabenLog
import GrabenModel

extension ManagedObjectContext {
    // MARK: Objects by id

    /// The object with an id, without looking into the store: a fault where the context has not met it. Never fails.
    ///
    /// Complexity: O(1).
    public func object(with id: ObjectID) -> ManagedObject {
        checkOwner()
        if !isClosed, let object = lastTable?._withUnsafeGuaranteedRef({ $0.holds(id) ? object(id.row, in: $0) : nil }) { return object }
        guard !isClosed, let table = table(for: id) else { return strayObject(id) }
        return object(id.row, in: table)
    }

    /// The same for who keeps all the objects he asks for.
    @inline(__always)
    func objectToKeep(_ row: Row, in table: ObjectTable) -> ManagedObject {
        table.registered(row) ?? noteLoose(table.makeFaultToKeep(row), in: table)
    }

    /// The object with an id where the context has met it. Complexity: O(1).
    public func registeredObject(for id: ObjectID) -> ManagedObject? {
        table(of: id)?.registered(id.row)
    }

    /// The object with an id, realised.
    ///
    /// An object that another context saved since moves this one to the newest snapshot first, unless it is pinned.
    ///
    /// - Throws: `GrabenError.objectNotFound` where neither the context nor the store has it.
    public func existingObject(with id: ObjectID) throws(GrabenError) -> ManagedObject {
        if registeredObject(for: id) == nil, !isPinned, !root.isPinned, let stored = table(for: id)?.stored,
            root.snapshot(of: stored)?.contains(stored.code, id.row) == false
        {
            root.advanceSnapshots(merging: root.automaticallyMergesChangesFromParent)
        }
        let object = object(with: id)
        object.fireIfNeeded()
        guard !object.isDeleted, object.has(ObjectFlag.registered) else {
            throw .objectNotFound(entity: object.entity.name, uri: id.uriRepresentation)
        }
        return object
    }

    /// Every object the context knows.
    public var registeredObjects: [ManagedObject] {
        var objects: [ManagedObject] = []
        forEachTable { $0.forEachRegistered { objects.append($0) } }
        return objects
    }

    /// Objects inserted since the last save.
    public var insertedObjects: [ManagedObject] { changed.filter { $0.isInserted && !$0.has(ObjectFlag.deleted) } }
    /// Objects changed since the last save and neither new nor deleted.
    public var updatedObjects: [ManagedObject] { changed.filter { $0.isUpdated } }
    /// Objects deleted since the last save; an object that was never saved vanishes instead.
    public var deletedObjects: [ManagedObject] { changed.filter { $0.has(ObjectFlag.deleted) && !$0.isInserted } }
    /// Whether anything is inserted, updated or deleted.
    public var hasChanges: Bool { changed.contains { $0.hasChanges } || hasLooseRows }

    /// Whether rows without an object have unsaved packed values.
    var hasLooseRows: Bool { tables.values.contains { $0.contains { $0?.hasLooseRows ?? false } } }

    @inline(__always)
    func object(_ row: Row, in table: ObjectTable) -> ManagedObject {
        table.registered(row) ?? noteLoose(table.makeFault(row), in: table)
    }

    /// A new fault whose row a bulk edit may have moved.
    @inline(__always)
    private func noteLoose(_ object: ManagedObject, in table: ObjectTable) -> ManagedObject {
        if table.hasLooseRows, table.chunks.overlay(ChunkTable.index(of: object._entry))?.dirty[object.slot] == true {
            object.set(ObjectFlag.updated)
            list(object)
        }
        return object
    }

    /// A fault for an id of no store of this coordinator: reads as missing, belongs to no context.
    private func strayObject(_ id: ObjectID) -> ManagedObject {
        let infos = coordinator.infos
        let info = Int(id.entityNumber) < infos.count ? infos[Int(id.entityNumber)] : coordinator.unknownInfo
        let object = info.objectClass.init(ObjectSeed(detached: info, row: id.row))
        object.set(CellFlag.missing)
        report(.objectNotFound(entity: info.name, uri: id.uriRepresentation))
        return object
    }

    // MARK: Inserting

    func newSeed(for objectClass: ManagedObject.Type) -> (ObjectSeed, GrabenError?) {
        let number = coordinator.storeCount
        if let last = lastInsert, last.objectClass == ObjectIdentifier(objectClass), last.storeCount == number {
            do throws(GrabenError) { return (ObjectSeed(last.table, row: try last.table.takeRow()), nil) } catch {
                return (ObjectSeed(detached: last.table.info, row: 0), error)
            }
        }
        guard let info = coordinator.info(for: objectClass) else {
            let failure = GrabenError.classMismatch(["\(objectClass) is bound to no entity of the model"])
            return (ObjectSeed(detached: coordinator.unknownInfo, row: 0), failure)
        }
        let seed = newSeed(info, in: nil)
        if seed.1 == nil { lastInsert = LastInsert(objectClass: ObjectIdentifier(objectClass), storeCount: number, table: seed.0.table) }
        return seed
    }

    func newSeed(for entity: Entity, _ objectClass: ManagedObject.Type) -> (ObjectSeed, GrabenError?) {
        guard let info = coordinator.info(for: entity) else {
            let failure = GrabenError.unknownEntity(
                name: entity.name, nearest: coordinator.model.nearestEntityName(to: entity.name))
            return (ObjectSeed(detached: coordinator.unknownInfo, row: 0), failure)
        }
        if info.objectClass != objectClass {
            return (ObjectSeed(detached: coordinator.unknownInfo, row: 0), .classMismatch([info.refusal(of: objectClass)]))
        }
        return newSeed(info, in: nil)
    }

    func newSeed(_ info: EntityInfo, in store: PersistentStore?) -> (ObjectSeed, GrabenError?) {
        do throws(GrabenError) {
            guard !isClosed else { throw GrabenError.noContext(entity: info.name, doing: "inserting") }
            let stored = try coordinator.storeForInsert(info, store)
            let table = table(stored, info)
            let row = try table.takeRow()
            return (ObjectSeed(table, row: row), nil)
        } catch {
            return (ObjectSeed(detached: info, row: 0), error)
        }
    }

    /// Where a new object of the class that the last one was of goes; nil where it has to be found out.
    @inline(__always)
    func quickRow(for objectClass: ManagedObject.Type) -> (table: Unmanaged<ObjectTable>, row: Row)? {
        guard lastInsertClass == ObjectIdentifier(objectClass), let table = lastInsertTable,
            lastInsert?.storeCount == coordinator.storeCount, let row = table._withUnsafeGuaranteedRef({ $0.takeReservedRow() })
        else { return nil }
        return (table, row)
    }

    /// Registers a new object and runs its hook; or reports why it could not be inserted.
    func finishInsert(_ object: ManagedObject, _ failure: GrabenError?) {
        if let failure {
            object.applyDefaults()
            return refuse(failure)
        }
        finishInsert(object, object._row, in: object._table)
    }

    /// As above, for an object that could be.
    @inline(__always)
    func finishInsert(_ object: ManagedObject, _ row: Row, in table: ObjectTable) {
        table.registerNew(object, row: row)
        changed.append(object)
        noteKey(object)
        event.inserted.append(object)
        noteTurn()
        if table.info.freshByteCount > 0 {
            table.chunks.makeFresh(of: object._entry).setFresh(object.slot)
            table.applyPackedDefaults(object)
            object.awakeFromInsert()
        } else {
            if table.info.hasAccessors { object.applyDefaults() } else { table.applyPackedDefaults(object) }
            object.awakeOnInsert()
        }
    }

    /// Inserts an object that was made in no context. An object that is in a context already is left alone.
    ///
    /// - Parameter store: the store that takes it; needed only where several take the entity.
    /// - Returns: the object to use from now on: the same instance.
    /// - Throws: `GrabenError.noStore`, `.unknownEntity`; `.classMismatch` where the object's class is not the entity's, or its entity is of
    ///   another model and has other properties there.
    public func insert(_ object: ManagedObject, into store: PersistentStore? = nil) throws(GrabenError) {
        guard !object.has(ObjectFlag.registered) else { return }
        guard object._table.stored == nil else { throw .noContext(entity: object.entity.name, doing: "inserting it again") }
        guard let info = coordinator.info(for: object.entity) else {
            throw .unknownEntity(name: object.entity.name, nearest: coordinator.model.nearestEntityName(to: object.entity.name))
        }
        // Its getters read memory by the numbers of its own class and entity.
        guard type(of: object) == info.objectClass else { throw .classMismatch([info.refusal(of: type(of: object))]) }
        guard object.entity.hasSameProperties(as: info.entity) else {
            throw .classMismatch(["\(info.name) has other properties in the model that the object was made by"])
        }
        let (seed, failure) = newSeed(info, in: store)
        if let failure { throw failure }
        refusals += object.data.refusals
        object.data.refusals = []
        // Packed values set so far move from the object into the column.
        let lanes = info.laneProperties.map { info.accessors[$0]?.get(object) ?? object._data?.values[$0] }
        object.move(to: seed)
        seed.table.register(object)
        markInserted(object)
        object.data.base = .defaults
        if !info.laneProperties.isEmpty {
            let overlay = seed.table.overlay(for: object)
            overlay.dirty[object.slot] = true
            for (lane, value) in lanes.enumerated() {
                object.data.values[info.laneProperties[lane]] = nil
                info.geometry.setValue(
                    overlay.writable(), lane, object.slot, value ?? info.properties[info.laneProperties[lane]].defaultValue)
            }
        }
        object.awakeOnInsert()
    }

    /// Makes a new object of an entity, in a store of one's choice.
    ///
    /// - Throws: `GrabenError.unknownEntity` or `.noStore`.
    public func insertObject(
        entity name: String, into store: PersistentStore? = nil
    ) throws(GrabenError) -> ManagedObject {
        let info = try coordinator.info(named: name)
        let (seed, failure) = newSeed(info, in: store)
        if let failure { throw failure }
        let object = seed.table.info.objectClass.init(seed)
        finishInsert(object, nil)
        return object
    }

    func markInserted(_ object: ManagedObject) {
        object.set(ObjectFlag.inserted)
        list(object)
        event.noteInserted(object)
        noteTurn()
    }

    /// Notes an object in the list of changed ones.
    @inline(__always)
    func list(_ object: ManagedObject) {
        if !object.has(ObjectFlag.listed) {
            object.set(ObjectFlag.listed)
            changed.append(object)
            noteKey(object)
        }
    }

    /// Takes objects out of the list whose changes were saved or taken back. The flag goes with the entry, or the object's next change
    /// would not be listed.
    func delistClean() {
        changed.removeAll { object in
            guard !object.has(ObjectFlag.listed) || !object.hasChanges else { return false }
            object.clear(ObjectFlag.listed)
            return true
        }
        if changed.isEmpty { pendingKeys = [] }
    }

    // MARK: Letting go

    /// Lets go of clean objects that nobody else holds.
    func sweepIfWorthwhile() {
        forEachTable { table in
            if table.sinceSweep > 0, table.sinceSweep >= table.registeredCount / 8 { table.sweep() }
        }
    }

    /// Tells every object that is awake that it is about to turn into a fault. All are still there for the others to read; what hooks change now is
    /// lost, and what they insert or read goes with the rest.
    func tellOfEnd() {
        var awake: [ManagedObject] = []
        forEachTable { table in
            guard table.info.hooks.contains(.faulting) else { return }
            table.forEachRegistered { if !$0.isFault { awake.append($0) } }
        }
        for object in awake where object.has(ObjectFlag.registered) && !object.isFault { object.willTurnIntoFault() }
    }

    /// Turns every object into a fault outside any context; the tables keep the last snapshot for whoever still holds objects. Calls no hook.
    ///
    /// - Returns: the objects that were awake and have to be told.
    func dropAllObjects() -> [ManagedObject] {
        var awake: [ManagedObject] = []
        forEachTable { table in
            table.detachQuietly()
            var objects: [ManagedObject] = []
            objects.reserveCapacity(table.registeredCount)
            table.forEachRegistered { objects.append($0) }
            for object in objects {
                if !object.isFault, table.info.hooks.contains(.faulting) { awake.append(object) }
                object.detach()
            }
            table.dropInboxes()
            if parent == nil {
                table.advance(to: table.snapshot, discardingOverlays: true)
            } else {
                for case let overlay? in table.chunks.overlays { overlay.dirty.forEach { overlay.restore($0) } }
            }
        }
        changed = []
        pendingKeys = []
        event = ContextEvent()
        lastInsert = nil
        lastTable = nil
        openChangeCount = 0
        refusals = []
        watched = []
        keyObservers = [:]
        pathObservations = [:]
        postponed = PostponedHooks()
        tracker?.noteEverything()
        return awake
    }
}
