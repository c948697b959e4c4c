/// What `CBOR.decode` refuses.
package enum CBORError: Error, Sendable, Equatable {
    case truncated(offset: Int)
    case tooDeep(offset: Int)
    case unsupported(offset: Int)
    case trailingBytes(offset: Int)
}

extension CBOR {
    /// Nesting beyond this is refused: a file must not be able to overflow the stack.
    package static let depthLimit = 64

    package func encoded() -> [UInt8] {
        let buffer = ByteBuffer()
        encode(into: buffer)
        return Array(buffer.bytes)
    }

    package func encode(into buffer: ByteBuffer) {
        switch self {
        case .null: buffer.append(UInt8(0xF6))
        case .bool(let value): buffer.append(UInt8(value ? 0xF5 : 0xF4))
        case .int(let value):
            if value >= 0 {
                Self.head(0, UInt64(value), buffer)
            } else {
                Self.head(1, UInt64(bitPattern: ~value), buffer)
            }
        case .double(let value):
            buffer.append(UInt8(0xFB))
            buffer.append(value.bitPattern.byteSwapped)
        case .string(var value):
            value.withUTF8 { utf8 in
                Self.head(3, UInt64(utf8.count), buffer)
                buffer.append(UnsafeRawBufferPointer(utf8))
            }
        case .bytes(let value):
            Self.head(2, UInt64(value.count), buffer)
            value.withUnsafeBytes { buffer.append($0) }
        case .array(let elements):
            Self.head(4, UInt64(elements.count), buffer)
            for element in elements { element.encode(into: buffer) }
        case .map(let pairs):
            Self.head(5, UInt64(pairs.count), buffer)
            for pair in pairs {
                CBOR.string(pair.key).encode(into: buffer)
                pair.value.encode(into: buffer)
            }
        }
    }

    private static func head(_ major: UInt8, _ value: UInt64, _ buffer: ByteBuffer) {
        let top = major << 5
        if value < 24 {
            buffer.append(top | UInt8(value))
        } else if value <= UInt64(UInt8.max) {
            buffer.append(top | 24)
            buffer.append(UInt8(value))
        } else if value <= UInt64(UInt16.max) {
            buffer.append(top | 25)
            buffer.append(UInt16(value).byteSwapped)
        } else if value <= UInt64(UInt32.max) {
            buffer.append(top | 26)
            buffer.append(UInt32(value).byteSwapped)
        } else {
            buffer.append(top | 27)
            buffer.append(value.byteSwapped)
        }
    }

    package static func decode(_ bytes: [UInt8]) throws(CBORError) -> CBOR {
        let result: Result<CBOR, CBORError> = bytes.withUnsafeBytes { raw in
            Result { () throws(CBORError) -> CBOR in try decode(raw) }
        }
        return try result.get()
    }

    /// Decodes exactly one value that fills the bytes. Allocates no more than a constant times their number.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(CBORError) -> CBOR {
        guard let base = bytes.baseAddress else { throw .truncated(offset: 0) }
        var decoder = CBORDecoder(reader: ByteReader(base, to: bytes.count))
        let value = try decoder.value(depth: 0)
        guard decoder.reader.isAtEnd else { throw .trailingBytes(offset: decoder.reader.position) }
        return value
    }
}

private struct CBORDecoder {
    var reader: ByteReader

    mutating func take<R>(_ body: (inout ByteReader) throws(ByteError) -> R) throws(CBORError) -> R {
        do { return try body(&reader) } catch { throw .truncated(offset: reader.position) }
    }

    mutating func argument(_ initial: UInt8) throws(CBORError) -> UInt64 {
        switch initial & 0x1F {
        case let small where small < 24: return UInt64(small)
        case 24: return UInt64(try take { reader throws(ByteError) in try reader.byte() })
        case 25: return UInt64(try take { reader throws(ByteError) in try reader.integer(UInt16.self) }.byteSwapped)
        case 26: return UInt64(try take { reader throws(ByteError) in try reader.integer(UInt32.self) }.byteSwapped)
        case 27: return try take { reader throws(ByteError) in try reader.integer(UInt64.self) }.byteSwapped
        default: throw .unsupported(offset: reader.position)
        }
    }

    /// A length that cannot exceed the bytes left, each element taking at least `minimum` of them.
    mutating func length(_ initial: UInt8, minimum: Int) throws(CBORError) -> Int {
        guard let count = Int(exactly: try argument(initial)), count <= reader.remaining / minimum else {
            throw .truncated(offset: reader.position)
        }
        return count
    }

    mutating func value(depth: Int) throws(CBORError) -> CBOR {
        guard depth < CBOR.depthLimit else { throw .tooDeep(offset: reader.position) }
        let initial = try take { reader throws(ByteError) in try reader.byte() }
        switch initial >> 5 {
        case 0:
            guard let value = Int64(exactly: try argument(initial)) else { throw .unsupported(offset: reader.position) }
            return .int(value)
        case 1:
            guard let value = Int64(exactly: try argument(initial)) else { throw .unsupported(offset: reader.position) }
            return .int(~value)
        case 2:
            let count = try length(initial, minimum: 1)
            return .bytes(Array(try take { reader throws(ByteError) in try reader.bytes(count) }))
        case 3:
            let count = try length(initial, minimum: 1)
            return .string(String(decoding: try take { reader throws(ByteError) in try reader.bytes(count) }, as: UTF8.self))
        case 4:
            let count = try length(initial, minimum: 1)
            var elements: [CBOR] = []
            elements.reserveCapacity(min(count, 1024))
            for _ in 0..<count { elements.append(try value(depth: depth + 1)) }
            return .array(elements)
        case 5:
            let count = try length(initial, minimum: 2)
            var pairs: [(key: String, value: CBOR)] = []
            pairs.reserveCapacity(min(count, 1024))
            for _ in 0..<count {
                guard case .string(let key) = try value(depth: depth + 1) else { throw .unsupported(offset: reader.position) }
                pairs.append((key: key, value: try value(depth: depth + 1)))
            }
            return .map(pairs)
        case 7:
            switch initial {
            case 0xF4: return .bool(false)
            case 0xF5: return .bool(true)
            case 0xF6: return .null
            case 0xFB:
                return .double(Double(bitPattern: try take { reader throws(ByteError) in try reader.integer(UInt64.self) }.byteSwapped))
            default: throw .unsupported(offset: reader.position)
            }
        default: throw .unsupported(offset: reader.position)
        }
    }
}
