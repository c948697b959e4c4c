import CGraben
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
        let asked = names.shuffled(using: &random) + ["", "a", "the same beginning", "\0", "zzzzzzzzzzzzzzzz", "many rows 9"]
        // As many at once as one pleases: fewer and more than are looked up side by side, and the first ones before many were asked for.
        var place = 0
        let together = try again.newest.lookup(Drawing.byName)
        while place < asked.count {
            let some = asked[place..<min(place + [1, 2, 31, 32, 33, 100][random.pick(6)], asked.count)]
            #expect(try together.rows(equalToEach: some.map { .string($0) }) == some.map { first[key(.string($0))] })
            place += some.count
        }
        #expect(try together.rows(equalToEach: []) == [])
        for name in asked {
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

    @Test("many keys at once answer as one after the other: nulls, long texts that begin alike, changes since the index was written")
    func together() throws {
        let system = MemoryFileSystem(reservation: 1 << 28)
        let long = String(repeating: "k", count: KeyCoding.partByteLimit)
        let names = (0..<2_000).map { "n\($0 * 7919 % 2_000)" } + [long, long + "a", long + "b", "a\0b", ""]
        var log = try Log.open(path: "a", in: system)
        try log.change { builder in
            builder.setCatalog(Drawing.catalog)
            for (row, name) in names.enumerated() { builder.insertJoint(Row(row), name) }
        }
        try log.close()
        log = try Log.open(path: "a", in: system)
        let asked: [StoredValue] = names.map { .string($0) } + [.null, .string(long + "c"), .int(3), .string("n0x"), .uuid(UUID())]
        func check(_ comment: Comment) throws {
            let lookup = try log.newest.lookup(Drawing.byName)
            let one = try log.newest.lookup(Drawing.byName)
            let alone = try asked.map { try one.row(equalTo: $0) }
            // The second time the index is known to be asked often.
            for _ in 0..<2 { #expect(try lookup.rows(equalToEach: asked) == alone, comment) }
            #expect(alone.compactMap { $0 }.count > 1_900)
        }
        try check("from the index file")
        try log.change { builder in
            for row in 0..<100 { builder.appendTombstone(layout: Drawing.jointLayout, row: Row(row)) }
            builder.insertJoint(Row(names.count), "n0x")
        }
        try check("with changes behind it")
        try log.close()
    }

    // A leaf's bytes come from a file. Where one was shorter than its numbers say, the faster reading of small numbers would have read past it.
    @Test("no bytes make the look-up in a leaf read outside of it, and a sound one is read alike whatever follows")
    func leaves() {
        var random = SplitMix64(seed: 5)
        for round in 0..<TestShare.steps(20_000, brief: 2_000) {
            var leaf: [UInt8] = []
            let count = 1 + random.pick(5)
            var rows: [UInt32] = []
            for entry in 0..<count {
                let row = UInt32(truncatingIfNeeded: random.next()) >> UInt32(random.pick(32))
                rows.append(row)
                // Keys of one byte each, ascending.
                leaf += (entry == 0 ? [1] : [0, 1]) + [UInt8(10 + entry)]
                var rest = row
                while rest >= 0x80 {
                    leaf.append(UInt8(rest & 0x7F) | 0x80)
                    rest >>= 7
                }
                leaf.append(UInt8(rest))
            }
            for sought in 0..<count {
                var row: UInt32 = 0
                let answer = graben_find_key(leaf, leaf.count, count, [UInt8(10 + sought)], 1, &row)
                #expect(Int(answer) == GRABEN_KEY_FOUND && row == rows[sought], "round \(round)")
            }
            // Cut anywhere, in memory that ends there, with one byte turned over.
            let cut = Array(leaf.prefix(random.pick(leaf.count + 1)))
            let exact = UnsafeMutablePointer<UInt8>.allocate(capacity: max(cut.count, 1))
            defer { exact.deallocate() }
            exact.update(from: cut, count: cut.count)
            if !cut.isEmpty, random.pick(2) == 0 { exact[random.pick(cut.count)] ^= UInt8(1 << random.pick(8)) }
            var row: UInt32 = 0
            var found = [UInt32](repeating: 0, count: count)
            _ = graben_find_key(exact, cut.count, count, [UInt8(10 + random.pick(6))], 1, &row)
            _ = graben_leaf_rows(exact, cut.count, count, &found)
        }
    }

    @Test("several words are found among others as each one alone, however many there are")
    func lowerBounds() {
        var random = SplitMix64(seed: 6)
        for count in 0..<70 {
            let words = (0..<count).map { _ in UInt64(random.pick(50)) }.sorted()
            let sought: [UInt64] = (0..<40).map { _ in UInt64(random.pick(52)) } + [.max]
            var below = [Int](repeating: -1, count: sought.count)
            graben_lower_bounds_u64(words, words.count, sought, sought.count, &below)
            #expect(below == sought.map { word in words.count { $0 < word } })
            #expect(below == sought.map { graben_lower_bound_u64(words, words.count, $0) })
        }
    }
}
