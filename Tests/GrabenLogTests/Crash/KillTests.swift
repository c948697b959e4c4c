import FoundationEssentials
import GrabenFixtures
import StoreCrashing
import Testing

@Suite struct KillTests {
    @Test("kill -9 at any moment loses no acknowledged commit, whatever index or compaction is being written")
    func kills() throws {
        let folder = try TemporaryFolder()
        var kills = try KillRounds(program: BuildProducts.program("StoreCrash"), folder: folder.url.path, seed: 11)
        for _ in 0..<25 { kills.round() }
        #expect(kills.report.findings == [])
        #expect(kills.report.lost == 0)
        #expect(kills.report.acknowledged > 100 && kills.report.indexed > 5)
    }
}
