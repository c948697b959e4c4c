import GrabenLog
import GrabenModel
import GrabenPredicate

/// Makes objects of the ids a request found, as much of them realised as it asks for.
struct FetchDelivery<T: ManagedObject> {
    private let context: ManagedObjectContext
    private let request: FetchRequest<T>
    private let prefetch: [[PropertyInfo]]
    /// Properties that can be read without firing the fault, by number.
    private let partial: PropertyMask

    /// Checks what can be checked before the request runs: that key paths to prefetch lead through relationships, and columns are properties.
    init(_ request: FetchRequest<T>, _ context: ManagedObjectContext) throws(GrabenError) {
        self.context = context
        self.request = request
        let info = try context.entity(of: request)
        var paths: [[PropertyInfo]] = []
        for path in request.relationshipKeyPathsForPrefetching { paths.append(try Self.relationships(path, info, context)) }
        prefetch = paths
        var mask = PropertyMask()
        for column in request.propertiesToFetch {
            guard let key = try column.expression().keyPath, key.count == 1 else { continue }
            let number = try info.number(key[0])
            if info.properties[number].kind == .attribute || info.properties[number].kind == .toOne { mask.insert(number) }
        }
        partial = mask
    }

    private static func relationships(_ path: String, _ start: EntityInfo, _ context: ManagedObjectContext) throws(GrabenError)
        -> [PropertyInfo]
    {
        var steps: [PropertyInfo] = []
        var info = start
        for key in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
            let property = info.properties[try info.number(key)]
            switch property.kind {
            case .toOne, .toMany: break
            case .fetched:
                throw .invalidRequest(
                    reason: "prefetching \(path): \(info.name).\(key) is a fetched property, which each object evaluates by itself")
            case .attribute, .packed, .transient:
                throw .invalidRequest(reason: "prefetching \(path): \(info.name).\(key) is no relationship")
            }
            steps.append(property)
            info = context.coordinator.infos[property.destination]
        }
        return steps
    }

    // MARK: Objects

    func objects(_ ids: [ObjectID]) -> [T] {
        var objects: [T] = []
        objects.reserveCapacity(ids.count)
        for id in ids {
            if let object = object(id) { objects.append(object) }
        }
        if !request.returnsObjectsAsFaults, request.includesPropertyValues {
            let batch = request.fetchBatchSize > 0 ? min(request.fetchBatchSize, objects.count) : objects.count
            for object in objects[..<batch] { object.fireIfNeeded() }
        }
        for path in prefetch { realise(path, of: objects) }
        return objects
    }

    /// One object, a fault where it is one.
    func object(_ id: ObjectID) -> T? {
        guard let object = context.object(with: id) as? T else { return nil }
        if request.shouldRefreshRefetchedObjects, !object.isFault, !object.hasChanges { object.rebaseOnSnapshot(events: .refresh) }
        if !partial.isEmpty, object.isFault { object.data.partial = partial }
        return object
    }

    /// Realises a page of a batched result.
    func realise(page objects: [T]) {
        if request.includesPropertyValues { for object in objects { object.fireIfNeeded() } }
        for path in prefetch { realise(path, of: objects) }
    }

    /// Realises the objects that a key path leads to, step by step, those of one step together.
    private func realise(_ path: [PropertyInfo], of objects: [ManagedObject]) {
        var level = objects
        for step in path {
            var seen: Set<ObjectID> = []
            var found: [ManagedObject] = []
            var entities: Set<UInt32> = []
            for object in level {
                // Objects of sub-entities keep the numbers of what they inherit.
                let ids = step.kind == .toMany ? object.loadMembers(step.number) : object.primitive(step.number).objectIDs
                for id in ids where seen.insert(id).inserted {
                    entities.insert(id.entityNumber)
                    found.append(context.object(with: id))
                }
            }
            context.statistics.fetches += entities.count
            for object in found { object.fireIfNeeded() }
            level = found
        }
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
