import GrabenLog

/// The transactions after a place in history, oldest first; of several stores in order of their times.
///
/// Each is a few words until its changes are asked for, and they are read one at a time, so a long history takes no more memory than a
/// short one.
public struct StoreHistory: Sequence, Sendable {
    struct Part: Sendable {
        let store: PersistentStore
        let log: LogHistory
        let models = HistoryModels()
    }

    let start: HistoryToken
    let parts: [Part]

    /// Goes from transaction to transaction.
    public struct Iterator: IteratorProtocol {
        private let parts: [Part]
        private var iterators: [LogHistory.Iterator]
        private var heads: [LogTransaction?]
        private var token: HistoryToken

        init(_ history: StoreHistory) {
            parts = history.parts
            iterators = parts.map { $0.log.makeIterator() }
            heads = []
            token = history.start
            for place in iterators.indices { heads.append(iterators[place].next()) }
        }

        /// The next transaction; nil after the last.
        public mutating func next() -> StoreTransaction? {
            var first: Int?
            for (place, head) in heads.enumerated() {
                guard let head else { continue }
                if let chosen = first, let other = heads[chosen], other.info.time <= head.info.time { continue }
                first = place
            }
            guard let first, let head = heads[first] else { return nil }
            heads[first] = iterators[first].next()
            let store = parts[first].store
            token.positions[store.uuid] = .init(commit: head.info.number, time: head.info.time)
            return StoreTransaction(log: head, models: parts[first].models, store: store, token: token)
        }
    }

    /// Goes from transaction to transaction.
    public func makeIterator() -> Iterator { Iterator(self) }
}

extension PersistentStore {
    /// The place in history after the newest commit.
    public var historyToken: HistoryToken { HistoryToken([uuid: position(of: newestSnapshot)]) }

    func position(of snapshot: LogSnapshot) -> HistoryToken.Position {
        .init(commit: snapshot.commitNumber, time: snapshot.metadata.time)
    }

    /// The transactions after a place in history, oldest first, up to the newest commit.
    ///
    /// It is read from the commits in the store's file; nothing is kept beside them. What the first commit of a compacted file holds is no
    /// transaction.
    ///
    /// - Parameter token: nil, or one that says nothing of this store, for all the history that is kept.
    /// - Throws: `GrabenError.store`: `.historyExpired` where a compaction has removed some of what came after the token, `.historyForeign` where it is
    ///   of a copy that went its own way, `.damaged`.
    ///
    /// Complexity: O(transactions) here and then for each.
    public func history(since token: HistoryToken? = nil) throws(GrabenError) -> StoreHistory {
        StoreHistory(start: token ?? HistoryToken([:]), parts: [try historyPart(since: token)])
    }

    func historyPart(since token: HistoryToken?) throws(GrabenError) -> StoreHistory.Part {
        let position = token?.positions[uuid]
        do {
            return StoreHistory.Part(
                store: self, log: try log.history(since: position?.commit ?? log.oldestHistory, madeAt: position?.historyTime))
        } catch { throw .store(error) }
    }
}

extension HistoryToken {
    /// The place before a store's first commit: history since then is all that ever was, and an error once a compaction has taken any of it.
    public static func beginning(of store: PersistentStore) -> HistoryToken { HistoryToken([store.uuid: Position(commit: 0, time: 0)]) }
}

extension HistoryToken.Position {
    /// Nothing was made at the beginning, so no time can be compared.
    var historyTime: Double? { commit == 0 ? nil : time }
}

extension PersistentStoreCoordinator {
    /// The place in history after the newest commit of every store.
    public var historyToken: HistoryToken {
        var token = HistoryToken([:])
        for store in stores { token.positions[store.uuid] = store.position(of: store.newestSnapshot) }
        return token
    }

    /// The transactions of all stores after a place in history; see `PersistentStore.history(since:)`.
    ///
    /// - Throws: `GrabenError.store`.
    public func history(since token: HistoryToken? = nil) throws(GrabenError) -> StoreHistory {
        var parts: [StoreHistory.Part] = []
        for store in stores { parts.append(try store.historyPart(since: token)) }
        return StoreHistory(start: token ?? HistoryToken([:]), parts: parts)
    }
}

extension PersistentContainer {
    /// The place in history after the newest commit of every store.
    public var historyToken: HistoryToken { coordinator.historyToken }

    /// The transactions of all stores after a place in history; see `PersistentStore.history(since:)`.
    ///
    ///     let mine = try container.history(since: token).lazy.filter { $0.author != "sync" }
    ///
    /// - Throws: `GrabenError.store`.
    public func history(since token: HistoryToken? = nil) throws(GrabenError) -> StoreHistory {
        try coordinator.history(since: token)
    }
}

extension ManagedObjectContext {
    /// The place in history that the context reads: what comes after it is not in its objects yet.
    public var historyToken: HistoryToken {
        var token = HistoryToken([:])
        let root = root
        for store in coordinator.stores {
            if let snapshot = root.snapshots[store.number] { token.positions[store.uuid] = store.position(of: snapshot) }
        }
        return token
    }
}
