/// Where one field stands in records of one layout.
///
/// What stands before a field depends on which others are null. Of at most 64 optional fields a record's null bitmap is one word, and how many
/// fields of a place are null is a count of its bits; so nothing is read of a record but its head and the sizes of what is skipped.
struct FieldLocator {
    let layoutNumber: UInt32
    let kind: FieldKind
    private let place: FieldPlace
    private let position: Int
    /// Bits of the null bitmap: the field's own, and those of the fields of each place that are counted.
    private let ownBit: UInt64
    private let earlierBits: UInt64
    private let integerBits: UInt64
    private let integerCount: Int
    /// Fields of fixed size that stand before the field's place, by size.
    private let fixed8: (count: Int, bits: UInt64)
    private let fixed4: (count: Int, bits: UInt64)
    private let fixed16: (count: Int, bits: UInt64)
    private let nullByteCount: Int
    private let maskByteCount: Int
    /// How far behind the record's head, or its changed mask, the field begins where no field is null; -1 where that depends on the sizes of others.
    private let plainOffset: Int
    private let size: Int

    /// nil for a field of a layout with more optional fields than a word has bits.
    init?(_ layout: RecordLayout, _ field: Int) {
        guard field >= 0, field < layout.fieldCount, layout.nullByteCount <= 8 else { return nil }
        let info = layout.infos[field]
        func bit(_ field: Int) -> UInt64 {
            let bit = layout.infos[field].nullBit
            return bit < 0 ? 0 : 1 << UInt64(bit)
        }
        func bits(_ place: FieldPlace) -> UInt64 { layout.indexes(place).reduce(0) { $0 | bit($1) } }
        func before(_ place: FieldPlace) -> (Int, UInt64) {
            info.place.rawValue > place.rawValue ? (layout.count(place), bits(place)) : (0, 0)
        }
        layoutNumber = layout.number
        kind = info.kind
        place = info.place
        position = Int(info.position)
        ownBit = bit(field)
        earlierBits = layout.indexes(info.place).prefix(Int(info.position)).reduce(0) { $0 | bit($1) }
        integerBits = bits(.integer)
        integerCount = layout.count(.integer)
        (fixed8, fixed4, fixed16) = (before(.fixed8), before(.fixed4), before(.fixed16))
        nullByteCount = layout.nullByteCount
        maskByteCount = layout.maskByteCount
        size =
            switch info.place {
            case .fixed8: 8
            case .fixed4: 4
            case .fixed16: 16
            case .integer, .variable: 0
            }
        let isConstant = integerCount == 0 && (info.place != .variable || info.position == 0)
        plainOffset = isConstant ? fixed8.count * 8 + fixed4.count * 4 + fixed16.count * 16 + Int(info.position) * size : -1
    }

    /// What was found of a field.
    enum Found {
        case null
        /// Where its bytes begin in the record, and how many they are; for a text before decompression.
        case bytes(UnsafeRawPointer, Int, isCompressed: Bool)
    }

    @inline(__always)
    func find(_ head: RecordHead) throws(ByteError) -> Found {
        guard plainOffset >= 0, head.flags & RecordFlags.hasNulls == 0 else { return try findBehindOthers(head) }
        var reader = head.reader
        try reader.skip(head.flags & RecordFlags.insert == 0 ? maskByteCount + plainOffset : plainOffset)
        return try bytes(&reader)
    }

    /// The field that begins where the reader stands.
    @inline(__always)
    private func bytes(_ reader: inout ByteReader) throws(ByteError) -> Found {
        let start = reader.pointer
        if place != .variable {
            try reader.skip(size)
            return .bytes(start, size, isCompressed: false)
        }
        let length = try reader.count(atMost: .max)
        let text = reader.pointer
        try reader.skip(length >> 1)
        return .bytes(text, length >> 1, isCompressed: length & 1 != 0)
    }

    @inline(never)
    private func findBehindOthers(_ head: RecordHead) throws(ByteError) -> Found {
        var reader = head.reader
        if head.flags & RecordFlags.insert == 0 { try reader.skip(maskByteCount) }
        var nulls: UInt64 = 0
        if head.flags & RecordFlags.hasNulls != 0 {
            let bitmap = try reader.bytes(nullByteCount)
            for index in 0..<nullByteCount { nulls |= UInt64(bitmap[index]) << UInt64(index * 8) }
            if nulls & ownBit != 0 { return .null }
        }
        var integers = integerCount
        var rank = position
        // Counting bits takes a dozen instructions where the processor's own cannot be taken for granted.
        if nulls != 0 {
            integers -= (nulls & integerBits).nonzeroBitCount
            rank -= (nulls & earlierBits).nonzeroBitCount
        }
        let sizes = try reader.bytes((integers + 1) / 2)
        if place == .integer {
            try reader.skip(try Self.sum(sizes, 0..<rank))
            let size = try Self.sum(sizes, rank..<rank + 1)
            return .bytes(try reader.bytes(size).baseAddress ?? head.reader.pointer, size, isCompressed: false)
        }
        if integers > 0 { try reader.skip(try Self.sum(sizes, 0..<integers)) }
        var before = fixed8.count * 8 + fixed4.count * 4 + fixed16.count * 16
        if nulls != 0 {
            before -= (nulls & fixed8.bits).nonzeroBitCount * 8 + (nulls & fixed4.bits).nonzeroBitCount * 4
            before -= (nulls & fixed16.bits).nonzeroBitCount * 16
        }
        try reader.skip(before + rank * size)
        while place == .variable, rank > 0 {
            try reader.skip(try reader.count(atMost: .max) >> 1)
            rank -= 1
        }
        return try bytes(&reader)
    }

    /// The sizes of a range of integers, which are half bytes.
    @inline(__always)
    private static func sum(_ sizes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(ByteError) -> Int {
        var total = 0
        for index in range {
            let size = Int(sizes[index >> 1] >> UInt8((index & 1) * 4) & 15)
            guard size <= 8 else { throw .invalid }
            total += size
        }
        return total
    }

    /// A whole number of so many bytes.
    @inline(__always)
    static func integer(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
        var bits: UInt64 = 0
        for index in 0..<count { bits |= UInt64(bytes.load(fromByteOffset: index, as: UInt8.self)) << UInt64(index * 8) }
        return bits
    }
}
