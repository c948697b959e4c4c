import FoundationEssentials
import GrabenFixtures
import StoreCrashing

/// Rounds of kill -9 over one store; the last line says what they came to.
func killRounds(_ arguments: [String]) -> Int32 {
    let rounds = arguments.first.flatMap { Int($0) } ?? 1_000
    let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    say("killing a process that commits \(rounds) times, seed \(seed)")
    do {
        let folder = try TemporaryFolder()
        var kills = try KillRounds(program: ownPath(), folder: folder.url.path, seed: seed)
        for round in 1...max(rounds, 1) {
            kills.round()
            if round % max(rounds / 10, 1) == 0 { say("\(round) rounds, \(kills.report.acknowledged) commits acknowledged") }
            guard kills.report.findings.isEmpty else { break }
        }
        let report = kills.report
        for finding in report.findings { say(finding) }
        say(
            "\(report.acknowledged) commits acknowledged; \(report.torn) torn tails, \(report.indexing) indexes and \(report.compacting) "
                + "compactions interrupted, \(report.indexed) indexes found")
        say("kills: \(report.rounds), acknowledged commits lost: \(report.lost)")
        return report.findings.isEmpty && report.lost == 0 ? 0 : 1
    } catch {
        say("\(error)")
        return 1
    }
}

private func ownPath() -> String {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return link ?? CommandLine.arguments[0]
}
