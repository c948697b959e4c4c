import GrabenLog

/// What one transaction did to one object.
public struct ObjectChange: Sendable, Equatable {
    /// What was done.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case insert, update, delete
    }

    /// What was done.
    public let kind: Kind
    /// The name of the object's entity, as the model had it then.
    public let entity: String
    /// The object's id; nil where the model of today has no such entity. Of a deleted object it is all that is left here: opening the store as
    /// of the commit before shows what it was (`StoreConfiguration.asOf`).
    public let objectID: ObjectID?
    /// The object's row, which its id and URI name.
    public let row: UInt32
    /// The names of the properties that an update changed, in alphabetical order: attributes, packed ones too, and relationships, also those
    /// that changed only as inverses of others. Empty for an insert or delete.
    public let changedProperties: [String]
}

/// What one transaction did, object by object: of each entity first what was inserted, then updated, then deleted, by row.
///
/// Objects are told one at a time; a transaction that inserted a million is a few ranges of rows till then.
public struct TransactionChanges: Sequence, Sendable {
    struct Entity: Sendable {
        let name: String
        /// By the model of today; nil where it lacks the entity.
        let number: Int?
        let contents: EntityContents
        /// What changed of objects that were there before and after, as places in `names`; ascending by row.
        let updates: [RowChange]
        let names: [String]

        var count: Int { contents.inserted.count + updates.count + contents.deleted.count }
    }

    let store: UInt32
    let entities: [Entity]
    /// Whether the transaction wrote a model: the first one, and one that opened the store under a newer model.
    public let changedModel: Bool

    /// How many objects were changed. Complexity: O(entities).
    public var count: Int { entities.reduce(0) { $0 + $1.count } }
    /// Whether no object was changed.
    public var isEmpty: Bool { count == 0 }

    /// The changes of one entity's objects, sub-entities not included.
    public func changes(of entity: String) -> TransactionChanges {
        TransactionChanges(store: store, entities: entities.filter { $0.name == entity }, changedModel: changedModel)
    }

    /// Goes from change to change.
    public struct Iterator: IteratorProtocol {
        private let store: UInt32
        private let entities: [Entity]
        private var entity = 0
        private var kind = ObjectChange.Kind.insert
        private var rows: RowList.Iterator?
        private var update = 0

        init(_ changes: TransactionChanges) {
            store = changes.store
            entities = changes.entities
        }

        /// The next change; nil after the last.
        public mutating func next() -> ObjectChange? {
            while entity < entities.count {
                let current = entities[entity]
                switch kind {
                case .insert:
                    if rows == nil { rows = current.contents.inserted.makeIterator() }
                    if let row = rows?.next() { return change(current, row) }
                    (kind, rows) = (.update, nil)
                case .update:
                    if update < current.updates.count {
                        defer { update += 1 }
                        return change(current, current.updates[update].row, current.updates[update].mask)
                    }
                    (kind, update) = (.delete, 0)
                case .delete:
                    if rows == nil { rows = current.contents.deleted.makeIterator() }
                    if let row = rows?.next() { return change(current, row) }
                    (kind, rows) = (.insert, nil)
                    entity += 1
                }
            }
            return nil
        }

        private func change(_ entity: Entity, _ row: Row, _ mask: FieldMask = FieldMask()) -> ObjectChange {
            ObjectChange(
                kind: kind, entity: entity.name, objectID: entity.number.map { ObjectID(store: store, entity: UInt32($0), row: row) },
                row: row, changedProperties: mask.members.map { entity.names[$0] }.sorted())
        }
    }

    /// Goes from change to change.
    public func makeIterator() -> Iterator { Iterator(self) }
    /// How many objects were changed.
    public var underestimatedCount: Int { count }
}
