public import GrabenLog
public import GrabenPredicate

/// A change of many objects in a commit of its own, without the hooks and the validation of their classes.
///
/// The model's rules hold: types, values required, bounds, delete rules, inverses, uniqueness. What a class does in `awakeFromInsert`,
/// `willSave` or `validateForUpdate` is left out. The commit is one like any other, so contexts that merge changes learn of it.
public enum BatchRequest {
    /// New objects of an entity, each with its values by key.
    case insert(entity: String, [[String: Value]])
    /// New values, by key, for every object of an entity that a predicate finds; nil finds all.
    case update(entity: String, where: ObjectPredicate?, set: [String: Value])
    /// The deletion of every object of an entity that a predicate finds; nil finds all.
    case delete(entity: String, where: ObjectPredicate?)
}

extension ManagedObjectContext {
    /// Runs a batch request against the newest commit and answers the ids of its objects, ascending.
    ///
    /// Unsaved changes of this context take no part in it, and are in conflict with it as with any other commit. The context's snapshot then
    /// advances, unless it is pinned. Runs in the stores of the root context, whatever the depth of this one.
    ///
    /// Complexity: O(objects of the entity + objects changed), in memory for the latter.
    /// - Throws: what `save()` and `fetch(_:)` throw, and `setValue(_:forKey:)`; nothing is committed then.
    @discardableResult
    public func execute(_ request: BatchRequest) throws(GrabenError) -> [ObjectID] {
        guard !isClosed else { throw .noContext(entity: "context", doing: "running a batch request") }
        let batch = ManagedObjectContext(coordinator: coordinator, parent: nil, usesPlainObjects: true)
        batch.transactionAuthor = transactionAuthor
        batch.mergePolicy = mergePolicy
        defer { batch.close() }
        var objects: [ManagedObject] = []
        switch request {
        case .insert(let entity, let rows):
            for values in rows {
                let object = try batch.insertObject(entity: entity)
                try object.setAll(values)
                objects.append(object)
            }
        case .update(let entity, let predicate, let values):
            objects = try batch.found(entity, predicate)
            for object in objects { try object.setAll(values) }
        case .delete(let entity, let predicate):
            objects = try batch.found(entity, predicate)
            for object in objects { batch.delete(object) }
        }
        let ids = objects.map(\.objectID).sorted()
        try batch.save()
        if !root.isPinned { root.advanceSnapshots(merging: root.automaticallyMergesChangesFromParent) }
        return ids
    }

    private func found(_ entity: String, _ predicate: ObjectPredicate?) throws(GrabenError) -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entity: entity)
        request.predicate = predicate
        return try fetch(request)
    }
}

extension ManagedObject {
    fileprivate final func setAll(_ values: [String: Value]) throws(GrabenError) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { try setValue(value, forKey: key) }
    }
}
