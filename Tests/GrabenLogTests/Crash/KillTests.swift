import FoundationEssentials
import GrabenFixtures
import StoreCrashing
import Testing

@Suite struct KillTests {
    /// The program that commits until it is killed: next to the test bundle, or above it where the bundle has folders of its own.
    private static let program: String = {
        #if os(Linux)
            let me = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        #else
            let me = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        #endif
        var folder = URL(fileURLWithPath: me).deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appendingPathComponent("StoreCrash").path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return "StoreCrash"
    }()

    @Test("kill -9 at any moment loses no acknowledged commit, whatever index or compaction is being written")
    func kills() throws {
        let folder = try TemporaryFolder()
        var kills = try KillRounds(program: Self.program, folder: folder.url.path, seed: 11)
        for _ in 0..<25 { kills.round() }
        #expect(kills.report.findings == [])
        #expect(kills.report.lost == 0)
        #expect(kills.report.acknowledged > 100 && kills.report.indexed > 5)
    }
}
