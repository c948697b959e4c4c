public import GrabenLog
import GrabenModel
public import GrabenPredicate

/// What to fetch: an entity's objects that match a predicate, in an order, or a window of them.
public struct FetchRequest<Result: ManagedObject> {
    /// The entity's name; nil means the entity that the result's class is bound to.
    public var entityName: String?
    /// Which objects; nil for all.
    public var predicate: ObjectPredicate?
    /// In which order; ties, and everything where there is none, by id.
    public var sortDescriptors: [ObjectSortDescriptor] = []
    /// The greatest number of objects; 0 for no limit.
    public var fetchLimit = 0
    /// How many to leave out at the beginning.
    public var fetchOffset = 0
    /// Whether unsaved changes count; true unless changed. With false, membership is the store's and objects still show their values.
    public var includesPendingChanges = true
    /// Whether objects of sub-entities count; true unless changed.
    public var includesSubentities = true
    /// Whether objects come as faults where they are not realised; true unless changed.
    public var returnsObjectsAsFaults = true
    /// Whether objects the context has realised take the values of the newest commit.
    public var shouldRefreshRefetchedObjects = false
    /// The stores to look in; nil for all.
    public var affectedStores: [PersistentStore]?

    /// A request for the objects of an entity by name.
    public init(entity name: String, predicate: ObjectPredicate? = nil, sortDescriptors: [ObjectSortDescriptor] = []) {
        entityName = name
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
    }

    /// A request for the objects of the entity that the class is bound to.
    public init(predicate: ObjectPredicate? = nil, sortDescriptors: [ObjectSortDescriptor] = []) {
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
    }
}

/// Lets `Joint.fetchRequest()` have the type of its class.
public protocol Fetchable: ManagedObject {}
extension ManagedObject: Fetchable {}

extension Fetchable {
    /// A request for all objects of the class's entity.
    public static func fetchRequest() -> FetchRequest<Self> { FetchRequest() }

    /// A request for the objects of the class's entity that match a predicate in the format language.
    ///
    /// - Throws: `GrabenError.predicate` where the format cannot be parsed.
    public static func fetchRequest(
        where format: String, _ arguments: (any PredicateArgument)?...
    ) throws(GrabenError) -> FetchRequest<Self> {
        do throws(ObjectPredicateError) {
            return FetchRequest(predicate: try ObjectPredicate(format: format, arguments: arguments))
        } catch { throw .predicate(error) }
    }
}

extension ManagedObject: PredicateArgument {
    /// The object's id, which equals the object.
    public final var predicateLiteral: PredicateLiteral { .value(.reference(objectID)) }
}

extension ManagedObjectContext {
    /// The objects a request finds, pending changes included.
    ///
    /// Ends the event, and moves the context to the newest snapshot unless it is pinned. Complexity: O(rows of the entity), and
    /// O(n log n) for a sort of n objects found.
    /// - Throws: `GrabenError.unknownEntity`, `.predicate`, `.invalidRequest`, `.store`.
    public func fetch<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> [T] {
        prepareToFetch()
        return try run(request).compactMap { object(with: $0, as: T.self, request) }
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
        var unsorted = request
        unsorted.sortDescriptors = []
        return try run(unsorted).count
    }

    private func prepareToFetch() {
        processPendingChanges()
        if !root.isPinned, !isPinned { root.advanceSnapshots(merging: root.automaticallyMergesChangesFromParent) }
    }

    private func object<T: ManagedObject>(with id: ObjectID, as type: T.Type, _ request: FetchRequest<T>) -> T? {
        let object = object(with: id)
        if request.shouldRefreshRefetchedObjects, !object.isFault, !object.hasChanges { object.rebaseOnSnapshot(events: .refresh) }
        if !request.returnsObjectsAsFaults { object.fireIfNeeded() }
        return object as? T
    }

    func run<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> [ObjectID] {
        statistics.fetches += 1
        return try FetchExecution(context: self, info: try entity(of: request), request: FetchParameters(request)).run(variables: [:])
    }

    private func entity<T: ManagedObject>(of request: FetchRequest<T>) throws(GrabenError) -> EntityInfo {
        if let name = request.entityName { return try coordinator.info(named: name) }
        return try coordinator.info(of: T.self)
    }
}

/// A request without the type of its result.
struct FetchParameters {
    var predicate: ObjectPredicate?
    var sort: [ObjectSortDescriptor]
    var limit: Int
    var offset: Int
    var includesPendingChanges = true
    var includesSubentities = true
    var stores: [PersistentStore]?

    /// What a model says of a fetch. Copied for each evaluation, so that nothing of it can be changed by one.
    ///
    /// - Throws: where its predicate or order cannot be read.
    init(_ description: FetchRequestDescription) throws(ObjectPredicateError) {
        if let format = description.predicateFormat { predicate = try ObjectPredicate(format: format) }
        sort = try description.sort.map { (text) throws(ObjectPredicateError) in try ObjectSortDescriptor(text: text) }
        limit = description.limit ?? 0
        offset = description.offset
        includesPendingChanges = description.includesPendingChanges
        includesSubentities = description.includesSubentities
    }

    init<T: ManagedObject>(_ request: FetchRequest<T>) {
        predicate = request.predicate
        sort = request.sortDescriptors
        limit = request.fetchLimit
        offset = request.fetchOffset
        includesPendingChanges = request.includesPendingChanges
        includesSubentities = request.includesSubentities
        stores = request.affectedStores
    }
}
