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
