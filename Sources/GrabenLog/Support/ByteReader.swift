/// What a `ByteReader` refuses. Small on purpose: it travels in a register, and the caller knows the place.
package enum ByteError: UInt8, Error, Sendable {
    case truncated
    case overlongInteger
    case outOfRange
    case invalid

    package var text: String {
        switch self {
        case .truncated: "it ends too early"
        case .overlongInteger: "an integer is longer than its type"
        case .outOfRange: "a number is out of range"
        case .invalid: "a byte has a value the format does not know"
        }
    }
}

/// Reads little-endian numbers and varints from memory, checking every bound.
///
/// Precondition: the memory stays readable while the reader is in use. No byte it finds there can make it trap.
package struct ByteReader {
    package let base: UnsafeRawPointer
    package private(set) var position: Int
    package let end: Int

    @inline(__always)
    package init(_ base: UnsafeRawPointer, from position: Int = 0, to end: Int) {
        self.base = base
        self.position = position
        self.end = end
    }

    package var isAtEnd: Bool { position >= end }
    package var remaining: Int { end - position }
    package var pointer: UnsafeRawPointer { base + position }

    @inline(__always)
    package mutating func byte() throws(ByteError) -> UInt8 {
        guard position < end else { throw .truncated }
        defer { position += 1 }
        return base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// LEB128: seven bits a byte, lowest first, the top bit says that more follow.
    @inline(__always)
    package mutating func varint() throws(ByteError) -> UInt64 {
        guard position < end else { throw .truncated }
        let first = base.load(fromByteOffset: position, as: UInt8.self)
        if first < 0x80 {
            position += 1
            return UInt64(first)
        }
        return try longVarint()
    }

    @inline(__always)
    private mutating func longVarint() throws(ByteError) -> UInt64 {
        // Most are rows below two million.
        if remaining >= 3 {
            let low = UInt64(base.load(fromByteOffset: position, as: UInt8.self) & 0x7F)
            let middle = UInt64(base.load(fromByteOffset: position + 1, as: UInt8.self))
            if middle < 0x80 {
                position += 2
                return low | middle << 7
            }
            let high = UInt64(base.load(fromByteOffset: position + 2, as: UInt8.self))
            if high < 0x80 {
                position += 3
                return low | (middle & 0x7F) << 7 | high << 14
            }
        }
        return try longestVarint()
    }

    @inline(never)
    private mutating func longestVarint() throws(ByteError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 63 || (shift == 63 && next <= 1) else { throw .overlongInteger }
            result |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return result }
            shift += 7
        }
    }

    @inline(__always)
    package mutating func varint32() throws(ByteError) -> UInt32 {
        guard let value = UInt32(exactly: try varint()) else { throw .outOfRange }
        return value
    }

    @inline(__always)
    package mutating func varint16() throws(ByteError) -> UInt16 {
        guard let value = UInt16(exactly: try varint()) else { throw .outOfRange }
        return value
    }

    /// A varint that is used as a count of bytes or things: never above what an Int holds.
    @inline(__always)
    package mutating func count(atMost limit: Int) throws(ByteError) -> Int {
        guard let value = Int(exactly: try varint()), value <= limit else { throw .outOfRange }
        return value
    }

    package mutating func signedVarint() throws(ByteError) -> Int64 { Zigzag.decode(try varint()) }

    @inline(__always)
    package mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(ByteError) -> T {
        let size = MemoryLayout<T>.size
        guard remaining >= size else { throw .truncated }
        defer { position += size }
        return T(littleEndian: base.loadUnaligned(fromByteOffset: position, as: T.self))
    }

    @inline(__always)
    package mutating func bytes(_ count: Int) throws(ByteError) -> UnsafeRawBufferPointer {
        guard count >= 0, remaining >= count else { throw .truncated }
        defer { position += count }
        return UnsafeRawBufferPointer(start: base + position, count: count)
    }

    @inline(__always)
    package mutating func skip(_ count: Int) throws(ByteError) { _ = try bytes(count) }

    package mutating func string() throws(ByteError) -> String {
        let length = try count(atMost: remaining)
        return String(decoding: try bytes(length), as: UTF8.self)
    }
}

/// Signed integers as unsigned ones in which small magnitudes stay small: 0, -1, 1, -2 become 0, 1, 2, 3.
package enum Zigzag {
    @inline(__always) package static func encode(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }
    @inline(__always) package static func decode(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }
}
