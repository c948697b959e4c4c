import CPeers
import GrabenFixtures

/// A database engine behind CPeers, with the network loaded into it when first used.
final class Engine {
    let side: Side
    let settings: String
    private let calls: peer_engine
    private unowned let bench: Bench
    private var loaded: (directory: String, bytes: Int)?
    private var hasNames = false
    private var store: UnsafeMutableRawPointer?

    init?(_ side: Side, _ calls: UnsafePointer<peer_engine>?, bench: Bench) {
        guard let calls else { return nil }
        self.side = side
        self.calls = calls.pointee
        self.bench = bench
        settings = String(cString: calls.pointee.settings)
    }

    private func checked(_ result: peer_result) throws -> peer_result {
        guard result.nanoseconds >= 0 else { throw BenchmarkError(String(cString: peer_message())) }
        return result
    }

    private func withNetwork<R>(_ body: (UnsafePointer<peer_network>) throws -> R) rethrows -> R {
        let network = bench.network
        var value = peer_network(
            count: network.count, x: network.x, y: network.y, z: network.z, names: network.names, starts: network.starts, ends: network.ends
        )
        return try body(&value)
    }

    // MARK: Stores

    /// Loads the network into an empty directory of its own and gives the time.
    func loadAnew() throws -> Outcome {
        let directory = try bench.freshDirectory("\(side.rawValue)-load")
        return Outcome(try withNetwork { try checked(calls.load(directory, $0)) }.nanoseconds)
    }

    private func directory() throws -> String {
        if let loaded { return loaded.directory }
        let directory = try bench.freshDirectory(side.rawValue)
        _ = try withNetwork { try checked(calls.load(directory, $0)) }
        loaded = (directory, Int(try checked(calls.size(directory)).count))
        return directory
    }

    private func opened() throws -> UnsafeMutableRawPointer {
        if let store { return store }
        guard let new = calls.open(try directory()) else { throw BenchmarkError(String(cString: peer_message())) }
        store = new
        return new
    }

    func close() {
        if let store { calls.close(store) }
        store = nil
    }

    /// The store's directory, with the store closed: for what opens it itself.
    func closedDirectory() throws -> String {
        close()
        return try directory()
    }

    /// Bytes after the load, before any update.
    func sizeAfterLoad() throws -> Int {
        _ = try directory()
        return loaded?.bytes ?? 0
    }

    // MARK: Work

    func lookup(_ rows: [UInt32]) throws -> Outcome {
        let result = try checked(calls.lookup(try opened(), rows, rows.count))
        return Outcome(result.nanoseconds, check: result.sum)
    }

    private func loadNames() throws {
        if hasNames { return }
        let directory = try directory()
        _ = try withNetwork { try checked(calls.load_names(directory, $0)) }
        hasNames = true
    }

    func lookupNames(_ names: [UInt8]) throws -> Outcome {
        try loadNames()
        let result = try checked(calls.lookup_names(try opened(), names, names.count / RandomNetwork.nameByteCount))
        return Outcome(result.nanoseconds, check: result.sum)
    }

    func scan() throws -> Outcome {
        let result = try checked(calls.scan(try opened()))
        return Outcome(result.nanoseconds, check: result.sum)
    }

    func traverse() throws -> Outcome {
        let result = try checked(calls.traverse(try opened()))
        return Outcome(result.nanoseconds, check: result.sum)
    }

    func filter() throws -> Outcome {
        let result = try checked(calls.filter(try opened(), Bench.lowX, Bench.highX, CChar(bitPattern: Bench.letter)))
        return Outcome(result.nanoseconds, check: Double(result.count))
    }

    /// Whether the engine has ordered indexes besides its keys.
    var hasIndexes: Bool { calls.range != nil }

    func range(_ low: Double, _ high: Double) throws -> Outcome {
        try loadNames()
        let result = try checked(calls.range(try opened(), low, high))
        return Outcome(result.nanoseconds, check: Double(result.count))
    }

    func greatest(_ limit: Int) throws -> Outcome {
        try loadNames()
        let result = try checked(calls.greatest(try opened(), limit))
        return Outcome(result.nanoseconds, check: result.sum)
    }

    func openAndRead(_ row: UInt32) throws -> Outcome {
        let result = try checked(calls.open_and_read(try closedDirectory(), row))
        return Outcome(result.nanoseconds, check: result.sum)
    }

    func update(_ rows: [UInt32], by delta: Double) throws -> Outcome {
        Outcome(try checked(calls.update(try opened(), rows, rows.count, delta)).nanoseconds)
    }

    /// Commits each row by itself; the figure is the mean of one.
    func commitEach(_ rows: [UInt32], by delta: Double) throws -> Outcome {
        Outcome(try checked(calls.commit_each(try opened(), rows, rows.count, delta)).nanoseconds / Double(rows.count))
    }

    /// Loads anew, deletes every second object and compacts: nanoseconds of the compaction, and bytes after it.
    func halveAndCompact() throws -> (nanoseconds: Double, bytes: Int) {
        _ = try loadAnew()
        let directory = bench.directory + "/\(side.rawValue)-load"
        _ = try checked(calls.halve(directory))
        let result = try checked(calls.compact(directory))
        return (result.nanoseconds, Int(result.count))
    }
}
