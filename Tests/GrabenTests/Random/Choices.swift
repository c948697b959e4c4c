import GrabenFixtures

/// Where a random life gets its numbers: from a generator, whose draws are written down step by step, or from such a list read again.
///
/// A life is what its choices make of it. So a failing one can be shortened without knowing anything of its operations: by leaving out
/// steps and making draws smaller, as long as it fails.
final class Choices: RandomNumberGenerator {
    private var generator: SplitMix64
    private let replay: [[UInt32]]?
    private let limit: Int
    /// The draws of each step so far.
    private(set) var steps: [[UInt32]] = []
    private var place = 0

    /// Draws of a generator, for so many steps.
    init(seed: UInt64, steps limit: Int) {
        generator = SplitMix64(seed: seed)
        replay = nil
        self.limit = limit
    }

    /// The draws of a list; where a step has no more, they are 0.
    init(_ steps: [[UInt32]]) {
        generator = SplitMix64(seed: 0)
        replay = steps
        limit = steps.count
    }

    /// Goes on to the next step; false after the last.
    func nextStep() -> Bool {
        guard steps.count < limit else { return false }
        steps.append([])
        place = 0
        return true
    }

    /// A number below `bound`, which must be positive.
    func below(_ bound: UInt32) -> UInt32 {
        let draw = replay == nil || steps.isEmpty ? generator.below(bound) : replayed % bound
        note(draw)
        return draw
    }

    func next() -> UInt64 {
        let draw = replay == nil || steps.isEmpty ? UInt32(truncatingIfNeeded: generator.next() >> 32) : replayed
        note(draw)
        return UInt64(draw) << 32 | UInt64(draw)
    }

    private var replayed: UInt32 {
        guard let replay, steps.count <= replay.count, place < replay[steps.count - 1].count else { return 0 }
        return replay[steps.count - 1][place]
    }

    private func note(_ draw: UInt32) {
        guard !steps.isEmpty else { return }
        steps[steps.count - 1].append(draw)
        place += 1
    }
}

/// Makes a failing list of choices as short as it gets while it fails.
struct Shrinker {
    /// How often a life may be lived again, and how long that may take in all.
    var budget = 600
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    let fails: ([[UInt32]]) -> Bool

    init(_ fails: @escaping ([[UInt32]]) -> Bool) { self.fails = fails }

    mutating func shortest(_ steps: [[UInt32]]) -> [[UInt32]] {
        var best = steps
        var before: [[UInt32]]
        repeat {
            before = best
            leaveOutSteps(&best)
            leaveOutDraws(&best)
            lessenDraws(&best)
        } while best != before && budget > 0
        return best
    }

    private mutating func tryOut(_ candidate: [[UInt32]], _ best: inout [[UInt32]]) -> Bool {
        if ContinuousClock.now > end { budget = 0 }
        guard budget > 0, candidate != best else { return false }
        budget -= 1
        guard fails(candidate) else { return false }
        best = candidate
        return true
    }

    /// Steps go in runs, long ones first.
    private mutating func leaveOutSteps(_ best: inout [[UInt32]]) {
        var length = best.count / 2
        while length > 0 {
            var start = best.count - length
            while start >= 0 {
                if start + length <= best.count {
                    var candidate = best
                    candidate.removeSubrange(start..<start + length)
                    _ = tryOut(candidate, &best)
                }
                start -= length
            }
            length /= 2
        }
    }

    /// What is drawn beyond the end of a step is 0.
    private mutating func leaveOutDraws(_ best: inout [[UInt32]]) {
        for step in best.indices {
            var length = best[step].count
            while length > 0 {
                var candidate = best
                candidate[step].removeLast(min(length, candidate[step].count))
                if !tryOut(candidate, &best) { length /= 2 } else { length = min(length, best[step].count) }
            }
        }
    }

    private mutating func lessenDraws(_ best: inout [[UInt32]]) {
        for step in best.indices {
            for draw in best[step].indices.reversed() where draw < best[step].count && best[step][draw] > 0 {
                var candidate = best
                candidate[step][draw] = 0
                if tryOut(candidate, &best) { continue }
                candidate[step][draw] = best[step][draw] / 2
                _ = tryOut(candidate, &best)
            }
        }
    }
}
