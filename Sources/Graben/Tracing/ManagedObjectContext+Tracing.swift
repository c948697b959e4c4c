extension ManagedObjectContext {
    /// Runs a request, and tells of it.
    func traced<R>(
        _ entity: String, _ predicate: @autoclosure () -> String?, count: (R) -> Int, plan: () -> String? = { nil },
        _ body: () throws(GrabenError) -> R
    ) throws(GrabenError) -> R {
        guard let traceHandler else { return try body() }
        let start = ContinuousClock.now
        do throws(GrabenError) {
            let result = try body()
            traceHandler(
                .fetch(
                    FetchTrace(
                        entity: entity, predicate: predicate(), count: count(result), plan: plan(), duration: .now - start, failure: nil)))
            return result
        } catch {
            traceHandler(
                .fetch(
                    FetchTrace(
                        entity: entity, predicate: predicate(), count: 0, plan: plan(), duration: .now - start, failure: "\(error)")))
            throw error
        }
    }

    /// Runs a save, and tells of it.
    func tracedSave(_ body: () throws(GrabenError) -> ContextSave) throws(GrabenError) {
        guard let traceHandler else {
            _ = try body()
            return
        }
        let start = ContinuousClock.now
        let before = statistics
        func tell(_ save: ContextSave, _ failure: String?) {
            traceHandler(
                .save(
                    SaveTrace(
                        inserted: save.inserted.count, updated: save.updated.count, deleted: save.deleted.count,
                        commits: statistics.commits - before.commits, syncs: statistics.syncs - before.syncs, duration: .now - start,
                        failure: failure)))
        }
        do throws(GrabenError) {
            tell(try body(), nil)
        } catch {
            tell(ContextSave(), "\(error)")
            throw error
        }
    }
}
