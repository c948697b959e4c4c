import GrabenModel
import GrabenPredicate

/// A request without the type of its result.
struct FetchParameters: Sendable {
    var predicate: ObjectPredicate?
    var boundingBox: BoundingBox?
    var sort: [ObjectSortDescriptor]
    var limit: Int
    var offset: Int
    var includesPendingChanges = true
    var includesSubentities = true
    var stores: [PersistentStore]?
    var columns: [FetchColumn] = []
    var groupBy: [FetchColumn] = []
    var having: ObjectPredicate?
    var isDistinct = false

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
        boundingBox = request.boundingBox
        sort = request.sortDescriptors
        limit = request.fetchLimit
        offset = request.fetchOffset
        includesPendingChanges = request.includesPendingChanges
        includesSubentities = request.includesSubentities
        stores = request.affectedStores
        columns = request.propertiesToFetch
        groupBy = request.propertiesToGroupBy
        having = request.havingPredicate
        isDistinct = request.returnsDistinctResults && !request.propertiesToFetch.isEmpty
    }
}
