extension Workloads {
    static var writing: [Workload] {
        [
            Workload(name: "update.objects", target: .times(1 / 4, .lmdb)) { bench in
                [
                    Variant(
                        unit: .milliseconds,
                        contenders: try graben("update.objects", bench) + engines(bench) { try $0.update(bench.movedRows, by: 0.5) })
                ]
            },
            Workload(name: "update.bulk", target: .times(1 / 12, .lmdb)) { bench in
                [
                    Variant(
                        unit: .milliseconds,
                        contenders: try graben("update.bulk", bench) + engines(bench) { try $0.update(bench.movedRows, by: 0.5) })
                ]
            },
            Workload(name: "commit.one", target: .times(1.15, .bare), rounds: 9) { bench in
                let rows = Array(bench.movedRows.prefix(commitsARound))
                return [
                    Variant(
                        unit: .microseconds,
                        contenders: try graben("commit.one", bench) + engines(bench) { try $0.commitEach(rows, by: 0.5) }
                            + [bare { try bench.bare.append(count: commitsARound) }])
                ]
            },
            Workload(name: "commit.threads16", target: .atLeast(6), rounds: 3) { bench in
                [Variant(unit: .commitsPerSync, contenders: try graben("commit.threads16", bench))]
            },
            Workload(name: "insert.storage", target: .times(1 / 2, .lmdb), rounds: 3) { bench in
                [
                    Variant(
                        unit: .milliseconds, contenders: try graben("insert.storage", bench) + engines(bench) { try $0.loadAnew() })
                ]
            },
            Workload(name: "insert.objects", target: .times(1, .sqlite), rounds: 3) { bench in
                [
                    Variant(
                        unit: .milliseconds, contenders: try graben("insert.objects", bench) + engines(bench) { try $0.loadAnew() })
                ]
            },
        ]
    }

    /// Commits in one measurement of `commit.one`; each side's figure is their mean.
    static let commitsARound = 200
}
