import Synchronization

/// One line on a terminal's standard error, brought up to date while something takes longer than a second.
final class Progress {
    private let session: Session
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var isShown = false

    init(_ session: Session) { self.session = session }

    /// Says how far a phase is, from 0 to 1; at most ten times a second.
    func show(_ phase: String, _ fraction: Double) {
        guard session.terminal.isErrorTerminal else { return }
        let now = ContinuousClock.now
        guard now - start > .seconds(1), now - last > .milliseconds(100) else { return }
        last = now
        isShown = true
        session.sayAside("\r\u{1B}[Kgraben: \(phase) \(Int(fraction * 100)) %")
    }

    func end() { if isShown { session.sayAside("\r\u{1B}[K") } }
}

/// The same line while a store is opened that has to be recovered; whoever opens it has no session.
enum RecoveryProgress {
    private static let isShown = Atomic<Bool>(false)

    static func show(_ fraction: Double) -> Bool {
        guard Terminal.current().isErrorTerminal else { return true }
        isShown.store(true, ordering: .relaxed)
        let output = ByteOutput.standardError()
        try? output.write("\r\u{1B}[Kgraben: reading the log \(Int(fraction * 100)) %")
        try? output.flush()
        return true
    }

    static func end() {
        guard isShown.exchange(false, ordering: .relaxed) else { return }
        let output = ByteOutput.standardError()
        try? output.write("\r\u{1B}[K")
        try? output.flush()
    }
}
