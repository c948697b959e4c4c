import GrabenLog
import GrabenModel

/// Compares what a context is about to commit with what other commits did since its snapshot.
///
/// Conflicts are per property: only one changed on both sides to different values counts, or an object deleted on one side and changed on
/// the other. Run under the writer lock, so that nothing can come in between.
struct ConflictCheck {
    let context: ManagedObjectContext
    let store: PersistentStore
    let base: LogSnapshot
    let newest: LogSnapshot

    /// Everything in conflict, uniqueness constraints included.
    func conflicts(_ objects: [ManagedObject]) throws(GrabenError) -> [SaveConflict] {
        try changeConflicts(objects) + UniquenessCheck(context: context, store: store, snapshot: newest).conflicts(objects)
    }

    private func changeConflicts(_ objects: [ManagedObject]) throws(GrabenError) -> [SaveConflict] {
        let watched = context.watched.filter { !$0.hasChanges && $0.has(ObjectFlag.registered) && $0._table.stored?.store === store }
        func isStale(_ object: ManagedObject) -> Bool {
            object.has(ObjectFlag.cell) && (object.has(CellFlag.stale) || object.has(CellFlag.missing))
        }
        let isStale = !objects.allBorrowed { !isStale($0) } || watched.contains(where: isStale)
        guard newest !== base || isStale else { return [] }
        var touched = TouchedRows()
        var step = base.next
        while let commit = step {
            touched.add(commit.changes)
            if commit.commitNumber == newest.commitNumber { break }
            step = commit.next
        }
        var conflicts: [SaveConflict] = []
        for object in objects {
            if let conflict = try conflict(of: object, touched) { conflicts.append(conflict) }
            conflicts += try goneTargets(of: object, touched)
        }
        for object in watched {
            if let conflict = try conflict(of: object, touched) { conflicts.append(conflict) }
        }
        conflicts += looseConflicts(touched)
        conflicts += try newReferrers(to: objects, touched)
        return conflicts
    }

    private func conflict(of object: ManagedObject, _ touched: TouchedRows) throws(GrabenError) -> SaveConflict? {
        guard let stored = object._table.stored, !object.isInserted else { return nil }
        let row = object._row
        let rows = touched.entities[stored.code] ?? TouchedRows.Entity()
        // What a stale object is based on lies before the snapshot, so the commits since do not tell all that happened to it.
        let isStale = object.has(CellFlag.stale)
        if rows.deleted.contains(row) || object.has(CellFlag.missing) || (isStale && !newest.contains(stored.code, row)) {
            let isWanted = object.hasChanges ? object.hasValuesOfItsOwn : true
            return object.has(ObjectFlag.deleted) || !isWanted ? nil : conflict(object, .deletedElsewhere)
        }
        let order = try conflictingOrder(of: object, stored)
        let isMoved = rows.moved.contains(row) || isStale
        guard rows.updated.contains(row) || isMoved else { return order.isEmpty ? nil : conflict(object, .changed(order)) }
        guard let record = try read(stored, row) else { return nil }
        var properties = order
        var changedThere = false
        let data = object.data
        // Derived values follow from others and are nobody's change.
        for property in object.info.properties where property.field >= 0 && property.attribute?.derivation == nil {
            let base = object.baseValue(property, data)
            let there = try value(stored, property, record)
            guard there != base else { continue }
            changedThere = true
            let here = object.has(ObjectFlag.deleted) ? base : object.primitive(property.number)
            if (here != base && here != there) || !object.hasChanges {
                properties.append(.init(key: property.name, base: base, here: here, stored: there))
            }
        }
        if isMoved { comparePacked(object, stored, &properties, &changedThere) }
        if object.has(ObjectFlag.deleted) { return changedThere ? conflict(object, .changedElsewhere) : nil }
        guard !properties.isEmpty else { return nil }
        return conflict(object, object.hasChanges ? .changed(properties) : .readChanged(properties))
    }

    private func comparePacked(
        _ object: ManagedObject, _ stored: StoredEntity, _ properties: inout [SaveConflict.Property], _ changedThere: inout Bool
    ) {
        let geometry = object.info.geometry
        let index = object._table.chunkIndex(of: object._row)
        guard let chunk = context.readChunk(stored, newest, index) else { return }
        let overlay = object._table.chunks.overlay(index)
        for (lane, number) in object.info.laneProperties.enumerated()
        where object.info.properties[number].attribute?.derivation == nil {
            let here = object.packedValue(lane)
            let base = overlay?.baseValue(lane, object.slot) ?? here
            let there = geometry.value(chunk, lane, object.slot)
            guard there != base else { continue }
            changedThere = true
            if (overlay?.dirty[object.slot] == true && here != base && here != there) || !object.hasChanges {
                properties.append(.init(key: object.info.properties[number].name, base: base, here: here, stored: there))
            }
        }
    }

    /// Ordered relationships that were put in another order on both sides; additions alone are merged.
    private func conflictingOrder(of object: ManagedObject, _ stored: StoredEntity) throws(GrabenError) -> [SaveConflict.Property] {
        guard !object.has(ObjectFlag.deleted), let data = object._data else { return [] }
        var properties: [SaveConflict.Property] = []
        for (number, state) in data.toMany {
            guard let order = state.order, let before = state.base else { continue }
            let property = object.info.properties[number]
            let there: [ObjectID]
            do { there = try stored.members(of: object._row, property, in: newest) } catch { throw .store(error) }
            let kept = Set(before).intersection(there)
            guard order != there, before.filter(kept.contains) != there.filter(kept.contains) else { continue }
            properties.append(
                .init(key: property.name, base: .references(before), here: .references(order), stored: .references(there)))
        }
        return properties
    }

    /// Rows that a bulk edit moved without an object and another commit moved elsewhere.
    private func looseConflicts(_ touched: TouchedRows) -> [SaveConflict] {
        var conflicts: [SaveConflict] = []
        for case let table? in context.tables[store.number] ?? [] {
            guard table.hasLooseRows, let stored = table.stored, let rows = touched.entities[stored.code] else { continue }
            for row in rows.moved.sorted() where table.registered(row) == nil {
                let (index, slot) = (table.chunkIndex(of: row), table.slotNumber(row) % ChunkGeometry.slotsPerChunk)
                guard let overlay = table.chunks.overlay(index), overlay.dirty[slot], let chunk = context.readChunk(stored, newest, index)
                else { continue }
                var properties: [SaveConflict.Property] = []
                for (lane, number) in table.info.laneProperties.enumerated() {
                    let here = table.info.geometry.value(overlay.data, lane, slot)
                    let base = overlay.baseValue(lane, slot)
                    let there = table.info.geometry.value(chunk, lane, slot)
                    guard there != base, here != base, here != there else { continue }
                    properties.append(.init(key: table.info.properties[number].name, base: base, here: here, stored: there))
                }
                guard !properties.isEmpty else { continue }
                conflicts.append(SaveConflict(entity: table.info.name, objectID: table.id(row), kind: .changed(properties)))
            }
        }
        return conflicts
    }

    /// References set here to objects that another commit deleted.
    private func goneTargets(of object: ManagedObject, _ touched: TouchedRows) throws(GrabenError) -> [SaveConflict] {
        guard !object.has(ObjectFlag.deleted), let data = object._data else { return [] }
        var conflicts: [SaveConflict] = []
        for property in object.info.properties where property.kind == .toOne {
            guard case .reference(let id)? = data.values[property.number],
                object.isInserted || object.baseValue(property, data) != .reference(id),
                let target = object._table.stored?.store.stored(entity: Int(id.entityNumber)),
                touched.entities[target.code]?.deleted.contains(id.row) == true
            else { continue }
            conflicts.append(conflict(object, .targetGone(target: id, key: property.name)))
        }
        for (number, state) in data.toMany {
            // Where the members' references are what is stored, those say it.
            if case .reverse? = object._table.stored?.relationships[number] { continue }
            for id in state.order ?? state.added.ids where state.baseContains(id) != true {
                guard let target = store.stored(entity: Int(id.entityNumber)),
                    touched.entities[target.code]?.deleted.contains(id.row) == true
                else { continue }
                conflicts.append(conflict(object, .targetGone(target: id, key: object.info.properties[number].name)))
            }
        }
        return conflicts
    }

    /// Objects deleted here that another commit made something refer to.
    private func newReferrers(to objects: [ManagedObject], _ touched: TouchedRows) throws(GrabenError) -> [SaveConflict] {
        var deleted: [ObjectID: ManagedObject] = [:]
        for object in objects where object.has(ObjectFlag.deleted) { deleted[object.objectID] = object }
        guard !deleted.isEmpty else { return [] }
        var conflicts = try newPartners(of: deleted.values)
        for (code, rows) in touched.entities {
            guard let number = store.entityNumber(of: code),
                let stored = store.stored(entity: number)
            else { continue }
            for row in rows.inserted.union(rows.updated) {
                let id = ObjectID(store: store.number, entity: UInt32(number), row: row)
                // A referrer that this save deletes or changes itself is no surprise.
                if let own = context.registeredObject(for: id), own.hasChanges { continue }
                guard let record = try read(stored, row) else { continue }
                let before = try readBase(stored, row)
                for property in stored.info.properties where property.kind == .toOne {
                    guard property.link?.inverse != nil, case .reference(let target) = try value(stored, property, record),
                        let object = deleted[target]
                    else { continue }
                    if let before, try value(stored, property, before) == .reference(target) { continue }
                    conflicts.append(conflict(object, .newReferrer(referrer: id, key: property.name)))
                }
            }
        }
        return conflicts
    }

    /// Objects deleted here that another commit made the member or owner of a relationship kept as links.
    private func newPartners(of deleted: some Sequence<ManagedObject>) throws(GrabenError) -> [SaveConflict] {
        var conflicts: [SaveConflict] = []
        for object in deleted {
            guard let stored = object._table.stored else { continue }
            for number in object.info.relationships {
                let property = object.info.properties[number]
                switch stored.relationships[number] {
                case .member, .both: break
                default: continue
                }
                do throws(LogError) {
                    let before = Set(try stored.members(of: object._row, property, in: base))
                    for id in try stored.members(of: object._row, property, in: newest) where !before.contains(id) {
                        if let own = context.registeredObject(for: id), own.hasChanges { continue }
                        conflicts.append(conflict(object, .newReferrer(referrer: id, key: property.name)))
                    }
                } catch { throw .store(error) }
            }
        }
        return conflicts
    }

    private func conflict(_ object: ManagedObject, _ kind: SaveConflict.Kind) -> SaveConflict {
        SaveConflict(entity: object.info.name, objectID: object.objectID, kind: kind)
    }

    private func value(_ stored: StoredEntity, _ property: PropertyInfo, _ record: RecordView) throws(GrabenError) -> Value {
        do { return try stored.value(property, of: record) } catch { throw .store(error) }
    }

    private func read(_ stored: StoredEntity, _ row: Row) throws(GrabenError) -> RecordView? {
        do { return try newest.record(stored.code, row) } catch { throw .store(error) }
    }

    private func readBase(_ stored: StoredEntity, _ row: Row) throws(GrabenError) -> RecordView? {
        do { return try base.record(stored.code, row) } catch { throw .store(error) }
    }
}
