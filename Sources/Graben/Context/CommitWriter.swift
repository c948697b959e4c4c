import GrabenLog
import GrabenModel

/// Writes a context's changes of one store into a commit.
struct CommitWriter {
    let context: ManagedObjectContext
    let store: PersistentStore
    let objects: [ManagedObject]
    /// The overlays that were offered to the commit as its chunks.
    let offered = OfferedChunks()

    func write(_ newest: LogSnapshot, _ commit: inout CommitBuilder) throws(GrabenError) {
        // Nothing more is to be said of fresh objects, nor of those of which nothing is kept, for whom only their columns speak.
        var others: [ManagedObject] = []
        objects.forEachBorrowed { object in
            guard !object.isFresh else { return }
            let isOfColumns = !object.has(ObjectFlag.inserted | ObjectFlag.deleted | ObjectFlag.cell)
            if !isOfColumns || object.withTable({ $0.info.hasAccessors }) { others.append(object) }
        }
        for object in others { try writeRecord(object, newest, &commit) }
        for case let table? in context.tables[store.number] ?? [] { writeFresh(table, &commit) }
        for object in others where object.has(ObjectFlag.cell) { writeFollower(object, newest, &commit) }
        for case let table? in context.tables[store.number] ?? [] where table.vanishedEnd > 0 {
            if let code = table.stored?.code { commit.noteRow(entity: code, row: Row(table.vanishedEnd - 1)) }
        }
        for case let table? in context.tables[store.number] ?? [] { try writeColumns(table, newest, &commit) }
        for object in others where object.has(ObjectFlag.cell) && !object.has(ObjectFlag.deleted) {
            try writeLinks(object, newest, &commit)
        }
        for object in others where object.has(ObjectFlag.deleted) { try removeLinks(object, newest, &commit) }
    }

    // MARK: Records

    /// The records of fresh objects, straight from their lanes. All of a table's are new and are saved: a fresh object is deleted by vanishing.
    private func writeFresh(_ table: ObjectTable, _ commit: inout CommitBuilder) {
        guard let stored = table.stored else { return }
        let fields = table.info.entity.fields.map { table.info.properties[$0] }
        let layout = stored.layout
        let defaults = fields.map { StoredValue(attribute: $0.defaultValue) }
        table.chunks.forEachFresh { index, fresh in
            let first = index * ChunkGeometry.slotsPerChunk
            if table.slotMap == nil {
                let columns = fields.map { fresh.column($0.fresh, isNullByDefault: $0.defaultValue.isNull) }
                return commit.appendInsertions(
                    layout: layout, firstRow: Row(first), slots: fresh.memory,
                    columns: RecordColumns(fields: columns, defaults: defaults, codes: store.entityCodes))
            }
            fresh.forEachFresh { slot in
                let row = table.row(slotNumber: index * ChunkGeometry.slotsPerChunk + slot)
                commit.appendRecord(layout: layout, row: row, isInsert: true, changed: { _ in false }) { field in
                    let property = fields[field]
                    if let lane = property.fresh, lane.kind == .reference {
                        guard let (entity, row) = fresh.reference(lane, slot), let code = store.code(ofEntity: entity) else { return .null }
                        return .reference(code, row)
                    }
                    let value = property.fresh.flatMap { fresh.value($0, slot, store: store.number) } ?? property.defaultValue
                    return StoredValue(attribute: value)
                }
            }
        }
    }

    private func writeRecord(_ object: ManagedObject, _ newest: LogSnapshot, _ commit: inout CommitBuilder) throws(GrabenError) {
        guard let stored = object._table.stored else { return }
        if object.has(ObjectFlag.deleted) {
            if newest.contains(stored.code, object._row) { commit.appendTombstone(layout: stored.layout, row: object._row) }
            return
        }
        // Another commit deleted it: what is left of it here is only the other side of changes to others.
        guard object.isInserted || newest.contains(stored.code, object._row) else { return }
        let info = object.info
        let fields = info.entity.fields
        let properties = info.properties
        if object.isInserted {
            commit.appendRecord(layout: stored.layout, row: object._row, isInsert: true, changed: { _ in false }) {
                stored.stored(object.primitive(properties[fields[$0]], info))
            }
            return
        }
        guard let data = object.info.hasAccessors ? object.data : object._data else { return }
        // A record holds every field, so what was changed elsewhere since is taken from the newest commit.
        var mine = FieldMask()
        for (index, number) in fields.enumerated() {
            let value = object.info.accessors[number] != nil ? object.primitive(number) : data.values[number]
            if let value, value != object.baseValue(properties[number], data) { mine.insert(index) }
        }
        guard !mine.isEmpty || data.isTouched else { return }
        let newestRecord: RecordView?
        do { newestRecord = try newest.record(stored.code, object._row) } catch { throw .store(error) }
        var failure: LogError?
        append(&commit, stored, object._row, isInsert: false, changed: mine) { index in
            let number = fields[index]
            if mine.contains(index) { return object.primitive(number) }
            guard let newestRecord else { return object.storedValue(number) }
            do throws(LogError) { return try stored.value(properties[number], of: newestRecord) } catch {
                failure = error
                return .null
            }
        }
        if let failure { throw .store(failure) }
    }

    private func append(
        _ commit: inout CommitBuilder, _ stored: StoredEntity, _ row: Row, isInsert: Bool, changed: FieldMask, _ value: (Int) -> Value
    ) {
        commit.appendRecord(
            layout: stored.layout, row: row, isInsert: isInsert, changed: { changed.contains($0) }, value: { stored.stored(value($0)) })
    }

    /// Notes which to-many relationships of an object changed: its record, if it has a new one, says nothing of them.
    private func writeFollower(_ object: ManagedObject, _ newest: LogSnapshot, _ commit: inout CommitBuilder) {
        guard let data = object._data, !data.toMany.isEmpty, !object.has(ObjectFlag.deleted), !object.isInserted,
            let stored = object._table.stored, let relationships = changedRelationships(data), newest.contains(stored.code, object._row)
        else { return }
        commit.appendFollower(entity: stored.code, row: object._row, relationships: relationships)
    }

    /// To-many relationships whose other side changed them, by property number.
    private func changedRelationships(_ data: ObjectData) -> FieldMask? {
        let numbers = data.toMany.filter(\.state.isChanged).map(\.property)
        return numbers.isEmpty ? nil : FieldMask(numbers)
    }

    // MARK: Columns

    /// One patch for each set of lanes that changed together, or the whole chunk where half of it or more is new.
    private func writeColumns(_ table: ObjectTable, _ newest: LogSnapshot, _ commit: inout CommitBuilder) throws(GrabenError) {
        guard let stored = table.stored, !table.info.laneProperties.isEmpty else { return }
        let geometry = table.info.geometry
        var patches = LanePatches(geometry)
        let last = newest.highestRow(stored.code).map { Int($0) } ?? -1
        let hasAllRows = newest.liveCount(stored.code) == last + 1
        let hasPendingRows = table.hasPendingRows
        let isPlainTable = geometry.isPlain && hasAllRows && !hasPendingRows
        for (index, overlay) in table.chunks.overlays.enumerated() {
            guard let overlay, !overlay.dirty.isEmpty else { continue }
            if try writeWholeChunk(table, stored, index, overlay, newest, &commit) { continue }
            let isPlain = overlay.earlier.isEmpty
            let firstSlot = index * ChunkGeometry.slotsPerChunk
            if isPlainTable, isPlain {
                let isExact = patches.append(overlay, upTo: last) { table.row(slotNumber: firstSlot + $0) }
                if isExact { offer(table, stored, index, overlay, newest, &commit) }
                continue
            }
            overlay.dirty.forEach { slot in
                let row = table.row(slotNumber: index * ChunkGeometry.slotsPerChunk + slot)
                let word = hasPendingRows ? table.word(of: row) ?? 0 : 0
                if word & ObjectFlag.deleted != 0 { return }
                let isNew = hasAllRows ? Int(row) > last : !newest.contains(stored.code, row)
                // Rows that another commit deleted are left alone.
                if isNew, word & ObjectFlag.inserted == 0 { return }
                patches.append(row, slot, overlay) { lane in
                    if isNew { return true }
                    if isPlain { return !geometry.valuesEqual(lane, slot, overlay.data, overlay.base) }
                    return geometry.value(overlay.data, lane, slot) != overlay.baseValue(lane, slot)
                }
            }
        }
        patches.write(stored.layout, &commit)
    }

    /// Hands an overlay over to be the chunk of the commit's snapshot, where it will be that bit by bit: where nothing else came between.
    private func offer(
        _ table: ObjectTable, _ stored: StoredEntity, _ index: Int, _ overlay: OverlayChunk, _ newest: LogSnapshot,
        _ commit: inout CommitBuilder
    ) {
        guard overlay.isPlain, context.readChunk(stored, newest, index) == overlay.base else { return }
        commit.offerChunk(layout: stored.layout, index: index, copiedFrom: overlay.base, data: overlay.memory.base, keeper: overlay.memory)
        offered.add(table, index)
    }

    private func writeWholeChunk(
        _ table: ObjectTable, _ stored: StoredEntity, _ index: Int, _ overlay: OverlayChunk, _ newest: LogSnapshot,
        _ commit: inout CommitBuilder
    ) throws(GrabenError) -> Bool {
        let first = index * ChunkGeometry.slotsPerChunk
        guard overlay.dirty.count >= ChunkGeometry.slotsPerChunk / 2, context.row(chunk: index, slot: 0, in: table) == Row(first) else {
            return false
        }
        if newest.highestRow(stored.code).map({ Int($0) < first }) ?? true, writeNewChunk(table, stored, first, overlay, &commit) {
            return true
        }
        var new = 0
        overlay.dirty.forEach { if !newest.contains(stored.code, Row(first + $0)) { new += 1 } }
        guard new >= ChunkGeometry.slotsPerChunk / 2 else { return false }
        // Slots that are not ours hold what the newest commit has, not what this context reads.
        let whole = UnsafeMutableRawPointer.allocate(byteCount: overlay.geometry.byteCount, alignment: 64)
        defer { whole.deallocate() }
        if let chunk = context.readChunk(stored, newest, index) {
            whole.copyMemory(from: chunk, byteCount: overlay.geometry.byteCount)
        } else {
            whole.initializeMemory(as: UInt8.self, repeating: 0, count: overlay.geometry.byteCount)
        }
        var rows: [Row] = []
        // What the chunk changes of rows that are not new is said in patches too, before it: history reads those, and of a chunk nothing.
        var patches = LanePatches(overlay.geometry)
        overlay.dirty.forEach { slot in
            let row = Row(first + slot)
            if let object = table.registered(row), object.has(ObjectFlag.deleted) { return }
            rows.append(row)
            let isNew = !newest.contains(stored.code, row)
            if !isNew {
                patches.append(row, slot, overlay) { overlay.geometry.value(overlay.data, $0, slot) != overlay.baseValue($0, slot) }
            }
            for lane in overlay.geometry.lanes.indices
            where isNew || overlay.geometry.value(overlay.data, lane, slot) != overlay.baseValue(lane, slot) {
                overlay.geometry.setBits(whole, lane, slot, overlay.geometry.bits(overlay.data, lane, slot))
                overlay.geometry.setValid(whole, lane, slot, overlay.geometry.isValid(overlay.data, lane, slot))
            }
        }
        let count = min(ChunkGeometry.slotsPerChunk, Int(max(rows.last ?? 0, newest.highestRow(stored.code) ?? 0)) + 1 - first)
        patches.write(stored.layout, &commit)
        commit.appendChunk(layout: stored.layout, firstRow: Row(first), count: count, from: UnsafeRawPointer(whole))
        return true
    }

    /// Writes a chunk that no commit knows of as it lies here; false where a row of it is not to be written.
    private func writeNewChunk(
        _ table: ObjectTable, _ stored: StoredEntity, _ first: Int, _ overlay: OverlayChunk, _ commit: inout CommitBuilder
    ) -> Bool {
        guard overlay.kept.isEmpty else { return false }
        var last = -1
        var isWhole = true
        overlay.dirty.forEach { slot in
            last = slot
            guard let object = table.registered(Row(first + slot)), object.isInserted, !object.has(ObjectFlag.deleted) else {
                isWhole = false
                return
            }
        }
        guard isWhole, last >= 0 else { return false }
        commit.appendChunk(layout: stored.layout, firstRow: Row(first), count: last + 1, from: UnsafeRawPointer(overlay.data))
        return true
    }

    // MARK: Links

    /// The members of relationships kept as links, written by the side that owns them.
    private func writeLinks(_ object: ManagedObject, _ newest: LogSnapshot, _ commit: inout CommitBuilder) throws(GrabenError) {
        guard let data = object._data, let stored = object._table.stored else { return }
        for (number, state) in data.toMany where state.isChanged {
            switch stored.relationships[number] {
            case .owner(let link):
                for change in LinkOrder.changes(object, number, stored, link, newest) {
                    append(&commit, link, stored.code, object._row, change)
                }
            case .both(let link):
                // A pair is kept once, under its lesser id.
                let before = Set(try members(of: object, number, newest))
                for id in state.added.ids.sorted() where object.objectID <= id && !before.contains(id) {
                    append(&commit, link, stored.code, object._row, .init(member: id, order: 0, removed: false))
                }
                for id in state.removed.ids.sorted() where before.contains(id) {
                    removePair(&commit, link, stored, object, id, newest)
                }
            case .field, .reverse, .member, nil: break
            }
        }
    }

    /// Links of a deleted object go with it, on whichever side it stood.
    private func removeLinks(_ object: ManagedObject, _ newest: LogSnapshot, _ commit: inout CommitBuilder) throws(GrabenError) {
        guard let stored = object._table.stored, newest.contains(stored.code, object._row) else { return }
        for number in object.info.relationships {
            switch stored.relationships[number] {
            case .owner(let link):
                for (order, id) in stored.orderedMembers(of: object._row, link, in: newest) {
                    append(&commit, link, stored.code, object._row, .init(member: id, order: order, removed: true))
                }
            case .both(let link):
                for id in try members(of: object, number, newest) {
                    removePair(&commit, link, stored, object, id, newest)
                }
            case .member(let link):
                for owner in newest.owners(of: ObjectKey(stored.code, object._row), through: link) {
                    guard let id = store.id(owner.entity, owner.row) else { continue }
                    // An owner that is saved or deleted in this commit has said so itself.
                    if let registered = context.registeredObject(for: id), registered.hasChanges { continue }
                    commit.appendLink(
                        link, owner: (owner.entity, owner.row), member: (stored.code, object._row), order: 0, removed: true)
                }
            case .field, .reverse, nil: break
            }
        }
    }

    private func members(of object: ManagedObject, _ number: Int, _ newest: LogSnapshot) throws(GrabenError) -> [ObjectID] {
        guard let stored = object._table.stored else { return [] }
        do { return try stored.members(of: object._row, object.info.properties[number], in: newest) } catch { throw .store(error) }
    }

    private func removePair(
        _ commit: inout CommitBuilder, _ link: LinkRelationship, _ stored: StoredEntity, _ object: ManagedObject, _ id: ObjectID,
        _ newest: LogSnapshot
    ) {
        guard let other = store.stored(entity: Int(id.entityNumber)) else { return }
        let isOwner = newest.members(of: ObjectKey(stored.code, object._row), through: link).contains {
            $0.entity == other.code && $0.row == id.row
        }
        if isOwner {
            commit.appendLink(link, owner: (stored.code, object._row), member: (other.code, id.row), order: 0, removed: true)
        } else {
            commit.appendLink(link, owner: (other.code, id.row), member: (stored.code, object._row), order: 0, removed: true)
        }
    }

    private func append(
        _ commit: inout CommitBuilder, _ link: LinkRelationship, _ code: EntityCode, _ row: Row, _ change: LinkOrder.Change
    ) {
        guard let member = store.stored(entity: Int(change.member.entityNumber)) else { return }
        commit.appendLink(
            link, owner: (code, row), member: (member.code, change.member.row), order: change.order, removed: change.removed)
    }
}
