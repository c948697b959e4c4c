#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A test of one field of an entity's records, made ready for a scan. Belongs to one scan: it remembers the layout met last.
package final class FieldScan {
    /// How to answer, without anything that a reference count hangs on: it is asked for each record.
    private enum Mode {
        case isNull
        /// One range of each kind of number.
        case range
        case ranges
        case equal
        case prefix
        case bytes
    }

    private let test: FieldTest
    private let mode: Mode
    /// The field's kind in the entity's present layout; where an older one has another, the caller has to look at the value itself.
    private let kind: FieldKind
    private let field: (RecordLayout) -> Int?
    @exclusivity(unchecked) private(set) var layoutNumber: UInt32 = .max
    /// Where the field is in records of that layout; nil where the test has no answer for them.
    @exclusivity(unchecked) private(set) var locator: UnsafeMutablePointer<FieldLocator>?
    private let place = UnsafeMutablePointer<FieldLocator>.allocate(capacity: 1)

    // An empty range has its bounds the wrong way round.
    private let leastInteger: Int64
    private let greatestInteger: Int64
    private let leastDouble: Double
    private let greatestDouble: Double
    private let text: UnsafeMutableRawBufferPointer
    private let textCount: Int

    /// `field` answers where the field stands in records of a layout, nil where they do not have it.
    package init(_ test: FieldTest, kind: FieldKind, field: @escaping (RecordLayout) -> Int?) {
        self.test = test
        self.kind = kind
        self.field = field
        var integers: (Int64, Int64) = (1, 0)
        var doubles = (Double.infinity, -Double.infinity)
        var bytes: [UInt8] = []
        switch test {
        case .isNull: mode = .isNull
        case .numbers(let numbers):
            mode = numbers.integers.count <= 1 && numbers.doubles.count <= 1 ? .range : .ranges
            if let first = numbers.integers.first { integers = (first.lowerBound, first.upperBound) }
            if let first = numbers.doubles.first { doubles = (first.lowerBound, first.upperBound) }
        case .text(.equal(let text)):
            mode = .equal
            bytes = text
        case .text(.prefix(let text)):
            mode = .prefix
            bytes = text
        case .text(.bytes): mode = .bytes
        }
        (leastInteger, greatestInteger) = integers
        (leastDouble, greatestDouble) = doubles
        text = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
        text.copyBytes(from: bytes)
        textCount = bytes.count
    }

    deinit {
        text.deallocate()
        // A locator is trivial memory.
        place.deallocate()
    }

    /// Makes the scan ready for records of a layout.
    @inline(never)
    func prepare(_ layout: RecordLayout) {
        layoutNumber = layout.number
        locator = nil
        guard let field = field(layout), let found = FieldLocator(layout, field), mode == .isNull || found.kind.isTested(like: kind) else {
            return
        }
        place.initialize(to: found)
        locator = place
    }

    /// Whether the field of a record passes.
    @inline(__always)
    func passes(_ head: RecordHead, _ locator: UnsafeMutablePointer<FieldLocator>) throws(ByteError) -> Bool {
        guard case .bytes(let bytes, let count, let isCompressed) = try locator.pointee.find(head) else { return mode == .isNull }
        switch mode {
        case .isNull: return isCompressed ? try passesSlowly(bytes, count, isCompressed, locator.pointee.kind) : false
        case .range:
            switch locator.pointee.kind {
            case .double, .date:
                let number = Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
                return number >= leastDouble && number <= greatestDouble
            case .float:
                let number = Double(Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))))
                return number >= leastDouble && number <= greatestDouble
            default:
                let number = integer(bytes, count, locator.pointee.kind)
                return number >= leastInteger && number <= greatestInteger
            }
        case .equal where !isCompressed: return count == textCount && isEqual(bytes)
        case .prefix where !isCompressed: return count >= textCount && isEqual(bytes)
        case .ranges, .equal, .prefix, .bytes: return try passesSlowly(bytes, count, isCompressed, locator.pointee.kind)
        }
    }

    @inline(__always)
    private func integer(_ bytes: UnsafeRawPointer, _ count: Int, _ kind: FieldKind) -> Int64 {
        let bits = FieldLocator.integer(bytes, count)
        return kind == .bool ? (bits == 0 ? 0 : 1) : Zigzag.decode(bits)
    }

    @inline(__always)
    private func isEqual(_ bytes: UnsafeRawPointer) -> Bool {
        guard textCount > 0, let start = text.baseAddress else { return true }
        return bytes.load(as: UInt8.self) == start.load(as: UInt8.self) && memcmp(bytes, start, textCount) == 0
    }

    @inline(never)
    private func passesSlowly(_ bytes: UnsafeRawPointer, _ count: Int, _ isCompressed: Bool, _ kind: FieldKind) throws(ByteError) -> Bool {
        switch test {
        case .isNull:
            // Whether there is a value at all is known only once its bytes are seen to be one.
            return try Compression.withDecompressed(UnsafeRawBufferPointer(start: bytes, count: count)) { _ in false }
        case .numbers(let numbers):
            switch kind {
            case .double, .date: return numbers.contains(Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))))
            case .float: return numbers.contains(Double(Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))))
            default: return numbers.contains(integer(bytes, count, kind))
            }
        case .text(let test):
            let stored = UnsafeRawBufferPointer(start: bytes, count: count)
            return isCompressed ? try Compression.withDecompressed(stored) { test.matches($0) } : test.matches(stored)
        }
    }
}

extension FieldKind {
    /// Whether values of both kinds are tested alike.
    func isTested(like other: FieldKind) -> Bool { testedAs != nil && testedAs == other.testedAs }

    private var testedAs: Int? {
        switch self {
        case .bool, .int16, .int32, .int64, .float, .double: 0
        case .date: 1
        case .string, .uri: 2
        case .decimal, .uuid, .data, .json, .reference, .polymorphicReference: nil
        }
    }

    /// Whether fields of the kind are tested as numbers; dates are.
    package var isNumber: Bool { testedAs == 0 || testedAs == 1 }

    /// Whether a scan can test fields of the kind.
    package var canBeTested: Bool { testedAs != nil }
}
