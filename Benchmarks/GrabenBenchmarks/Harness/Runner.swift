/// The median, least and greatest of a side's rounds, in the workload's unit.
struct Figure {
    let median, least, greatest: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        least = sorted[0]
        greatest = sorted[sorted.count - 1]
    }
}

/// What a workload gave: a figure for each side.
struct Result {
    let name: String
    let label: String
    let unit: String
    let target: Target
    let figures: [Side: Figure]

    var peers: [Side: Double] { figures.filter { $0.key != .graben }.mapValues(\.median) }
    /// Graben's figure over the best peer's; below 1 is better.
    var ratio: Double? {
        guard let graben = figures[.graben], let best = peers.values.min(), best > 0 else { return nil }
        return graben.median / best
    }
}

/// Runs the contenders of a workload in turn, round after round, each round beginning with the next one, so that what else happens on the
/// machine meets all of them alike.
struct Runner {
    let options: Options

    func run(_ workload: Workload, in bench: Bench) throws -> [Result] {
        try workload.prepare(bench).compactMap { variant in
            guard variant.contenders.contains(where: { $0.side == .graben }) || options.includesPeersAlone,
                !variant.contenders.isEmpty
            else { return nil }
            return try run(variant, of: workload)
        }
    }

    private func run(_ variant: Variant, of workload: Workload) throws -> Result {
        let contenders = variant.contenders
        let rounds = options.isQuick ? min(3, workload.rounds) : workload.rounds
        var figures: [Side: [Double]] = [:]
        for round in 0..<rounds {
            for turn in contenders.indices {
                let contender = contenders[(round + turn) % contenders.count]
                var outcome: Outcome?
                let took = try ContinuousClock().measure { outcome = try contender.run() }
                // What takes longer than this touches far more than the caches hold, so an untimed run before it would change nothing.
                if workload.isWarmed, took < .milliseconds(100) { outcome = try contender.run() }
                guard let outcome else { continue }
                if let expected = variant.expected {
                    guard let check = outcome.check, abs(check - expected) <= 1e-9 * max(1, abs(expected)) else {
                        throw BenchmarkError(
                            "\(workload.name): \(contender.side.rawValue) read \(outcome.check.map { "\($0)" } ?? "nothing") "
                                + "where \(expected) was expected, so its figure means nothing.")
                    }
                }
                figures[contender.side, default: []].append(outcome.figure / variant.unit.size)
            }
        }
        return Result(
            name: workload.name, label: variant.label, unit: variant.unit.name, target: workload.target,
            figures: figures.mapValues(Figure.init))
    }
}
