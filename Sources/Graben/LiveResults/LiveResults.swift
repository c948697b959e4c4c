public import GrabenLog

/// The objects a request finds, now and whenever it is looked at: a collection that follows the changes of its context.
///
///     let high = try context.liveResults(Joint.fetchRequest(where: "z > 700"))
///     for await difference in high.differences { redraw(difference) }
///
/// It belongs to its context and is used where that is. Places change with what is found, so whoever walks it while changing objects works on
/// `objectIDs` or an array of it.
public final class LiveResults<Object: ManagedObject>: RandomAccessCollection {
    private let controller: FetchedResultsController<Object>

    init(_ controller: FetchedResultsController<Object>) { self.controller = controller }

    /// What is fetched.
    public var request: FetchRequest<Object> { controller.request }
    /// The ids of what is found, in order.
    public var objectIDs: [ObjectID] { controller.snapshot.sections.first?.objectIDs ?? [] }
    /// The result as it is known to be, of one section.
    public var snapshot: FetchedResultsSnapshot { controller.snapshot }

    /// 0.
    public var startIndex: Int { 0 }
    /// How many objects are found.
    public var endIndex: Int { controller.snapshot.sections.first?.objectIDs.count ?? 0 }
    /// The object at a place, a fault where the context has not met it. Complexity: O(1).
    public subscript(position: Int) -> Object {
        guard let object = controller.object(at: ResultPath(section: 0, item: position)) else {
            preconditionFailure("a live result of \(count) objects has none at \(position)")
        }
        return object
    }

    /// Where an object is; nil where it is not found. Complexity: O(1), but O(objects) the first time after a change.
    public func index(of object: ManagedObject) -> Int? { controller.path(of: object)?.item }

    /// Calls `handler` with each difference, when the collection has changed already, until the token is cancelled or released; see
    /// `FetchedResultsController.onChange(_:)`.
    public func onChange(_ handler: @escaping (FetchedResultsDifference) -> Void) -> NotificationToken { controller.onChange(handler) }

    /// The differences from now on, one after the other. Ends with the collection.
    public var differences: FetchedResultsDifferences { controller.differences }
}

extension ManagedObjectContext {
    /// What a request finds, kept up to date. Without an order it is by id.
    ///
    /// - Throws: as `fetch(_:)`; `GrabenError.invalidRequest` where the request is for something else than objects, or its entity's objects
    ///   are of another class.
    public func liveResults<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> LiveResults<T> {
        try checkClass(of: request)
        let controller = try FetchedResultsController(checking: request, self, nil)
        try controller.performFetch()
        return LiveResults(controller)
    }
}
