import FoundationEssentials
import GrabenLog
import GrabenModel

/// Hands an engine what each commit does, as the snapshot it is about to make has it.
struct EngineWriter {
    private let store: PersistentStore
    private let engine: any StoreEngine
    private let model: Data
    private let snapshot: LogSnapshot

    /// Lets no commit of a store pass that its engine does not take.
    static func attach(_ engine: any StoreEngine, to store: PersistentStore, _ model: ResolvedModel) throws(GrabenError) {
        let text: Data
        do { text = try model.description.jsonData() } catch { throw .model(error) }
        store.log.approve { [weak store] snapshot in
            guard let store else { throw StoreEngineError(StoreEngineError("its coordinator is gone"), .saving, engine.name) }
            let changes = try EngineWriter(store: store, engine: engine, model: text, snapshot: snapshot).changes()
            do { try engine.save(changes) } catch { throw StoreEngineError(error, .saving, engine.name) }
        }
    }

    private func changes() throws -> StoreChanges {
        let changes = snapshot.changes
        var highest: [String: UInt32] = [:]
        for stored in store.entityList { highest[stored.info.name] = snapshot.highestRow(stored.code) }
        var result = StoreChanges(
            isWhole: changes.changedCatalog, inserted: [], updated: [], deleted: [],
            metadata: StoreMetadata(uuid: store.uuid, model: model, highestNumbers: highest), author: snapshot.metadata.author)
        if changes.changedCatalog {
            for stored in store.entityList {
                try snapshot.forEachLiveRow(stored.code) { (row) throws in
                    result.inserted.append(try object(stored, row))
                    return true
                }
            }
            return result
        }
        var rows = RowsByEntity()
        for entity in changes.entities {
            guard let stored = stored(entity.entity) else { continue }
            for row in entity.inserted { result.inserted.append(try object(stored, row)) }
            for row in entity.deleted { result.deleted.append(StoreObjectKey(stored.info.name, row)) }
            var updated = Set(entity.updated.map(\.row))
            for patch in entity.patched { updated.formUnion(patch.rows) }
            rows.add(updated, entity.entity)
        }
        for link in changes.links {
            rows.add([link.owner.row], link.owner.entity)
            // Of a relationship that is its own inverse both are owners.
            if let stored = stored(link.member.entity), stored.isBoth(link.relationship) { rows.add([link.member.row], link.member.entity) }
        }
        for (code, updated) in rows.sorted {
            guard let stored = stored(code) else { continue }
            let inserted = changes[code]?.inserted
            for row in updated where snapshot.contains(code, row) && inserted?.contains(row) != true {
                result.updated.append(try object(stored, row))
            }
        }
        return result
    }

    /// Rows by entity, as they are collected.
    private struct RowsByEntity {
        private var rows: [EntityCode: Set<Row>] = [:]
        mutating func add(_ new: Set<Row>, _ code: EntityCode) { rows[code, default: []].formUnion(new) }
        var sorted: [(EntityCode, [Row])] { rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) } }
    }

    private func stored(_ code: EntityCode) -> StoredEntity? { store.entityNumber(of: code).flatMap { store.stored(entity: $0) } }

    /// All that an object has, as the engine keeps it.
    private func object(_ stored: StoredEntity, _ row: Row) throws -> StoreObject {
        var object = StoreObject(StoreObjectKey(stored.info.name, row))
        guard let record = try snapshot.record(stored.code, row) else { return object }
        for property in stored.info.properties {
            switch property.kind {
            case .attribute: object.attributes[property.name] = try stored.value(property, of: record)
            case .toOne: if let id = try stored.reference(property, of: record) { object.references[property.name] = key(id) }
            case .toMany:
                switch stored.relationships[property.number] {
                case .owner, .both:
                    let ids = try stored.members(of: row, property, in: snapshot)
                    if !ids.isEmpty { object.members[property.name] = ids.compactMap(key) }
                default: break
                }
            case .packed, .transient, .fetched: break
            }
        }
        guard !stored.info.laneProperties.isEmpty else { return object }
        let slot = snapshot.slot(stored.code, row)
        let chunk = try snapshot.chunk(stored.code, slot / ChunkGeometry.slotsPerChunk)
        for (lane, number) in stored.info.laneProperties.enumerated() {
            let value = stored.info.geometry.value(chunk, lane, slot % ChunkGeometry.slotsPerChunk)
            object.attributes[stored.info.properties[number].name] = value
        }
        return object
    }

    private func key(_ id: ObjectID) -> StoreObjectKey? {
        store.stored(entity: Int(id.entityNumber)).map { StoreObjectKey($0.info.name, id.row) }
    }
}

extension StoredEntity {
    /// Whether a relationship kept as links is its own inverse.
    fileprivate func isBoth(_ code: UInt16) -> Bool {
        relationships.contains { if case .both(let link)? = $0 { link.code == code } else { false } }
    }
}
