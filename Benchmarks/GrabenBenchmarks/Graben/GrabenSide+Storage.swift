import CPeers
import GrabenFixtures
import GrabenLog
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The workloads the storage layer does by itself.
extension GrabenSide {
    static var storage: [String: Maker] {
        [
            "insert.storage": insertStorage, "lookup.cold": lookupCold, "commit.one": commitOne, "commit.threads16": commitThreads,
            "size.log": size("size.log", withIndex: false),
            "size.total": size("size.total", withIndex: true),
            "size.compacted": compacted { Outcome(Double($1)) }, "size.compacted.time": compacted { time, _ in time },
        ]
    }

    /// One commit with everything, and then both reverse indexes, which are otherwise built at first use. As with the peers, letting go of the store
    /// is not timed.
    private static func insertStorage(_ bench: Bench) throws -> () throws -> Outcome {
        let network = StorageNetwork(network: bench.network)
        return {
            let path = try bench.freshDirectory("graben-load") + "/network.graben"
            var loaded: Log?
            defer { withExtendedLifetime(loaded) {} }
            return try Workloads.timed {
                let log = try network.load(path)
                loaded = log
                let snapshot = log.newest
                _ = try snapshot.sourceCount(of: 0, through: StorageNetwork.outgoing)
                _ = try snapshot.sourceCount(of: 0, through: StorageNetwork.incoming)
                return nil
            }
        }
    }

    /// Records by random ids from compressed blocks, each with its name; the figure is the mean of one. Names are as drawings have them, for the
    /// network's own, letters at random, do not compress.
    private static func lookupCold(_ bench: Bench) throws -> () throws -> Outcome {
        let log = try Log.open(path: try bench.freshDirectory("graben-cold") + "/network.graben", in: RealFileSystem())
        _ = try log.commit { (_, builder) in
            builder.setCatalog(StorageNetwork.catalog)
            for row in 0..<Row(bench.network.count) {
                let name = StoredValue.string("joint \(row) of floor \(row % 13)")
                builder.appendRecord(layout: StorageNetwork.jointLayout, row: row, isInsert: true) { _ in name }
            }
        }
        try log.compact()
        let snapshot = log.newest
        let rows = bench.lookupRows.prefix(100_000)
        return {
            let all = try Workloads.timed {
                var count = 0
                for row in rows { count += try snapshot.record(StorageNetwork.joint, row)?.withUTF8(0) { $0.count } ?? 0 }
                guard count > rows.count else { throw BenchmarkError("lookup.cold: the names are not there.") }
                return nil
            }
            return Outcome(all.figure / Double(rows.count))
        }
    }

    /// A store of the network that stays open between workloads.
    private static func opened(_ bench: Bench) throws -> Log {
        if let log = bench.kept["storage"] as? Log { return log }
        let log = try StorageNetwork(network: bench.network).load(try bench.freshDirectory("graben-storage") + "/network.graben")
        bench.kept["storage"] = log
        return log
    }

    private static func commitOne(_ bench: Bench) throws -> () throws -> Outcome {
        let log = try opened(bench)
        let rows = bench.movedRows.prefix(Workloads.commitsARound)
        return {
            let all = try Workloads.timed {
                for row in rows { try StorageNetwork.move(row, by: 0.5, in: log) }
                return nil
            }
            return Outcome(all.figure / Double(rows.count))
        }
    }

    /// What the sixteen threads share.
    private final class Committers: Sendable {
        let log: Log
        let rows: [UInt32]
        let next = Atomic<Int>(0)
        let failure = Mutex<(any Error)?>(nil)

        init(log: Log, rows: [UInt32]) { (self.log, self.rows) = (log, rows) }

        func run() {
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < rows.count else { return }
                do { try StorageNetwork.move(rows[index], by: 0.5, in: log) } catch { failure.withLock { $0 = error } }
            }
        }
    }

    private static func commitThreads(_ bench: Bench) throws -> () throws -> Outcome {
        let log = try opened(bench)
        let rows = Array(bench.movedRows.prefix(4000))
        return {
            let committers = Committers(log: log, rows: rows)
            let before = log.statistics
            let result = peer_on_threads(
                16,
                { context in
                    if let context { Unmanaged<Committers>.fromOpaque(context).takeUnretainedValue().run() }
                }, Unmanaged.passUnretained(committers).toOpaque())
            guard result.nanoseconds >= 0 else { throw BenchmarkError(String(cString: peer_message())) }
            if let error = committers.failure.withLock({ $0 }) { throw error }
            let after = log.statistics
            return Outcome(Double(after.commits - before.commits) / Double(max(1, after.syncs - before.syncs)))
        }
    }

    /// The file's length after a load and a close, with or without that of its index.
    private static func size(_ name: String, withIndex: Bool) -> Maker {
        { bench in
            {
                let log = try StorageNetwork(network: bench.network).load(try bench.freshDirectory("graben-size") + "/network.graben")
                try log.close()
                return Outcome(try ([log.path] + (withIndex ? [log.path + "-index"] : [])).reduce(0.0) { $0 + Double(try length(of: $1)) })
            }
        }
    }

    /// The time a compaction takes after every other object was deleted, close included, and the log's length then.
    private static func compacted(_ answer: @escaping @Sendable (Outcome, Int) -> Outcome) -> Maker {
        { bench in
            {
                let path = try bench.freshDirectory("graben-compacted") + "/network.graben"
                var log = try StorageNetwork(network: bench.network).load(path)
                _ = try log.commit { (_, builder) in
                    for row in 0..<Row(bench.network.count) where row % 2 == 1 {
                        builder.appendTombstone(layout: StorageNetwork.jointLayout, row: row)
                        builder.appendTombstone(layout: StorageNetwork.lineLayout, row: row)
                    }
                }
                try log.close()
                let time = try Workloads.timed {
                    log = try Log.open(path: path, in: RealFileSystem())
                    try log.compact()
                    try log.close()
                    return nil
                }
                return answer(time, try length(of: path))
            }
        }
    }

    private static func length(of path: String) throws -> Int {
        guard let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? any BinaryInteger else {
            throw BenchmarkError("\(path) has no size.")
        }
        return Int(size)
    }
}
