/// An object as the log knows it.
package struct ObjectKey: Hashable, Comparable, Sendable {
    package let entity: EntityCode
    package let row: Row

    package init(_ entity: EntityCode, _ row: Row) {
        self.entity = entity
        self.row = row
    }

    /// Entity above row in one word, so that order by word is order by object.
    var word: UInt64 { UInt64(entity) << 32 | UInt64(row) }
    init(word: UInt64) {
        entity = EntityCode(truncatingIfNeeded: word >> 32)
        row = Row(truncatingIfNeeded: word)
    }

    package static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.word < b.word }
}

/// A row and which of its fields, or relationships, a commit changed.
package struct RowChange: Sendable, Equatable {
    package let row: Row
    package var mask: FieldMask

    package init(row: Row, mask: FieldMask) {
        self.row = row
        self.mask = mask
    }
}

/// Rows whose packed attributes a commit wrote, and which lanes of the entity's newest layout.
package struct PatchedRows: Sendable, Equatable {
    package var rows: RowList
    package let lanes: FieldMask
}

/// A member added to or removed from a relationship kept as links.
package struct LinkChange: Sendable, Equatable {
    package let relationship: UInt16
    package let owner: ObjectKey
    package let member: ObjectKey
    package let order: Int64
    package let isRemoved: Bool
}

/// What a commit did to one entity. Field masks count in the entity's newest layout at that commit.
package struct EntityChanges: Sendable, Equatable {
    package let entity: EntityCode
    package internal(set) var inserted = RowList()
    /// Ascending by row.
    package internal(set) var updated: [RowChange] = []
    package internal(set) var deleted = RowList()
    /// One element for each patch or chunk of the commit.
    package internal(set) var patched: [PatchedRows] = []
    /// Objects only the inverses of which changed; they have no new record. Ascending by row.
    package internal(set) var followers: [RowChange] = []
}

/// What the commit that made a snapshot did. Empty in the snapshot a store was opened with.
package struct ChangeSet: Sendable, Equatable {
    package internal(set) var entities: [EntityChanges] = []
    package internal(set) var links: [LinkChange] = []
    package internal(set) var changedCatalog = false

    package init() {}

    package var isEmpty: Bool { entities.isEmpty && links.isEmpty && !changedCatalog }
    /// What was done to one entity; nil when nothing was. O(entities changed).
    package subscript(entity: EntityCode) -> EntityChanges? { entities.first { $0.entity == entity } }

    mutating func with(_ entity: EntityCode, _ body: (inout EntityChanges) -> Void) {
        // The last one first: records come in long runs of one entity.
        // Nothing may hold its lists meanwhile, or each change would copy them.
        if entities.last?.entity == entity { return body(&entities[entities.count - 1]) }
        if let index = entities.firstIndex(where: { $0.entity == entity }) { return body(&entities[index]) }
        entities.append(EntityChanges(entity: entity))
        body(&entities[entities.count - 1])
    }

    /// Sorts everything and merges what was said twice.
    mutating func normalize() {
        for index in entities.indices {
            entities[index].inserted.normalize()
            entities[index].deleted.normalize()
            entities[index].updated = Self.merged(entities[index].updated)
            entities[index].followers = Self.merged(entities[index].followers)
            for patch in entities[index].patched.indices { entities[index].patched[patch].rows.normalize() }
        }
    }

    /// The same changes in order of rows, those of one row as one.
    package static func merged(_ changes: [RowChange]) -> [RowChange] {
        guard zip(changes, changes.dropFirst()).contains(where: { $0.row >= $1.row }) else { return changes }
        var result: [RowChange] = []
        for change in changes.sorted(by: { $0.row < $1.row }) {
            if let last = result.last, last.row == change.row {
                result[result.count - 1].mask.formUnion(change.mask)
            } else {
                result.append(change)
            }
        }
        return result
    }
}
