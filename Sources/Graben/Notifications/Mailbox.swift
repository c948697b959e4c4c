import Synchronization

/// What a sequence of notifications holds back for whoever reads it: so many as they are, and whatever comes when it is full joined to the
/// last. So nothing is lost however slow the reader is, and what is kept is bounded by the objects there are, not by the events.
final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var readers: [(number: Int, continuation: CheckedContinuation<Element?, Never>)] = []
        var lastReader = 0
        var isFinished = false
    }

    /// How many notifications wait before they are joined.
    static var capacity: Int { 16 }

    private let state = Mutex(State())
    private let settle: @Sendable (inout Element) -> Void
    private let join: @Sendable (inout Element, Element) -> Void

    /// - Parameters:
    ///   - settle: lets an element that waits go of what only the last one needs, which others may be joined to.
    ///   - join: adds what came to the last element that waits.
    init(
        settledBy settle: @escaping @Sendable (inout Element) -> Void = { _ in },
        joinedBy join: @escaping @Sendable (inout Element, Element) -> Void
    ) {
        self.settle = settle
        self.join = join
    }

    func put(_ element: Element) {
        let reader: CheckedContinuation<Element?, Never>? = state.withLock { state in
            if !state.readers.isEmpty { return state.readers.removeFirst().continuation }
            if state.waiting.count < Self.capacity {
                if !state.waiting.isEmpty { settle(&state.waiting[state.waiting.count - 1]) }
                state.waiting.append(element)
            } else {
                join(&state.waiting[state.waiting.count - 1], element)
            }
            return nil
        }
        reader?.resume(returning: element)
    }

    /// Lets readers have what waits, and then nil.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.continuation.resume(returning: nil) }
    }

    /// The next notification; nil after the end, or when the task is cancelled.
    func take(isolation: isolated (any Actor)?) async -> Element? {
        let number = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isReady, element): (Bool, Element?) = state.withLock { state in
                    if !state.waiting.isEmpty { return (true, state.waiting.removeFirst()) }
                    // Under the lock, so that a cancellation comes either before this look or finds the reader in the list.
                    if state.isFinished || Task.isCancelled { return (true, nil) }
                    state.readers.append((number, continuation))
                    return (false, nil)
                }
                if isReady { continuation.resume(returning: element) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.readers.firstIndex { $0.number == number }.map { state.readers.remove(at: $0).continuation }
            }
            reader?.resume(returning: nil)
        }
    }
}

/// Knows an object without keeping it: who reads a sequence keeps its mailbox, and one that nobody reads any more is dropped at the next notification.
struct WeakBox<Object: AnyObject> {
    weak var object: Object?
}
