public import GrabenLog
import GrabenModel
import GrabenPredicate

extension ManagedObjectContext {
    /// The objects a request finds, as `fetch(_:)`, while another thread searches the stores; whoever awaits it holds up nobody.
    ///
    ///     let task = Task { @MainActor in try await container.viewContext.fetch(asynchronously: request) }
    ///     task.cancel()
    ///
    /// What is unsaved when the answer comes counts. A request whose predicate or order follows relationships to unsaved objects, or reads
    /// transient properties, is run by the caller's thread, since only the context has what it looks at.
    /// - Throws: `GrabenError.cancelled` where the task is cancelled before it is done; as `fetch(_:)` besides.
    public nonisolated(nonsending) func fetch<T: ManagedObject>(asynchronously request: FetchRequest<T>) async throws(GrabenError) -> [T] {
        let delivery = try FetchDelivery(request, self)
        return delivery.objects(try await fetchIDs(asynchronously: request))
    }

    /// The ids of the objects a request finds, while another thread searches the stores.
    ///
    /// - Throws: as `fetch(asynchronously:)`.
    public nonisolated(nonsending) func fetchIDs<T: ManagedObject>(
        asynchronously request: FetchRequest<T>
    ) async throws(GrabenError) -> [ObjectID] {
        let info = try entity(of: request)
        let parameters = FetchParameters(request)
        // A save or a refresh meanwhile makes the answer one of an earlier commit; who saves all the time is answered at once in the end.
        for _ in 0..<3 {
            prepareToFetch()
            let hasPending = parameters.includesPendingChanges && sequence(first: self, next: \.parent).contains { $0.hasChanges }
            guard canSearchElsewhere(parameters, info, hasPending: hasPending) else { break }
            statistics.fetches += 1
            let snapshots = root.snapshots
            let found = try await Self.elsewhere(info, coordinator, snapshots, parameters) { execution throws(GrabenError) in
                try execution.storeSide(isCut: !hasPending)
            }
            guard !isClosed else { throw .noContext(entity: info.name, doing: "fetching") }
            guard root.snapshots.allSatisfy({ $1 === snapshots[$0] }) else { continue }
            // What was cut off may be needed in the place of what is deleted now.
            if !hasPending, parameters.includesPendingChanges, sequence(first: self, next: \.parent).contains(where: { $0.hasChanges }) {
                continue
            }
            return try FetchExecution(context: self, info: info, request: parameters).finish(found)
        }
        guard !isClosed else { throw .noContext(entity: info.name, doing: "fetching") }
        prepareToFetch()
        statistics.fetches += 1
        return try FetchExecution(context: self, info: info, request: parameters, isCancelled: { Task.isCancelled }).run(variables: [:])
    }

    /// The dictionaries a request finds, while another thread searches the stores and makes them.
    ///
    /// - Throws: as `fetchDictionaries(_:)`; `.cancelled`.
    public nonisolated(nonsending) func fetchDictionaries<T: ManagedObject>(
        asynchronously request: FetchRequest<T>
    ) async throws(GrabenError) -> [FetchedDictionary] {
        let info = try entity(of: request)
        let parameters = FetchParameters(request)
        prepareToFetch()
        statistics.fetches += 1
        guard canSearchElsewhere(parameters, info, hasPending: false) else {
            return try DictionaryFetch(
                context: self, info: info, request: parameters, variables: [:], isCancelled: { Task.isCancelled }
            ).run()
        }
        return try await Self.elsewhere(info, coordinator, root.snapshots, parameters) { execution throws(GrabenError) in
            try DictionaryFetch(
                context: execution.context, info: execution.info, request: execution.request, variables: [:],
                isCancelled: execution.isCancelled
            ).run()
        }
    }

    /// Whether the stores alone can answer, without any object of the context.
    private func canSearchElsewhere(_ request: FetchParameters, _ info: EntityInfo, hasPending: Bool) -> Bool {
        let order = request.sort.map { $0.keyPath.split(separator: ".").map(String.init) }
        let isOfOwnProperties = ResultPlan.entities(of: info, (request.predicate?.keyPaths ?? []) + order) != nil
        if isOfOwnProperties { return true }
        return !hasPending && coordinator.infos.allSatisfy { !$0.hasTransients }
    }

    /// Runs a search in a context of its own, on another thread, until it is done or the caller's task is cancelled.
    private nonisolated(nonsending) static func elsewhere<R: Sendable>(
        _ info: EntityInfo, _ coordinator: PersistentStoreCoordinator, _ snapshots: [UInt32: LogSnapshot], _ request: FetchParameters,
        _ search: @escaping @Sendable (FetchExecution) throws(GrabenError) -> R
    ) async throws(GrabenError) -> R {
        let task = Task.detached { () -> Result<R, GrabenError> in
            let scout = ManagedObjectContext(coordinator: coordinator, parent: nil)
            scout.snapshots = snapshots
            var request = request
            request.includesPendingChanges = false
            let execution = FetchExecution(context: scout, info: info, request: request, isCancelled: { Task.isCancelled })
            return Result { () throws(GrabenError) in
                if Task.isCancelled { throw .cancelled(what: "fetching \(info.name)") }
                return try search(execution)
            }
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if Task.isCancelled { throw .cancelled(what: "fetching \(info.name)") }
        return try result.get()
    }
}
