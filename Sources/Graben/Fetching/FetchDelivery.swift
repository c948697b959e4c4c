import GrabenLog
import GrabenModel
import GrabenPredicate

/// Makes objects of the ids a request found, as much of them realised as it asks for.
struct FetchDelivery<T: ManagedObject> {
    private let context: ManagedObjectContext
    private let request: FetchRequest<T>
    private let prefetched: [[String]]
    /// Properties that can be read without firing the fault, by number.
    private let partial: PropertyMask

    /// Checks what can be checked before the request runs: that key paths to prefetch lead through relationships, and columns are properties.
    init(_ request: FetchRequest<T>, _ context: ManagedObjectContext) throws(GrabenError) {
        self.context = context
        self.request = request
        let info = try context.entity(of: request)
        var paths: [[String]] = []
        for path in request.relationshipKeyPathsForPrefetching { paths.append(try context.relationshipKeys(path, from: [info.index])) }
        prefetched = paths
        var mask = PropertyMask()
        for column in request.propertiesToFetch {
            guard let key = try column.expression().keyPath, key.count == 1 else { continue }
            let number = try info.number(key[0])
            if info.properties[number].kind == .attribute || info.properties[number].kind == .toOne { mask.insert(number) }
        }
        partial = mask
    }

    // MARK: Objects

    func objects(_ ids: [ObjectID]) -> [T] {
        let objects = faults(ids[...])
        if !request.returnsObjectsAsFaults, request.includesPropertyValues {
            let batch = request.fetchBatchSize > 0 ? min(request.fetchBatchSize, objects.count) : objects.count
            for object in objects[..<batch] { object.fireQuietlyIfNeeded(in: context) }
        }
        for keys in prefetched { context.realise(keys, of: objects) }
        return objects
    }

    /// The objects, faults where they are some; without those that are not of the request's class.
    func faults(_ ids: ArraySlice<ObjectID>) -> [T] {
        var objects: [T] = []
        objects.reserveCapacity(ids.count)
        var maker = ObjectMaker(context, count: ids.count) { $0 is T.Type }
        for id in ids {
            // What the maker gives is of the class.
            guard let object = maker.object(id).map({ unsafeDowncast($0, to: T.self) }) else { continue }
            prepare(object)
            objects.append(object)
        }
        return objects
    }

    @inline(__always)
    private func prepare(_ object: ManagedObject) {
        if request.shouldRefreshRefetchedObjects, !object.isFault, !object.hasChanges { object.rebaseOnSnapshot(events: .refresh) }
        if !partial.isEmpty, object.isFault { object.data.partial = partial }
    }

    /// Realises a page of a batched result.
    func realise(page objects: [T]) {
        if request.includesPropertyValues { for object in objects { object.fireQuietlyIfNeeded(in: context) } }
        for keys in prefetched { context.realise(keys, of: objects) }
    }
}

/// A set of an entity's properties, by number.
struct PropertyMask {
    private var words: [UInt64] = []

    var isEmpty: Bool { words.isEmpty }

    mutating func insert(_ number: Int) {
        while words.count <= number / 64 { words.append(0) }
        words[number / 64] |= 1 << UInt64(number % 64)
    }

    func contains(_ number: Int) -> Bool { number / 64 < words.count && (words[number / 64] >> UInt64(number % 64)) & 1 == 1 }
}
