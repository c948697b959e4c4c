/// The bytes of a fuzzer read as numbers; once they are used up, everything is 0.
struct FuzzScript {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isAtEnd: Bool { bytes.isEmpty }
    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }
    mutating func word() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// A number below a bound, 0 where there is none.
    mutating func below(_ bound: Int) -> Int { bound > 0 ? (word() | Int(byte()) << 16) % bound : 0 }

    /// A number of the kind that arithmetic on lengths and offsets goes wrong with, or any.
    mutating func number() -> UInt64 {
        switch byte() % 12 {
        case 0: 0
        case 1: 1
        case 2: UInt64(byte())
        case 3: UInt64(word())
        case 4: UInt64(UInt32.max) - UInt64(byte())
        case 5: UInt64(Int32.max) &+ UInt64(byte())
        case 6: UInt64.max - UInt64(byte())
        case 7: UInt64(Int64.max) - UInt64(byte())
        case 8: 1 << UInt64(byte() % 64)
        case 9: UInt64(word()) * 8
        case 10: UInt64(word()) * 64 + 4_096
        default: UInt64(word()) | UInt64(word()) << 16 | UInt64(word()) << 32 | UInt64(word()) << 48
        }
    }

    /// A few bytes, some of which are a number's varint.
    mutating func piece() -> [UInt8] {
        guard byte() % 2 == 0 else { return (0..<Int(byte() % 24)).map { _ in byte() } }
        var value = number()
        var piece: [UInt8] = []
        while value >= 128 {
            piece.append(UInt8(truncatingIfNeeded: value) | 128)
            value >>= 7
        }
        return piece + [UInt8(value)]
    }
}

extension [UInt8] {
    mutating func put<T: FixedWidthInteger>(_ number: T, at place: Int) {
        for byte in 0..<MemoryLayout<T>.size where place >= 0 && place + byte < count {
            self[place + byte] = UInt8(truncatingIfNeeded: number >> T(byte * 8))
        }
    }

    func u32(_ place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(place + $1 < count ? self[place + $1] : 0) << UInt32($1 * 8) }
    }

    func u64(_ place: Int) -> UInt64 { UInt64(u32(place)) | UInt64(u32(place + 4)) << 32 }
}
