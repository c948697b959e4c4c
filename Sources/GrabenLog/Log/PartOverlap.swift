/// Writes and applies a part of a long commit on a thread of its own while the next one is encoded.
///
/// At most one part is under way, so everything that `work` touches is used by one thread at a time: the caller waits for it before it looks at
/// any of that again. Belongs to one commit and the holder of the writer lock.
final class PartOverlap {
    /// What both threads see. Unchecked because of the two variables, which the lock guards.
    private final class State: @unchecked Sendable {
        let lock = ConditionLock()
        var isBusy = false
        var work: Work?
        var failure: LogError?
    }

    /// What goes to the other thread, though nothing in it is Sendable: the caller keeps its hands off until `wait` has returned.
    private struct Work: @unchecked Sendable {
        let body: () throws(LogError) -> Void
    }

    private let state = State()
    private let part = ByteBuffer()

    /// Takes the contents of a full buffer, which is empty then, to be written from the one that is answered.
    ///
    /// Precondition: `wait` has returned since the last `start`.
    func take(_ full: ByteBuffer) -> ByteBuffer {
        part.reset()
        part.exchange(with: full)
        full.reserve(part.count + part.count / 16)
        return part
    }

    /// Does the work on another thread, or on this one where there is none to be had. What it throws, the next `wait` does.
    ///
    /// Precondition: `wait` has returned since the last call.
    func start(_ body: @escaping () throws(LogError) -> Void) {
        let state = state
        let run: @Sendable () -> Void = {
            var failure: LogError?
            var work = state.lock.withLock {
                defer { state.work = nil }
                return state.work
            }
            do throws(LogError) { try work?.body() } catch { failure = error }
            // The work holds the file, and the file its lock: both are let go of before anyone hears of it, for the next thing may be a close.
            work = nil
            state.lock.withLock {
                state.failure = state.failure ?? failure
                state.isBusy = false
                state.lock.broadcast()
            }
        }
        state.lock.withLock {
            state.isBusy = true
            state.work = Work(body: body)
        }
        if !DetachedThread.start(run) { run() }
    }

    /// Returns when no part is under way; throws what went wrong with any so far.
    func wait() throws(LogError) {
        let failure = state.lock.withLock {
            while state.isBusy { state.lock.wait() }
            return state.failure
        }
        if let failure { throw failure }
    }
}
