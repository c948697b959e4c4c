import GrabenLog
import Synchronization

extension PersistentStore {
    /// Whether another process may write the store while it is read here.
    var isFollower: Bool { configuration.isReadOnly && configuration.asOf == nil && log.isFollower }

    /// Moves a store that was opened for reading to the newest commit of whoever writes it.
    ///
    /// Fetches, refreshes and new contexts do it by themselves, so a program calls this only to learn what went wrong. Contexts move when they
    /// would anyway: before a fetch unless they are pinned, and with a refresh.
    /// - Returns: the number of the newest commit that can be read.
    /// - Throws: `GrabenError.store` where the new commits cannot be read; with `.replaced` where another store took this one's place, or a commit
    ///   changed the store's model. What was read before can be read on.
    ///
    /// Complexity: O(1) when nothing has happened, a few microseconds; else O(commits since).
    @discardableResult
    public func follow() throws(GrabenError) -> UInt64 {
        guard isFollower else { return log.newest.commitNumber }
        do { try log.advance() } catch { throw .store(error) }
        return try readable().commitNumber
    }

    /// Waits until the store has a commit after the one of a number, made by anyone, in this process or another.
    ///
    /// - Parameters:
    ///   - number: a commit's number, such as `StoreTransaction.number`.
    ///   - timeout: so many seconds are waited at most.
    /// - Returns: the number of the newest commit; nil when there was none in time.
    /// - Throws: as `follow()`, and `GrabenError.store(.closed)` when the store is closed meanwhile.
    public func waitForCommit(after number: UInt64, timeout: Double) throws(GrabenError) -> UInt64? {
        do {
            guard try log.waitForCommit(after: number, seconds: timeout) != nil else { return nil }
        } catch { throw .store(error) }
        return try readable().commitNumber
    }

    /// The newest snapshot that objects can be read from: a commit that changed the model is passed only where they can still be.
    private func readable() throws(GrabenError) -> LogSnapshot {
        let newest = log.newest
        return try lastReadable.withLock { (last) throws(GrabenError) in
            guard let known = last, known.catalog.version != newest.catalog.version else {
                last = newest
                return newest
            }
            let isSame =
                known.catalog.entities == newest.catalog.entities && known.catalog.layouts == newest.catalog.layouts
                && known.catalog.links == newest.catalog.links
            guard isSame else {
                let reason = "commit \(newest.commitNumber) or one before it changed the store's model"
                throw .store(.replaced(path: configuration.path, reason: reason))
            }
            last = newest
            return newest
        }
    }

    /// The newest snapshot, of a store that others write after a look for what they did. What goes wrong there is handed over, and the last
    /// snapshot that can be read counts.
    func newestSnapshot(onError report: (GrabenError) -> Void) -> LogSnapshot {
        guard isFollower else { return log.newest }
        do { try follow() } catch { report(error) }
        return lastReadable.withLock { $0 } ?? log.newest
    }

    var newestSnapshot: LogSnapshot { newestSnapshot { _ in } }
}
