import GrabenFixtures
import StoreCrashing
import Testing

@testable import GrabenLog

@Suite struct FlipTests {
    private func flip(_ store: FlipStore, _ bits: [(place: FlipCheck.Place, bit: Int)]) throws -> FlipCheck.Report {
        var check = try FlipCheck(store)
        for (place, bit) in bits { try check.flip(place, bit) }
        return check.report
    }

    private func all(_ store: FlipStore) -> [(place: FlipCheck.Place, bit: Int)] {
        (0..<store.log.count * 8).map { (.log, $0) } + (0..<(store.index?.count ?? 0) * 8).map { (.index, $0) }
    }

    @Test("no bit of a small store or of its index can be turned over so that wrong data is read", arguments: [true, false])
    func everyBit(isClosed: Bool) throws {
        let store = try FlipStore(seed: 5, size: .small, isClosed: isClosed)
        let bits = all(store).enumerated().filter { !TestShare.isBrief || $0.offset % 16 == 0 }.map(\.element)
        let report = try flip(store, bits)
        #expect(report.findings == [])
        #expect(report.detected > bits.count / 3)
        #expect(isClosed == (report.torn == 0))
    }

    @Test("no random bit of a store with patched columns, or of a large one, can be turned over so that wrong data is read")
    func randomBits() throws {
        var random = SplitMix64(seed: 6)
        let patched = try FlipStore(seed: 5, size: .patched, isClosed: true)
        let bits = all(patched)
        let report = try flip(patched, (0..<(TestShare.isBrief ? 1_000 : 8_000)).map { _ in bits[random.pick(bits.count)] })
        #expect(report.findings == [])
        #expect(report.harmless > 100 && report.detected > 50)
        let large = try FlipStore(seed: 5, size: .large, isClosed: true)
        let count = large.log.count * 8
        let indexCount = (large.index?.count ?? 0) * 8
        let places: [(place: FlipCheck.Place, bit: Int)] = (0..<(TestShare.isBrief ? 10 : 150)).map { number in
            number % 4 == 0 ? (.index, random.pick(indexCount)) : (.log, random.pick(count))
        }
        #expect(try flip(large, places).findings == [])
    }
}
