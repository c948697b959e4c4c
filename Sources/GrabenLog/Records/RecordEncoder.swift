internal import FoundationEssentials

/// Writes object records.
///
///     varint length of what follows | varint layout | varint row | flags
///     [changed mask, unless insert or tombstone] [null bitmap, if any field is null]
///     4-bit byte counts of the integer-like fields | their bytes | 8-byte | 4-byte | 16-byte fields | variable fields
enum RecordEncoder {
    /// Why a value cannot be written; the text names the field.
    struct Refusal: Error { let text: String }

    static func tombstone(_ layout: RecordLayout, row: Row, into buffer: ByteBuffer) {
        let size = ByteBuffer.varintSize(UInt64(layout.number)) + ByteBuffer.varintSize(UInt64(row)) + 1
        buffer.appendVarint(UInt64(size))
        buffer.appendVarint(UInt64(layout.number))
        buffer.appendVarint(UInt64(row))
        buffer.append(RecordFlags.tombstone)
    }

    /// Writes a record none of whose fields is null, in one pass of small stores; answers false, having written nothing, where one is.
    static func recordWithoutNulls(
        _ layout: RecordLayout, row: Row, isInsert: Bool, changed: (Int) -> Bool, value: (Int) -> StoredValue, into buffer: ByteBuffer
    ) throws(Refusal) -> Bool {
        let start = buffer.count
        buffer.reserve(layout.headBound)
        // The first byte is kept for the length.
        var place = varint(layout.number, at: buffer.base + start + 1)
        place = varint(row, at: place)
        place.storeBytes(of: isInsert ? RecordFlags.insert : 0, as: UInt8.self)
        place += 1
        if !isInsert {
            for field in 0..<layout.fieldCount {
                if field & 7 == 0 { (place + field >> 3).storeBytes(of: 0, as: UInt8.self) }
                guard changed(field) else { continue }
                let byte = place + field >> 3
                byte.storeBytes(of: byte.load(as: UInt8.self) | 1 << UInt8(field & 7), as: UInt8.self)
            }
            place += layout.maskByteCount
        }
        let integers = layout.indexes(.integer)
        let sizes = place
        place += (integers.count + 1) / 2
        // Two of them share a byte of sizes.
        var lowSize: UInt8 = 0
        for position in 0..<integers.count {
            let field = integers[position]
            let bits: UInt64
            switch value(field) {
            case .null: return false
            case .reference(let entity, let row) where layout.infos[field].leads(to: entity): bits = UInt64(row)
            case let stored: bits = try integerBits(stored, layout, field) ?? 0
            }
            let size = (71 - bits.leadingZeroBitCount) >> 3
            lowSize = position & 1 == 0 ? UInt8(truncatingIfNeeded: size) : lowSize | UInt8(truncatingIfNeeded: size << 4)
            (sizes + position >> 1).storeBytes(of: lowSize, as: UInt8.self)
            place.storeBytes(of: bits.littleEndian, as: UInt64.self)
            place += size
        }
        for field in layout.indexes(.fixed8) {
            switch (value(field), layout.infos[field].kind) {
            case (.null, _): return false
            case (.double(let number), .double), (.date(let number), .date):
                place.storeBytes(of: number.bitPattern.littleEndian, as: UInt64.self)
            default: throw mismatch(layout, field)
            }
            place += 8
        }
        for field in layout.indexes(.fixed4) {
            switch value(field) {
            case .null: return false
            case .float(let number): place.storeBytes(of: number.bitPattern.littleEndian, as: UInt32.self)
            default: throw mismatch(layout, field)
            }
            place += 4
        }
        for field in layout.indexes(.fixed16) {
            switch value(field) {
            case .null: return false
            case .uuid(let uuid): place.storeBytes(of: uuid.uuid, as: uuid_t.self)
            default: throw mismatch(layout, field)
            }
            place += 16
        }
        buffer.advance(to: place - buffer.base)
        for field in layout.indexes(.variable) {
            let stored = value(field)
            if case .null = stored {
                buffer.truncate(to: start)
                return false
            }
            if case .string(let text) = stored, layout.infos[field].kind == .string, appendShort(text, buffer) { continue }
            try appendVariable(stored, layout, field, buffer)
        }
        setLength(buffer, start)
        return true
    }

    /// Writes a text that is too short to be compressed and is at hand as it is; answers false, having written nothing, for others.
    @inline(__always)
    static func appendShort(_ text: String, _ buffer: ByteBuffer) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard utf8.count <= Format.compressionThreshold, let bytes = UnsafeRawPointer(utf8.baseAddress) else { return false }
            buffer.reserve(utf8.count + 10)
            let start = buffer.base + buffer.count
            let place = varint(UInt32(truncatingIfNeeded: utf8.count << 1), at: start)
            place.copyMemory(from: bytes, byteCount: utf8.count)
            buffer.advance(to: buffer.count + (place - start) + utf8.count)
            return true
        } ?? false
    }

    @inline(__always)
    static func varint(_ value: UInt32, at start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        var place = start
        var rest = value
        while rest >= 0x80 {
            place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            place += 1
            rest >>= 7
        }
        place.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        return place + 1
    }

    static func mismatch(_ layout: RecordLayout, _ field: Int) -> Refusal {
        Refusal(text: "the field '\(layout.fields[field].name)' is of kind \(layout.fields[field].kind) and got another kind of value")
    }

    static func appendVariable(
        _ value: StoredValue, _ layout: RecordLayout, _ field: Int, _ buffer: ByteBuffer
    ) throws(Refusal) {
        switch (value, layout.infos[field].kind) {
        case (.string(var text), .string), (.uri(var text), .uri):
            try checkSize(text.utf8.count, layout, field)
            text.withUTF8 { Compression.append(UnsafeRawBufferPointer($0), to: buffer) }
        case (.data(let data), .data), (.json(let data), .json):
            try checkSize(data.count, layout, field)
            data.withUnsafeBytes { Compression.append($0, to: buffer) }
        case (.decimal(let number), .decimal): DecimalCoding.encode(number, into: buffer)
        default: throw mismatch(layout, field)
        }
    }

    /// Puts the length of a record before it, for which one byte has been kept.
    @inline(__always)
    static func setLength(_ buffer: ByteBuffer, _ start: Int) {
        let length = UInt64(buffer.count - start - 1)
        if length < 0x80 {
            buffer.set(UInt8(length), at: start)
        } else {
            let size = ByteBuffer.varintSize(length)
            buffer.insertGap(at: start + 1, size: size - 1)
            var rest = length
            for index in 0..<size {
                buffer.set(UInt8(rest & 0x7F) | (index < size - 1 ? 0x80 : 0), at: start + index)
                rest >>= 7
            }
        }
    }

    /// Writes any record; answers whether a field of it is null.
    static func record(
        _ layout: RecordLayout, row: Row, isInsert: Bool, changed: (Int) -> Bool, value: (Int) -> StoredValue, into buffer: ByteBuffer
    ) throws(Refusal) -> Bool {
        let start = buffer.count
        buffer.append(UInt8(0))
        buffer.appendVarint(UInt64(layout.number))
        buffer.appendVarint(UInt64(row))
        let flagsAt = buffer.count
        var flags = isInsert ? RecordFlags.insert : 0
        buffer.append(flags)
        if !isInsert {
            var bits: UInt8 = 0
            for field in 0..<layout.fieldCount {
                if changed(field) { bits |= 1 << UInt8(field & 7) }
                if field & 7 == 7 || field == layout.fieldCount - 1 {
                    buffer.append(bits)
                    bits = 0
                }
            }
        }
        // Room for the bitmap is made at the first null, before what was written already.
        let nullsAt = buffer.count
        var nibblesAt = nullsAt
        var hasNulls = false

        func noteNull(_ field: Int) throws(Refusal) {
            let bit = Int(layout.infos[field].nullBit)
            guard bit >= 0 else { throw Refusal(text: "the field '\(layout.fields[field].name)' must have a value, and got none") }
            if !hasNulls {
                hasNulls = true
                buffer.insertGap(at: nullsAt, size: layout.nullByteCount)
                for place in nullsAt..<nullsAt + layout.nullByteCount { buffer.set(UInt8(0), at: place) }
                nibblesAt += layout.nullByteCount
            }
            let place = nullsAt + bit / 8
            buffer.set(buffer.base.load(fromByteOffset: place, as: UInt8.self) | 1 << UInt8(bit & 7), at: place)
        }
        let integers = layout.indexes(.integer)
        buffer.appendZeros((integers.count + 1) / 2)
        var present = 0
        for field in integers {
            guard let bits = try integerBits(value(field), layout, field) else {
                try noteNull(field)
                continue
            }
            let size = (64 - bits.leadingZeroBitCount + 7) / 8
            let place = nibblesAt + present / 2
            let old = buffer.base.load(fromByteOffset: place, as: UInt8.self)
            buffer.set(old | UInt8(size) << UInt8((present & 1) * 4), at: place)
            present += 1
            buffer.append(bits, size: size)
        }
        let nibbleGap = (integers.count + 1) / 2 - (present + 1) / 2
        if nibbleGap > 0 {
            let keep = nibblesAt + (present + 1) / 2
            (buffer.base + keep).copyMemory(from: buffer.base + keep + nibbleGap, byteCount: buffer.count - keep - nibbleGap)
            buffer.truncate(to: buffer.count - nibbleGap)
        }
        for field in layout.indexes(.fixed8) {
            switch (value(field), layout.infos[field].kind) {
            case (.null, _): try noteNull(field)
            case (.double(let number), .double), (.date(let number), .date): buffer.append(number.bitPattern)
            default: throw mismatch(layout, field)
            }
        }
        for field in layout.indexes(.fixed4) {
            switch value(field) {
            case .null: try noteNull(field)
            case .float(let number): buffer.append(number.bitPattern)
            default: throw mismatch(layout, field)
            }
        }
        for field in layout.indexes(.fixed16) {
            switch value(field) {
            case .null: try noteNull(field)
            case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { buffer.append($0) }
            default: throw mismatch(layout, field)
            }
        }
        for field in layout.indexes(.variable) {
            let stored = value(field)
            if case .null = stored { try noteNull(field) } else { try appendVariable(stored, layout, field, buffer) }
        }

        if hasNulls {
            flags |= RecordFlags.hasNulls
            buffer.set(flags, at: flagsAt)
        }
        setLength(buffer, start)
        return hasNulls
    }

    private static func checkSize(_ size: Int, _ layout: RecordLayout, _ field: Int) throws(Refusal) {
        guard size <= Format.valueLimit else {
            throw Refusal(text: "a value of '\(layout.fields[field].name)' has \(size) bytes, more than the limit of 1 GB")
        }
    }

    /// An integer-like field's bits, whose lowest non-zero bytes are stored; nil for a null.
    static func integerBits(_ value: StoredValue, _ layout: RecordLayout, _ field: Int) throws(Refusal) -> UInt64? {
        let info = layout.infos[field]
        switch (value, info.kind) {
        case (.null, _): return nil
        case (.bool(let flag), .bool): return flag ? 1 : 0
        case (.int(let number), .int64): return Zigzag.encode(number)
        case (.int(let number), .int16) where Int16(exactly: number) != nil: return Zigzag.encode(number)
        case (.int(let number), .int32) where Int32(exactly: number) != nil: return Zigzag.encode(number)
        case (.int(let number), .int16), (.int(let number), .int32):
            throw Refusal(text: "the field '\(layout.fields[field].name)' is of kind \(info.kind), which \(number) does not fit into")
        case (.reference(let entity, let row), .reference):
            guard info.hasDestination, entity == info.destination else {
                throw Refusal(text: "the reference '\(layout.fields[field].name)' leads to another entity than its layout says")
            }
            return UInt64(row)
        case (.reference(let entity, let row), .polymorphicReference): return UInt64(row) << 16 | UInt64(entity)
        default:
            throw Refusal(text: "the field '\(layout.fields[field].name)' is of kind \(info.kind) and got another kind of value")
        }
    }
}
