extension LinkChange {
    /// Reads an entry of a section of links.
    init(_ reader: inout ByteReader) throws(ByteError) {
        relationship = try reader.varint16()
        let flags = try reader.byte()
        guard flags <= 1 else { throw .invalid }
        isRemoved = flags == 1
        owner = ObjectKey(try reader.varint16(), try reader.varint32())
        member = ObjectKey(try reader.varint16(), try reader.varint32())
        order = try reader.signedVarint()
    }
}

/// An entry of a section of followers: an object of which only inverses changed, and which relationships those are.
struct Follower {
    let entity: EntityCode
    let change: RowChange

    init(_ reader: inout ByteReader) throws(ByteError) {
        entity = try reader.varint16()
        let row = try reader.varint32()
        change = RowChange(row: row, mask: FieldMask(bytes: try reader.bytes(try reader.count(atMost: Format.fieldLimit / 8))))
    }
}
