import CPeers

extension Workloads {
    static var fetching: [Workload] {
        [
            Workload(name: "filter", target: .times(1 / 5, .lmdb), rounds: 9, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.filterCount,
                        contenders: try graben("filter", bench) + engines(bench) { try $0.filter() })
                ]
            },
            Workload(name: "fetch.index.equality", target: .none, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .each(bench.fetchedRows.count, name: "ns/fetch"), expected: bench.fetchedSum,
                        contenders: try graben("fetch.index.equality", bench) + engines(bench) { try $0.lookupNames(bench.fetchedNames) })
                ]
            },
            Workload(name: "fetch.index.range", target: .times(1, .sqlite), rounds: 9, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.narrowCount,
                        contenders: try graben("fetch.index.range", bench)
                            + indexed(bench) { try $0.range(Bench.lowX, Bench.narrowX) })
                ]
            },
            Workload(name: "fetch.sorted.limit", target: .none, rounds: 9, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .microseconds, expected: bench.greatestSum,
                        contenders: try graben("fetch.sorted.limit", bench) + indexed(bench) { try $0.greatest(Bench.fetchLimit) })
                ]
            },
            Workload(name: "predicate.rows", target: .atMost(12), rounds: 9, isWarmed: true) { bench in
                let marks = PlainMark.all(bench.network)
                // Foundation's own predicates on objects in memory stand for the bare machine here.
                return [
                    Variant(
                        unit: .each(bench.network.count, name: "ns/row"), expected: bench.rowCount,
                        contenders: try graben("predicate.rows", bench) + [bare { try timed { try PlainMark.count(marks) } }])
                ]
            },
        ]
    }

    /// The engines that have indexes besides their keys.
    private static func indexed(_ bench: Bench, _ run: @escaping (Engine) throws -> Outcome) -> [Contender] {
        bench.engines.filter(\.hasIndexes).map { engine in Contender(side: engine.side) { try run(engine) } }
    }
}
