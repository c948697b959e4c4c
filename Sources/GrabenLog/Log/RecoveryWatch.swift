/// Tells whoever opens a log how far its recovery is, once that takes long, and ends it when asked to.
///
/// Belongs to the thread that opens the log.
final class RecoveryWatch {
    private let path: String
    private let handler: @Sendable (Double) -> Bool
    private let delay: Duration
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant?

    /// nil where nobody wants to know.
    init?(_ path: String, _ options: LogOptions) {
        guard let handler = options.recovery else { return nil }
        self.path = path
        self.handler = handler
        delay = options.recoveryDelay
    }

    /// Says how far a pass over the log is, from 0 to 1; throws `cancelled` when it is to end.
    func note(_ fraction: Double) throws(LogError) {
        let now = ContinuousClock.now
        guard now - start >= delay, last.map({ now - $0 >= .milliseconds(100) }) ?? true else { return }
        last = now
        if !handler(fraction) { throw .cancelled(path: path) }
    }
}
