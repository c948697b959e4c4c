/// The identity of an object: which store, which entity, which row.
///
/// An id is final from the moment an object is inserted and is never used again. Its sixteen bytes are trivial, so ids are cheap to
/// copy, hash and send between tasks.
public struct ObjectID: Hashable, Sendable, Comparable {
    /// The number the process gave the store when it was opened; unique in the process, not kept in any file.
    public let storeNumber: UInt32
    /// The entity's number in the model the store was opened with.
    public let entityNumber: UInt32
    /// The row: dense per concrete entity, beginning with 0.
    @usableFromInline package let rowNumber: UInt64

    /// The row as the storage layers use it.
    @inlinable package var row: UInt32 { UInt32(truncatingIfNeeded: rowNumber) }

    @inlinable package init(store: UInt32, entity: UInt32, row: UInt32) {
        storeNumber = store
        entityNumber = entity
        rowNumber = UInt64(row)
    }

    /// Orders ids by store, then entity, then row, which is the order of insertion within an entity.
    public static func < (a: ObjectID, b: ObjectID) -> Bool {
        (a.storeNumber, a.entityNumber, a.rowNumber) < (b.storeNumber, b.entityNumber, b.rowNumber)
    }
}
