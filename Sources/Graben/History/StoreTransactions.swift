import GrabenLog
import Synchronization

/// The transactions of a store as they are committed, by anyone, in this process or another.
///
///     for try await transaction in store.transactions() where transaction.author != "sync" {
///         print(transaction.number, try transaction.changes().count)
///     }
///
/// None is left out: whoever is slow gets them later, as long as they are kept. Each loop waits on a thread of its own. It ends when its task is
/// cancelled, within a fifth of a second, or the store is closed.
public struct StoreTransactions: AsyncSequence, Sendable {
    /// A transaction.
    public typealias Element = StoreTransaction
    /// What can go wrong while one waits.
    public typealias Failure = GrabenError

    let store: PersistentStore
    let start: HistoryToken

    /// Goes from transaction to transaction, waiting for the next.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let store: PersistentStore
        private var token: HistoryToken
        private var known: StoreHistory.Iterator?

        init(_ transactions: StoreTransactions) {
            store = transactions.store
            token = transactions.start
        }

        /// The next transaction; nil when the task is cancelled or the store is closed.
        ///
        /// - Throws: `GrabenError.store`, as `PersistentStore.history(since:)` and `follow()`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(GrabenError) -> StoreTransaction? {
            while !Task.isCancelled {
                if let transaction = known?.next() {
                    token = transaction.token
                    return transaction
                }
                // Of a store that the token says nothing of, what a compaction wrote is no transaction to be waited for.
                let last = token.commit(in: store.uuid) ?? store.log.oldestHistory
                guard try await store.hasCommit(after: last) else { return nil }
                known = try store.history(since: token).makeIterator()
            }
            return nil
        }

        /// The next transaction, wherever the caller runs.
        public mutating func next() async throws(GrabenError) -> StoreTransaction? { try await next(isolation: nil) }
    }

    /// Goes from transaction to transaction.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension PersistentStore {
    /// The transactions after a place in history and all that follow, as they are committed.
    ///
    /// - Parameter token: nil for those from now on.
    public func transactions(since token: HistoryToken? = nil) -> StoreTransactions {
        StoreTransactions(store: self, start: token ?? historyToken)
    }

    /// Waits for a commit after the one of a number; false when the task is cancelled or the store closed.
    fileprivate func hasCommit(after number: UInt64) async throws(GrabenError) -> Bool {
        let isCancelled = Flag()
        let log = log
        let result: Result<Bool, LogError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Waiting in a task would take a thread from the pool that other tasks need, the committing one perhaps.
                let hasThread = DetachedThread.start {
                    do throws(LogError) {
                        var found = false
                        while !found, !isCancelled.isSet {
                            found = try log.waitForCommit(after: number, seconds: 3600) { isCancelled.isSet } != nil
                        }
                        continuation.resume(returning: .success(found))
                    } catch {
                        if case .closed = error { return continuation.resume(returning: .success(false)) }
                        continuation.resume(returning: .failure(error))
                    }
                }
                if !hasThread {
                    continuation.resume(
                        returning: .failure(
                            .system(operation: "starting a thread that waits for", path: log.path, number: Platform.tryAgain)))
                }
            }
        } onCancel: {
            isCancelled.set()
        }
        do { return try result.get() } catch { throw .store(error) }
    }
}

/// Something that happens once.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
