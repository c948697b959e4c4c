/// What a commit is filled with. Encodes straight into the frame; an error is kept and thrown by the commit, which then appends nothing.
///
/// Valid only inside the body of `Log.commit`.
package struct CommitBuilder {
    let encoder: CommitEncoder
    let ready: ReadyChunks

    /// Whether nothing has been put in.
    package var isEmpty: Bool { encoder.isEmpty }

    /// The catalog in force: the last one set, else the snapshot's. Holds all layouts of the file.
    package var catalog: Catalog { encoder.table.catalog }

    /// Makes a new catalog version, to which everything put in afterwards belongs.
    package mutating func setCatalog(_ catalog: Catalog) { encoder.setCatalog(catalog) }

    /// Appends an object's record: all of its fields. `changed` is asked for updates only.
    package mutating func appendRecord(
        layout: RecordLayout, row: Row, isInsert: Bool, changed: (Int) -> Bool = { _ in true }, value: (Int) -> StoredValue
    ) {
        encoder.appendRecord(layout, row, isInsert, changed, value)
    }

    /// Appends the records of many new objects: of row `firstRow + s` for each bit `s` that is set in `slots`, 1,024 of them.
    package mutating func appendInsertions(layout: RecordLayout, firstRow: Row, slots: UnsafeRawPointer, columns: RecordColumns) {
        encoder.appendInsertions(layout, firstRow, slots, columns)
    }

    /// Deletes an object.
    package mutating func appendTombstone(layout: RecordLayout, row: Row) { encoder.appendTombstone(layout, row) }

    /// Writes packed attributes. `bits` and `valid` hold lane after lane, each with a value for every row: that of lane `l` and row `r` is at
    /// `l * rows.count + r`. A float's bits are in the low 32. `valid` nil means that all have values; it is ignored for lanes that are
    /// never null.
    package mutating func appendPatch(layout: RecordLayout, lanes: [Int], rows: [Row], bits: [UInt64], valid: [Bool]? = nil) {
        rows.withUnsafeBufferPointer { rows in
            bits.withUnsafeBufferPointer { bits in
                if let valid {
                    valid.withUnsafeBufferPointer { encoder.appendPatch(layout, lanes, rows, bits, $0) }
                } else {
                    encoder.appendPatch(layout, lanes, rows, bits, nil)
                }
            }
        }
    }

    /// As the form with arrays.
    package mutating func appendPatch(
        layout: RecordLayout, lanes: [Int], rows: UnsafeBufferPointer<Row>, bits: UnsafeBufferPointer<UInt64>,
        valid: UnsafeBufferPointer<Bool>?
    ) {
        encoder.appendPatch(layout, lanes, rows, bits, valid)
    }

    /// Hands over what patches put in after this make of a chunk of the newest snapshot's, so that no other copy need be made of it: `data` is a
    /// copy of the bytes at `base` with the values of those patches, and of no others, in it.
    ///
    /// If `base` is where the newest snapshot has the chunk, and `data` has the patches' values, the commit's snapshot has the chunk at `data`, and
    /// holds `keeper`, from now on. Until the commit has returned nobody may change the bytes, and thereafter only where the snapshot has the chunk
    /// elsewhere.
    package mutating func offerChunk(
        layout: RecordLayout, index: Int, copiedFrom base: UnsafeRawPointer, data: UnsafeMutableRawPointer, keeper: AnyObject
    ) {
        ready.add(ReadyChunk(base: base, data: data, keeper: keeper), layout.entity, index)
    }

    /// Writes the packed attributes of rows `firstRow..<firstRow + count` as a whole chunk, to be mapped from the file. `firstRow` is a
    /// multiple of 1,024; `base` points to a chunk in this layout, of which places from `count` on are written as zeros.
    package mutating func appendChunk(layout: RecordLayout, firstRow: Row, count: Int, from base: UnsafeRawPointer) {
        encoder.appendChunk(layout, count, base) { buffer in RowListCoding.encodeDense(first: firstRow, count: count, into: buffer) }
        if firstRow % Row(slotsPerChunk) != 0 {
            encoder.fail("a chunk begins with row \(firstRow), which is no multiple of \(slotsPerChunk)")
        }
        encoder.noteRow(layout.entity, firstRow &+ Row(truncatingIfNeeded: max(count - 1, 0)))
    }

    /// Writes a whole chunk whose places hold these rows, in any order.
    package mutating func appendChunk(layout: RecordLayout, rows: [Row], from base: UnsafeRawPointer) {
        rows.withUnsafeBufferPointer { rows in
            encoder.appendChunk(layout, rows.count, base) { buffer in RowListCoding.encode(rows, into: buffer) }
        }
        if let most = rows.max() { encoder.noteRow(layout.entity, most) }
    }

    /// Adds a member to a relationship kept as links, moves it within it, or removes it.
    package mutating func appendLink(
        _ relationship: LinkRelationship, owner: (entity: EntityCode, row: Row), member: (entity: EntityCode, row: Row), order: Int64,
        removed: Bool
    ) {
        encoder.appendLink(relationship, owner, member, order, removed)
    }

    /// Lets no later opening hand out an entity's rows up to this one, though no record was written for it: something may refer to it.
    package mutating func noteRow(entity: EntityCode, row: Row) { encoder.noteRow(entity, row) }

    /// Notes that an object changed only because it is the inverse of a change elsewhere; `relationships` are numbers of the caller's own.
    package mutating func appendFollower(entity: EntityCode, row: Row, relationships: FieldMask) {
        encoder.appendFollower(entity, row, relationships)
    }
}
