internal import FoundationEssentials

/// Decimals as bytes: sign (0, 1, or 2 for NaN), exponent (signed), magnitude (minimal, lowest byte first). Trailing zeros of the
/// magnitude go into the exponent, so equal numbers have equal bytes.
enum DecimalCoding {
    static func encode(_ value: Decimal, into buffer: ByteBuffer) {
        guard !value.isNaN, var magnitude = UInt128(magnitudeText(value)) else {
            buffer.appendVarint(2 << 1)
            buffer.append(UInt8(2))
            buffer.append(UInt8(0))
            return
        }
        var exponent = magnitude == 0 ? 0 : value.exponent
        while magnitude != 0, exponent < 127, magnitude % 10 == 0 {
            magnitude /= 10
            exponent += 1
        }
        let size = (128 - magnitude.leadingZeroBitCount + 7) / 8
        buffer.appendVarint(UInt64(2 + size) << 1)
        buffer.append(UInt8(magnitude != 0 && value.sign == .minus ? 1 : 0))
        buffer.append(UInt8(bitPattern: Int8(clamping: exponent)))
        for byte in 0..<size { buffer.append(UInt8(truncatingIfNeeded: magnitude >> UInt128(byte * 8))) }
    }

    /// The digits of the significand: text is the only public way from a `Decimal` to all of its 128 bits.
    private static func magnitudeText(_ value: Decimal) -> String { value.significand.magnitude.description }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
        guard bytes.count >= 2, bytes.count <= 18, bytes[0] <= 2 else { return nil }
        if bytes[0] == 2 { return Decimal.nan }
        var magnitude: UInt128 = 0
        for byte in bytes[2...].reversed() { magnitude = magnitude << 8 | UInt128(byte) }
        let exponent = Int(Int8(bitPattern: bytes[1]))
        guard let digits = Decimal(string: "\(magnitude)") else { return nil }
        return Decimal(sign: bytes[0] == 1 && magnitude != 0 ? .minus : .plus, exponent: exponent, significand: digits)
    }
}
