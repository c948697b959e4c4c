internal import FoundationEssentials

/// One field of many new records, slot by slot as a chunk has them: a word, a text or a UUID for each.
package struct FieldColumn {
    package enum Cells {
        /// 8 bytes: a bool's 0 or 1, an integer, the bits of a Double, of a date's seconds or (in the low half) of a Float, or of a reference
        /// its entity's number above its row.
        case word
        /// A `String`, where the slot was given something other than nil.
        case text
        case uuid
        /// None was given anything.
        case none
    }

    package let kind: Cells
    /// Bitmaps of slots that were given something, and of those that were given nil.
    let given: UnsafeRawPointer
    let nulls: UnsafeRawPointer
    let cells: UnsafeRawPointer
    /// Whether a slot that was given nothing is null.
    let isNullByDefault: Bool

    package init(_ kind: Cells, given: UnsafeRawPointer, nulls: UnsafeRawPointer, cells: UnsafeRawPointer, isNullByDefault: Bool) {
        self.kind = kind
        self.given = given
        self.nulls = nulls
        self.cells = cells
        self.isNullByDefault = isNullByDefault
    }

    @inline(__always)
    private static func bit(_ bitmap: UnsafeRawPointer, _ slot: Int) -> Bool {
        bitmap.load(fromByteOffset: slot >> 3, as: UInt8.self) >> UInt8(slot & 7) & 1 != 0
    }
    @inline(__always)
    func isGiven(_ slot: Int) -> Bool { kind != .none && Self.bit(given, slot) }
    @inline(__always)
    func isNull(_ slot: Int) -> Bool { isGiven(slot) ? Self.bit(nulls, slot) : isNullByDefault }
    @inline(__always)
    func word(_ slot: Int) -> UInt64 { cells.load(fromByteOffset: slot * 8, as: UInt64.self) }
    @inline(__always)
    func text(_ slot: Int) -> UnsafePointer<String> { (cells + slot * 16).assumingMemoryBound(to: String.self) }
}

/// The fields of many new records of one layout.
package struct RecordColumns {
    /// By field.
    package let fields: [FieldColumn]
    /// What a slot has that was given nothing, by field.
    package let defaults: [StoredValue]
    /// The codes of entities by the numbers that references have.
    package let codes: [EntityCode?]

    package init(fields: [FieldColumn], defaults: [StoredValue], codes: [EntityCode?]) {
        self.fields = fields
        self.defaults = defaults
        self.codes = codes
    }
}

extension RecordEncoder {
    /// Writes the record of an insertion from columns; the layout of what is written is that of `record`.
    static func insertion(_ layout: RecordLayout, row: Row, slot: Int, _ columns: RecordColumns, into buffer: ByteBuffer) throws(Refusal) {
        let start = buffer.count
        buffer.append(UInt8(0))
        buffer.appendVarint(UInt64(layout.number))
        buffer.appendVarint(UInt64(row))
        let flagsAt = buffer.count
        buffer.append(RecordFlags.insert)
        var hasNulls = false
        for field in 0..<layout.fieldCount where columns.fields[field].isNull(slot) {
            let bit = Int(layout.infos[field].nullBit)
            guard bit >= 0 else { throw Refusal(text: "the field '\(layout.fields[field].name)' must have a value, and got none") }
            if !hasNulls {
                hasNulls = true
                buffer.set(RecordFlags.insert | RecordFlags.hasNulls, at: flagsAt)
                buffer.appendZeros(layout.nullByteCount)
            }
            let place = flagsAt + 1 + bit / 8
            buffer.set(buffer.base.load(fromByteOffset: place, as: UInt8.self) | 1 << UInt8(bit & 7), at: place)
        }
        try appendIntegers(layout, slot, columns, hasNulls, buffer)
        for place in [FieldPlace.fixed8, .fixed4, .fixed16] where layout.count(place) > 0 {
            try appendFixed(layout, place, slot, columns, buffer)
        }
        for field in layout.indexes(.variable) where !columns.fields[field].isNull(slot) {
            if columns.fields[field].isGiven(slot) {
                try appendText(columns.fields[field].text(slot), layout, field, buffer)
            } else {
                try appendVariable(columns.defaults[field], layout, field, buffer)
            }
        }
        setLength(buffer, start)
    }

    /// 4-bit byte counts, then the bytes.
    @inline(__always)
    private static func appendIntegers(
        _ layout: RecordLayout, _ slot: Int, _ columns: RecordColumns, _ hasNulls: Bool, _ buffer: ByteBuffer
    ) throws(Refusal) {
        let integers = layout.indexes(.integer)
        guard !integers.isEmpty else { return }
        var present = integers.count
        if hasNulls { present = integers.count { !columns.fields[$0].isNull(slot) } }
        let nibblesAt = buffer.count
        buffer.appendZeros((present + 1) / 2)
        var index = 0
        for field in integers where !hasNulls || !columns.fields[field].isNull(slot) {
            let bits = try integerBits(layout, field, slot, columns)
            let size = (64 - bits.leadingZeroBitCount + 7) / 8
            let place = nibblesAt + index / 2
            buffer.set(buffer.base.load(fromByteOffset: place, as: UInt8.self) | UInt8(size) << UInt8((index & 1) * 4), at: place)
            buffer.append(bits, size: size)
            index += 1
        }
    }

    @inline(__always)
    private static func integerBits(_ layout: RecordLayout, _ field: Int, _ slot: Int, _ columns: RecordColumns) throws(Refusal) -> UInt64 {
        guard columns.fields[field].isGiven(slot) else { return try integerBits(columns.defaults[field], layout, field) ?? 0 }
        let word = columns.fields[field].word(slot)
        let info = layout.infos[field]
        switch info.kind {
        case .reference:
            let entity = Int(word >> 32)
            guard info.hasDestination, entity < columns.codes.count, columns.codes[entity] == info.destination else {
                throw Refusal(text: "the reference '\(layout.fields[field].name)' leads to another entity than its layout says")
            }
            return word & 0xFFFF_FFFF
        case .polymorphicReference:
            let entity = Int(word >> 32)
            guard entity < columns.codes.count, let code = columns.codes[entity] else {
                throw Refusal(text: "the reference '\(layout.fields[field].name)' leads to an entity that the file does not have")
            }
            return (word & 0xFFFF_FFFF) << 16 | UInt64(code)
        case .bool: return word & 1
        default: return try integerBits(.int(Int64(bitPattern: word)), layout, field) ?? 0
        }
    }

    private static func appendFixed(
        _ layout: RecordLayout, _ place: FieldPlace, _ slot: Int, _ columns: RecordColumns, _ buffer: ByteBuffer
    ) throws(Refusal) {
        for field in layout.indexes(place) where !columns.fields[field].isNull(slot) {
            let column = columns.fields[field]
            guard column.isGiven(slot) else {
                try appendFixed(columns.defaults[field], layout, field, buffer)
                continue
            }
            switch place {
            case .fixed8: buffer.append(column.word(slot))
            case .fixed4: buffer.append(UInt32(truncatingIfNeeded: column.word(slot)))
            default: buffer.append(UnsafeRawBufferPointer(start: column.cells + slot * 16, count: 16))
            }
        }
    }

    /// Writes a value of fixed size other than an integer.
    private static func appendFixed(_ value: StoredValue, _ layout: RecordLayout, _ field: Int, _ buffer: ByteBuffer) throws(Refusal) {
        switch (value, layout.infos[field].kind) {
        case (.double(let number), .double), (.date(let number), .date): buffer.append(number.bitPattern)
        case (.float(let number), .float): buffer.append(number.bitPattern)
        case (.uuid(let uuid), .uuid): withUnsafeBytes(of: uuid.uuid) { buffer.append($0) }
        default: throw mismatch(layout, field)
        }
    }

    @inline(__always)
    private static func appendText(
        _ text: UnsafePointer<String>, _ layout: RecordLayout, _ field: Int, _ buffer: ByteBuffer
    ) throws(Refusal) {
        let isWritten: Void? = text.pointee.utf8.withContiguousStorageIfAvailable { utf8 in
            guard utf8.count <= Format.compressionThreshold else { return }
            buffer.appendVarint(UInt64(utf8.count) << 1)
            buffer.append(UnsafeRawBufferPointer(utf8))
        }
        if isWritten != nil, text.pointee.utf8.count <= Format.compressionThreshold { return }
        try appendVariable(layout.infos[field].kind == .uri ? .uri(text.pointee) : .string(text.pointee), layout, field, buffer)
    }
}
