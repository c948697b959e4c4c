extension Workloads {
    static var sizes: [Workload] {
        [
            Workload(name: "size.log", target: .times(1, .sqlite), rounds: 1) { bench in
                [
                    Variant(
                        unit: .bytes, contenders: try graben("size.log", bench) + engines(bench) { Outcome(Double(try $0.sizeAfterLoad())) }
                    )
                ]
            },
            Workload(name: "size.total", target: .times(1.45, .sqlite), rounds: 1) { bench in
                [
                    Variant(
                        unit: .bytes,
                        contenders: try graben("size.total", bench) + engines(bench) { Outcome(Double(try $0.sizeAfterLoad())) })
                ]
            },
            Workload(name: "size.compacted", target: .times(1, .sqlite), rounds: 1) { bench in
                [
                    Variant(
                        unit: .bytes,
                        contenders: try graben("size.compacted", bench) + engines(bench) { Outcome(Double(try $0.halveAndCompact().bytes)) }
                    )
                ]
            },
            Workload(name: "size.compacted.time", target: .times(1, .sqlite), rounds: 3) { bench in
                [
                    Variant(
                        unit: .milliseconds,
                        contenders: try graben("size.compacted.time", bench)
                            + engines(bench) { Outcome(try $0.halveAndCompact().nanoseconds) })
                ]
            },
        ]
    }
}
