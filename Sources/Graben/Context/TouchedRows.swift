import GrabenLog

/// The rows that commits touched, by entity.
struct TouchedRows {
    struct Entity {
        var inserted: Set<Row> = []
        var updated: Set<Row> = []
        var deleted: Set<Row> = []
        var moved: Set<Row> = []
        var followed: Set<Row> = []
    }

    var entities: [EntityCode: Entity] = [:]
}

extension TouchedRows {
    mutating func add(_ changes: ChangeSet) {
        for change in changes.entities {
            var entity = entities[change.entity] ?? Entity()
            for row in change.inserted {
                entity.inserted.insert(row)
                // A deletion that was undone: to whoever knew the object it is one that changed.
                if entity.deleted.remove(row) != nil {
                    entity.updated.insert(row)
                    entity.moved.insert(row)
                }
            }
            for row in change.updated { entity.updated.insert(row.row) }
            for row in change.deleted {
                entity.deleted.insert(row)
                entity.inserted.remove(row)
                entity.updated.remove(row)
                entity.moved.remove(row)
            }
            for patch in change.patched {
                for row in patch.rows where !entity.inserted.contains(row) { entity.moved.insert(row) }
            }
            for row in change.followers { entity.followed.insert(row.row) }
            entities[change.entity] = entity
        }
    }
}
