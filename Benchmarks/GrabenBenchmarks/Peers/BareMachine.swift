import CPeers

/// The machine's own limit on the same data, behind CPeers.
final class BareMachine {
    private unowned let bench: Bench
    private var columns: OpaquePointer?
    private var hasLog = false

    init(_ bench: Bench) { self.bench = bench }

    deinit { peer_bare_destroy(columns) }

    private func made() throws -> OpaquePointer {
        if let columns { return columns }
        let network = bench.network
        var value = peer_network(
            count: network.count, x: network.x, y: network.y, z: network.z, names: network.names, starts: network.starts, ends: network.ends
        )
        guard let new = peer_bare_create(&value) else { throw BenchmarkError("No memory for the bare arrays.") }
        columns = new
        return new
    }

    func lookup(_ rows: [UInt32]) throws -> Outcome {
        let result = peer_bare_lookup(try made(), rows, rows.count)
        return Outcome(result.nanoseconds, check: result.sum)
    }

    func scan() throws -> Outcome {
        let result = peer_bare_scan(try made())
        return Outcome(result.nanoseconds, check: result.sum)
    }

    func traverse() throws -> Outcome {
        let result = peer_bare_traverse(try made())
        return Outcome(result.nanoseconds, check: result.sum)
    }

    /// The fastest of three ways to make 100 appended bytes durable, the mean of `count` appends each.
    func append(count: Int) throws -> Outcome {
        let times = try [PEER_APPEND_GROWING, PEER_APPEND_PREALLOCATED, PEER_APPEND_DSYNC].map { mode in
            try checked(peer_bare_append(bench.directory, count, mode)).nanoseconds / Double(count)
        }
        return Outcome(times.min() ?? 0)
    }

    /// Reads back a log of all joints with everything checked.
    func replay() throws -> Outcome {
        if !hasLog {
            _ = try checked(peer_bare_log_write(bench.directory, bench.network.count))
            hasLog = true
        }
        return Outcome(try checked(peer_bare_log_replay(bench.directory)).nanoseconds)
    }

    private func checked(_ result: peer_result) throws -> peer_result {
        guard result.nanoseconds >= 0 else { throw BenchmarkError(String(cString: peer_message())) }
        return result
    }
}
