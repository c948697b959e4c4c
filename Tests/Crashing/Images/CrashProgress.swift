internal import Synchronization

/// Hands out the runs of a campaign to threads and adds up what they find; says now and then how far it is.
package final class CrashProgress: Sendable {
    private struct State {
        var report = CrashReport()
        var run: Int
        var shown = 0
    }

    private let state: Mutex<State>
    /// nil for silence.
    private let step: Int?

    package init(run: Int, shownEvery step: Int?) {
        state = Mutex(State(run: run))
        self.step = step
    }

    package var report: CrashReport { state.withLock { $0.report } }
    package var images: Int { state.withLock { $0.report.images } }

    package func nextRun() -> Int {
        state.withLock { state in
            defer { state.run += 1 }
            return state.run
        }
    }

    package func add(_ report: CrashReport) {
        let line: String? = state.withLock { state in
            state.report.add(report)
            guard let step, state.report.images / step > state.shown else { return nil }
            state.shown = state.report.images / step
            return "\(state.report.images) images, \(state.report.lost) lost, \(state.report.wrong) wrong; about run \(state.run)"
        }
        if let line { say(line) }
        // What is wrong is said at once: the whole may take hours.
        if step != nil, let finding = report.findings.first { say(finding) }
    }
}
