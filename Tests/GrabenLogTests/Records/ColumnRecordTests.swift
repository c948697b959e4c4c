import FoundationEssentials
import GrabenFixtures
import Testing

@testable import GrabenLog

/// Columns of 1,024 cells, as the object graph keeps the values of new objects.
private final class Cells {
    let given = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 16)
    let nulls = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 16)
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: 2048)
    let texts = UnsafeMutablePointer<String>.allocate(capacity: 1024)

    init() {
        given.initializeMemory(as: UInt8.self, repeating: 0, count: 128)
        nulls.initializeMemory(as: UInt8.self, repeating: 0, count: 128)
        words.initialize(repeating: 0, count: 2048)
        texts.initialize(repeating: "", count: 1024)
    }

    deinit {
        given.deallocate()
        nulls.deallocate()
        words.deallocate()
        texts.deinitialize(count: 1024)
        texts.deallocate()
    }

    func mark(_ bitmap: UnsafeMutableRawPointer, _ slot: Int) {
        let byte = bitmap.load(fromByteOffset: slot / 8, as: UInt8.self)
        bitmap.storeBytes(of: byte | 1 << UInt8(slot % 8), toByteOffset: slot / 8, as: UInt8.self)
    }
}

@Suite("Records written from columns")
struct ColumnRecordTests {
    private static let kinds: [FieldKind] = [
        .bool, .int16, .int32, .int64, .float, .double, .date, .uuid, .string, .uri, .decimal, .reference,
        .polymorphicReference,
    ]

    private static func value(_ kind: FieldKind, _ random: inout SplitMix64) -> StoredValue {
        let bits = Int64(truncatingIfNeeded: random.next()) >> Int64(random.pick(64))
        switch kind {
        case .bool: return .bool(bits & 1 == 0)
        case .int16: return .int(Int64(Int16(truncatingIfNeeded: bits)))
        case .int32: return .int(Int64(Int32(truncatingIfNeeded: bits)))
        case .int64: return .int(bits)
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
        case .double: return .double(Double(bitPattern: random.next()))
        case .date: return .date([0, -0.0, .nan, 1e9][random.pick(4)])
        case .uuid: return .uuid(UUID())
        case .string: return .string(String(repeating: "é", count: [3, 12, 500, 700][random.pick(4)]))
        case .uri: return .uri("x:/\(bits)")
        case .reference: return .reference(7, Row(truncatingIfNeeded: bits))
        case .polymorphicReference: return .reference([7, 9][random.pick(2)], Row(truncatingIfNeeded: bits))
        default: return .null
        }
    }

    private static func put(_ value: StoredValue, _ cells: Cells, _ slot: Int) {
        cells.mark(cells.given, slot)
        switch value {
        case .null: cells.mark(cells.nulls, slot)
        case .bool(let flag): cells.words[slot] = flag ? 1 : 0
        case .int(let number): cells.words[slot] = UInt64(bitPattern: number)
        case .float(let number): cells.words[slot] = UInt64(number.bitPattern)
        case .double(let number), .date(let number): cells.words[slot] = number.bitPattern
        case .string(let text), .uri(let text): cells.texts[slot] = text
        // Entities 0 and 1 of the model have the codes 7 and 9.
        case .reference(let code, let row): cells.words[slot] = (code == 7 ? 0 : 1) << 32 | UInt64(row)
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid) {
                UnsafeMutableRawPointer(cells.words + slot * 2).copyMemory(
                    from: $0.baseAddress ?? UnsafeRawPointer(cells.words), byteCount: 16)
            }
        default: break
        }
    }

    @Test("they are byte for byte those written value by value", arguments: 0..<UInt64(20))
    func same(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let fields = (0..<random.pick(14)).map { index in
            let kind = Self.kinds[random.pick(Self.kinds.count)]
            return RecordField(
                name: "f\(index)", kind: kind, isOptional: kind == .decimal || random.pick(4) > 0, destination: kind == .reference ? 7 : nil
            )
        }
        let layout = RecordLayout(number: UInt32(1 + random.pick(300)), entity: 3, fields: fields, lanes: [])
        let cells = fields.map { _ in Cells() }
        let defaults = fields.map { field in
            field.isOptional && (field.kind == .decimal || random.pick(2) == 0) ? StoredValue.null : Self.value(field.kind, &random)
        }
        var values = [[StoredValue]](repeating: defaults, count: 1024)
        for slot in 0..<1024 {
            for (index, field) in fields.enumerated() where field.kind != .decimal && random.pick(5) > 0 {
                values[slot][index] = field.isOptional && random.pick(4) == 0 ? .null : Self.value(field.kind, &random)
                Self.put(values[slot][index], cells[index], slot)
            }
        }
        let columns = RecordColumns(
            fields: fields.enumerated().map { index, field in
                let kind: FieldColumn.Cells =
                    switch field.kind {
                    case .string, .uri: .text
                    case .uuid: .uuid
                    case .decimal: .none
                    default: .word
                    }
                let isNullByDefault = if case .null = defaults[index] { true } else { false }
                return FieldColumn(
                    kind, given: cells[index].given, nulls: cells[index].nulls,
                    cells: kind == .text ? UnsafeRawPointer(cells[index].texts) : UnsafeRawPointer(cells[index].words),
                    isNullByDefault: isNullByDefault)
            }, defaults: defaults, codes: [7, 9])
        var wholeCount = 0
        for slot in 0..<1024 {
            let (one, other) = (ByteBuffer(), ByteBuffer())
            let row = Row(truncatingIfNeeded: random.next() >> UInt64(32 + random.pick(32)))
            _ = try RecordEncoder.record(layout, row: row, isInsert: true, changed: { _ in false }, value: { values[slot][$0] }, into: one)
            try RecordEncoder.insertion(layout, row: row, slot: slot, columns, into: other)
            #expect(Array(one.bytes) == Array(other.bytes))
            guard columns.wholeSlots(slot / 64) >> UInt64(slot % 64) & 1 != 0 else { continue }
            wholeCount += 1
            let third = ByteBuffer()
            let integers = RecordEncoder.givenIntegers(of: layout, columns)
            try RecordEncoder.wholeInsertion(layout, row: row, slot: slot, columns, integers, into: third)
            #expect(Array(one.bytes) == Array(third.bytes))
        }
        let wholeSlots = values.indices.count { slot in
            fields.indices.allSatisfy { index in
                if case .null = values[slot][index] { return false }
                return cells[index].given.load(fromByteOffset: slot / 8, as: UInt8.self) >> UInt8(slot % 8) & 1 != 0
            }
        }
        #expect(wholeCount == wholeSlots)
        withExtendedLifetime(cells) {}
    }

    @Test("a null where one must not be, and a reference to another entity, are refused by name")
    func refusals() throws {
        let cells = Cells()
        let layout = RecordLayout(
            number: 1, entity: 3, fields: [RecordField(name: "to", kind: .reference, isOptional: false, destination: 7)], lanes: [])
        func columns() -> RecordColumns {
            RecordColumns(
                fields: [FieldColumn(.word, given: cells.given, nulls: cells.nulls, cells: cells.words, isNullByDefault: true)],
                defaults: [.null], codes: [7, 9, nil])
        }
        #expect(throws: RecordEncoder.Refusal.self) { try RecordEncoder.insertion(layout, row: 1, slot: 5, columns(), into: ByteBuffer()) }
        Self.put(.reference(9, 4), cells, 5)
        #expect(throws: RecordEncoder.Refusal.self) { try RecordEncoder.insertion(layout, row: 1, slot: 5, columns(), into: ByteBuffer()) }
        #expect(throws: RecordEncoder.Refusal.self) {
            let integers = RecordEncoder.givenIntegers(of: layout, columns())
            try RecordEncoder.wholeInsertion(layout, row: 1, slot: 5, columns(), integers, into: ByteBuffer())
        }
        Self.put(.reference(7, 4), cells, 5)
        try RecordEncoder.insertion(layout, row: 1, slot: 5, columns(), into: ByteBuffer())
    }
}
