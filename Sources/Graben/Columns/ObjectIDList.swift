public import GrabenLog

/// Ids of one entity of one store, in four bytes each.
public struct ObjectIDList: RandomAccessCollection, Sendable, Hashable {
    @usableFromInline let store: UInt32
    @usableFromInline let entity: UInt32
    @usableFromInline let rows: [UInt32]

    /// A list of ids, or nil where they are of several entities or stores. Complexity: O(ids).
    public init?(_ ids: some Sequence<ObjectID>) {
        var rows: [UInt32] = []
        rows.reserveCapacity(ids.underestimatedCount)
        var kind: (store: UInt32, entity: UInt32)?
        for id in ids {
            let first = kind ?? (id.storeNumber, id.entityNumber)
            guard id.storeNumber == first.store, id.entityNumber == first.entity else { return nil }
            kind = first
            rows.append(id.row)
        }
        (store, entity) = kind ?? (0, 0)
        self.rows = rows
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of ids.
    public var endIndex: Int { rows.count }
    /// The id at a place, which must be one.
    public subscript(place: Int) -> ObjectID { ObjectID(store: store, entity: entity, row: rows[place]) }
}
