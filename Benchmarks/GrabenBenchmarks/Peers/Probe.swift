import CPeers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The PeerProbe program, which measures memory from outside, and the static command line it is measured against.
///
/// Both come from `make bench`, which links the Swift run time into them statically (below `.build/static`), so that the figures are those of
/// programs built alike; a dynamic one would add 4 MB of run time to either.
enum Probe {
    static let staticDirectory = ".build/static/release"

    /// The static command line, where it was built.
    static var commandLine: String? {
        let path = "\(staticDirectory)/graben"
        return access(path, X_OK) == 0 ? path : nil
    }

    static var isThere: Bool { access("\(staticDirectory)/PeerProbe", X_OK) == 0 }

    /// Peak resident memory in bytes, as the probe prints it for these arguments.
    static func bytes(_ arguments: [String]) throws -> Double {
        var pointers = (["\(staticDirectory)/PeerProbe"] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let result = peer_read_number(&pointers)
        guard result.nanoseconds >= 0 else { throw BenchmarkError("Measuring memory: \(String(cString: peer_message()))") }
        return Double(result.count)
    }
}
