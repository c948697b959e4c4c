import FoundationEssentials
import GrabenFixtures
import Testing

@testable import GrabenLog

@Suite struct TimeTests {
    @Test("a time is written as the library's formatter writes it")
    func text() {
        var generator = SplitMix64(seed: 4)
        for _ in 0..<2000 {
            let time = Double(generator.pick(4_000_000_000)) - 900_000_000 + 0.75
            #expect(Platform.text(ofTime: time) == Date(timeIntervalSinceReferenceDate: time).ISO8601Format())
        }
    }
}
