import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C: ends the process with its own status at once, drafts removed; or, while an open store has to be closed first, at the next look.
enum Interruption {
    private static let isDeferred = Atomic<Bool>(false)
    private static let isPending = Atomic<Bool>(false)
    /// The address of a list of C strings that ends with nil; 0 for none.
    private static let drafts = Atomic<UInt>(0)

    /// Installs the handler, unless the program was started with the signal ignored, as by nohup.
    static func install() {
        // Statics are made when they are first used, which must not be in the handler.
        _ = (isDeferred.load(ordering: .relaxed), isPending.load(ordering: .relaxed), drafts.load(ordering: .relaxed))
        let previous = signal(SIGINT) { _ in
            // Only what a signal handler may do. The second Ctrl-C does not wait.
            if Interruption.isDeferred.load(ordering: .relaxed), !Interruption.isPending.exchange(true, ordering: .relaxed) { return }
            typealias List = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
            if var next = List(bitPattern: Interruption.drafts.load(ordering: .acquiring)) {
                while let path = next.pointee {
                    unlink(path)
                    next += 1
                }
            }
            _exit(ExitCode.interrupted.rawValue)
        }
        // A program that starts others from a thread pool starts them with every signal blocked, and then nothing could end this one.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // SIG_IGN, which is no function that could be compared.
        if let previous, unsafeBitCast(previous, to: Int.self) == 1 { signal(SIGINT, SIG_IGN) }
    }

    /// Says which files are drafts from now on: they are removed when the process is interrupted.
    static func setDrafts(_ paths: [String]) {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: paths.count + 1)
        for (place, path) in paths.enumerated() { (list + place).initialize(to: strdup(path)) }
        (list + paths.count).initialize(to: nil)
        // An earlier list is never freed: the handler may be reading it. There are two in a run at most.
        drafts.store(UInt(bitPattern: list), ordering: .releasing)
    }

    /// Runs something that should not be cut off, and looks for an interruption now and then by `check()`.
    static func deferred<R>(_ body: () throws -> R) throws -> R {
        isDeferred.store(true, ordering: .relaxed)
        defer { isDeferred.store(false, ordering: .relaxed) }
        return try body()
    }

    /// Whether an interruption has been asked for while it is deferred.
    static var isAsked: Bool { isPending.load(ordering: .relaxed) }

    static func check() throws(CLIError) {
        if isPending.load(ordering: .relaxed) { throw .interrupted }
    }
}
