import GrabenFixtures
import StoreCrashing
import Testing

@Suite struct FuzzTests {
    @Test("no change to a log or an index whose checksums are made right again ends in a trap or takes long")
    func scripts() throws {
        let fuzzer = try StoreFuzzer()
        var random = SplitMix64(seed: 17)
        let clock = ContinuousClock()
        var bytes = 0
        for _ in 0..<(TestShare.isBrief ? 100 : 1_500) {
            let input = (0..<Int(random.below(80))).map { _ in UInt8(random.below(256)) }
            let time = clock.measure { bytes += fuzzer.run(input) }
            #expect(time < .seconds(20), "\(input)")
        }
        #expect(bytes > 100_000)
    }
}
