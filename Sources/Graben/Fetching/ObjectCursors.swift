import GrabenLog
import GrabenPredicate

/// A managed object as predicates read it: with its unsaved values.
final class ObjectCursor: PredicateObject {
    let object: ManagedObject
    let context: ManagedObjectContext

    init(_ object: ManagedObject, in context: ManagedObjectContext) {
        self.object = object
        self.context = context
    }

    var predicateIdentity: ObjectID? { object.objectID }
    var predicateSchema: any PredicateSchema { context.coordinator.model.schema(of: object.entity) }
    func predicateValue(at index: Int) throws -> Value { object.primitive(index) }

    func predicateTarget(at index: Int) throws -> (any PredicateObject)? {
        guard case .reference(let id) = object.primitive(index) else { return nil }
        return try context.cursor(for: id)
    }

    func predicateMemberCount(at index: Int) throws -> Int { object.memberCount(index) }

    func predicateMembers(at index: Int) throws -> [any PredicateObject] {
        try object.memberIDs(index).compactMap { try context.cursor(for: $0) }
    }
}

/// A row of a snapshot as predicates read it: over the record's bytes and the column, without an object.
///
/// One cursor serves a whole scan: `row` and `record` move on.
final class RowCursor: PredicateObject {
    let context: ManagedObjectContext
    let stored: StoredEntity
    let snapshot: LogSnapshot
    /// Whether unsaved moves of rows that have no object count.
    let includesPending: Bool
    private(set) var row: Row = 0
    private var record: RecordView?

    init(context: ManagedObjectContext, stored: StoredEntity, snapshot: LogSnapshot, includesPending: Bool) {
        self.context = context
        self.stored = stored
        self.snapshot = snapshot
        self.includesPending = includesPending
    }

    /// Moves to a row. Its record is read when something of it is asked for.
    func move(to row: Row) {
        self.row = row
        record = nil
    }

    var id: ObjectID { stored.id(of: row) }

    /// Whether an object is of the entity and store that the cursor reads.
    func isOf(_ id: ObjectID) -> Bool { id.storeNumber == stored.storeNumber && Int(id.entityNumber) == stored.info.index }
    var predicateIdentity: ObjectID? { id }
    var predicateSchema: any PredicateSchema { context.coordinator.model.schema(of: stored.info.entity) }

    func predicateValue(at index: Int) throws -> Value {
        let property = stored.info.properties[index]
        switch property.kind {
        case .packed: return try packed(property.lane)
        case .attribute, .toOne:
            guard let record = try readRecord() else { return .null }
            return try stored.value(property, of: record)
        case .transient:
            let object = context.object(with: id)
            return object.primitive(index)
        case .toMany, .fetched: return .null
        }
    }

    func predicateTarget(at index: Int) throws -> (any PredicateObject)? {
        guard let record = try readRecord(), let id = try stored.reference(stored.info.properties[index], of: record) else { return nil }
        return includesPending ? try context.cursor(for: id) : try context.storeCursor(for: id)
    }

    func predicateMemberCount(at index: Int) throws -> Int {
        if includesPending, let owner = context.registeredObject(for: id) { return owner.memberCount(index) }
        return try stored.memberCount(of: row, stored.info.properties[index], in: snapshot)
    }

    func predicateMembers(at index: Int) throws -> [any PredicateObject] {
        let property = stored.info.properties[index]
        // Pending changes of the members' side are in the owner's state where there is one.
        if includesPending, let owner = context.registeredObject(for: id) {
            return try owner.memberIDs(index).compactMap { try context.cursor(for: $0) }
        }
        return try stored.members(of: row, property, in: snapshot).compactMap {
            includesPending ? try context.cursor(for: $0) : try context.storeCursor(for: $0)
        }
    }

    private func readRecord() throws(LogError) -> RecordView? {
        if let record { return record }
        record = try snapshot.record(stored.code, row)
        return record
    }

    private func packed(_ lane: Int) throws(LogError) -> Value {
        let slot = snapshot.slot(stored.code, row)
        let chunk = slot / ChunkGeometry.slotsPerChunk
        let place = slot % ChunkGeometry.slotsPerChunk
        if includesPending, let overlay = context.dirtyOverlay(stored, chunk, place) {
            return stored.info.geometry.value(overlay.data, lane, place)
        }
        guard chunk < snapshot.chunkCount(stored.code) else { return .null }
        return stored.info.geometry.value(try snapshot.chunk(stored.code, chunk), lane, place)
    }
}

extension ManagedObjectContext {
    /// What predicates read an object through: the nearest context's object where it has unsaved changes, else the snapshot's row; nil for
    /// one that does not exist.
    func cursor(for id: ObjectID) throws(LogError) -> (any PredicateObject)? {
        var context: ManagedObjectContext? = self
        while let current = context {
            if let object = current.registeredObject(for: id) {
                if object.hasChanges, object.isDeleted { return nil }
                if object.hasChanges { return ObjectCursor(object, in: current) }
            }
            context = current.parent
        }
        return try storeCursor(for: id, includesPending: true)
    }

    /// What predicates read the snapshot's row of an object through.
    func storeCursor(for id: ObjectID, includesPending: Bool = false) throws(LogError) -> RowCursor? {
        guard let store = coordinator.store(numbered: id.storeNumber), let stored = store.stored(entity: Int(id.entityNumber)),
            let snapshot = root.snapshot(of: stored), snapshot.contains(stored.code, id.row)
        else { return nil }
        let cursor = RowCursor(context: self, stored: stored, snapshot: snapshot, includesPending: includesPending)
        cursor.move(to: id.row)
        return cursor
    }

    /// The overlay that holds unsaved values of a slot, of this context or one above it.
    func dirtyOverlay(_ stored: StoredEntity, _ chunk: Int, _ slot: Int) -> OverlayChunk? {
        var context: ManagedObjectContext? = self
        while let current = context {
            if let overlay = current.tables[stored.storeNumber]?[stored.info.index]?.chunks.overlay(chunk), overlay.dirty[slot] {
                return overlay
            }
            context = current.parent
        }
        return nil
    }
}
