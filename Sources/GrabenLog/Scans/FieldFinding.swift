internal import CGraben

extension graben_field {
    /// Where a field stands in records of a layout; nil for a layout with more optional fields than a word has bits.
    init?(_ layout: RecordLayout, _ field: Int) {
        guard field >= 0, field < layout.fieldCount, layout.nullByteCount <= 8 else { return nil }
        let info = layout.infos[field]
        func bit(_ field: Int) -> UInt64 {
            let bit = layout.infos[field].nullBit
            return bit < 0 ? 0 : 1 << UInt64(bit)
        }
        func bits(_ place: FieldPlace) -> UInt64 { layout.indexes(place).reduce(0) { $0 | bit($1) } }
        /// A part of fixed size, where it stands before the field's.
        func before(_ place: FieldPlace, _ size: Int) -> (byteCount: Int, bits: UInt64) {
            info.place.rawValue > place.rawValue ? (layout.count(place) * size, bits(place)) : (0, 0)
        }
        let (eights, fours, sixteens) = (before(.fixed8, 8), before(.fixed4, 4), before(.fixed16, 16))
        let fixedByteCount = eights.byteCount + fours.byteCount + sixteens.byteCount
        let size = info.place.byteCount
        let isConstant = layout.count(.integer) == 0
        self.init(
            layout: layout.number, part: UInt32(info.place.rawValue), position: UInt32(info.position), size: UInt32(size),
            mask_bytes: UInt32(layout.maskByteCount), null_bytes: UInt32(layout.nullByteCount), own: bit(field),
            earlier: layout.indexes(info.place).prefix(Int(info.position)).reduce(0) { $0 | bit($1) }, integers: bits(.integer),
            fixed8: eights.bits, fixed4: fours.bits, fixed16: sixteens.bits, integer_count: UInt32(layout.count(.integer)),
            fixed_bytes: UInt32(fixedByteCount), plain_offset: isConstant ? Int64(fixedByteCount + Int(info.position) * size) : -1)
    }

    /// What was found of a field.
    enum Found {
        case null
        /// Its bytes; of a text those before decompression.
        case bytes(UnsafeRawBufferPointer, isCompressed: Bool)
    }

    func find(_ head: RecordHead) throws(ByteError) -> Found {
        var found = graben_found()
        let reader = head.reader
        let bytes = reader.pointer.assumingMemoryBound(to: UInt8.self)
        let answer = withUnsafePointer(to: self) { graben_find_field($0, head.flags, bytes, reader.remaining, &found) }
        switch Int(answer) {
        case GRABEN_NULL: return .null
        case GRABEN_FOUND: return .bytes(UnsafeRawBufferPointer(start: found.bytes, count: found.count), isCompressed: false)
        case GRABEN_FOUND_COMPRESSED: return .bytes(UnsafeRawBufferPointer(start: found.bytes, count: found.count), isCompressed: true)
        default: throw .invalid
        }
    }
}

extension FieldPlace {
    /// The bytes of a field; 0 where they differ.
    fileprivate var byteCount: Int {
        switch self {
        case .fixed8: 8
        case .fixed4: 4
        case .fixed16: 16
        case .integer, .variable: 0
        }
    }
}
