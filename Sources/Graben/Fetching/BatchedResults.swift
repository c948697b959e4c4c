public import GrabenLog

/// What a request found, read in pages: the ids are known from the beginning, the objects are made when they are asked for, and a page of them
/// is realised at once.
///
/// It belongs to its context and is used where that is. It does not change: objects that are deleted later are still in it, and say so. An
/// array made of it holds faults and reads no page.
public final class BatchedResults<Object: ManagedObject>: RandomAccessCollection {
    /// The ids of all that was found, in order.
    public let objectIDs: [ObjectID]
    /// How many objects are realised at a time.
    public let batchSize: Int
    /// The context the objects are of.
    public let context: ManagedObjectContext
    private let delivery: FetchDelivery<Object>
    /// The page read last, held so that a sweep does not let go of what is about to be read.
    // Exclusivity is unchecked: it belongs to its context's user, and nothing that makes a page comes back to it.
    @exclusivity(unchecked) private var page: (number: Int, objects: [Object])?

    init(_ ids: [ObjectID], _ batchSize: Int, _ delivery: FetchDelivery<Object>, _ context: ManagedObjectContext) {
        objectIDs = ids
        self.batchSize = batchSize > 0 ? batchSize : Swift.max(ids.count, 1)
        self.delivery = delivery
        self.context = context
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// How many objects were found.
    public var endIndex: Int { objectIDs.count }

    /// The object at a place, realised with the others of its page. Complexity: O(1), O(batch size) where the page is another one.
    public subscript(position: Int) -> Object {
        let number = position / batchSize
        if page?.number != number {
            let objects = objects(objectIDs[number * batchSize..<Swift.min((number + 1) * batchSize, objectIDs.count)])
            delivery.realise(page: objects)
            page = (number, objects)
            return objects[position % batchSize]
        }
        return page?.objects[position % batchSize] ?? objects(objectIDs[position...position])[0]
    }

    private func objects(_ ids: ArraySlice<ObjectID>) -> [Object] {
        let objects = delivery.faults(ids)
        precondition(objects.count == ids.count, "the ids of a batched result are of its objects' class")
        return objects
    }

    /// The objects without reading any page.
    public func faults() -> [Object] { objects(objectIDs[...]) }

    /// For `Array(results)`, which asks for all objects and looks at none.
    public func _copyToContiguousArray() -> ContiguousArray<Object> { ContiguousArray(faults()) }
}

extension ManagedObjectContext {
    /// What a request finds as a collection that is read in pages of `fetchBatchSize` objects.
    ///
    /// - Throws: as `fetch(_:)`; `.invalidRequest` where the entity's objects are of another class than the request's.
    public func fetchBatched<T: ManagedObject>(_ request: FetchRequest<T>) throws(GrabenError) -> BatchedResults<T> {
        guard request.fetchBatchSize >= 0 else { throw .invalidRequest(reason: "fetching in batches: the batch size cannot be negative") }
        try checkClass(of: request)
        let delivery = try FetchDelivery(request, self)
        prepareToFetch()
        return BatchedResults(try run(request), request.fetchBatchSize, delivery, self)
    }

    /// Refuses a request whose objects cannot all be of its class: a collection that is read by place has no way to leave one out.
    func checkClass<T: ManagedObject>(of request: FetchRequest<T>) throws(GrabenError) {
        let info = try entity(of: request)
        for number in info.entity.concreteDescendants where !(coordinator.infos[number].objectClass is T.Type) {
            throw .invalidRequest(
                reason: "fetching \(info.name): objects of \(coordinator.infos[number].name) are of the class "
                    + "\(coordinator.infos[number].objectClass), not \(T.self)")
        }
    }
}
