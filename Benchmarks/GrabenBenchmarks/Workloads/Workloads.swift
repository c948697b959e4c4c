/// The workloads by the names of the design's table, in the order in which they run: those that read come before those that change the
/// peers' stores.
enum Workloads {
    static var all: [Workload] { reading + fetching + objects + opening + writing + sizes }

    /// Graben's contender of that name, if it has one.
    static func graben(_ name: String, _ bench: Bench) throws -> [Contender] {
        guard let make = GrabenSide.makers[name] else { return [] }
        return [Contender(side: .graben, run: try make(bench))]
    }

    /// Both engines, or those that were found.
    static func engines(_ bench: Bench, _ run: @escaping (Engine) throws -> Outcome) -> [Contender] {
        bench.engines.map { engine in Contender(side: engine.side) { try run(engine) } }
    }

    static func bare(_ run: @escaping () throws -> Outcome) -> Contender { Contender(side: .bare, run: run) }

    static func timed(_ work: () throws -> Double?) rethrows -> Outcome {
        let clock = ContinuousClock()
        let began = clock.now
        let check = try work()
        return Outcome((clock.now - began) / .nanoseconds(1), check: check)
    }
}
