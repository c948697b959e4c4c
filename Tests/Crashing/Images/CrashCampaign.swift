internal import GrabenFixtures
package import GrabenLog

/// Makes crash images of lives, opens each and compares it with what had to survive.
///
/// A run has a few lives: the first begins with nothing, each other one on what a power loss left of the one before, so that images are also
/// of recoveries. A run follows from its seed alone, whichever runs were made before.
package struct CrashCampaign {
    /// Images of each event and each kind of loss; those without chance in them are made once.
    package var imagesOfEach = 2
    /// Every so many images one is looked at in all ways.
    package var thoroughEvery = 12
    package var lives = 2
    /// What the disk lies about; for the test that shows that a campaign can fail.
    package var lie: SimulatedDisk.Lie?
    package private(set) var report = CrashReport()

    package init() {}

    /// The seed of a run of a campaign.
    package static func seed(_ campaign: UInt64, run: Int) -> UInt64 {
        var random = SplitMix64(seed: campaign &+ UInt64(run) &* 0x9E37_79B9_7F4A_7C15)
        return random.next()
    }

    package mutating func run(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var life = CrashLife(disk: SimulatedDisk(reservation: 1 << 26), habits: CrashHabits(&random), seed: random.next())
        for number in 0..<lives {
            life.disk.setLie(lie)
            life.run()
            if let failure = life.failure {
                report.wrong += 1
                report.note("seed \(seed), life \(number): \(failure)")
            }
            var check = CrashImageCheck(life: life, place: "seed \(seed), life \(number)")
            crash(life, number, &check, &random)
            guard number + 1 < lives, let next = nextLife(life, &check, &random) else { break }
            life = next
        }
    }

    private mutating func crash(_ life: CrashLife, _ number: Int, _ check: inout CrashImageCheck, _ random: inout SplitMix64) {
        var replay = life.disk.replay()
        // Opening comes first in every life; the events before its promise are the recovery's.
        let opened = life.promises.first { $0.event > 0 }?.event ?? 0
        // Lives of very many small writes are crashed at some of them.
        let stride = life.disk.eventCount / 200 + 1
        for event in 0...life.disk.eventCount where stride == 1 || random.below(UInt32(stride)) == 0 {
            replay.advance(to: event)
            for loss in SimulatedDisk.Loss.allCases {
                let hasChance = loss != .dropped && loss != .kept
                for _ in 0..<(hasChance ? imagesOfEach : 1) {
                    let image = replay.image(loss, using: &random)
                    report.images += 1
                    if number > 0, event < opened { report.recovering += 1 }
                    if image["a-compact"] != nil { report.compacting += 1 }
                    if image["a-index-new"] != nil { report.indexing += 1 }
                    check.check(image, event, "\(loss)", isThorough: report.images % thoroughEvery == 0, &random)
                    report.add(check.takeReport())
                }
            }
        }
    }

    /// A life that begins on what a power loss in this one left.
    private func nextLife(_ life: CrashLife, _ check: inout CrashImageCheck, _ random: inout SplitMix64) -> CrashLife? {
        var replay = life.disk.replay()
        replay.advance(to: Int(random.below(UInt32(life.disk.eventCount + 1))))
        let losses = SimulatedDisk.Loss.allCases
        let image = replay.image(losses[Int(random.below(UInt32(losses.count)))], using: &random)
        let rest = image.filter { !$0.key.hasPrefix("copy-") }
        guard let commit = check.survivor(of: rest), let disk = try? SimulatedDisk(holding: rest, reservation: 1 << 26) else { return nil }
        return CrashLife(disk: disk, habits: CrashHabits(&random), seed: random.next(), models: life.models, commit: commit)
    }
}
