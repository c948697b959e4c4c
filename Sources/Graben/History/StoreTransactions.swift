import GrabenLog
import Synchronization

/// The transactions of a store, or of all stores of a container, as they are committed, by anyone: any context, this process or another.
///
///     for try await transaction in store.transactions() where transaction.author != "sync" {
///         print(transaction.number, try transaction.changes().count)
///     }
///
/// None is left out: whoever is slow gets them later, as long as they are kept. Of several stores they come in the order of their times, as far as they are
/// there when they are looked for. A transaction's `token` is the place to go on from. Each loop waits on threads of its own, one for each store. It ends when
/// its task is cancelled, within a fifth of a second, or the stores are closed.
public struct StoreTransactions: AsyncSequence, Sendable {
    /// A transaction.
    public typealias Element = StoreTransaction
    /// What can go wrong while one waits.
    public typealias Failure = GrabenError

    let stores: [PersistentStore]
    let start: HistoryToken

    /// Goes from transaction to transaction, waiting for the next.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let stores: [PersistentStore]
        private var token: HistoryToken
        private var known: StoreHistory.Iterator?

        init(_ transactions: StoreTransactions) {
            stores = transactions.stores
            token = transactions.start
        }

        /// The next transaction; nil when the task is cancelled or the stores are closed.
        ///
        /// - Throws: `GrabenError.store`, as `PersistentStore.history(since:)` and `follow()`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(GrabenError) -> StoreTransaction? {
            while !Task.isCancelled {
                if let transaction = known?.next() {
                    token = transaction.token
                    return transaction
                }
                // Of a store that the token says nothing of, what a compaction wrote is no transaction to be waited for.
                let places = stores.map { ($0.log, token.commit(in: $0.uuid) ?? $0.log.oldestHistory) }
                guard try await CommitWait.hasCommit(places) else { return nil }
                var parts: [StoreHistory.Part] = []
                for store in stores { parts.append(try store.historyPart(since: token)) }
                known = StoreHistory(start: token, parts: parts).makeIterator()
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
        StoreTransactions(stores: [self], start: token ?? historyToken)
    }
}

extension PersistentContainer {
    /// The transactions of all stores after a place in history and all that follow, as they are committed by any context.
    ///
    /// - Parameter token: nil for those from now on.
    public func transactions(since token: HistoryToken? = nil) -> StoreTransactions {
        StoreTransactions(stores: coordinator.stores, start: token ?? historyToken)
    }
}

/// Waiting for the first of several logs that has a new commit.
private final class CommitWait: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Result<Bool, LogError>, Never>?
        /// How many logs may still have one.
        var open: Int
    }

    private let state: Mutex<State>
    private let ended = Atomic<Bool>(false)

    private init(_ count: Int) { state = Mutex(State(open: count)) }

    /// Waits for a commit after the one of a number in any of these; false when the task is cancelled or all are closed.
    static func hasCommit(_ places: [(log: Log, number: UInt64)]) async throws(GrabenError) -> Bool {
        let wait = CommitWait(places.count)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.state.withLock { $0.continuation = continuation }
                if places.isEmpty { wait.end(.success(false)) }
                // Waiting in a task would take a thread from the pool that other tasks need, the committing one perhaps.
                for (log, number) in places where !DetachedThread.start({ wait.run(log, number) }) {
                    wait.end(.failure(.system(operation: "starting a thread that waits for", path: log.path, number: Platform.tryAgain)))
                }
            }
        } onCancel: {
            wait.ended.store(true, ordering: .relaxed)
        }
        do { return try result.get() } catch { throw .store(error) }
    }

    private func run(_ log: Log, _ number: UInt64) {
        do throws(LogError) {
            while !ended.load(ordering: .relaxed) {
                let found = try log.waitForCommit(after: number, seconds: 3600) { self.ended.load(ordering: .relaxed) }
                if found != nil { return end(.success(true)) }
            }
            end(.success(false))
        } catch {
            guard case .closed = error else { return end(.failure(error)) }
            let isLast = state.withLock { state in
                state.open -= 1
                return state.open == 0
            }
            if isLast { end(.success(false)) }
        }
    }

    private func end(_ result: Result<Bool, LogError>) {
        ended.store(true, ordering: .relaxed)
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: result)
    }
}
