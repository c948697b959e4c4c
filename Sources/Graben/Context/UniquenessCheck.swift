import GrabenLog
import GrabenModel

/// Compares the keys of objects about to be saved with each other and with those of all other objects.
///
/// In a root context it runs under the writer lock against the newest commit, so that nothing can come in between. In a child it runs
/// against what the contexts above have, changes included, when its changes are pushed there. What counts is what everything is after the
/// save: a key that is given up in it can be taken in it. A key with a nil in it is no key, as in Core Data.
struct UniquenessCheck {
    let context: ManagedObjectContext
    let store: PersistentStore
    let snapshot: LogSnapshot

    /// Every pair of objects that would have one key, the one that is saved now first.
    func conflicts(_ objects: [ManagedObject]) throws(GrabenError) -> [SaveConflict] {
        var conflicts: [SaveConflict] = []
        for group in store.uniqueKeys { conflicts += try self.conflicts(objects, group) }
        return conflicts
    }

    private struct Candidate {
        let object: ManagedObject
        let values: [Value]
        let range: KeyRange
    }

    private func conflicts(_ objects: [ManagedObject], _ group: UniqueKeyGroup) throws(GrabenError) -> [SaveConflict] {
        var candidates: [Candidate] = []
        // Objects whose key in the snapshot is not theirs any more.
        var released: Set<ObjectID> = []
        for object in objects where group.indexes[object.info.index] != nil && object._table.stored?.store === store {
            if object.has(ObjectFlag.deleted) {
                released.insert(object.objectID)
            } else if let values = try changedKey(object, group) {
                if !object.isInserted { released.insert(object.objectID) }
                if !values.contains(where: \.isNull) {
                    candidates.append(Candidate(object: object, values: values, range: try range(values, object)))
                }
            }
        }
        guard !candidates.isEmpty else { return [] }
        var holders: [[UInt8]: [Candidate]] = [:]
        holders.reserveCapacity(candidates.count)
        for holder in try pending(above: objects, group, &released) { holders[holder.range.lower, default: []].append(holder) }
        var conflicts: [SaveConflict] = []
        for candidate in candidates {
            // Equal bytes are equal values but for long texts, of which a key has the beginning.
            if let holder = holders[candidate.range.lower]?.first(where: { $0.values == candidate.values }) {
                conflicts.append(conflict(candidate, group, with: holder.object.objectID))
            } else {
                holders[candidate.range.lower, default: []].append(candidate)
            }
            for id in try stored(candidate, group) where !released.contains(id) {
                conflicts.append(conflict(candidate, group, with: id))
            }
        }
        return conflicts
    }

    /// The key an object will have, where this save decides on it; nil where it leaves it alone.
    private func changedKey(_ object: ManagedObject, _ group: UniqueKeyGroup) throws(GrabenError) -> [Value]? {
        let properties = group.properties.map { object.info.properties[$0] }
        guard let stored = object._table.stored else { return nil }
        if object.isInserted { return properties.map { object.primitive($0.number) } }
        guard let data = object.info.hasAccessors ? object.data : object._data else { return nil }
        let changes = properties.map { property -> Value? in
            let value = object.info.accessors[property.number] != nil ? object.primitive(property.number) : data.values[property.number]
            return value.flatMap { $0 == object.baseValue(property, data) ? nil : $0 }
        }
        guard changes.contains(where: { $0 != nil }) else { return nil }
        if context.parent != nil { return properties.map { object.primitive($0.number) } }
        // What this context left alone is written as the newest commit has it; a row that is gone is not written.
        guard let record = try record(stored, object._row) else { return nil }
        var values: [Value] = []
        for (property, change) in zip(properties, changes) {
            if let change { values.append(change) } else { values.append(try value(stored, property, record)) }
        }
        return values
    }

    /// Keys of unsaved objects in the contexts above, of each object as the nearest context has it.
    private func pending(
        above objects: [ManagedObject], _ group: UniqueKeyGroup, _ released: inout Set<ObjectID>
    ) throws(GrabenError) -> [Candidate] {
        var found: [Candidate] = []
        var seen = context.parent == nil ? [] : Set(objects.map(\.objectID))
        var level = context.parent
        while let current = level {
            for object in current.changed where object.hasChanges && object.has(ObjectFlag.registered) {
                guard group.indexes[object.info.index] != nil, object._table.stored?.store === store,
                    seen.insert(object.objectID).inserted
                else { continue }
                released.insert(object.objectID)
                let values = group.properties.map { object.primitive($0) }
                if object.has(ObjectFlag.deleted) || values.contains(where: \.isNull) { continue }
                found.append(Candidate(object: object, values: values, range: try range(values, object)))
            }
            level = current.parent
        }
        return found
    }

    /// Other objects of the snapshot that have a candidate's key.
    private func stored(_ candidate: Candidate, _ group: UniqueKeyGroup) throws(GrabenError) -> [ObjectID] {
        var found: [ObjectID] = []
        for (number, index) in group.indexes {
            guard let entity = store.stored(entity: number), snapshot.liveCount(entity.code) > 0 else { continue }
            let rows: [Row]
            do { rows = try snapshot.rows(candidate.range, in: index) } catch { throw .store(error) }
            for row in rows {
                let id = ObjectID(store: store.number, entity: UInt32(number), row: row)
                if id == candidate.object.objectID { continue }
                if !candidate.range.isExact {
                    guard let record = try record(entity, row) else { continue }
                    var values: [Value] = []
                    for property in group.properties { values.append(try value(entity, entity.info.properties[property], record)) }
                    guard values == candidate.values else { continue }
                }
                found.append(id)
            }
        }
        return found.count > 1 ? found.sorted() : found
    }

    private func range(_ values: [Value], _ object: ManagedObject) throws(GrabenError) -> KeyRange {
        guard let stored = object._table.stored else { throw .noContext(entity: object.info.name, doing: "comparing its key") }
        return KeyRange(equalTo: values.map { stored.stored($0) })
    }

    private func conflict(_ candidate: Candidate, _ group: UniqueKeyGroup, with other: ObjectID) -> SaveConflict {
        SaveConflict(
            entity: candidate.object.info.name, objectID: candidate.object.objectID,
            kind: .duplicate(constraint: group.names, values: candidate.values, other: other))
    }

    private func record(_ stored: StoredEntity, _ row: Row) throws(GrabenError) -> RecordView? {
        do { return try snapshot.record(stored.code, row) } catch { throw .store(error) }
    }

    private func value(_ stored: StoredEntity, _ property: PropertyInfo, _ record: RecordView) throws(GrabenError) -> Value {
        do { return try stored.value(property, of: record) } catch { throw .store(error) }
    }
}
