import FoundationEssentials
import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct RecordTests {
    private func encode(_ layout: RecordLayout, row: Row, isInsert: Bool = true, changed: Set<Int> = [], _ values: [StoredValue]) throws
        -> [UInt8]
    {
        let buffer = ByteBuffer()
        let hasNulls = try RecordEncoder.record(
            layout, row: row, isInsert: isInsert, changed: { changed.contains($0) }, value: { values[$0] }, into: buffer)
        // The way of records without nulls writes the same, or nothing.
        let other = ByteBuffer()
        other.append(UInt8(7))
        let isWritten = try RecordEncoder.recordWithoutNulls(
            layout, row: row, isInsert: isInsert, changed: { changed.contains($0) }, value: { values[$0] }, into: other)
        #expect(isWritten == !hasNulls && Array(other.bytes) == [7] + (isWritten ? Array(buffer.bytes) : []))
        return Array(buffer.bytes)
    }

    private func withView<R>(_ bytes: [UInt8], _ layout: RecordLayout, _ body: (RecordView) throws -> R) throws -> R {
        try bytes.withUnsafeBytes { raw in
            var reader = ByteReader(try #require(raw.baseAddress), to: raw.count)
            let head = try RecordHead(&reader)
            #expect(reader.isAtEnd)
            return try body(RecordView(head: head, layout: layout))
        }
    }

    @Test("a joint with a name of 12 bytes takes at most 20 bytes, a line at most 19, updates included")
    func sizes() throws {
        for row in [0, 999_999, 2_097_151] as [Row] {
            for isInsert in [true, false] {
                let joint = try encode(Drawing.jointLayout, row: row, isInsert: isInsert, changed: [0], [.string("joint-123456")])
                #expect(joint.count <= 20)
                let ends: [StoredValue] = [.reference(Drawing.joint, 2_097_151), .reference(Drawing.joint, row)]
                #expect(try encode(Drawing.lineLayout, row: row, isInsert: isInsert, ends).count <= 19)
                #expect(try encode(Drawing.groupLayout, row: row, isInsert: isInsert, [.reference(200, 2_097_151)]).count <= 19)
            }
        }
    }

    private func randomValue(_ kind: FieldKind, _ generator: inout SplitMix64) -> StoredValue {
        let bits = Int64(truncatingIfNeeded: generator.next()) >> Int64(generator.pick(64))
        let bytes = (0..<generator.pick(40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        switch kind {
        case .bool: return .bool(bits & 1 == 0)
        case .int16: return .int(Int64(Int16(truncatingIfNeeded: bits)))
        case .int32: return .int(Int64(Int32(truncatingIfNeeded: bits)))
        case .int64: return .int(bits)
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())))
        case .double: return .double(Double(bitPattern: generator.next()))
        case .decimal:
            return .decimal(
                Decimal(sign: bits & 1 == 0 ? .plus : .minus, exponent: generator.pick(60) - 30, significand: Decimal(abs(bits / 2))))
        case .date: return .date([0, -0.0, .nan, 1e9][generator.pick(4)])
        case .uuid: return .uuid(UUID())
        case .string: return .string(String(repeating: "é", count: generator.pick(900)))
        case .data: return .data(Data(bytes))
        case .uri: return .uri("x:/\(bits)")
        case .json: return .json(Data("{\"a\":\(bits)}".utf8))
        case .reference: return .reference(7, Row(truncatingIfNeeded: UInt64(generator.next()) >> UInt64(generator.pick(60))))
        case .polymorphicReference: return .reference(EntityCode(truncatingIfNeeded: generator.next()), Row(truncatingIfNeeded: bits))
        }
    }

    @Test("any values in any layout come back as they went in, nulls among them", arguments: [1, 2, 3] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for number in 0..<300 {
            let fields = (0..<generator.pick(30)).map { index in
                RecordField(
                    name: "f\(index)", kind: FieldKind.allCases[generator.pick(FieldKind.allCases.count)], isOptional: generator.chance(50),
                    destination: 7)
            }
            let layout = RecordLayout(number: UInt32(number), entity: 1, fields: fields, lanes: [])
            let values: [StoredValue] = fields.map { field in
                field.isOptional && generator.chance(40) ? .null : randomValue(field.kind, &generator)
            }
            let isInsert = generator.chance(50)
            let changed = Set(fields.indices.filter { _ in generator.chance(50) })
            let bytes = try encode(layout, row: Row(number), isInsert: isInsert, changed: changed, values)
            try withView(bytes, layout) { view in
                #expect(view.row == Row(number))
                #expect(view.changedFields == (isInsert ? nil : FieldMask(changed)))
                for (index, value) in values.enumerated() {
                    #expect(view.isNull(index) == (value == .null))
                    let found = try view.value(at: index)
                    #expect(found == value, "\(fields[index].kind)")
                }
                #expect(view.isNull(fields.count) && view.int(-1) == nil && view.string(fields.count) == nil)
            }
            // Shortened by any number of bytes it is refused, not read beyond its end.
            for cut in 1..<min(bytes.count, 40) {
                var short = bytes
                short.removeLast(cut)
                let isRefused = short.withUnsafeBytes { raw in
                    guard let base = raw.baseAddress else { return true }
                    var reader = ByteReader(base, to: raw.count)
                    return (try? RecordHead(&reader)) == nil
                }
                #expect(isRefused)
            }
        }
    }

    @Test("values over a kilobyte are compressed when that saves an eighth, and stored as they are when not")
    func compression() throws {
        let layout = RecordLayout(
            number: 1, entity: 1,
            fields: [
                RecordField(name: "text", kind: .string, isOptional: false), RecordField(name: "data", kind: .data, isOptional: false),
            ], lanes: [])
        var generator = SplitMix64(seed: 4)
        let text = String(repeating: "the quick brown fox ", count: 5000)
        let noise = Data((0..<5000).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        let bytes = try encode(layout, row: 1, [.string(text), .data(noise)])
        #expect(bytes.count < 7000 && bytes.count > 5000)
        try withView(bytes, layout) { view in
            #expect(view.string(0) == text)
            let found = try view.value(at: 1)
            #expect(found == .data(noise))
        }
        let small = try encode(layout, row: 1, [.string(String(repeating: "a", count: 1000)), .data(Data())])
        #expect(small.count > 1000)
    }

    @Test("a compressed value that claims more than 255 times its bytes is refused before anything is allocated")
    func hostileCompression() throws {
        let buffer = ByteBuffer()
        buffer.appendVarint(1 << 29)
        buffer.append(UInt64(0))
        #expect(throws: ByteError.self) { try Compression.withDecompressed(buffer.bytes) { $0.count } }
    }

    @Test("equal decimals have equal bytes, and 128 bits of magnitude survive")
    func decimals() throws {
        func bytes(_ value: Decimal) -> [UInt8] {
            let buffer = ByteBuffer()
            DecimalCoding.encode(value, into: buffer)
            return Array(buffer.bytes)
        }
        #expect(bytes(Decimal(sign: .plus, exponent: -2, significand: 100)) == bytes(1))
        #expect(bytes(Decimal(sign: .plus, exponent: 3, significand: 5)) == bytes(5000))
        #expect(bytes(Decimal(sign: .minus, exponent: 0, significand: 0)) == bytes(0))
        #expect(bytes(1) != bytes(-1))
        for text in ["340282366920938463463374607431768211455", "-0.00000000000000000000000000000000001", "3.14159", "1e100"] {
            let value = try #require(Decimal(string: text))
            let stored = bytes(value).dropFirst()
            #expect(Array(stored).withUnsafeBytes { DecimalCoding.decode($0) } == value)
        }
        let nan = Array(bytes(.nan).dropFirst())
        #expect(nan.withUnsafeBytes { DecimalCoding.decode($0) }?.isNaN == true)
    }
}
