/// Collects the pairs of one relationship from records, one after the other, and reads of each record no more than it needs.
///
/// Plain numbers but for the name: looking at a record touches no reference count.
struct ReferenceScan {
    private let name: String
    private let target: EntityCode
    /// The layout the rest is about.
    private var number: UInt32 = .max
    private var field = -1
    /// Among the integer-like fields; -1 where the reference leads to another entity, or its entity stands in the record.
    private var position = -1
    private var nibbles = 0
    private let pairs: UnsafeMutablePointer<UInt64>
    private let capacity: Int
    /// How many pairs there are, and which bits their targets have.
    private(set) var count = 0
    private(set) var targets: UInt64 = 0

    /// Writes pairs, target above source, to memory that has room for `capacity` of them.
    init(_ key: ReverseKey, into pairs: UnsafeMutablePointer<UInt64>, capacity: Int) {
        name = key.field
        target = key.target
        self.pairs = pairs
        self.capacity = capacity
    }

    /// Adds what the record of a row refers to, where that is one of the target entity.
    @inline(__always)
    mutating func add(_ head: RecordHead, _ row: UInt64, _ table: LayoutTable) throws(ByteError) {
        if head.layoutNumber != number { try prepare(head.layoutNumber, table) }
        if field < 0 { return }
        // A record with nulls, or of an update, has more before its integers; and polymorphic references are few.
        guard position >= 0, head.flags == RecordFlags.insert else { return try addSlowly(head, row, table) }
        let reader = head.reader
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
            let low = UInt64(UInt16(littleEndian: counts.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
            return append(low | UInt64(counts.load(fromByteOffset: offset + 2, as: UInt8.self)) << 16, row)
        }
        var bits: UInt64 = 0
        for index in 0..<size { bits |= UInt64(counts.load(fromByteOffset: offset + index, as: UInt8.self)) << UInt64(index * 8) }
        if bits <= UInt64(Row.max) { append(bits, row) }
    }

    @inline(__always)
    private mutating func append(_ target: UInt64, _ row: UInt64) {
        guard count < capacity else { return }
        pairs[count] = target << 32 | row
        targets |= target
        count += 1
    }

    @inline(never)
    private mutating func prepare(_ number: UInt32, _ table: LayoutTable) throws(ByteError) {
        guard let layout = table[number] else { throw .invalid }
        self.number = number
        field = layout.fieldIndex(name) ?? -1
        position = -1
        nibbles = (layout.count(.integer) + 1) / 2
        guard field >= 0 else { return }
        let info = layout.infos[field]
        if info.kind == .reference, info.hasDestination, info.destination == target { position = Int(info.position) }
    }

    @inline(never)
    private mutating func addSlowly(_ head: RecordHead, _ row: UInt64, _ table: LayoutTable) throws(ByteError) {
        guard let layout = table[head.layoutNumber] else { throw .invalid }
        if let found = try RecordView(head: head, layout: layout).reference(field), found.entity == target {
            append(UInt64(found.row), row)
        }
    }
}
