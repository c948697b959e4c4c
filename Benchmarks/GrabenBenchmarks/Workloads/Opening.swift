extension Workloads {
    static var opening: [Workload] {
        [
            Workload(name: "open.clean", target: .times(1, .lmdb), rounds: 15, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.firstReadSum,
                        contenders: try graben("open.clean", bench) + engines(bench) { try $0.openAndRead(bench.firstRead) })
                ]
            },
            Workload(name: "open.clean.container", target: .atMost(0.3), rounds: 15, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.firstReadSum,
                        contenders: try graben("open.clean.container", bench) + engines(bench) { try $0.openAndRead(bench.firstRead) })
                ]
            },
            Workload(name: "open.crash", target: .times(3, .bare), isWarmed: true) { bench in
                [
                    Variant(
                        unit: .milliseconds, contenders: try graben("open.crash", bench) + [bare { try bench.bare.replay() }])
                ]
            },
            Workload(name: "memory.open", target: .atMost(8_000_000), rounds: 3) { bench in
                guard Probe.isThere else {
                    print("memory.open: left out; \(Probe.staticDirectory)/PeerProbe is missing, `make bench` builds it")
                    return []
                }
                return [
                    Variant(
                        unit: .bytes,
                        contenders: try graben("memory.open", bench)
                            + engines(bench) { engine in
                                let directory = try engine.closedDirectory()
                                return Outcome(try Probe.bytes([engine.side.rawValue, directory, "\(bench.firstRead)"]))
                            })
                ]
            },
        ]
    }
}
