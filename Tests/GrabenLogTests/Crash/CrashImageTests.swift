import GrabenFixtures
import StoreCrashing
import Synchronization
import Testing

@testable import GrabenLog

@Suite struct CrashImageTests {
    /// Runs campaigns on two threads until so many images have been looked at.
    private func campaign(_ count: Int, seed: UInt64, _ prepare: @escaping @Sendable (inout CrashCampaign) -> Void = { _ in })
        -> CrashReport
    {
        let progress = CrashProgress(run: 0, shownEvery: nil)
        let threads = (0..<2).map { _ in
            CrashThread {
                while progress.images < count {
                    var campaign = CrashCampaign()
                    prepare(&campaign)
                    campaign.run(seed: CrashCampaign.seed(seed, run: progress.nextRun()))
                    progress.add(campaign.report)
                }
            }
        }
        for thread in threads { thread.join() }
        return progress.report
    }

    @Test("no power loss at any moment of a store's life loses what was acknowledged, or leaves a part of a commit")
    func images() {
        let count = TestShare.isBrief ? 200 : 10_000
        let report = campaign(count, seed: 2026)
        #expect(report.findings == [])
        #expect(report.lost == 0 && report.wrong == 0)
        #expect(report.images >= count)
        guard !TestShare.isBrief else { return }
        // The images are of everything that matters.
        #expect(report.torn > 500 && report.indexed > 2_000 && report.indexing > 200 && report.compacting > 200)
        #expect(report.copying > 20 && report.recovering > 50 && report.failedRecoveries > 500 && report.luckier > 500)
    }

    @Test(
        "a disk whose syncs do nothing is found out: the campaign can fail", .disabled(if: TestShare.isBrief),
        arguments: [SimulatedDisk.Lie.fileSyncs, .directorySyncs])
    func lies(lie: SimulatedDisk.Lie) {
        let report = campaign(1_500, seed: 7) { $0.lie = lie }
        #expect(report.lost > 0)
        #expect(!report.findings.isEmpty)
    }
}
