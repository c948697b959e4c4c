import Synchronization

/// A context off the main actor, used through `perform`: what happens inside is alone with it, and only `Sendable` results come out.
///
/// One call at a time runs in it. Callers of `perform` wait without holding a thread; `performAndWait` runs on the caller's. An event ends at
/// the end of `perform`.
public final class BackgroundContext: Sendable {
    private let lock = ReentrantLock()
    private let box: ContextBox
    private let queue = Queue()

    init(_ container: PersistentContainer) {
        let context = container.newContext()
        context.owner = .background(lock)
        box = ContextBox(context)
    }

    /// Runs `body` with the context and ends the event.
    ///
    /// - Throws: what `body` throws.
    public func perform<R: Sendable, E: Error>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws(E) -> R
    ) async throws(E) -> R {
        try await queue.run { () throws(E) in try self.run(endingEvent: true, body) }
    }

    /// Runs `body` with the context on the caller's thread; may be nested. Does not end the event by itself.
    ///
    /// - Throws: what `body` throws.
    public func performAndWait<R: Sendable, E: Error>(
        _ body: @Sendable (ManagedObjectContext) throws(E) -> R
    ) throws(E) -> R {
        try run(endingEvent: false, body)
    }

    private func run<R: Sendable, E: Error>(
        endingEvent: Bool, _ body: @Sendable (ManagedObjectContext) throws(E) -> R
    ) throws(E) -> R {
        lock.lock()
        defer { lock.unlock() }
        defer { if endingEvent { box.context.processPendingChanges() } }
        return try body(box.context)
    }
}

/// Lets calls of `perform` in one after the other.
private actor Queue {
    func run<R: Sendable, E: Error>(_ body: @Sendable () throws(E) -> R) throws(E) -> R { try body() }
}

/// Carries the context between threads. Unchecked because the lock of `BackgroundContext` is what makes it safe: only its holder touches the
/// context, and nothing of the context leaves `perform` (results are `Sendable`, objects are not).
private final class ContextBox: @unchecked Sendable {
    let context: ManagedObjectContext
    init(_ context: sending ManagedObjectContext) { self.context = context }
}
