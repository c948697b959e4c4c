/// What a context tells, as it comes: its changes (`ManagedObjectContext.changes`) or its saves (`ManagedObjectContext.saves`).
///
///     for await change in context.changes { redraw(change.moved) }
///
/// It begins with the first notification after it was made, whenever the loop begins, and ends with the context. A reader that falls more
/// than sixteen notifications behind gets those that follow joined into one, so nothing is lost; what was inserted and deleted meanwhile it
/// never hears of. Each look at the property makes a sequence of its own; several loops over one share what comes. It holds ids only and may
/// go anywhere, and it does not keep the context alive.
public struct ContextNotifications<Element: Sendable>: AsyncSequence, Sendable {
    /// Waiting cannot fail.
    public typealias Failure = Never

    let mailbox: Mailbox<Element>

    /// Goes from notification to notification.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let mailbox: Mailbox<Element>

        /// The next notification; nil when the context has ended, or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await mailbox.take(isolation: actor) }

        /// The next notification, wherever the caller runs.
        public mutating func next() async -> Element? { await mailbox.take(isolation: nil) }
    }

    /// Goes from notification to notification.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }
}
