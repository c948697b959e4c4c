/// What is told how far the recovery of a store is while it is opened: after a crash, or without its index, the log has to be read again.
///
///     configuration.recovery = RecoveryHandler { fraction in
///         showProgress(fraction)
///         return !isCancelled
///     }
///
/// Two handlers are equal when one is a copy of the other.
public struct RecoveryHandler: Sendable, Hashable {
    private final class Body: Sendable {
        let call: @Sendable (Double) -> Bool
        init(_ call: @escaping @Sendable (Double) -> Bool) { self.call = call }
    }
    private let body: Body

    /// A handler. It is called on the thread that opens the store, for the first time after a second and then ten times a second at most, with the
    /// fraction done from 0 to 1. Answering false ends the opening, which then throws `LogError.cancelled` and has changed nothing; the store
    /// can be opened again at any time.
    public init(_ body: @escaping @Sendable (Double) -> Bool) { self.body = Body(body) }

    func call(_ fraction: Double) -> Bool { body.call(fraction) }

    /// Whether one handler is a copy of the other.
    public static func == (a: RecoveryHandler, b: RecoveryHandler) -> Bool { a.body === b.body }
    /// Hashes which handler it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(body)) }
}
