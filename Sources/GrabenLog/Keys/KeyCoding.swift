internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Field values as bytes whose order, compared byte by byte, is the order of the values. FileFormat.md lists the forms.
package enum KeyCoding {
    /// Text and data longer than this are cut, so that no key is longer than a block. One of just so many bytes has the key of a longer one.
    package static let partByteLimit = 1024

    fileprivate enum Tag {
        static let null: UInt8 = 0
        static let value: UInt8 = 1
    }

    /// Appends a value; answers whether it was cut.
    @discardableResult
    static func append(_ value: StoredValue, to key: inout [UInt8]) -> Bool {
        if case .null = value {
            key.append(Tag.null)
            return false
        }
        key.append(Tag.value)
        switch value {
        case .null: break
        case .bool(let flag): append(UInt64(bitPattern: flag ? 1 : 0) ^ 1 << 63, 8, to: &key)
        case .int(let number): append(UInt64(bitPattern: number) ^ 1 << 63, 8, to: &key)
        case .float(let number): append(Double(number), to: &key)
        case .double(let number), .date(let number): append(number, to: &key)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { key.append(contentsOf: $0) }
        case .reference(let entity, let row): append(UInt64(entity) << 32 | UInt64(row), 6, to: &key)
        case .decimal(let number): append(number, to: &key)
        case .string(var text), .uri(var text):
            return text.withUTF8 { append(text: UnsafeRawBufferPointer($0), isWhole: true, to: &key) }
        case .data(let data), .json(let data):
            return data.withUnsafeBytes { append(text: $0, isWhole: true, to: &key) }
        }
        return false
    }

    /// Appends the beginning of a text, so that every key of a text that begins with it begins with the bytes appended.
    @discardableResult
    static func appendPrefix(_ text: String, to key: inout [UInt8]) -> Bool {
        key.append(Tag.value)
        var text = text
        return text.withUTF8 { append(text: UnsafeRawBufferPointer($0), isWhole: false, to: &key) }
    }

    /// Writes the key of a text that is not too long for one, and answers how many bytes it has: three more than the text, and one for each zero.
    static func write(text: UnsafeBufferPointer<UInt8>, to key: UnsafeMutableRawBufferPointer) -> Int {
        key[0] = Tag.value
        var count = 1
        for byte in text {
            key[count] = byte
            count += 1
            if byte == 0 {
                key[count] = 0xFF
                count += 1
            }
        }
        key[count] = 0
        key[count + 1] = 0
        return count + 2
    }

    /// The least key behind every one that begins with `key`; nil when there is none.
    static func successor(_ key: [UInt8]) -> [UInt8]? {
        guard let place = key.lastIndex(where: { $0 != 0xFF }) else { return nil }
        return key[..<place] + [key[place] + 1]
    }

    private static func append(_ number: UInt64, _ size: Int, to key: inout [UInt8]) {
        for byte in (0..<size).reversed() { key.append(UInt8(truncatingIfNeeded: number >> UInt64(byte * 8))) }
    }

    /// A negative number's bits are all turned, a positive one's only the sign, and then they ascend; every NaN is one value, the greatest.
    private static func append(_ number: Double, to key: inout [UInt8]) {
        let bits = number.isNaN ? UInt64.max : number.bitPattern >> 63 == 0 ? number.bitPattern | 1 << 63 : ~number.bitPattern
        append(bits, 8, to: &key)
    }

    /// A zero byte is written as 00 FF and the end as 00 00, so that a text is before all that are longer.
    private static func append(text: UnsafeRawBufferPointer, isWhole: Bool, to key: inout [UInt8]) -> Bool {
        let kept = UnsafeRawBufferPointer(rebasing: text.prefix(partByteLimit))
        if let start = kept.baseAddress, memchr(start, 0, kept.count) == nil {
            key.append(contentsOf: kept)
        } else {
            for byte in kept {
                key.append(byte)
                if byte == 0 { key.append(0xFF) }
            }
        }
        if isWhole {
            key.append(0)
            key.append(0)
        }
        // A text of just so many bytes has the key of a longer one that begins with it.
        return kept.count == partByteLimit
    }

    /// Sign (0 NaN, 1 negative, 2 zero, 3 positive), the power of ten above the first digit, the digits, an end; all but the sign turned
    /// for a negative number.
    private static func append(_ number: Decimal, to key: inout [UInt8]) {
        if number.isNaN { return key.append(0) }
        var digits = Array(number.significand.magnitude.description.utf8)
        let power = digits.count + number.exponent
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        guard !digits.isEmpty else { return key.append(2) }
        let turn: UInt8 = number.sign == .minus ? 0xFF : 0
        key.append(number.sign == .minus ? 1 : 3)
        let biased = UInt16(clamping: power + 0x4000)
        for byte in [UInt8(truncatingIfNeeded: biased >> 8), UInt8(truncatingIfNeeded: biased)] + digits + [0] { key.append(byte ^ turn) }
    }
}

extension KeyCoding {
    /// The first value of a key, as far as the order of values tells it from others: 0 and -0 are one.
    static func firstPart(_ key: UnsafeRawBufferPointer, _ kind: FieldKind) -> ArraySlice<UInt8>? {
        guard let tag = key.first else { return nil }
        if tag == Tag.null { return [tag] }
        switch kind {
        case .bool, .int16, .int32, .int64: return ArraySlice(key.prefix(9))
        case .float, .double, .date:
            let part = ArraySlice(key.prefix(9))
            return part.elementsEqual(negativeZero) ? positiveZero : part
        case .string, .uri:
            var place = 1
            // A zero byte is followed by FF inside a text, and by 00 at its end.
            while place + 1 < key.count, !(key[place] == 0 && key[place + 1] == 0) { place += key[place] == 0 ? 2 : 1 }
            return ArraySlice(key.prefix(place))
        case .uuid: return ArraySlice(key.prefix(17))
        case .decimal, .data, .json, .reference, .polymorphicReference: return nil
        }
    }

    private static let negativeZero = zero(-0.0)
    private static let positiveZero = ArraySlice(zero(0))

    private static func zero(_ number: Double) -> [UInt8] {
        var key: [UInt8] = []
        append(.double(number), to: &key)
        return key
    }
}

/// Tells whether keys, met one after the other in their order, begin with the same value.
package struct KeyGroup {
    private let kind: FieldKind
    private var current: ArraySlice<UInt8>?

    /// nil for a kind of value whose end in a key cannot be told, or that sorts otherwise.
    package init?(of kind: FieldKind) {
        switch kind {
        case .decimal, .data, .json, .reference, .polymorphicReference: return nil
        default: self.kind = kind
        }
    }

    /// Whether the key begins another group than the one before it.
    package mutating func begins(with key: UnsafeRawBufferPointer) -> Bool {
        let part = KeyCoding.firstPart(key, kind)
        defer { current = part }
        return current == nil || current != part
    }
}

/// The keys from one up to, and without, another.
package struct KeyRange: Sendable {
    /// The bytes of the first key in the range, which for a range of equal keys tell it from every other.
    package let lower: [UInt8]
    /// nil to the last.
    let upper: [UInt8]?
    /// Whether every row found has just the values asked for: false where one of them is a text of 1,024 bytes or more, of which an index
    /// knows no more, so that the caller has to compare.
    package let isExact: Bool

    /// Keys whose first parts are these values.
    package init(equalTo values: [StoredValue]) {
        var key: [UInt8] = []
        var isExact = true
        for value in values where KeyCoding.append(value, to: &key) { isExact = false }
        self.init(lower: key, upper: KeyCoding.successor(key), isExact: isExact)
    }

    /// Keys whose first parts are these values, and whose next part is a text that begins with `prefix`.
    package init(equalTo values: [StoredValue] = [], prefix: String) {
        var key: [UInt8] = []
        var isExact = true
        for value in values where KeyCoding.append(value, to: &key) { isExact = false }
        if KeyCoding.appendPrefix(prefix, to: &key) { isExact = false }
        self.init(lower: key, upper: KeyCoding.successor(key), isExact: isExact)
    }

    /// Keys whose first parts are not before `lower` and not behind `upper`; nil for no bound. With `isLowerOpen` or `isUpperOpen` the
    /// bound itself is left out. Nulls are before all values.
    package init(from lower: [StoredValue]?, to upper: [StoredValue]?, isLowerOpen: Bool = false, isUpperOpen: Bool = false) {
        var isExact = true
        func key(_ values: [StoredValue]?) -> [UInt8] {
            var key: [UInt8] = []
            for value in values ?? [] where KeyCoding.append(value, to: &key) { isExact = false }
            return key
        }
        let low = key(lower)
        let high = key(upper)
        let start = lower != nil && isLowerOpen ? KeyCoding.successor(low) : low
        let end = upper == nil ? nil : isUpperOpen ? high : KeyCoding.successor(high)
        // No key begins with this byte, so behind a bound that has no successor there is nothing.
        self.init(lower: start ?? [0xFF], upper: end, isExact: isExact)
    }

    init(lower: [UInt8], upper: [UInt8]?, isExact: Bool) {
        self.lower = lower
        self.upper = upper
        self.isExact = isExact
    }

    static let all = KeyRange(lower: [], upper: nil, isExact: true)
}

/// Compares keys byte by byte; below 0 when `a` is before `b`.
@inline(__always)
func compareKeys(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let count = min(a.count, b.count)
    if count > 0, let left = a.baseAddress, let right = b.baseAddress {
        let result = memcmp(left, right, count)
        if result != 0 { return Int(result) }
    }
    return a.count - b.count
}

/// The first eight bytes of a key as a number that sorts as they do, zeros standing for those it does not have.
@inline(__always)
func keyPrefix(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
    var prefix: UInt64 = 0
    for (index, byte) in key.enumerated() { prefix |= UInt64(byte) << UInt64(56 - index * 8) }
    return prefix
}
