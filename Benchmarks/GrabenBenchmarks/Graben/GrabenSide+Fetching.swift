import CPeers
import Graben
import GrabenFixtures

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A joint whose values stand in its record, with indexes on two of them.
@Entity final class Mark: ManagedObject {
    @Index var name: String?
    var label: String?
    @Index var x = 0.0
    var y = 0.0
    var z = 0.0
}

/// Fetches: what a predicate or an order costs, by whatever plan.
extension GrabenSide {
    static var fetching: [String: Maker] {
        [
            "filter": filter, "fetch.index.equality": equality, "fetch.index.range": range, "fetch.sorted.limit": sorted,
            "predicate.rows": rows,
        ]
    }

    /// The joints of a drawing that was saved and opened again, by a column and the beginnings of names.
    private static func filter(_ bench: Bench) throws -> () throws -> Outcome {
        let path = try bench.freshDirectory("graben-filter") + "/network.graben"
        try Drawing.loadElsewhere(bench, at: path)
        let container = try Drawing.open(path)
        let context = container.newContext()
        let request = try Joint.fetchRequest(
            where: "x BETWEEN {%@, %@} AND name BEGINSWITH %@", Bench.lowX, Bench.highX, String(Unicode.Scalar(Bench.letter)))
        return { try Workloads.timed { Double(try context.count(for: request)) } }
    }

    /// A store of marks, opened from its index.
    private static func marks(_ bench: Bench) throws -> ManagedObjectContext {
        if let context = bench.kept["marks"] as? ManagedObjectContext { return context }
        let path = try bench.freshDirectory("graben-marks") + "/marks.graben"
        let first = try PersistentContainer(for: Mark.self, at: path)
        let loading = first.newContext()
        for row in 0..<bench.network.count {
            let mark = Mark(context: loading)
            mark.name = bench.network.name(row)
            mark.label = mark.name
            mark.x = bench.network.x[row]
            mark.y = bench.network.y[row]
            mark.z = bench.network.z[row]
        }
        try loading.save()
        loading.close()
        try first.close()
        let container = try PersistentContainer(for: Mark.self, at: path)
        let context = container.newContext()
        bench.kept["marks container"] = container
        bench.kept["marks"] = context
        return context
    }

    /// A fetch for each of so many names.
    private static func equality(_ bench: Bench) throws -> () throws -> Outcome {
        let context = try marks(bench)
        let names = bench.fetchedRows.map { bench.network.name(Int($0)) }
        return {
            try Workloads.timed {
                var sum = 0.0
                for name in names {
                    for mark in try context.fetch(Mark.fetchRequest(where: "name == %@", name)) { sum += mark.x + mark.y + mark.z }
                }
                return sum
            }
        }
    }

    private static func range(_ bench: Bench) throws -> () throws -> Outcome {
        let context = try marks(bench)
        let request = try Mark.fetchRequest(where: "x BETWEEN {%@, %@}", Bench.lowX, Bench.narrowX)
        return { try Workloads.timed { Double(try context.fetchIDs(request).count) } }
    }

    private static func sorted(_ bench: Bench) throws -> () throws -> Outcome {
        let context = try marks(bench)
        var request = Mark.fetchRequest()
        request.sortDescriptors = [ObjectSortDescriptor("x", ascending: false)]
        request.fetchLimit = Bench.fetchLimit
        return { try Workloads.timed { try context.fetch(request).reduce(0) { $0 + $1.x } } }
    }

    /// Comparisons that no index and no column can answer, row by row over the records.
    private static func rows(_ bench: Bench) throws -> () throws -> Outcome {
        let context = try marks(bench)
        let request = try Mark.fetchRequest(where: "y > 5 AND label BEGINSWITH 'ab'")
        return { try Workloads.timed { Double(try context.count(for: request)) } }
    }
}

/// What Foundation's predicates are evaluated on.
final class PlainMark {
    @exclusivity(unchecked) var name: String?
    @exclusivity(unchecked) var y: Double

    init(name: String?, y: Double) { (self.name, self.y) = (name, y) }

    static func all(_ network: RandomNetwork) -> [PlainMark] {
        (0..<network.count).map { PlainMark(name: network.name($0), y: network.y[$0]) }
    }

    /// `y > 5 AND name BEGINSWITH 'ab'` by Foundation.
    static func count(_ marks: [PlainMark]) throws -> Double {
        let predicate = #Predicate<PlainMark> { $0.y > 5 && ($0.name?.starts(with: "ab") ?? false) }
        var count = 0
        for mark in marks where try predicate.evaluate(mark) { count += 1 }
        return Double(count)
    }
}
