#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

internal import Synchronization

/// A thread to be waited for: what it does blocks, which would starve the pool that tasks run on.
package final class CrashThread: @unchecked Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    #if canImport(Darwin)
        private var thread: pthread_t?
    #else
        private var thread = pthread_t()
    #endif

    package init(_ run: @escaping @Sendable () -> Void) {
        let argument = Unmanaged.passRetained(Body(run)).toOpaque()
        #if canImport(Darwin)
            pthread_create(
                &thread, nil,
                { argument in
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, argument)
        #else
            pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                    return nil
                }, argument)
        #endif
    }

    private let isJoined = Atomic(false)

    /// Waits for its end; once more, and it does nothing, since to join a thread twice is undefined.
    package func join() {
        guard !isJoined.exchange(true, ordering: .relaxed) else { return }
        #if canImport(Darwin)
            if let thread { pthread_join(thread, nil) }
        #else
            pthread_join(thread, nil)
        #endif
    }
}
