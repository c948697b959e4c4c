#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A mutex with conditions: commits wait for the one among them that syncs, which `Synchronization.Mutex` cannot express.
///
/// Who waits may do so in a queue, so that not everybody has to be woken to find out that it was for others.
///
/// Invariant: the primitives live at fixed heap addresses until the lock dies, as POSIX demands.
package final class ConditionLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    private let queueCount: Int

    package init(queues: Int = 1) {
        queueCount = queues
        conditions = .allocate(capacity: queues)
        pthread_mutex_init(mutex, nil)
        for queue in 0..<queues { pthread_cond_init(conditions + queue, nil) }
    }

    deinit {
        for queue in 0..<queueCount { pthread_cond_destroy(conditions + queue) }
        pthread_mutex_destroy(mutex)
        conditions.deallocate()
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }
    /// Lets go of the lock until another thread calls `broadcast`, or `signal` for that queue; may also wake for no reason.
    package func wait(in queue: Int = 0) { pthread_cond_wait(conditions + queue, mutex) }
    /// The same, for so many seconds at most.
    package func wait(seconds: Double) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let nanoseconds = time.tv_nsec + Int(min(max(seconds, 0), 1e6) * 1e9)
        time.tv_sec += nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        pthread_cond_timedwait(conditions, mutex, &time)
    }
    /// Wakes all, whatever queue they wait in.
    package func broadcast() {
        for queue in 0..<queueCount { pthread_cond_broadcast(conditions + queue) }
    }
    /// Wakes all that wait in a queue.
    func broadcast(to queue: Int) { pthread_cond_broadcast(conditions + queue) }
    /// Wakes one of those that wait in a queue.
    func signal(_ queue: Int) { pthread_cond_signal(conditions + queue) }

    package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        return try body()
    }
}
