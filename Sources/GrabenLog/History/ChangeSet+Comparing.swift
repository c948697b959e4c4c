extension ChangeSet {
    /// What leads from one snapshot to another of the same store, found by comparing them: as one commit that had done all of it.
    ///
    /// Values are compared as they are stored. O(objects of both).
    package init(from old: LogSnapshot, to new: LogSnapshot) throws(LogError) {
        self.init()
        changedCatalog = old.catalog.version != new.catalog.version
        for code in Set(old.catalog.entities.map(\.code)).union(new.catalog.entities.map(\.code)).sorted() {
            let changes = try EntityComparison(old, new, code).changes()
            if !changes.isEmpty { entities.append(changes) }
        }
        for link in new.catalog.links {
            let before = (old.links[link.code] ?? LinkIndex()).members.all()
            let after = (new.links[link.code] ?? LinkIndex()).members.all()
            links += Self.changes(of: link, before, after)
        }
    }

    private static func changes(of link: LinkRelationship, _ before: [LinkEntry], _ after: [LinkEntry]) -> [LinkChange] {
        func change(_ entry: LinkEntry, _ isRemoved: Bool) -> LinkChange {
            LinkChange(
                relationship: link.code, owner: ObjectKey(word: entry.key), member: ObjectKey(word: entry.other), order: entry.order,
                isRemoved: isRemoved)
        }
        var changes: [LinkChange] = []
        var (old, new) = (0, 0)
        while old < before.count || new < after.count {
            if new == after.count || (old < before.count && (before[old].key, before[old].other) < (after[new].key, after[new].other)) {
                changes.append(change(before[old], true))
                old += 1
            } else if old == before.count || (after[new].key, after[new].other) < (before[old].key, before[old].other) {
                changes.append(change(after[new], false))
                new += 1
            } else {
                if before[old].order != after[new].order { changes.append(change(after[new], false)) }
                (old, new) = (old + 1, new + 1)
            }
        }
        return changes
    }
}

extension EntityChanges {
    fileprivate var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && patched.isEmpty }
}

/// Compares the objects of one entity in two snapshots of a store.
struct EntityComparison {
    private let old: LogSnapshot
    private let new: LogSnapshot
    private let code: EntityCode

    init(_ old: LogSnapshot, _ new: LogSnapshot, _ code: EntityCode) {
        (self.old, self.new, self.code) = (old, new, code)
    }

    func changes() throws(LogError) -> EntityChanges {
        var changes = EntityChanges(entity: code)
        var patched: [FieldMask: RowList] = [:]
        try old.forEachLiveRow(code) { (row) throws(LogError) in
            if !new.contains(code, row) { changes.deleted.append(row) }
            return true
        }
        try new.forEachLiveRow(code) { (row) throws(LogError) in
            guard old.contains(code, row) else {
                changes.inserted.append(row)
                return true
            }
            let fields = try changedFields(row)
            if !fields.isEmpty { changes.updated.append(RowChange(row: row, mask: fields)) }
            let lanes = try changedLanes(row)
            if !lanes.isEmpty { patched[lanes, default: RowList()].append(row) }
            return true
        }
        changes.patched = patched.map { PatchedRows(rows: $0.value, lanes: $0.key) }.sorted {
            ($0.rows.ranges.first?.lowerBound ?? 0) < ($1.rows.ranges.first?.lowerBound ?? 0)
        }
        return changes
    }

    /// The fields of the newest layout that differ; one that only it has does not where the older record has no value of its own.
    private func changedFields(_ row: Row) throws(LogError) -> FieldMask {
        // Records never move within a file, so one offset is one record.
        if old.isOfSameFile(as: new), old.state(code)?.records[Int(row)] == new.state(code)?.records[Int(row)] { return FieldMask() }
        guard let before = try old.record(code, row), let after = try new.record(code, row), let newest = new.table.newest(code) else {
            return FieldMask()
        }
        var mask = FieldMask()
        for (index, field) in newest.fields.enumerated() {
            let first = try before.layout.fieldIndex(field.name).map { (place) throws(LogError) in try Self.value(before, place, old) }
            let second = try after.layout.fieldIndex(field.name).map { (place) throws(LogError) in try Self.value(after, place, new) }
            if first ?? .null != second ?? .null { mask.insert(index) }
        }
        return mask
    }

    private static func value(_ record: RecordView, _ field: Int, _ snapshot: LogSnapshot) throws(LogError) -> StoredValue {
        if let (entity, row) = record.reference(field) { return .reference(entity, row) }
        do throws(ByteError) { return try record.value(at: field) } catch {
            throw snapshot.undecodable("the value of '\(record.layout.fields[field].name)' in row \(record.row)", in: record)
        }
    }

    /// The lanes of the newest layout that differ in bits or in whether there is a value.
    private func changedLanes(_ row: Row) throws(LogError) -> FieldMask {
        guard let newest = new.table.newest(code), !newest.lanes.isEmpty else { return FieldMask() }
        let (before, after) = (try lanes(of: row, in: old), try lanes(of: row, in: new))
        var mask = FieldMask()
        for (index, lane) in newest.lanes.enumerated() {
            guard let was = before.layout.laneIndex(lane.name) else {
                mask.insert(index)
                continue
            }
            let isValid = (before.isValid(was), after.isValid(index))
            if isValid.0 != isValid.1 || (isValid.0 && before.bits(was) != after.bits(index)) {
                mask.insert(index)
            }
        }
        return mask
    }

    private struct Lanes {
        let chunk: ChunkHandle
        let place: Int
        var layout: RecordLayout { chunk.layout }
        func isValid(_ lane: Int) -> Bool { chunk.isValid(lane, place) }
        func bits(_ lane: Int) -> UInt64 { chunk.bits(lane, place) }
    }

    private func lanes(of row: Row, in snapshot: LogSnapshot) throws(LogError) -> Lanes {
        let slot = snapshot.slot(code, row)
        guard let layout = snapshot.table.newest(code), !layout.lanes.isEmpty else {
            // An entity that had no packed attributes then.
            return Lanes(
                chunk: ChunkHandle(layout: RecordLayout(number: 0, entity: code, fields: [], lanes: []), owner: ChunkHandle.nobody),
                place: 0)
        }
        let base = try snapshot.chunk(code, slot / slotsPerChunk)
        return Lanes(
            chunk: ChunkHandle(mapped: base, at: 0, layout: layout, usedSlots: slotsPerChunk), place: slot % slotsPerChunk)
    }
}
