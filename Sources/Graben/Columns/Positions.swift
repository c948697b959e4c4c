public import GrabenLog

/// The first three packed attributes of one entity's objects, by id or row: what a drawing reads many times a second.
///
///     try context.withPositions(of: Joint.self) { positions in
///         for id in visible { draw(positions[id]) }
///     }
///
/// It shows the columns as they were when it was lent, and keeps what it reads alive.
public struct Positions {
    /// Addresses of the chunks, in `owner`'s memory.
    @usableFromInline let chunks: UnsafePointer<UnsafeRawPointer>
    @usableFromInline let slotCount: Int
    @usableFromInline let store: UInt32
    @usableFromInline let entity: UInt32
    /// Slots by row, where they are not the rows themselves.
    @usableFromInline let slots: UnsafePointer<UInt32>?
    @usableFromInline let mappedCount: Int
    private let owner: ColumnAddresses

    init(_ owner: ColumnAddresses) {
        self.owner = owner
        chunks = UnsafePointer(owner.chunks)
        slotCount = owner.slotCount
        slots = owner.slots.map { UnsafePointer($0) }
        mappedCount = owner.mappedCount
        store = owner.table.stored?.storeNumber ?? 0
        entity = UInt32(owner.table.info.index)
    }

    /// The position of an object; zeros for an id of another entity or store, and for a row that the columns do not have.
    ///
    /// Complexity: O(1): three loads, and no object or record is touched.
    @inlinable @inline(__always)
    public subscript(id: ObjectID) -> SIMD3<Double> {
        guard id.entityNumber == entity, id.storeNumber == store else { return .zero }
        return self[row: UInt32(truncatingIfNeeded: id.rowNumber)]
    }

    /// Calls `body` with the position of each object in turn; zeros as the subscripts give.
    ///
    /// The way to read very many: a list holds four bytes for each id where an array of ids holds sixteen, which would push the columns out
    /// of the processor's cache. Complexity: O(ids).
    @inlinable @inline(__always)
    public func forEach(_ ids: ObjectIDList, _ body: (SIMD3<Double>) throws -> Void) rethrows {
        let isMine = ids.store == store && ids.entity == entity
        for row in ids.rows { try body(isMine ? self[row: row] : .zero) }
    }

    /// The position in a row, as `withReferences` gives them; zeros for a row that the columns do not have. Complexity: O(1).
    @inlinable @inline(__always)
    public subscript(row row: UInt32) -> SIMD3<Double> {
        var slot = Int(row)
        if let slots, slot < mappedCount { slot = Int(slots[slot]) }
        guard slot < slotCount else { return .zero }
        let base = chunks[slot >> 10] + (slot & 1023) &* 8
        return SIMD3(
            base.load(as: Double.self), base.load(fromByteOffset: 8192, as: Double.self), base.load(fromByteOffset: 16384, as: Double.self))
    }
}

/// The addresses of a table's chunks at one moment, with everything they point into kept alive.
final class ColumnAddresses {
    let table: ObjectTable
    let chunks: UnsafeMutablePointer<UnsafeRawPointer>
    let slotCount: Int
    let slots: UnsafeMutablePointer<UInt32>?
    let mappedCount: Int
    private let owners: [AnyObject]

    init(_ table: ObjectTable) {
        self.table = table
        let count = table.columnChunkCount
        slotCount = table.columnSlotCount
        chunks = .allocate(capacity: max(1, count))
        var owners: [AnyObject] = table.chunks.owner.map { [$0] } ?? []
        owners += table.chunks.lenders
        for index in 0..<count {
            (chunks + index).initialize(to: table.columnChunk(index))
            if let overlay = table.chunks.overlay(index) { owners.append(overlay.memory) }
        }
        self.owners = owners
        if table.slotsAreRows {
            slots = nil
            mappedCount = 0
        } else {
            mappedCount = slotCount
            let map = UnsafeMutablePointer<UInt32>.allocate(capacity: max(1, slotCount))
            for row in 0..<slotCount { (map + row).initialize(to: UInt32(table.slotNumber(Row(row)))) }
            slots = map
        }
    }

    deinit {
        chunks.deallocate()
        slots?.deallocate()
    }
}

extension ManagedObjectContext {
    /// Lends the positions of a class's entity: its first three packed attributes. Sub-entities have rows of their own and are not included.
    ///
    /// Complexity: O(chunks) to lend.
    /// - Throws: `GrabenError.unknownEntity`, `.invalidRequest` where the entity is abstract, in several stores or has no three Doubles; and
    ///   what `body` throws.
    public func withPositions<T: ManagedObject, R>(of type: T.Type, _ body: (Positions) throws -> R) throws -> R {
        try body(Positions(ColumnAddresses(try onlyTable(of: type, doing: "lending positions") { $0.geometry.hasPoint })))
    }

    /// Lends what two to-one relationships of a class's objects refer to: for each row the row of the target, `UInt32.max` where there is
    /// none. Made at the first call and kept up to date from then on.
    ///
    /// - Throws: `GrabenError.unknownEntity`, `.unknownKey`, `.invalidRequest` where the entity or a target is not of one store and one
    ///   concrete entity; and what `body` throws.
    public func withReferences<T: ManagedObject, R>(
        of type: T.Type, _ first: String, _ second: String, _ body: (Span<UInt32>, Span<UInt32>) throws -> R
    ) throws -> R {
        let table = try onlyTable(of: type, doing: "lending references") { _ in true }
        let starts = try table.references(try table.info.number(first))
        let ends = try table.references(try table.info.number(second))
        return try body(starts.span, ends.span)
    }

    private func onlyTable<T: ManagedObject>(
        of type: T.Type, doing what: String, where fits: (EntityInfo) -> Bool
    ) throws(GrabenError) -> ObjectTable {
        let info = try coordinator.info(of: type)
        let stored = coordinator.stores.filter { $0.takes(info) }.compactMap { $0.stored(entity: info.index) }
        guard stored.count == 1, let only = stored.first, fits(info) else {
            throw .invalidRequest(
                reason:
                    "\(what) of \(info.name): the entity must be concrete, in one store, and have what is asked for (three Doubles first)")
        }
        return table(only, info)
    }
}

extension ObjectTable {
    var slotsAreRows: Bool { slotMap == nil }

    /// The targets of a to-one, by row.
    func references(_ number: Int) throws(GrabenError) -> [UInt32] {
        if let known = referenceColumns[number] { return known }
        let property = info.properties[number]
        guard property.kind == .toOne, property.link?.isPolymorphic == false, let stored, let context,
            let snapshot = rootSnapshot
        else {
            throw .invalidRequest(reason: "lending references: \(info.name).\(property.name) is not a to-one to one concrete entity")
        }
        let count = max(snapshot.highestRow(stored.code).map { Int($0) + 1 } ?? 0, newRowEnd)
        // A file may claim any row; memory is not taken on its word.
        guard count <= 64 * snapshot.liveCount(stored.code) + newRowEnd + (1 << 20) else {
            throw .invalidRequest(
                reason:
                    "lending references: the rows of \(info.name) reach \(count), for \(snapshot.liveCount(stored.code)) objects; they are too sparse"
            )
        }
        var targets = [UInt32](repeating: .max, count: count)
        do throws(LogError) {
            try snapshot.forEachLiveRow(stored.code) { row throws(LogError) in
                guard let record = try snapshot.record(stored.code, row) else { return true }
                if let target = try stored.targetRow(property, of: record) { targets[Int(row)] = target }
                return true
            }
        } catch { throw .store(error) }
        context.forEachChanged(of: stored) { object, _ in
            guard Int(object._row) < count else { return }
            targets[Int(object._row)] = object.has(ObjectFlag.deleted) ? .max : object.primitive(number).row
        }
        referenceColumns[number] = targets
        return targets
    }

    /// Follows a setter in a column of references that was made already.
    func noteReference(_ number: Int, _ row: Row, _ value: Value) {
        guard !referenceColumns.isEmpty, var column = referenceColumns.removeValue(forKey: number) else { return }
        guard Int(row) < column.count else { return }
        column[Int(row)] = value.row
        referenceColumns[number] = column
    }
}

extension Value {
    /// The row of a reference, `UInt32.max` for nil.
    fileprivate var row: UInt32 {
        if case .reference(let id) = self { return id.row }
        return .max
    }
}
