public import GrabenLog
import GrabenModel
import GrabenPredicate

/// What a request answers, of the kind that its `resultType` says.
public enum FetchResult<Object: ManagedObject> {
    case objects([Object])
    case ids([ObjectID])
    case count(Int)
    case dictionaries([FetchedDictionary])
}

extension ManagedObjectContext {
    /// The objects a request finds, pending changes included.
    ///
    /// Ends the event, and moves the context to the newest snapshot unless it is pinned. Complexity: O(rows of the entity), and
    /// O(n log n) for a sort of n objects found.
    /// - Throws: `GrabenError.unknownEntity`, `.unknownKey`, `.predicate`, `.invalidRequest`, `.store`.
    public func fetch<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> [T] {
        let delivery = try FetchDelivery(request, self)
        prepareToFetch()
        return delivery.objects(try run(request))
    }

    /// The ids of the objects a request finds; no object is made.
    ///
    /// - Throws: as `fetch(_:)`.
    public func fetchIDs<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> [ObjectID] {
        prepareToFetch()
        return try run(request)
    }

    /// How many objects a request finds, its window applied; no object is made.
    ///
    /// - Throws: as `fetch(_:)`.
    public func count<T: ManagedObject>(for request: FetchRequest<T>) throws(GrabenError) -> Int {
        prepareToFetch()
        statistics.fetches += 1
        return try FetchExecution(context: self, info: try entity(of: request), request: FetchParameters(request)).count(variables: [:])
    }

    /// Values of the objects a request finds, or of groups of them: a row for each, with the columns of `propertiesToFetch`.
    ///
    ///     var request = Joint.fetchRequest()
    ///     request.propertiesToFetch = ["layer", .count(), .average(\Joint.z, as: "height")]
    ///     request.propertiesToGroupBy = ["layer"]
    ///     request.havingPredicate = try ObjectPredicate(format: "count > 10")
    ///     for row in try context.fetchDictionaries(request) { print(row["layer"], row["height"]) }
    ///
    /// What is saved counts and nothing else. An aggregate without groups makes one row, whatever there is. Order, `havingPredicate` and
    /// window are of rows. A to-one column has the other object's id.
    /// - Throws: as `fetch(_:)`; `.invalidRequest` also for columns that no row can hold, and for those that are neither grouped by nor
    ///   aggregates; `.wrongType` where a value is not of its column's type.
    public func fetchDictionaries<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> [FetchedDictionary] {
        prepareToFetch()
        statistics.fetches += 1
        let parameters = FetchParameters(request)
        return try DictionaryFetch(context: self, info: try entity(of: request), request: parameters, variables: [:]).run()
    }

    /// What a request answers, of the kind that its `resultType` says.
    ///
    /// - Throws: as the kind's own method.
    public func execute<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> FetchResult<T> {
        switch request.resultType {
        case .objects: .objects(try fetch(request))
        case .ids: .ids(try fetchIDs(request))
        case .count: .count(try count(for: request))
        case .dictionaries: .dictionaries(try fetchDictionaries(request))
        }
    }

    func prepareToFetch() {
        processPendingChanges()
        if !root.isPinned, !isPinned { root.advanceSnapshots(merging: root.automaticallyMergesChangesFromParent) }
    }

    func run<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> [ObjectID] {
        statistics.fetches += 1
        return try FetchExecution(context: self, info: try entity(of: request), request: FetchParameters(request)).run(variables: [:])
    }

    func entity<T: ManagedObject>(of request: FetchRequest<T>) throws(GrabenError) -> EntityInfo {
        if let name = request.entityName { return try coordinator.info(named: name) }
        return try coordinator.info(of: T.self)
    }
}
