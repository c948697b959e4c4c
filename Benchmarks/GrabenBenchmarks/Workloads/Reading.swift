import CPeers

extension Workloads {
    static var reading: [Workload] {
        [
            Workload(name: "lookup.columns", target: .times(1.5, .bare), rounds: 9, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.lookupSum,
                        contenders: try graben("lookup.columns", bench) + engines(bench) { try $0.lookup(bench.lookupRows) }
                            + [bare { try bench.bare.lookup(bench.lookupRows) }])
                ]
            },
            Workload(name: "lookup.objects.faults", target: .times(1 / 4, .lmdb)) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.lookupSum,
                        contenders: try graben("lookup.objects.faults", bench) + engines(bench) { try $0.lookup(bench.lookupRows) })
                ]
            },
            Workload(name: "lookup.key", target: .times(1 / 2, .lmdb)) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.lookupSum,
                        contenders: try graben("lookup.key", bench) + engines(bench) { try $0.lookupNames(bench.lookupNames) })
                ]
            },
            Workload(name: "lookup.key.single", target: .none) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.lookupSum,
                        contenders: try graben("lookup.key.single", bench) + engines(bench) { try $0.lookupNames(bench.lookupNames) })
                ]
            },
            Workload(name: "lookup.cold", target: .atMost(5), isWarmed: true) { bench in
                [Variant(unit: .microseconds, contenders: try graben("lookup.cold", bench))]
            },
            Workload(name: "scan.columns", target: .times(1.2, .bare), rounds: 15, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.scanSum,
                        contenders: try graben("scan.columns", bench) + engines(bench) { try $0.scan() } + [bare { try bench.bare.scan() }])
                ]
            },
            Workload(name: "traverse.columns", target: .times(2, .bare), rounds: 9, isWarmed: true) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.traverseSum,
                        contenders: try graben("traverse.columns", bench) + engines(bench) { try $0.traverse() }
                            + [bare { try bench.bare.traverse() }])
                ]
            },
            Workload(name: "traverse.objects", target: .times(1 / 6, .lmdb)) { bench in
                [
                    Variant(
                        unit: .milliseconds, expected: bench.traverseSum,
                        contenders: try graben("traverse.objects", bench) + engines(bench) { try $0.traverse() })
                ]
            },
        ]
    }

    static var objects: [Workload] {
        [
            Workload(name: "lookup.objects.registered", target: .times(2, .bare), rounds: 15, isWarmed: true) { bench in
                try [1000, bench.network.count].map { count in
                    // A thousand objects are read a thousand times over, for a clock's tick is as long as reading them once.
                    let passes = max(1, 1_000_000 / count)
                    let plain = PlainJoints(bench.network, count: count)
                    let label = count == 1000 ? "1000" : "all"
                    return Variant(
                        label: label, unit: .each(count * passes), expected: PlainJoints.sumOfGetters(plain.inOrder) * Double(passes),
                        contenders: try graben("lookup.objects.registered/\(label)", bench) + [
                            bare {
                                timed {
                                    var sum = 0.0
                                    for _ in 0..<passes {
                                        sum += PlainJoints.sumOfGetters(plain.inOrder)
                                        peer_between_passes()
                                    }
                                    return sum
                                }
                            }
                        ])
                }
            },
            Workload(name: "lookup.objects.shuffled", target: .times(4, .bare), rounds: 15, isWarmed: true) { bench in
                let plain = PlainJoints(bench.network, count: bench.network.count)
                return [
                    Variant(
                        unit: .each(bench.network.count), expected: bench.scanSum,
                        contenders: try graben("lookup.objects.shuffled", bench) + [
                            bare { timed { PlainJoints.sumOfPositions(plain.shuffled) } }
                        ])
                ]
            },
        ]
    }
}
