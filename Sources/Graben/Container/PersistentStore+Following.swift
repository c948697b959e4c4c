import GrabenLog
import Synchronization

extension PersistentStore {
    /// Whether another process may write the store while it is read here.
    var isFollower: Bool { configuration.isReadOnly && configuration.asOf == nil && log.isFollower }

    /// Moves a store that was opened for reading to the newest commit of whoever writes it.
    ///
    /// Fetches, refreshes and new contexts do it by themselves, so a program calls this only to learn what went wrong. Contexts move when they
    /// would anyway: before a fetch unless they are pinned, and with a refresh.
    ///
    /// A commit that changed the store's model is passed where the objects can still be read as this program's model has them: what is new in it is
    /// not seen, and what it lacks has its default in objects written since.
    /// - Returns: the number of the newest commit that can be read.
    /// - Throws: `GrabenError.store` where the new commits cannot be read; with `.replaced` where another store took this one's place, or a commit
    ///   changed the model in a way that keeps objects from being read. What was read before can be read on.
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

    /// The newest snapshot that objects can be read from: a commit that changed the model is passed where they still can be.
    private func readable() throws(GrabenError) -> LogSnapshot {
        let newest = log.newest
        return try lastReadable.withLock { (last) throws(GrabenError) in
            if let known = last, known.catalog.version != newest.catalog.version {
                if let obstacle = obstacle(to: newest.catalog, after: known.catalog) {
                    let reason = "commit \(newest.commitNumber) or one before it changed the store's model: \(obstacle)"
                    throw .store(.replaced(path: configuration.path, reason: reason))
                }
                for stored in entityList { stored.learnLayouts(of: newest.catalog) }
            }
            last = newest
            return newest
        }
    }

    /// What keeps objects from being read on as the model has them, now that the file has another; nil where nothing does.
    ///
    /// What counts is what an opening for reading under this model would find. Besides, everything must be where objects that are held look for
    /// it: entities, links and lanes under the numbers they had.
    private func obstacle(to catalog: Catalog, after former: Catalog) -> String? {
        guard let model else { return "the store is not bound to a model" }
        let builder: CatalogBuilder
        do throws(ModelError) {
            builder = try CatalogBuilder(model, previous: catalog)
            if let refused = try builder.differences(isReadOnly: true).first(where: { $0.effect == .refused }) {
                return refused.description
            }
        } catch { return "\(error)" }
        for stored in entityList {
            let name = stored.info.name
            guard catalog.entity(stored.code)?.name == former.entity(stored.code)?.name, builder.codes[stored.info.index] == stored.code
            else {
                return "\(name) is called otherwise or not there any more"
            }
            // The layout of a reader's own, for a file that had another already, has a number that the file may have given since.
            if let known = catalog.layout(stored.layout.number), known != stored.layout {
                return "the records of \(name) are laid out anew"
            }
        }
        for link in former.links where catalog.link(link.code) != link { return "\(link.name) is called otherwise or kept in another way" }
        return nil
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
