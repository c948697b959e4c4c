import CPeers
import Graben
import GrabenFixtures

/// The workloads of the object graph, through the public interface only.
extension GrabenSide {
    static var objects: [String: Maker] {
        [
            "lookup.objects.registered/1000": { try registered($0, count: 1000) },
            "lookup.objects.registered/all": { try registered($0, count: $0.network.count) },
            "lookup.objects.shuffled": shuffled, "lookup.objects.faults": faults, "lookup.columns": lookupColumns,
            "lookup.key": { try lookupKey($0, atOnce: namesAtOnce) },
            "lookup.key.single": { try lookupKey($0, atOnce: 1) },
            "scan.columns": scanColumns, "traverse.columns": traverseColumns, "traverse.objects": traverseObjects,
            "update.objects": updateObjects, "update.bulk": updateBulk, "insert.objects": insertObjects,
        ]
    }

    @inline(never) private static func sumOfGetters(_ joints: [Joint]) -> Double {
        var sum = 0.0
        for joint in joints { sum += joint.x + joint.y + joint.z }
        return sum
    }

    @inline(never) private static func sumOfPositions(_ joints: [Joint]) -> Double {
        var sum = SIMD3<Double>()
        for joint in joints { sum += joint.position }
        return sum.sum()
    }

    private static func registered(_ bench: Bench, count: Int) throws -> () throws -> Outcome {
        let joints = Array(try WorkedDrawing.of(bench).joints.prefix(count))
        let passes = max(1, 1_000_000 / count)
        return {
            Workloads.timed {
                var sum = 0.0
                for _ in 0..<passes {
                    sum += sumOfGetters(joints)
                    peer_between_passes()
                }
                return sum
            }
        }
    }

    private static func shuffled(_ bench: Bench) throws -> () throws -> Outcome {
        let joints = try WorkedDrawing.of(bench).shuffled
        return { Workloads.timed { sumOfPositions(joints) } }
    }

    /// A context that knows no joint yet, for each round.
    private static func faults(_ bench: Bench) throws -> () throws -> Outcome {
        let drawing = try WorkedDrawing.of(bench)
        let ids = bench.lookupRows.map { drawing.ids[Int($0)] }
        return {
            let context = drawing.container.newContext()
            defer { context.close() }
            return Workloads.timed {
                var sum = 0.0
                for id in ids {
                    if let joint = context.object(with: id) as? Joint { sum += joint.x + joint.y + joint.z }
                }
                return sum
            }
        }
    }

    /// How many names `lookup.key` asks for in one call.
    private static let namesAtOnce = 128

    /// A context that knows no joint yet, for each round; the store was closed since it was written, so its index is in a file.
    private static func lookupKey(_ bench: Bench, atOnce: Int) throws -> () throws -> Outcome {
        let path = try bench.freshDirectory("graben-named") + "/named.graben"
        let network = bench.network
        do {
            let container = try PersistentContainer(for: NamedJoint.self, at: path)
            let context = container.newContext()
            for row in 0..<network.count {
                let joint = NamedJoint(context: context)
                joint.position = [network.x[row], network.y[row], network.z[row]]
                joint.name = network.name(row)
            }
            try context.save()
            context.close()
            try container.close()
        }
        let container = try PersistentContainer(for: NamedJoint.self, at: path)
        let names = bench.lookupRows.map { network.name(Int($0)) }
        return {
            let context = container.newContext()
            defer { context.close() }
            return try Workloads.timed {
                var sum = 0.0
                func add(_ joint: NamedJoint?) throws {
                    guard let joint else { throw BenchmarkError("lookup.key: a name is not found.") }
                    sum += joint.x + joint.y + joint.z
                }
                if atOnce == 1 {
                    for name in names { try add(try context.object(NamedJoint.self, where: \.name, equals: name)) }
                } else {
                    for start in stride(from: 0, to: names.count, by: atOnce) {
                        let some = names[start..<min(start + atOnce, names.count)]
                        for joint in try context.objects(NamedJoint.self, where: \.name, equals: some) { try add(joint) }
                    }
                }
                return sum
            }
        }
    }

    private static func lookupColumns(_ bench: Bench) throws -> () throws -> Outcome {
        let drawing = try WorkedDrawing.of(bench)
        guard let ids = ObjectIDList(bench.lookupRows.lazy.map { drawing.ids[Int($0)] }) else {
            throw BenchmarkError("lookup.columns: the joints are of several entities.")
        }
        return {
            try Workloads.timed {
                try drawing.context.withPositions(of: Joint.self) { positions in
                    var sum = SIMD3<Double>()
                    positions.forEach(ids) { sum += $0 }
                    return sum.sum()
                }
            }
        }
    }

    private static func scanColumns(_ bench: Bench) throws -> () throws -> Outcome {
        let drawing = try WorkedDrawing.of(bench)
        return {
            try Workloads.timed { try drawing.context.withColumns(of: Joint.self) { $0.sums().reduce(0, +) } }
        }
    }

    /// Both ends of every line: references and coordinates from columns, no object made.
    private static func traverseColumns(_ bench: Bench) throws -> () throws -> Outcome {
        let drawing = try WorkedDrawing.of(bench)
        return {
            try Workloads.timed {
                try drawing.context.withPositions(of: Joint.self) { positions in
                    try drawing.context.withReferences(of: Line.self, "start", "end") { starts, ends in
                        var sum = SIMD3<Double>()
                        for line in starts.indices {
                            sum += positions[row: starts[unchecked: line]] + positions[row: ends[unchecked: line]]
                        }
                        return sum.sum()
                    }
                }
            }
        }
    }

    /// Both ends of every line through objects that know nothing of each other yet. As who walks very many does, a page at a time.
    private static func traverseObjects(_ bench: Bench) throws -> () throws -> Outcome {
        let drawing = try WorkedDrawing.of(bench)
        return {
            let context = drawing.container.newContext()
            defer { context.close() }
            return try Workloads.timed {
                var sum = 0.0
                var request = FetchRequest<Line>()
                request.fetchBatchSize = 256
                for line in try context.fetchBatched(request) {
                    if let start = line.start { sum += start.x + start.y + start.z }
                    if let end = line.end { sum += end.x + end.y + end.z }
                }
                return sum
            }
        }
    }

    private static func updateObjects(_ bench: Bench) throws -> () throws -> Outcome {
        let drawing = try WorkedDrawing.of(bench)
        let context = drawing.container.newContext()
        let joints = bench.movedRows.compactMap { context.object(with: drawing.ids[Int($0)]) as? Joint }
        return {
            try Workloads.timed {
                for joint in joints { joint.z += 0.5 }
                try context.save()
                return nil
            }
        }
    }

    private static func updateBulk(_ bench: Bench) throws -> () throws -> Outcome {
        let drawing = try WorkedDrawing.of(bench)
        let context = drawing.container.newContext()
        let ids = bench.movedRows.map { drawing.ids[Int($0)] }
        return {
            try Workloads.timed {
                context.translate(ids, by: [0, 0, 0.5])
                try context.save()
                return nil
            }
        }
    }

    private static func insertObjects(_ bench: Bench) throws -> () throws -> Outcome {
        {
            let container = try Drawing.open(try bench.freshDirectory("graben-insert") + "/network.graben")
            let outcome = try Workloads.timed {
                try Drawing.load(bench.network, into: container)
                return nil
            }
            try container.close()
            return outcome
        }
    }
}
