import GrabenLog

/// What compacting a store came to.
public struct StoreCompaction: Sendable, Equatable {
    /// The length of the store's file before, in bytes.
    public let byteCountBefore: UInt64
    /// Its length afterwards, in bytes.
    public let byteCountAfter: UInt64
}

extension StoreCompaction {
    init?(_ compaction: LogCompaction?) {
        guard let compaction else { return nil }
        self.init(byteCountBefore: compaction.byteCountBefore, byteCountAfter: compaction.byteCountAfter)
    }
}

extension PersistentStore {
    /// Writes what lives into a new file that takes the store's place; what was deleted or replaced goes, and so does history, but for what
    /// `StoreConfiguration.historyRetention` keeps.
    ///
    /// Any number of contexts may read and save meanwhile: each reads on in the old file until its snapshot advances, and merges as ever.
    /// Objects keep their ids. The room of the old file is free once no context reads it any more. A failure or a crash leaves the store as it was.
    ///
    /// - Parameter progress: gets the fraction done, from 0 to 1, now and then on the calling thread; answering false ends the compaction.
    /// - Returns: the sizes, or nil when `progress` ended it.
    /// - Throws: `GrabenError.store` when the store was opened read-only or is closed, a compaction is running, or the disk is full or fails.
    ///
    /// Complexity: O(data of the store); memory does not grow with it.
    @discardableResult
    public func compact(progress: @escaping (Double) -> Bool = { _ in true }) throws(GrabenError) -> StoreCompaction? {
        do { return StoreCompaction(try log.compact(progress: progress)) } catch { throw .store(error) }
    }

    /// Removes the history before a token, whatever `StoreConfiguration.historyRetention` says, by compacting the store up to there.
    ///
    /// Asking for history since an earlier token is an error from then on, and so is opening the store as of an earlier commit. A token before
    /// all that is kept removes nothing.
    ///
    /// - Parameters:
    ///   - token: the first place in history that is kept; one that says nothing of this store removes nothing.
    ///   - progress: as of `compact(progress:)`.
    /// - Returns: the sizes, or nil when `progress` ended it.
    /// - Throws: as `compact(progress:)`, and `GrabenError.store(.historyForeign)` for a token that is ahead of the store.
    ///
    /// Complexity: O(size of the file).
    @discardableResult
    public func deleteHistory(
        before token: HistoryToken, progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(GrabenError) -> StoreCompaction? {
        let commit = token.commit(in: uuid) ?? 0
        do {
            // A token of another store's past must not decide what is removed of this one.
            if commit > log.oldestHistory { _ = try log.history(since: commit, madeAt: token.positions[uuid]?.historyTime) }
            return StoreCompaction(try log.compact(keepingAfter: commit, progress: progress))
        } catch { throw .store(error) }
    }

    /// Copies the store into a new file, as of the newest commit, while it may be read and written.
    ///
    /// The copy has the store's identity and history, was closed cleanly, and needs nothing beside it. It is read back before the call returns; one
    /// that was interrupted cannot be opened.
    ///
    /// - Parameters:
    ///   - path: where the copy goes; no file may be there.
    ///   - progress: as of `compact(progress:)`.
    /// - Returns: whether it was made; false when `progress` ended it, and then nothing is left of it.
    /// - Throws: `GrabenError.store` when a file is there already, the store is closed or damaged, or the disk is full or fails.
    ///
    /// Complexity: O(size of the file).
    @discardableResult
    public func backup(to path: String, progress: (Double) -> Bool = { _ in true }) throws(GrabenError) -> Bool {
        do { return try log.backup(to: path, in: RealFileSystem(), progress: progress) } catch { throw .store(error) }
    }
}

extension PersistentContainer {
    /// Removes the history before a token of every store that can be written; see `PersistentStore.deleteHistory(before:progress:)`.
    ///
    /// - Throws: `GrabenError.store`; the stores before the one that failed have been dealt with.
    public func deleteHistory(before token: HistoryToken) throws(GrabenError) {
        for store in coordinator.stores where !store.configuration.isReadOnly { try store.deleteHistory(before: token) }
    }

    /// Compacts every store that can be written, one after the other; see `PersistentStore.compact(progress:)`.
    ///
    /// - Throws: `GrabenError.store`; the stores before the one that failed are compacted.
    public func compact() throws(GrabenError) {
        for store in coordinator.stores where !store.configuration.isReadOnly { try store.compact() }
    }
}
