internal import CGraben

/// A test of one field of an entity's records, made ready for a scan. Belongs to one scan: it remembers the layout met last.
package final class FieldScan {
    private let test: FieldTest
    /// The field's kind in the entity's present layout; where an older one has another, the caller has to look at the value itself.
    private let kind: FieldKind
    private let field: (RecordLayout) -> Int?
    // Exclusivity is unchecked: a scan belongs to one thread and nothing it calls comes back to it.
    @exclusivity(unchecked) private(set) var layoutNumber: UInt32 = .max
    private var fieldKind = FieldKind.bool
    /// Whether the test has an answer for records of that layout.
    @exclusivity(unchecked) private(set) var isAnswered = false
    /// Where the field is in them.
    @exclusivity(unchecked) private(set) var place = graben_field()
    /// The test as kernels make it.
    @exclusivity(unchecked) private(set) var quick = graben_test()
    private let text: UnsafeMutablePointer<UInt8>
    private let textCount: Int
    /// For tests that kernels do not make, the fields they found, by slot.
    let found: UnsafeMutablePointer<graben_found>?

    /// `field` answers where the field stands in records of a layout, nil where they do not have it.
    package init(_ test: FieldTest, kind: FieldKind, field: @escaping (RecordLayout) -> Int?) {
        self.test = test
        self.kind = kind
        self.field = field
        var bytes: [UInt8] = []
        var isQuick = true
        switch test {
        case .isNull: break
        // An empty list has no range to be in, which a range with its bounds the wrong way round says as well.
        case .numbers(let numbers): isQuick = numbers.integers.count <= 1 && numbers.doubles.count <= 1
        case .text(.equal(let text)), .text(.prefix(let text)): bytes = text
        case .text(.bytes): isQuick = false
        }
        text = .allocate(capacity: max(bytes.count, 1))
        text.initialize(from: bytes, count: bytes.count)
        textCount = bytes.count
        found = isQuick ? nil : .allocate(capacity: slotsPerChunk)
    }

    deinit {
        text.deallocate()
        found?.deallocate()
    }

    /// Makes the scan ready for records of a layout.
    @inline(never)
    func prepare(_ layout: RecordLayout) {
        layoutNumber = layout.number
        isAnswered = false
        guard let field = field(layout), let place = graben_field(layout, field) else { return }
        fieldKind = layout.infos[field].kind
        if case .isNull = test {} else if !fieldKind.isTested(like: kind) { return }
        self.place = place
        quick = kernelTest
        isAnswered = true
    }

    private var kernelTest: graben_test {
        var quick = graben_test()
        quick.kind = Int32(GRABEN_TEST_FOUND)
        guard found == nil else { return quick }
        switch test {
        case .isNull: quick.kind = Int32(GRABEN_TEST_NULL)
        case .numbers(let numbers):
            (quick.least, quick.greatest) = numbers.integers.first.map { ($0.lowerBound, $0.upperBound) } ?? (1, 0)
            (quick.low, quick.high) = numbers.doubles.first.map { ($0.lowerBound, $0.upperBound) } ?? (.infinity, -.infinity)
            switch fieldKind {
            case .double, .date: quick.kind = Int32(GRABEN_TEST_F64)
            case .float: quick.kind = Int32(GRABEN_TEST_F32)
            case .bool: quick.kind = Int32(GRABEN_TEST_BOOL)
            default: quick.kind = Int32(GRABEN_TEST_INT)
            }
        case .text(let test):
            if case .equal = test { quick.kind = Int32(GRABEN_TEST_EQUAL) } else { quick.kind = Int32(GRABEN_TEST_PREFIX) }
            (quick.text, quick.text_count) = (UnsafePointer(text), textCount)
        }
        return quick
    }

    /// Whether the field of a record passes.
    func passes(_ head: RecordHead) throws(ByteError) -> Bool {
        switch try place.find(head) {
        case .null:
            if case .isNull = test { return true }
            return false
        case .bytes(let bytes, isCompressed: false): return passes(bytes)
        // Whether there is a value at all is known only once its bytes are seen to be one.
        case .bytes(let bytes, isCompressed: true): return try Compression.withDecompressed(bytes) { passes($0) }
        }
    }

    /// Whether a field with these bytes passes.
    func passes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch test {
        case .isNull: return false
        case .numbers(let numbers):
            guard let start = bytes.baseAddress else { return false }
            switch fieldKind {
            case .double, .date: return numbers.contains(Double(bitPattern: UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))))
            case .float: return numbers.contains(Double(Float(bitPattern: UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)))))
            case .bool: return numbers.contains(Self.integer(bytes) == 0 ? 0 : Int64(1))
            default: return numbers.contains(Zigzag.decode(Self.integer(bytes)))
            }
        case .text(let test): return test.matches(bytes)
        }
    }

    private static func integer(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
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
