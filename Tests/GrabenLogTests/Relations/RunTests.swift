import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct RunTests {
    @Test("a reverse index of runs agrees with a set", arguments: [1, 2, 3] as [UInt64])
    func reverse(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var targets: [Row: Row] = [:]
        func pairs(_ targets: [Row: Row]) -> [UInt64] { targets.map { UInt64($0.value) << 32 | UInt64($0.key) }.sorted() }
        for source in 0..<200 as Range<Row> { targets[source] = Row(generator.pick(50)) }
        var index = ReverseIndex(base: pairs(targets))
        for _ in 0..<200 {
            let before = targets
            for _ in 0..<generator.pick(20) {
                targets[Row(generator.pick(300))] = generator.chance(30) ? nil : [Row(generator.pick(50)), .max][generator.pick(2)]
            }
            let (old, new) = (Set(pairs(before)), Set(pairs(targets)))
            index.append(ReverseRun(added: new.subtracting(old).sorted(), removed: old.subtracting(new).sorted()))
            for target in Array(0..<50) + [.max] as [Row] {
                let expected = targets.filter { $0.value == target }.keys.sorted()
                #expect(try index.sources(of: target) == expected)
                #expect(try index.count(of: target) == expected.count)
                #expect(try index.contains(7, of: target) == expected.contains(7))
            }
            #expect(zip(index.runs, index.runs.dropFirst()).allSatisfy { $0.count > 2 * $1.count })
        }
    }

    @Test("a reverse index that several threads make agrees with what the records say")
    func threads() throws {
        var generator = SplitMix64(seed: 21)
        let log = try Log.open(path: "a", in: MemoryFileSystem())
        var lines: [Row: (start: Row?, end: Row?)] = [:]
        func end() -> Row? { generator.chance(10) ? nil : Row(generator.pick(generator.chance(50) ? 100 : 70_000)) }
        func put(_ builder: inout CommitBuilder, _ row: Row, isInsert: Bool) {
            let ends = (start: end(), end: end())
            lines[row] = ends
            builder.putLine(row, isInsert: isInsert, ends.start, ends.end)
        }
        try log.change { $0.setCatalog(Drawing.catalog) }
        // With gaps, and pages with nothing on them.
        try log.change { builder in
            for row in 0..<100_000 as Range<Row> where row / 512 % 5 != 3 { put(&builder, row + row / 50_000 * 100_000, isInsert: true) }
        }
        try log.change { builder in
            for row in lines.keys.sorted() where generator.chance(5) {
                if generator.chance(50) {
                    put(&builder, row, isInsert: false)
                } else {
                    lines[row] = nil
                    builder.appendTombstone(layout: Drawing.lineLayout, row: row)
                }
            }
        }
        #expect(lines.count >= 1 << 16)
        for (key, isStart) in [(Drawing.startKey, true), (Drawing.endKey, false)] {
            let pairs = lines.compactMap { row, ends in (isStart ? ends.start : ends.end).map { UInt64($0) << 32 | UInt64(row) } }
            #expect(try log.newest.reverseIndex(key).all() == pairs.sorted())
        }
    }

    @Test("pairs with ascending sources are sorted by target, whatever the targets' size")
    func sorting() {
        var generator = SplitMix64(seed: 9)
        for bits in [0, 1, 10, 11, 12, 22, 31, 32] as [UInt64] {
            var pairs = (0..<2000).map { UInt64($0) | (bits == 0 ? 0 : (generator.next() >> (64 - bits)) << 32) }
            let expected = pairs.sorted()
            ReverseRun.sortByTarget(&pairs)
            #expect(pairs == expected)
        }
    }
}
