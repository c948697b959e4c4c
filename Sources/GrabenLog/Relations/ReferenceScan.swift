/// Reads one reference of records in one layout after the other, and of each record no more than it needs.
struct ReferenceScan {
    private let name: String
    private let target: EntityCode
    /// The layout the rest is about.
    private var number: UInt32 = .max
    private var field = -1
    /// Among the integer-like fields; -1 where the reference leads to another entity, or its entity stands in the record.
    private var position = -1
    private var integerCount = 0

    init(_ key: ReverseKey) {
        name = key.field
        target = key.target
    }

    /// The row a record's reference leads to, where it is one of the target entity.
    @inline(__always)
    mutating func target(_ head: RecordHead, _ layout: RecordLayout) throws(ByteError) -> Row? {
        if head.layoutNumber != number { prepare(layout) }
        if field < 0 { return nil }
        // A record with nulls, or of an update, has more before its integers; and polymorphic references are few.
        guard position >= 0, head.flags == RecordFlags.insert else { return try slowTarget(head, layout) }
        let reader = head.reader
        let nibbles = (integerCount + 1) / 2
        guard reader.remaining >= nibbles else { throw .truncated }
        let counts = reader.pointer
        var offset = nibbles
        for index in 0..<position {
            offset += Int(counts.load(fromByteOffset: index >> 1, as: UInt8.self) >> UInt8((index & 1) * 4) & 15)
        }
        let size = Int(counts.load(fromByteOffset: position >> 1, as: UInt8.self) >> UInt8((position & 1) * 4) & 15)
        guard size <= 8, reader.remaining - offset >= size else { throw .truncated }
        // Most rows have three bytes.
        if size == 3 {
            let low = UInt16(littleEndian: counts.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            return Row(low) | Row(counts.load(fromByteOffset: offset + 2, as: UInt8.self)) << 16
        }
        var bits: UInt64 = 0
        for index in 0..<size { bits |= UInt64(counts.load(fromByteOffset: offset + index, as: UInt8.self)) << UInt64(index * 8) }
        return Row(exactly: bits)
    }

    private mutating func prepare(_ layout: RecordLayout) {
        number = layout.number
        field = layout.fieldIndex(name) ?? -1
        position = -1
        integerCount = layout.count(.integer)
        guard field >= 0 else { return }
        let info = layout.infos[field]
        if info.kind == .reference, info.hasDestination, info.destination == target { position = Int(info.position) }
    }

    @inline(never)
    private func slowTarget(_ head: RecordHead, _ layout: RecordLayout) throws(ByteError) -> Row? {
        guard let found = try RecordView(head: head, layout: layout).reference(field), found.entity == target else { return nil }
        return found.row
    }
}
