package import FoundationEssentials

/// A record where it lies in the mapped file. Nothing is decoded until it is asked for.
///
/// Valid only while the snapshot it came from is held: neither the memory nor the layout is retained, because a view is made for every
/// object read and two reference counts would cost more than the read. A record out of a compressed block is a copy that the view holds. Bounds
/// are checked once, by `init`; the accessors rely on that.
package struct RecordView {
    private let bytes: UnsafeRawPointer
    private let end: UInt32
    private let nulls: Int32
    private let nibbles: UInt32
    private let integers: UInt32
    private let fixed: UInt32
    private let variable: UInt32
    /// Unowned because the snapshot keeps the catalog, and the catalog its layouts.
    private unowned(unsafe) let layoutReference: RecordLayout
    package let row: Row
    package let isInsert: Bool
    /// What `bytes` point into, where that is not the mapped file.
    let copy: RecordCopy?

    package var layout: RecordLayout { layoutReference }
    /// Whether its bytes are its own, decompressed for it, so that whoever reads more of them keeps the view.
    package var isCopy: Bool { copy != nil }
    /// Where the record's head begins in memory: for saying where in the file something is wrong.
    var address: UnsafeRawPointer { bytes }

    /// Binds to the record that begins at `start`, with the layout its head names.
    init(head: RecordHead, layout: RecordLayout, copy: RecordCopy? = nil) throws(ByteError) {
        var reader = head.reader
        self.copy = copy
        row = head.row
        isInsert = head.flags & RecordFlags.insert != 0
        layoutReference = layout
        bytes = reader.base
        end = UInt32(truncatingIfNeeded: reader.end)
        if !isInsert { try reader.skip(layout.maskByteCount) }
        if head.flags & RecordFlags.hasNulls != 0 {
            nulls = Int32(truncatingIfNeeded: reader.position)
            try reader.skip(layout.nullByteCount)
        } else {
            nulls = -1
        }
        nibbles = UInt32(truncatingIfNeeded: reader.position)
        let integerCount: Int
        let fixedByteCount: Int
        let variableCount: Int
        if nulls < 0 {
            integerCount = layout.count(.integer)
            fixedByteCount = layout.fixedByteCount
            variableCount = layout.count(.variable)
        } else {
            let bitmap = bytes + Int(nulls)
            func present(_ place: FieldPlace) -> Int { layout.indexes(place).count { !Self.isSet(bitmap, layout.infos[$0].nullBit) } }
            integerCount = present(.integer)
            fixedByteCount = present(.fixed8) * 8 + present(.fixed4) * 4 + present(.fixed16) * 16
            variableCount = present(.variable)
        }
        try reader.skip((integerCount + 1) / 2)
        integers = UInt32(truncatingIfNeeded: reader.position)
        var total = 0
        for index in 0..<integerCount {
            let size = Self.nibble(bytes + Int(nibbles), index)
            guard size <= 8 else { throw .invalid }
            total += size
        }
        try reader.skip(total)
        fixed = UInt32(truncatingIfNeeded: reader.position)
        try reader.skip(fixedByteCount)
        variable = UInt32(truncatingIfNeeded: reader.position)
        for _ in 0..<variableCount {
            let length = try reader.varint()
            guard let size = Int(exactly: length >> 1) else { throw .outOfRange }
            try reader.skip(size)
        }
        guard reader.isAtEnd else { throw .invalid }
    }

    @inline(__always)
    private static func isSet(_ bitmap: UnsafeRawPointer, _ bit: Int32) -> Bool {
        bit >= 0 && bitmap.load(fromByteOffset: Int(bit >> 3), as: UInt8.self) >> UInt8(bit & 7) & 1 != 0
    }

    @inline(__always)
    private static func nibble(_ base: UnsafeRawPointer, _ index: Int) -> Int {
        Int(base.load(fromByteOffset: index >> 1, as: UInt8.self) >> UInt8((index & 1) * 4) & 15)
    }

    /// Whether the field is null; also true for an index the layout does not have.
    @inline(__always)
    package func isNull(_ field: Int) -> Bool {
        guard field >= 0, field < layoutReference.fieldCount else { return true }
        return nulls >= 0 && Self.isSet(bytes + Int(nulls), layoutReference.infos[field].nullBit)
    }

    /// The field's position among the fields of its place that are not null.
    @inline(__always)
    private func rank(_ field: Int, _ place: FieldPlace) -> Int {
        let position = Int(layoutReference.infos[field].position)
        guard nulls >= 0 else { return position }
        var rank = 0
        for other in layoutReference.indexes(place).prefix(position) where !isNull(other) { rank += 1 }
        return rank
    }

    private func presentCount(_ place: FieldPlace) -> Int {
        nulls >= 0 ? layoutReference.indexes(place).count { !isNull($0) } : layoutReference.count(place)
    }

    /// The bits of an integer-like field; nil when null or of another place.
    @inline(__always)
    func integerBits(_ field: Int) -> UInt64? {
        guard !isNull(field), layoutReference.infos[field].place == .integer else { return nil }
        let rank = rank(field, .integer)
        let counts = bytes + Int(nibbles)
        var offset = Int(integers)
        for index in 0..<rank { offset += Self.nibble(counts, index) }
        let size = Self.nibble(counts, rank)
        var bits: UInt64 = 0
        for index in 0..<size { bits |= UInt64(bytes.load(fromByteOffset: offset + index, as: UInt8.self)) << UInt64(index * 8) }
        return bits
    }

    /// A bool's 0 or 1, or an integer; nil when null or of another kind.
    package func int(_ field: Int) -> Int64? {
        guard let bits = integerBits(field) else { return nil }
        switch layoutReference.infos[field].kind {
        case .bool: return bits == 0 ? 0 : 1
        case .int16, .int32, .int64: return Zigzag.decode(bits)
        default: return nil
        }
    }

    package func bool(_ field: Int) -> Bool? { int(field).map { $0 != 0 } }

    /// The object a to-one refers to; nil when null, of another kind, or beyond what a row can be.
    @inline(__always)
    package func reference(_ field: Int) -> (entity: EntityCode, row: Row)? {
        guard let bits = integerBits(field) else { return nil }
        let info = layoutReference.infos[field]
        switch info.kind {
        case .reference:
            guard info.hasDestination, let row = Row(exactly: bits) else { return nil }
            return (info.destination, row)
        case .polymorphicReference:
            guard let row = Row(exactly: bits >> 16) else { return nil }
            return (EntityCode(truncatingIfNeeded: bits), row)
        default: return nil
        }
    }

    private func eight(_ field: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: Int(fixed) + rank(field, .fixed8) * 8, as: UInt64.self))
    }

    /// A Double or Date field; nil when null or of another kind.
    package func double(_ field: Int) -> Double? {
        guard !isNull(field), layoutReference.infos[field].place == .fixed8 else { return nil }
        return Double(bitPattern: eight(field))
    }

    package func float(_ field: Int) -> Float? {
        guard !isNull(field), layoutReference.infos[field].kind == .float else { return nil }
        let offset = Int(fixed) + presentCount(.fixed8) * 8 + rank(field, .fixed4) * 4
        return Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    package func uuid(_ field: Int) -> UUID? {
        guard !isNull(field), layoutReference.infos[field].kind == .uuid else { return nil }
        let offset = Int(fixed) + presentCount(.fixed8) * 8 + presentCount(.fixed4) * 4 + rank(field, .fixed16) * 16
        return UUID(uuid: bytes.loadUnaligned(fromByteOffset: offset, as: uuid_t.self))
    }

    /// A variable field's stored bytes and whether they are compressed.
    private func stored(_ field: Int) throws(ByteError) -> (bytes: UnsafeRawBufferPointer, isCompressed: Bool)? {
        guard !isNull(field), layoutReference.infos[field].place == .variable else { return nil }
        var reader = ByteReader(bytes, from: Int(variable), to: Int(end))
        for _ in 0..<rank(field, .variable) { try reader.skip(try reader.count(atMost: .max) >> 1) }
        let length = try reader.count(atMost: .max)
        return (try reader.bytes(length >> 1), length & 1 != 0)
    }

    /// Lends the bytes of a string, URI, data or JSON field, decompressed where they are compressed; nil when null, of another kind, or
    /// when the compressed bytes are malformed.
    package func withBytes<R>(_ field: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        do {
            guard let found = try stored(field), layoutReference.infos[field].kind != .decimal else { return nil }
            return found.isCompressed ? try Compression.withDecompressed(found.bytes, body) : body(found.bytes)
        } catch {
            return nil
        }
    }

    /// Lends the UTF-8 of a string or URI field. As `withBytes`.
    package func withUTF8<R>(_ field: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        guard field >= 0, field < layoutReference.fieldCount, [.string, .uri].contains(layoutReference.infos[field].kind) else {
            return nil
        }
        return withBytes(field, body)
    }

    /// A string or URI field.
    package func string(_ field: Int) -> String? { withUTF8(field) { String(decoding: $0, as: UTF8.self) } }

    /// The fields an update changed; nil for an insert.
    package var changedFields: FieldMask? {
        guard !isInsert else { return nil }
        let start = (nulls >= 0 ? Int(nulls) : Int(nibbles)) - layout.maskByteCount
        return FieldMask(bytes: UnsafeRawBufferPointer(start: bytes + start, count: layout.maskByteCount))
    }

    /// Any field's value. Throws where its bytes follow no form of its kind; which field and row that was, the caller knows.
    package func value(at field: Int) throws(ByteError) -> StoredValue {
        if isNull(field) { return .null }
        let value: StoredValue? =
            switch layoutReference.infos[field].kind {
            case .bool: bool(field).map { .bool($0) }
            case .int16, .int32, .int64: int(field).map { .int($0) }
            case .float: float(field).map { .float($0) }
            case .double: double(field).map { .double($0) }
            case .date: double(field).map { .date($0) }
            case .uuid: uuid(field).map { .uuid($0) }
            case .string: string(field).map { .string($0) }
            case .uri: string(field).map { .uri($0) }
            case .data: withBytes(field) { .data(Data($0)) }
            case .json: withBytes(field) { .json(Data($0)) }
            case .decimal: decimal(field).map { .decimal($0) }
            case .reference, .polymorphicReference: reference(field).map { .reference($0.entity, $0.row) }
            }
        guard let value else { throw .invalid }
        return value
    }

    package func decimal(_ field: Int) -> Decimal? {
        guard field >= 0, field < layoutReference.fieldCount, layoutReference.infos[field].kind == .decimal else { return nil }
        guard let found = try? stored(field), !found.isCompressed else { return nil }
        return DecimalCoding.decode(found.bytes)
    }
}

/// The part every record has, whatever its layout.
struct RecordHead {
    let layoutNumber: UInt32
    let row: Row
    let flags: UInt8
    /// Stands after the flags and ends with the record.
    let reader: ByteReader

    var isTombstone: Bool { flags & RecordFlags.tombstone != 0 }
    /// The whole record but its length.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: reader.base, count: reader.end) }

    /// The head of the same record where it was copied to.
    init(_ head: RecordHead, in copy: RecordCopy) {
        (layoutNumber, row, flags) = (head.layoutNumber, head.row, head.flags)
        reader = ByteReader(copy.base, from: head.reader.position, to: head.reader.end)
    }

    /// Reads a head and moves `outer` behind the record.
    @inline(__always)
    init(_ outer: inout ByteReader) throws(ByteError) {
        let length = try outer.count(atMost: outer.remaining)
        guard length <= outer.remaining else { throw .truncated }
        // Offsets within a record are kept in 32 bits by its view.
        guard length <= Format.payloadLimit else { throw .outOfRange }
        var reader = ByteReader(outer.pointer, to: length)
        try outer.skip(length)
        layoutNumber = try reader.varint32()
        row = try reader.varint32()
        flags = try reader.byte()
        guard row <= Format.highestRow else { throw .outOfRange }
        guard flags & ~RecordFlags.known == 0 else { throw .invalid }
        self.reader = reader
    }
}
