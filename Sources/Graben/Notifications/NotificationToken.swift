/// Keeps a handler at work: it is called until the token is cancelled or released, whichever comes first.
///
/// Like what it observes, a token belongs to whoever made it. It keeps neither a context nor an undo manager alive.
public final class NotificationToken {
    private var end: (() -> Void)?

    init(_ end: @escaping () -> Void) { self.end = end }

    deinit { end?() }

    /// Ends the observation at once, also from within the handler; later calls do nothing.
    public func cancel() {
        end?()
        end = nil
    }
}

/// Handlers of one kind of notification, in the order they came.
final class HandlerList<Payload> {
    private var entries: [(number: Int, handler: (Payload) -> Void)] = []
    private var lastNumber = 0

    var isEmpty: Bool { entries.isEmpty }

    func add(_ handler: @escaping (Payload) -> Void) -> NotificationToken {
        lastNumber += 1
        let number = lastNumber
        entries.append((number, handler))
        return NotificationToken { [weak self] in self?.entries.removeAll { $0.number == number } }
    }

    /// Calls every handler that was there when the call began and is still there when its turn comes.
    func deliver(_ payload: Payload) {
        for (number, handler) in entries where entries.contains(where: { $0.number == number }) { handler(payload) }
    }
}
