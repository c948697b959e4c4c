import GrabenLog

/// The differences of a result, as they come: applied in turn to the result that there was when the sequence was made, they make each later one.
///
///     for await difference in controller.differences { table.apply(difference) }
///
/// It ends with the controller, and does not keep it alive. A reader that falls more than sixteen differences behind gets those that follow joined into
/// one, from the result it was told of last to the newest, so what waits is bounded by the objects there are and not by the changes. Each look at the
/// property makes a sequence of its own; several loops over one share what comes. It holds ids only and may go anywhere.
public struct FetchedResultsDifferences: AsyncSequence, Sendable {
    /// Waiting cannot fail.
    public typealias Failure = Never

    /// One difference, or several in one.
    enum Step: Sendable {
        /// The last that waits: those that come are joined to it, and worked out when it is asked for.
        case open(FetchedResultsDifference?, old: FetchedResultsSnapshot, new: FetchedResultsSnapshot, changed: Set<ObjectID>)
        /// Another one waits behind it.
        case settled(FetchedResultsDifference)

        var difference: FetchedResultsDifference {
            switch self {
            case .open(let known, let old, let new, let changed):
                known ?? FetchedResultsDifference(from: old, to: new, changed: changed)
            case .settled(let difference): difference
            }
        }

        mutating func settle() { self = .settled(difference) }

        mutating func join(_ next: Step) {
            guard case .open(_, let old, _, let changed) = self, case .open(_, _, let new, let more) = next else { return }
            self = .open(nil, old: old, new: new, changed: changed.union(more))
        }
    }

    let mailbox: Mailbox<Step>

    static func makeMailbox() -> Mailbox<Step> { Mailbox(settledBy: { $0.settle() }, joinedBy: { $0.join($1) }) }

    /// Goes from difference to difference.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let mailbox: Mailbox<Step>

        /// The next difference; nil when the controller has ended, or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> FetchedResultsDifference? {
            while let step = await mailbox.take(isolation: actor) {
                // What was joined may have come to nothing.
                let difference = step.difference
                if !difference.isEmpty { return difference }
            }
            return nil
        }

        /// The next difference, wherever the caller runs.
        public mutating func next() async -> FetchedResultsDifference? { await next(isolation: nil) }
    }

    /// Goes from difference to difference.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }
}
