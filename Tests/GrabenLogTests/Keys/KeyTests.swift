import FoundationEssentials
import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct KeyTests {
    private func key(_ value: StoredValue) -> [UInt8] {
        var key: [UInt8] = []
        KeyCoding.append(value, to: &key)
        return key
    }

    private func isBefore(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.lexicographicallyPrecedes(b) }

    @Test("keys are in the order of their values, whatever the kind")
    func order() throws {
        var generator = SplitMix64(seed: 5)
        func check(_ values: [StoredValue]) {
            for (a, b) in zip(values, values.dropFirst()) { #expect(isBefore(key(a), key(b)), "\(a) before \(b)") }
        }
        check([.null, .bool(false), .bool(true)])
        check([.null, .int(.min), .int(-1), .int(0), .int(1), .int(255), .int(256), .int(.max)])
        check([.null, .double(-.infinity), .double(-1), .double(-0.0), .double(0), .double(1e-300), .double(.infinity), .double(.nan)])
        check([.float(-2), .float(0.5), .float(.infinity)])
        #expect(key(.float(0.5)) == key(.double(0.5)))
        check([
            .null, .string(""), .string("\0"), .string("\0a"), .string("a"), .string("a\0"), .string("a\0b"), .string("ab"),
            .string("\u{FFFF}"),
        ])
        check([
            .null, .data(Data()), .data(Data([0])), .data(Data([0, 0])), .data(Data([0, 1])), .data(Data([255])), .data(Data([255, 0])),
        ])
        check([.reference(1, 5), .reference(1, 256), .reference(2, 0), .reference(256, 0)])
        let decimals = [
            "-1000000000000000000000000000000000001", "-1000000", "-99.5", "-99.49", "-1", "-0.001", "0", "0.000001", "0.1", "0.10001", "1",
            "9",
            "10", "10.5", "99", "100", "123456789012345678901234567890",
        ]
        check([.null, .decimal(.nan)] + decimals.compactMap { Decimal(string: $0) }.map { .decimal($0) })
        for _ in 0..<2000 {
            let (a, b) = (Double(bitPattern: generator.next()), Double(bitPattern: generator.next()))
            if a < b { #expect(isBefore(key(.double(a)), key(.double(b)))) }
            let (c, d) = (Int64(bitPattern: generator.next()), Int64(generator.pick(9)))
            #expect(isBefore(key(.int(c)), key(.int(d))) == (c < d))
            let (x, y) = (generator.pick(2_000_000) - 1_000_000, generator.pick(2_000_000) - 1_000_000)
            let (e, f) = (Decimal(x) / 1000, Decimal(y) / 1000)
            #expect(isBefore(key(.decimal(e)), key(.decimal(f))) == (e < f), "\(e) \(f)")
        }
        #expect(key(.decimal(Decimal(string: "1.50") ?? 0)) == key(.decimal(Decimal(string: "1.5") ?? 1)))
    }

    @Test("texts beyond 1,024 bytes share the key of their beginning, and the range says that it is not exact")
    func longTexts() throws {
        let log = try Log.open(path: "a", in: MemoryFileSystem(reservation: 1 << 28))
        let long = String(repeating: "x", count: 2000)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            builder.insertJoint(0, long + "a")
            builder.insertJoint(1, long + "b")
            builder.insertJoint(2, String(long.prefix(1000)))
        }
        let range = KeyRange(equalTo: [.string(long + "a")])
        #expect(!range.isExact)
        #expect(try log.newest.rows(range, in: Drawing.byName) == [0, 1])
        let short = KeyRange(equalTo: [.string(String(long.prefix(1000)))])
        #expect(short.isExact)
        #expect(try log.newest.rows(short, in: Drawing.byName) == [2])
        #expect(try log.newest.rows(KeyRange(prefix: "xxx"), in: Drawing.byName) == [2, 0, 1])
    }

    @Test("records older than an indexed field have the key that was declared for them")
    func absentField() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        let newer = RecordLayout(
            number: 9, entity: Drawing.joint,
            fields: Drawing.jointLayout.fields + [RecordField(name: "age", kind: .int32, isOptional: false)],
            lanes: Drawing.jointLayout.lanes)
        let byAge = KeyDeclaration(code: 9, entity: Drawing.joint, parts: [.init(field: "age", absent: .int(7))])
        var catalog = Drawing.catalog
        catalog.version = 2
        catalog.layouts.append(newer)
        catalog.indexes.append(byAge)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            builder.insertJoint(0, "old")
        }
        try log.change { builder in
            builder.setCatalog(catalog)
            for row in 1..<4 as Range<Row> {
                builder.appendRecord(layout: newer, row: row, isInsert: true) { $0 == 0 ? .null : .int(Int64(row) + 5) }
            }
        }
        func check(_ snapshot: LogSnapshot) throws {
            #expect(try snapshot.rows(KeyRange(equalTo: [.int(7)]), in: byAge) == [0, 2])
            #expect(try snapshot.rows(KeyRange(from: [.int(7)], to: nil), in: byAge) == [0, 2, 3])
        }
        try check(log.newest)
        try log.close()
        let again = try Log.open(path: "a", in: system)
        #expect(again.catalog.indexes == catalog.indexes)
        #expect(again.newest.checkpoint?.keys(byAge) != nil)
        try check(again.newest)
    }

    // The sample of an index with fewer than sixteen leaves led to a sixteenth: many look-ups, one of them of a key before all others, made a sound
    // index a bad one, and the whole log was read again.
    @Test("many look-ups in an index of few leaves trust it, whatever key they are of", arguments: [1, 2, 15, 16, 17, 40])
    func fewLeaves(leaves: Int) throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let log = try Log.open(path: "a", in: system)
        let count = leaves * MappedKeys.entriesPerLeaf - 3
        let names = (0..<count).map { "b\($0 % 60)-\($0)" }
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for (row, name) in names.enumerated() { builder.insertJoint(Row(row), name) }
        }
        try log.close()
        let again = try Log.open(path: "a", in: system)
        let checkpoint = try #require(again.newest.checkpoint)
        #expect(checkpoint.root.keys.contains { $0.run.fences.count == leaves })
        let lookup = try again.newest.lookup(Drawing.byName)
        for _ in 0..<260 { #expect(try lookup.row(equalTo: .string(names[0])) == 0) }
        for name in ["", "\0", "a", "b", "c", "zzzzzzzzzzzz", "\u{FFFF}"] { #expect(try lookup.row(equalTo: .string(name)) == nil) }
        #expect(try lookup.row(equalTo: .null) == nil)
        for (row, name) in names.enumerated() {
            #expect(try lookup.row(equalTo: .string(name)) == Row(row))
            #expect(try lookup.row(equalTo: .string(name + "x")) == nil)
        }
        #expect(!checkpoint.file.isBad)
    }

    @Test("look-ups and ranges of an index file find what a sorted list has, keys that begin alike and many rows of one key included")
    func mapped() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        var random = SplitMix64(seed: 11)
        var names: [String] = []
        for row in 0..<6_000 {
            switch random.pick(4) {
            case 0: names.append("the same beginning \(row)")
            case 1: names.append("many rows \(random.pick(5))")
            case 2: names.append(String(UInt64(random.next()), radix: 36))
            default: names.append("\0\(row % 700)")
            }
        }
        let log = try Log.open(path: "a", in: system)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for (row, name) in names.enumerated() { builder.insertJoint(Row(row), name) }
        }
        try log.close()
        let again = try Log.open(path: "a", in: system)
        #expect(again.newest.checkpoint?.keys(Drawing.byName) != nil)
        let sorted = names.enumerated().map { (key: key(.string($0.element)), row: Row($0.offset)) }.sorted {
            $0.key == $1.key ? $0.row < $1.row : isBefore($0.key, $1.key)
        }
        let first = Dictionary(sorted.map { ($0.key, $0.row) }, uniquingKeysWith: { row, _ in row })
        let lookup = try again.newest.lookup(Drawing.byName)
        for name in names.shuffled(using: &random) + ["", "a", "the same beginning", "\0", "zzzzzzzzzzzzzzzz", "many rows 9"] {
            #expect(try lookup.row(equalTo: .string(name)) == first[key(.string(name))], "\(name)")
            let prefix = KeyRange(prefix: String(name.prefix(random.pick(4))))
            if random.pick(60) == 0 {
                let expected = sorted.filter { entry in
                    !isBefore(entry.key, prefix.lower) && prefix.upper.map { isBefore(entry.key, $0) } ?? true
                }
                #expect(try again.newest.rows(prefix, in: Drawing.byName) == expected.map(\.row))
                #expect(try again.newest.rows(prefix, in: Drawing.byName, limit: 40) == expected.prefix(40).map(\.row))
                var walked: [Row] = []
                try again.newest.walk(prefix, in: Drawing.byName, descending: true) { _, row in
                    walked.append(row)
                    return true
                }
                #expect(walked == expected.reversed().map(\.row))
            }
        }
    }
}
