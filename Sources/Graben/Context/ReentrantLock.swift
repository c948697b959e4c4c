import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock that its holder may take again, for `performAndWait` inside `performAndWait`; `Mutex` cannot.
///
/// Unchecked because the pointer is set once, what it points at is the system's own thread-safe mutex, and that guards `depth`.
final class ReentrantLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// The thread that holds it, or 0. How often it took it is for that thread alone.
    private let holding = Atomic<UInt>(0)
    nonisolated(unsafe) private var depth = 0

    init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() {
        pthread_mutex_lock(mutex)
        depth += 1
        holding.store(Self.caller, ordering: .relaxed)
    }

    func unlock() {
        depth -= 1
        if depth == 0 { holding.store(0, ordering: .relaxed) }
        pthread_mutex_unlock(mutex)
    }

    /// The number of the calling thread.
    static var caller: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// The number of the thread that holds it.
    var holder: UInt? {
        let thread = holding.load(ordering: .relaxed)
        return thread == 0 ? nil : thread
    }

    var isHeldByCaller: Bool { holding.load(ordering: .relaxed) == Self.caller }
}
