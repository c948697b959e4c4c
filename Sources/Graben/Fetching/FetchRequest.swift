public import GrabenModel
public import GrabenPredicate

/// What to fetch: an entity's objects that match a predicate, in an order, or a window of them.
///
/// What comes of it decides how it is run: `fetch(_:)` answers objects, `fetchIDs(_:)` ids, `count(for:)` their number,
/// `fetchDictionaries(_:)` values, groups and aggregates, `fetchBatched(_:)` a collection that is read in pages; `execute(_:)` whichever
/// `resultType` says.
public struct FetchRequest<Result: ManagedObject>: Sendable {
    /// The entity's name; nil means the entity that the result's class is bound to. It is looked up when the request runs.
    public var entityName: String?
    /// Which objects; nil for all.
    public var predicate: ObjectPredicate?
    /// In which box of the space of its packed attributes an object has to be, besides; nil for anywhere.
    public var boundingBox: BoundingBox?
    /// In which order; ties, and everything where there is none, by id.
    public var sortDescriptors: [ObjectSortDescriptor] = []
    /// The greatest number of objects; 0 for no limit.
    public var fetchLimit = 0
    /// How many to leave out at the beginning.
    public var fetchOffset = 0
    /// How many objects `fetchBatched(_:)` reads at a time, and `fetch(_:)` at once where it asks for no faults; 0 for all.
    public var fetchBatchSize = 0
    /// Whether unsaved changes count; true unless changed. With false, membership is the store's and objects still show their values. In
    /// dictionaries unsaved changes never count.
    public var includesPendingChanges = true
    /// Whether objects of sub-entities count; true unless changed.
    public var includesSubentities = true
    /// Whether values are read along with the objects; without them every object comes as a fault.
    public var includesPropertyValues = true
    /// Whether objects come as faults where they are not realised; true unless changed.
    public var returnsObjectsAsFaults = true
    /// Whether objects the context has realised take the values of the newest commit. Those with unsaved changes keep theirs.
    public var shouldRefreshRefetchedObjects = false
    /// The stores to look in; nil for all.
    public var affectedStores: [PersistentStore]?
    /// Key paths of relationships whose objects are realised with the result: one fetch for each entity of them.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The columns of dictionaries; none means every stored attribute. Of objects, attributes that can be read without firing the object's
    /// fault.
    public var propertiesToFetch: [FetchColumn] = []
    /// What dictionaries are grouped by; columns that are no aggregates have to be among these.
    public var propertiesToGroupBy: [FetchColumn] = []
    /// Which groups: a predicate on the columns by their names, what is grouped by, and aggregates. `$name` is a column too.
    public var havingPredicate: ObjectPredicate?
    /// Whether equal dictionaries come once. Without `propertiesToFetch`, and for objects, of which no two are equal, it says nothing.
    public var returnsDistinctResults = false
    /// What `execute(_:)` answers.
    public var resultType = FetchRequestDescription.Result.objects

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

    /// Realises what the key paths lead to with the result, in one fetch for each entity.
    ///
    /// - Throws: `UnmappedKeyPath` where one reads something else than properties.
    public mutating func prefetch(_ paths: PartialKeyPath<Result>...) throws(UnmappedKeyPath) {
        for path in paths { relationshipKeyPathsForPrefetching.append(try ManagedObject.propertyNames(for: path).joined(separator: ".")) }
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
