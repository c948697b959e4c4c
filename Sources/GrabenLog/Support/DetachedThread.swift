#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A thread that nobody waits for: work that blocks would starve the pool that tasks run on.
package enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Calls the body with each number below `count`, all at once: with 0 on this thread, with the others on threads of their own or, where there
    /// are none to be had, here as well. Returns when all have.
    static func forEach(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let lock = ConditionLock()
        // Guarded by the lock.
        nonisolated(unsafe) var running = max(count - 1, 0)
        for number in 1..<max(count, 1) {
            let run: @Sendable () -> Void = {
                body(number)
                lock.withLock {
                    running -= 1
                    lock.broadcast()
                }
            }
            if !start(run) { run() }
        }
        if count > 0 { body(0) }
        lock.withLock {
            while running > 0 { lock.wait() }
        }
    }

    /// Runs the body on a new thread; false when there is none to be had.
    package static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        let body = Unmanaged.passRetained(Body(run))
        #if canImport(Darwin)
            var thread: pthread_t?
            let result = pthread_create(
                &thread, nil,
                { argument in
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, body.toOpaque())
            if result == 0, let thread { pthread_detach(thread) }
        #else
            var thread = pthread_t()
            let result = pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                    return nil
                }, body.toOpaque())
            if result == 0 { pthread_detach(thread) }
        #endif
        if result != 0 { body.release() }
        return result == 0
    }
}
