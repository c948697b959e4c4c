import StoreCrashing
import Synchronization

/// Crash images by the million, on two threads; the last line says what they came to.
func crashImages(_ arguments: [String]) -> Int32 {
    if arguments.first == "run" {
        guard let seed = arguments.dropFirst().first.flatMap({ UInt64($0) }) else { return 64 }
        var campaign = CrashCampaign()
        campaign.run(seed: seed)
        return finish(campaign.report)
    }
    let count = arguments.first.flatMap { Int($0) } ?? 1_000_000
    let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    let first = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
    say("crashing stores \(count) times from seed \(seed), run \(first) on")
    let progress = CrashProgress(run: first, shownEvery: max(count / 20, 1))
    let threads = (0..<2).map { _ in
        CrashThread {
            while progress.images < count {
                var campaign = CrashCampaign()
                campaign.run(seed: CrashCampaign.seed(seed, run: progress.nextRun()))
                progress.add(campaign.report)
            }
        }
    }
    for thread in threads { thread.join() }
    return finish(progress.report)
}

private func finish(_ report: CrashReport) -> Int32 {
    for finding in report.findings { say(finding) }
    say(
        "\(report.torn) torn tails, \(report.indexed) opened from an index, \(report.indexing) while one was written, "
            + "\(report.compacting) during compactions, \(report.copying) beside copies, \(report.recovering) during recoveries, "
            + "\(report.failedRecoveries) after recoveries that failed, \(report.luckier) with more than was promised, \(report.wrong) wrong"
    )
    say("crash images: \(report.images), acknowledged commits lost: \(report.lost)")
    return report.isClean ? 0 : 1
}
