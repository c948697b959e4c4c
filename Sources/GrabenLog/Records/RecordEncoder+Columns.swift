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

    /// Which of 64 slots were given a value for every field, and nil for none.
    func wholeSlots(_ word: Int) -> UInt64 {
        var slots = UInt64.max
        for field in fields {
            guard field.kind != .none else { return 0 }
            let given = field.given.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
            slots &= given & ~field.nulls.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
        }
        return slots
    }
}

/// An integer-like field whose slots were all given a value.
struct GivenInteger {
    let field: Int
    let cells: UnsafeRawPointer
    /// The number that the entity of a reference has to have; no entity's where the field is no reference.
    let target: UInt64
}

extension RecordEncoder {
    /// Writes the record of an insertion from columns; the layout of what is written is that of `record`.
    static func insertion(_ layout: RecordLayout, row: Row, slot: Int, _ columns: RecordColumns, into buffer: ByteBuffer) throws(Refusal) {
        let start = buffer.count
        buffer.reserve(layout.headBound)
        // The first byte is kept for the length.
        var place = varint(layout.number, at: buffer.base + start + 1)
        place = varint(row, at: place)
        let flags = place
        flags.storeBytes(of: RecordFlags.insert, as: UInt8.self)
        place += 1
        var hasNulls = false
        for field in 0..<layout.fieldCount where columns.fields[field].isNull(slot) {
            let bit = Int(layout.infos[field].nullBit)
            guard bit >= 0 else { throw Refusal(text: "the field '\(layout.fields[field].name)' must have a value, and got none") }
            if !hasNulls {
                hasNulls = true
                flags.storeBytes(of: RecordFlags.insert | RecordFlags.hasNulls, as: UInt8.self)
                place.initializeMemory(as: UInt8.self, repeating: 0, count: layout.nullByteCount)
            }
            let byte = place + bit / 8
            byte.storeBytes(of: byte.load(as: UInt8.self) | 1 << UInt8(bit & 7), as: UInt8.self)
        }
        if hasNulls { place += layout.nullByteCount }
        place = try storeIntegers(layout, slot, columns, hasNulls, at: place)
        if layout.fixedByteCount > 0 { place = try storeFixed(layout, slot, columns, hasNulls: hasNulls, at: place) }
        buffer.advance(to: place - buffer.base)
        for field in layout.indexes(.variable) where !columns.fields[field].isNull(slot) {
            if columns.fields[field].isGiven(slot) {
                try appendText(columns.fields[field].text(slot), layout, field, buffer)
            } else {
                try appendVariable(columns.defaults[field], layout, field, buffer)
            }
        }
        setLength(buffer, start)
    }

    /// The integer-like fields of a layout, in order, for `wholeInsertion`.
    static func givenIntegers(of layout: RecordLayout, _ columns: RecordColumns) -> ContiguousArray<GivenInteger> {
        ContiguousArray(
            layout.indexes(.integer).map { field in
                let info = layout.infos[field]
                var target: Int?
                if info.kind == .reference, info.hasDestination { target = columns.codes.firstIndex { $0 == info.destination } }
                return GivenInteger(field: field, cells: columns.fields[field].cells, target: target.map { UInt64($0) } ?? .max)
            })
    }

    /// Writes the record of an insertion of which every field was given a value, as `insertion` does of any. Most are so, and what has to be
    /// asked of each field of others takes half of their time.
    static func wholeInsertion(
        _ layout: RecordLayout, row: Row, slot: Int, _ columns: RecordColumns, _ integers: ContiguousArray<GivenInteger>,
        into buffer: ByteBuffer
    ) throws(Refusal) {
        let start = buffer.count
        buffer.reserve(layout.headBound)
        // The first byte is kept for the length.
        var place = varint(layout.number, at: buffer.base + start + 1)
        place = varint(row, at: place)
        place.storeBytes(of: RecordFlags.insert, as: UInt8.self)
        place += 1
        let sizes = place
        place += (integers.count + 1) >> 1
        // Two of them share a byte of sizes.
        var pair: UInt8 = 0
        for index in integers.indices {
            let integer = integers[index]
            let word = integer.cells.load(fromByteOffset: slot * 8, as: UInt64.self)
            let bits = word >> 32 == integer.target ? word & 0xFFFF_FFFF : try integerBits(layout, integer.field, slot, columns)
            let size = (71 - bits.leadingZeroBitCount) >> 3
            pair = index & 1 == 0 ? UInt8(truncatingIfNeeded: size) : pair | UInt8(truncatingIfNeeded: size << 4)
            (sizes + index >> 1).storeBytes(of: pair, as: UInt8.self)
            place.storeBytes(of: bits.littleEndian, as: UInt64.self)
            place += size
        }
        if layout.fixedByteCount > 0 { place = try storeFixed(layout, slot, columns, hasNulls: false, at: place) }
        buffer.advance(to: place - buffer.base)
        for field in layout.indexes(.variable) { try appendText(columns.fields[field].text(slot), layout, field, buffer) }
        setLength(buffer, start)
    }

    /// The fields of 8, 4 and 16 bytes. Answers the place behind them.
    private static func storeFixed(
        _ layout: RecordLayout, _ slot: Int, _ columns: RecordColumns, hasNulls: Bool, at start: UnsafeMutableRawPointer
    ) throws(Refusal) -> UnsafeMutableRawPointer {
        var place = start
        for field in layout.indexes(.fixed8) where !hasNulls || !columns.fields[field].isNull(slot) {
            place.storeBytes(of: try fixedBits(layout, field, slot, columns).littleEndian, as: UInt64.self)
            place += 8
        }
        for field in layout.indexes(.fixed4) where !hasNulls || !columns.fields[field].isNull(slot) {
            let bits = UInt32(truncatingIfNeeded: try fixedBits(layout, field, slot, columns))
            place.storeBytes(of: bits.littleEndian, as: UInt32.self)
            place += 4
        }
        for field in layout.indexes(.fixed16) where !hasNulls || !columns.fields[field].isNull(slot) {
            if columns.fields[field].isGiven(slot) {
                place.copyMemory(from: columns.fields[field].cells + slot * 16, byteCount: 16)
            } else {
                guard case .uuid(let uuid) = columns.defaults[field] else { throw mismatch(layout, field) }
                place.storeBytes(of: uuid.uuid, as: uuid_t.self)
            }
            place += 16
        }
        return place
    }

    /// 4-bit byte counts, then the bytes. Answers the place behind them.
    @inline(__always)
    private static func storeIntegers(
        _ layout: RecordLayout, _ slot: Int, _ columns: RecordColumns, _ hasNulls: Bool, at start: UnsafeMutableRawPointer
    ) throws(Refusal) -> UnsafeMutableRawPointer {
        let integers = layout.indexes(.integer)
        var present = integers.count
        if hasNulls { present = integers.count { !columns.fields[$0].isNull(slot) } }
        var place = start + (present + 1) / 2
        // Two of them share a byte of counts.
        var counts: UInt8 = 0
        var index = 0
        for field in integers where !hasNulls || !columns.fields[field].isNull(slot) {
            let bits = try integerBits(layout, field, slot, columns)
            let size = (71 - bits.leadingZeroBitCount) >> 3
            counts = index & 1 == 0 ? UInt8(truncatingIfNeeded: size) : counts | UInt8(truncatingIfNeeded: size << 4)
            (start + index >> 1).storeBytes(of: counts, as: UInt8.self)
            place.storeBytes(of: bits.littleEndian, as: UInt64.self)
            place += size
            index += 1
        }
        return place
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

    /// The bits of a field of four or eight bytes.
    @inline(__always)
    private static func fixedBits(_ layout: RecordLayout, _ field: Int, _ slot: Int, _ columns: RecordColumns) throws(Refusal) -> UInt64 {
        if columns.fields[field].isGiven(slot) { return columns.fields[field].word(slot) }
        switch (columns.defaults[field], layout.infos[field].kind) {
        case (.double(let number), .double), (.date(let number), .date): return number.bitPattern
        case (.float(let number), .float): return UInt64(number.bitPattern)
        default: throw mismatch(layout, field)
        }
    }

    @inline(__always)
    private static func appendText(
        _ text: UnsafePointer<String>, _ layout: RecordLayout, _ field: Int, _ buffer: ByteBuffer
    ) throws(Refusal) {
        if appendShort(text.pointee, buffer) { return }
        try appendVariable(layout.infos[field].kind == .uri ? .uri(text.pointee) : .string(text.pointee), layout, field, buffer)
    }
}
