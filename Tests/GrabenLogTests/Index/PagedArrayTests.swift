import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct PagedArrayTests {
    @Test("the array and all of its copies agree with dictionaries", arguments: [1, 2, 3] as [UInt64])
    func model(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var array = PagedArray()
        var dictionary: [Int: UInt] = [:]
        var copies: [(PagedArray, [Int: UInt])] = []
        for owner in 1..<40 as Range<UInt64> {
            copies.append((array, dictionary))
            array = array.copy()
            for _ in 0..<generator.pick(300) {
                let scale = [10, 1000, 300_000, 1 << 28][generator.pick(seed == 3 ? 4 : 2)]
                let index = generator.pick(scale)
                let word = generator.chance(30) ? 0 : UInt(generator.pick(1 << 20) + 1)
                #expect(array.exchange(index, word, owner: owner) == dictionary[index] ?? 0)
                dictionary[index] = word == 0 ? nil : word
            }
            if generator.chance(30), !copies.isEmpty { copies.remove(at: generator.pick(copies.count)) }
        }
        copies.append((array, dictionary))
        for (array, dictionary) in copies {
            for (index, word) in dictionary { #expect(array[index] == word) }
            for start in [0, 1, 511, 512, 700] {
                var found: [Int] = []
                array.forEach(from: start) { index, word in
                    #expect(dictionary[index] == word)
                    found.append(index)
                    return true
                }
                #expect(found == dictionary.keys.filter { $0 >= start }.sorted())
            }
            #expect(array[-1] == 0 && array[Int(UInt32.max)] == 0)
        }
    }

    @Test("objects in the leaves live exactly as long as an array that holds them")
    func objects() {
        final class Token {}
        weak var watched: Token?
        do {
            let first = PagedArray(holdsObjects: true)
            do {
                let token = Token()
                watched = token
                first.exchange(700, UInt(bitPattern: Unmanaged.passRetained(token).toOpaque()), owner: 1)
            }
            let second = first.copy()
            let old = second.exchange(700, 0, owner: 2)
            UnsafeRawPointer(bitPattern: old).map { Unmanaged<Token>.fromOpaque($0).release() }
            #expect(watched != nil)
            withExtendedLifetime(first) {}
        }
        #expect(watched == nil)
    }
}
