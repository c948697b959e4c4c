import FoundationEssentials
import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite("Scanning records")
struct ScanTests {
    // A scan copied the addresses of every batch up to the highest row: over a file with one object that claimed four billion rows it took minutes.
    @Test("a scan passes over batches in which no row can be, and no other, with and without an index")
    func sparse() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let rows: [Row] = [3, 1_023, 70_000, 1 << 28]
        let log = try Log.open(path: "a", in: system)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in rows { builder.insertJoint(row, "J\(row)") }
        }
        func visited(_ log: Log) -> [Int] {
            let scan = RecordScan(log.newest, Drawing.joint)
            let batches = [0, 1, 67, 68, 69, 1_000, 200_000, scan.batchCount - 2, scan.batchCount - 1]
            return batches.filter { scan.hasRows($0) }
        }
        let last = (1 << 28) / slotsPerChunk
        #expect(visited(log) == [0, 68, last])
        try log.close()
        let again = try Log.open(path: "a", in: system)
        #expect(visited(again) == [0, 68, last])
        try again.change { $0.appendTombstone(layout: Drawing.jointLayout, row: 70_000) }
        let scan = RecordScan(again.newest, Drawing.joint)
        var bits = [UInt64](repeating: 0, count: RecordScan.wordsPerBatch)
        try bits.withUnsafeMutableBufferPointer { try scan.begin(68, live: try #require($0.baseAddress)) }
        #expect(bits.allSatisfy { $0 == 0 })
    }

    // Where every other record had been changed since a compaction, each one moved the window, and all that was left was tested again.
    @Test("records that lie by turns in a mapping and in blocks are tested once in each")
    func alternating() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        // Texts that are compressed by themselves are none a kernel can test.
        let long = String(repeating: "long ", count: 2_000)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<1_024 as Range<Row> { builder.insertJoint(row, long + "\(row)") }
        }
        try log.compact()
        try log.change { builder in
            for row in stride(from: 0, to: 1_024, by: 2) as StrideTo<Row> { builder.rename(row, "changed " + long) }
        }
        func address(_ row: Row) -> RecordAddress { RecordAddress(log.newest.word(Drawing.joint, row)) }
        #expect(address(1).isInBlock && !address(2).isInBlock)
        let scan = RecordScan(log.newest, Drawing.joint)
        let field = FieldScan(.text(.prefix(Array("long".utf8))), kind: .string) { $0.fieldIndex("name") }
        var bits = [UInt64](repeating: 0, count: RecordScan.wordsPerBatch)
        var unsure = bits
        try bits.withUnsafeMutableBufferPointer { bits in
            try unsure.withUnsafeMutableBufferPointer { unsure in
                let bits = try #require(bits.baseAddress)
                try scan.begin(0, live: bits)
                try scan.keep(bits, unsure: try #require(unsure.baseAddress), where: field)
            }
        }
        #expect(bits.allSatisfy { $0 == 0xAAAA_AAAA_AAAA_AAAA } && unsure.allSatisfy { $0 == 0 })
        let blocks = Set((0..<1_024 as Range<Row>).map(address).filter(\.isInBlock).map(\.sectionOffset))
        #expect(scan.kernelCount <= blocks.count + 2)
    }

    private final class Held {
        weak var block: RecordBlock?
    }

    // A scan that met a record it could not read had let go of the block its kernels read from: who went on with another batch read freed memory.
    @Test("a scan that met an unreadable record keeps the block its window lies in")
    func unreadable() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for row in 0..<3_000 as Range<Row> { builder.insertJoint(row, "a joint with the number \(row)") }
        }
        try log.compact()
        try log.close()
        // An index that leads a byte beside a record, with checksums that are right.
        var index = try #require(system.contents("a-index"))
        let root = try #require(try Log.open(path: "a", in: system, options: LogOptions(readOnly: true)).newest.checkpoint).root
        let rows = try #require(root.entities.first { $0.code == Drawing.joint }).rows
        let bad = 2_000
        let page = rows.offset + bad / PagedArray.fanOut * 16
        let leaf = index[page..<page + 8].reversed().reduce(0) { $0 << 8 | Int($1) } & ~1
        index[leaf + bad % PagedArray.fanOut * 4] ^= 1
        resealIndex(&index)
        try system.setContents("a-index", index)
        let snapshot = try Log.open(path: "a", in: system, options: LogOptions(readOnly: true)).newest
        #expect(snapshot.checkpoint != nil)
        let scan = RecordScan(snapshot, Drawing.joint)
        let field = FieldScan(.text(.prefix(Array("a joint".utf8))), kind: .string) { $0.fieldIndex("name") }
        func kept(_ row: Int) throws -> Int {
            var bits = [UInt64](repeating: 0, count: RecordScan.wordsPerBatch)
            var unsure = bits
            bits[row % 1_024 / 64] = 1 << UInt64(row % 64)
            try bits.withUnsafeMutableBufferPointer { bits in
                try unsure.withUnsafeMutableBufferPointer { unsure in
                    scan.move(to: row / 1_024)
                    try scan.keep(try #require(bits.baseAddress), unsure: try #require(unsure.baseAddress), where: field)
                }
            }
            return bits.reduce(0) { $0 + $1.nonzeroBitCount }
        }
        #expect(try kept(5) == 1)
        let held = Held()
        held.block = scan.windowBlock
        #expect(held.block != nil)
        #expect(throws: LogError.self) { try kept(bad) }
        // Others take its place in the cache.
        for number in 0..<3_000 as Range<UInt64> {
            try ([1, 0x10, 7] as [UInt8]).withUnsafeBytes { raw in
                let reader = ByteReader(try #require(raw.baseAddress), to: raw.count)
                snapshot.blocks.insert(try RecordBlock(reader, sectionOffset: 1 << 40 + number * 8))
            }
        }
        #expect(held.block != nil)
        #expect(try kept(6) == 1)
    }

    @Test(
        "a test of a field passes the rows whose value passes, in any layout, file and order",
        arguments: TestShare.of(Array(1...10) as [UInt64], brief: 2))
    func anyLayout(seed: UInt64) throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        var world = try ScanWorld(seed: seed, Log.open(path: "a", in: system))
        try world.check("written")
        try world.reopen(in: system)
        try world.check("opened from its index")
        try world.change()
        try world.check("changed")
        try world.log.compact()
        try world.check("compacted")
        try world.change()
        try world.check("changed after the compaction")
    }
}

/// Records of random fields in two layouts, and what the values in them say of tests.
private struct ScanWorld {
    private static let kinds: [FieldKind] = [
        .bool, .int16, .int64, .float, .double, .date, .string, .uri, .uuid, .decimal, .data, .reference, .polymorphicReference,
    ]
    private static let rowCount: Row = 3_000
    private(set) var log: Log
    private var random: SplitMix64
    private let layouts: [RecordLayout]
    private var live: Set<Row> = []

    init(seed: UInt64, _ log: Log) throws {
        self.log = log
        random = SplitMix64(seed: seed)
        var fields: [RecordField] = []
        // Where no field's place depends on others, kernels take a shorter way.
        let kinds = random.chance(50) ? Self.kinds : [.double, .date, .string, .uri, .string]
        for index in 0..<random.pick(random.chance(50) ? 24 : 5) + 1 {
            let kind = kinds[random.pick(kinds.count)]
            let isOptional = random.chance(70)
            fields.append(RecordField(name: "f\(index)", kind: kind, isOptional: isOptional, destination: kind == .reference ? 1 : nil))
        }
        // The newer one lacks the first field, and has another kind of number in one that was whole.
        let changed = fields.dropFirst().map { field in
            RecordField(
                name: field.name, kind: field.kind == .int16 ? .double : field.kind, isOptional: field.isOptional,
                destination: field.destination)
        }
        layouts = [
            RecordLayout(number: 3, entity: 1, fields: fields, lanes: []),
            RecordLayout(number: 200, entity: 1, fields: changed + [RecordField(name: "g", kind: .string, isOptional: true)], lanes: []),
        ]
        let catalog = Catalog(version: 1, entities: [.init(code: 1, name: "Any")], layouts: layouts)
        try log.change { $0.setCatalog(catalog) }
        try change()
    }

    mutating func reopen(in system: MemoryFileSystem) throws {
        try log.close()
        log = try Log.open(path: "a", in: system)
    }

    mutating func change() throws {
        var (random, live) = (random, live)
        let isFirst = live.isEmpty
        for _ in 0..<(isFirst ? 1 : 3) {
            try log.change { builder in
                for row in 0..<Self.rowCount where isFirst ? random.chance(95) : random.chance(20) {
                    let layout = layouts[random.pick(isFirst ? 20 : 2) == 0 ? 1 : 0]
                    if live.contains(row), random.chance(10) {
                        builder.appendTombstone(layout: layout, row: row)
                        live.remove(row)
                        continue
                    }
                    let isInsert = live.insert(row).inserted
                    let nulls = random.chance(50)
                    var values: [StoredValue] = []
                    for field in layout.fields {
                        values.append(field.isOptional && nulls && random.chance(40) ? .null : Self.value(field.kind, &random))
                    }
                    builder.appendRecord(layout: layout, row: row, isInsert: isInsert, changed: { $0 % 3 == 0 }) { values[$0] }
                }
            }
        }
        (self.random, self.live) = (random, live)
    }

    private static func value(_ kind: FieldKind, _ random: inout SplitMix64) -> StoredValue {
        let bits = Int64(truncatingIfNeeded: random.next()) >> Int64(random.pick(64))
        switch kind {
        case .bool: return .bool(bits & 1 == 0)
        case .int16: return .int(Int64(Int16(truncatingIfNeeded: bits)))
        case .float: return .float(random.chance(50) ? Float(random.pick(20)) - 10 : [.nan, -0.0, .infinity][random.pick(3)])
        case .double: return .double(random.chance(50) ? Double(random.pick(20)) - 10 : [.nan, -0.0, -.infinity][random.pick(3)])
        case .date: return .date(Double(random.pick(20)) - 10)
        case .string, .uri:
            let text = String(repeating: "ab", count: [0, 1, 2, 6, 700][random.pick(5)]) + ["", "a", "bc", "\0"][random.pick(4)]
            return kind == .uri ? .uri(text) : .string(text)
        case .uuid: return .uuid(UUID())
        case .decimal: return .decimal(Decimal(bits))
        case .data: return .data(Data(repeating: 7, count: random.pick(200)))
        case .reference: return .reference(1, Row(truncatingIfNeeded: bits))
        case .polymorphicReference: return .reference([1, 2, 7][random.pick(3)], Row(truncatingIfNeeded: bits))
        default: return .int(bits)
        }
    }

    private mutating func tests(of kind: FieldKind) -> [FieldTest] {
        guard kind.canBeTested else { return [.isNull] }
        guard kind.isNumber else {
            let text = Array((String(repeating: "ab", count: [0, 1, 6, 700][random.pick(4)]) + ["", "a"][random.pick(2)]).utf8)
            return [.isNull, .text(.equal(text)), .text(.prefix(text)), .text(.bytes { $0.count % 3 == 1 })]
        }
        let (low, high) = (Int64(random.pick(20)) - 10, Int64(random.pick(20)) - 10)
        let range = low <= high ? [low...high] : []
        let single = FieldNumbers(integers: range, doubles: range.map { Double($0.lowerBound)...Double($0.upperBound) })
        let several = FieldNumbers(integers: [.min ... -5, 3...7], doubles: [-Double.infinity...(-5), 3...7, 9...Double.infinity])
        return [.isNull, .numbers(single), .numbers(several)]
    }

    /// Whether a value passes; nil where a test of fields of a kind has no answer for it.
    private func passes(_ value: StoredValue, _ test: FieldTest) -> Bool {
        switch (test, value) {
        case (.isNull, _): value == .null
        case (.numbers(let numbers), .bool(let flag)): numbers.contains(flag ? 1 : 0 as Int64)
        case (.numbers(let numbers), .int(let number)): numbers.contains(number)
        case (.numbers(let numbers), .float(let number)): numbers.contains(Double(number))
        case (.numbers(let numbers), .double(let number)), (.numbers(let numbers), .date(let number)): numbers.contains(number)
        case (.text(let test), .string(let text)), (.text(let test), .uri(let text)): Array(text.utf8).withUnsafeBytes { test.matches($0) }
        default: false
        }
    }

    /// References read ahead are what the records have, or left to who asks for the records.
    private mutating func checkReadAhead(_ snapshot: LogSnapshot, _ situation: Comment) throws {
        let layout = layouts[random.pick(2)]
        let fields = layout.fields.indices.filter { [.reference, .polymorphicReference].contains(layout.fields[$0].kind) }
            .prefix(ReferenceAhead.fieldLimit)
        let rowsPerWindow = 64
        // Entities by numbers of the reader's own; one is none of its.
        let reader = ReferenceAhead(snapshot, 1, layout, fields: Array(fields), rowsPerWindow: rowsPerWindow) {
            $0 == 7 ? nil : Int($0) + 10
        }
        #expect((reader == nil) == fields.isEmpty, situation)
        guard let reader else { return }
        var (wrong, known) = (0, 0)
        for _ in 0..<60 {
            let row = Row(random.pick(Int(Self.rowCount)))
            reader.move(to: row)
            let first = row / Row(rowsPerWindow) * Row(rowsPerWindow)
            for (place, field) in fields.enumerated() {
                for index in 0..<rowsPerWindow {
                    let found = reader.targets[place * rowsPerWindow + index]
                    let record = try snapshot.record(1, first + Row(index))
                    guard let record, record.layout.number == layout.number, !record.isCopy else {
                        if found != .max { wrong += 1 }
                        continue
                    }
                    let target = record.reference(field)
                    // A record with thousands of bytes before its end is left, as is one whose target has no number.
                    let expected = target.map { $0.entity == 7 ? UInt64.max : UInt64($0.entity + 10) << 32 | UInt64($0.row) } ?? .max - 1
                    if found == .max, expected != .max { continue }
                    if found != expected { wrong += 1 } else { known += 1 }
                }
            }
        }
        #expect(wrong == 0, situation)
        // At first nearly all are of that layout, and none is in a block.
        if situation == "written", layout.number == layouts[0].number { #expect(known > 0) }
    }

    mutating func check(_ situation: Comment) throws {
        let snapshot = log.newest
        try checkReadAhead(snapshot, situation)
        #expect(snapshot.liveCount(1) == live.count, situation)
        let scan = RecordScan(snapshot, 1)
        for field in layouts[0].fields {
            for test in tests(of: field.kind) {
                let scanned = FieldScan(test, kind: field.kind) { $0.fieldIndex(field.name) }
                var wrong = 0
                for batch in 0..<scan.batchCount {
                    var bits = [UInt64](repeating: 0, count: 16)
                    var unsure = bits
                    try bits.withUnsafeMutableBufferPointer { try scan.begin(batch, live: try #require($0.baseAddress)) }
                    // All of them, some, or a few.
                    let share = random.pick(3)
                    for word in 0..<16 where share > 0 {
                        bits[word] &= random.next()
                        if share > 1 { bits[word] &= random.next() & random.next() & random.next() }
                    }
                    let candidates = bits
                    try bits.withUnsafeMutableBufferPointer { bits in
                        try unsure.withUnsafeMutableBufferPointer { unsure in
                            try scan.keep(try #require(bits.baseAddress), unsure: try #require(unsure.baseAddress), where: scanned)
                        }
                    }
                    for slot in 0..<1_024 {
                        func has(_ bits: [UInt64]) -> Bool { bits[slot / 64] >> UInt64(slot % 64) & 1 != 0 }
                        guard has(candidates) else {
                            if has(bits) || has(unsure) { wrong += 1 }
                            continue
                        }
                        let record = try #require(try snapshot.record(1, scan.row(slot)))
                        guard let index = record.layout.fieldIndex(field.name) else {
                            if !has(unsure) || has(bits) { wrong += 1 }
                            continue
                        }
                        let value = try record.value(at: index)
                        if has(unsure) || has(bits) != passes(value, test) { wrong += 1 }
                    }
                }
                #expect(wrong == 0, "\(situation): \(field.kind), \(test)")
            }
        }
    }
}
