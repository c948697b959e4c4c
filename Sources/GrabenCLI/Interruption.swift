import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C: ends the process with its own status at once, or, while something has to be tidied away first, at the next look.
enum Interruption {
    private static let isDeferred = Atomic<Bool>(false)
    private static let isPending = Atomic<Bool>(false)

    /// Installs the handler, unless the program was started with the signal ignored, as by nohup.
    static func install() {
        let previous = signal(SIGINT) { _ in
            // Only what a signal handler may do. The second Ctrl-C does not wait.
            if !Interruption.isDeferred.load(ordering: .relaxed) || Interruption.isPending.exchange(true, ordering: .relaxed) {
                _exit(ExitCode.interrupted.rawValue)
            }
        }
        if let previous, unsafeBitCast(previous, to: Int.self) == 1 { signal(SIGINT, SIG_IGN) }
    }

    /// Runs something that leaves traces when it is cut off; it calls `check()` now and then.
    static func deferred<R>(_ body: () throws -> R) throws -> R {
        isDeferred.store(true, ordering: .relaxed)
        defer { isDeferred.store(false, ordering: .relaxed) }
        let result = try body()
        return result
    }

    static func check() throws(CLIError) {
        if isPending.load(ordering: .relaxed) { throw .interrupted }
    }
}
