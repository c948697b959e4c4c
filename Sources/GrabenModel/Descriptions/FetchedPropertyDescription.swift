/// A stored fetch request that an object answers as if it were a property.
///
/// It is run when first read, with `$FETCH_SOURCE` standing for the object that is read. Nothing of it is stored with objects, so adding,
/// changing or removing one changes no version hash, no record and no layout.
public struct FetchedPropertyDescription: Sendable, Equatable {
    /// The property's name, unique among the properties of its entity, inherited ones included.
    public var name: String
    /// What is fetched, with every option; its result is objects.
    public var request: FetchRequestDescription
    /// Whether a change that could alter what is found makes the next read fetch again.
    public var autoRefresh: Bool
    /// Notes of the program's own, which the predicate can read as `$FETCHED_PROPERTY.userInfo.key`.
    public var userInfo: [String: String]
    /// What a model file says of the property and nothing here stands for.
    public var foreign = ForeignContent()

    /// Describes a fetched property by its request.
    public init(_ name: String, _ request: FetchRequestDescription, autoRefresh: Bool = false, userInfo: [String: String] = [:]) {
        self.name = name
        self.request = request
        self.autoRefresh = autoRefresh
        self.userInfo = userInfo
    }

    /// Describes a fetched property; `FetchRequestDescription` says what each option of its request means.
    public init(
        _ name: String, of destination: String, predicateFormat: String? = nil, sort: [String] = [], limit: Int? = nil, offset: Int = 0,
        batchSize: Int = 0, includesSubentities: Bool = true, includesPropertyValues: Bool = true, includesPendingChanges: Bool = true,
        returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false, autoRefresh: Bool = false,
        userInfo: [String: String] = [:]
    ) {
        let request = FetchRequestDescription(
            destination, predicateFormat: predicateFormat, sort: sort, limit: limit, offset: offset, batchSize: batchSize,
            includesSubentities: includesSubentities, includesPropertyValues: includesPropertyValues,
            includesPendingChanges: includesPendingChanges, returnsObjectsAsFaults: returnsObjectsAsFaults,
            returnsDistinctResults: returnsDistinctResults)
        self.init(name, request, autoRefresh: autoRefresh, userInfo: userInfo)
    }
}

extension FetchedPropertyDescription {
    /// The name of the entity whose objects it yields.
    public var destination: String {
        get { request.entity }
        set { request.entity = newValue }
    }
    /// The predicate in the format language; nil yields every object of the destination.
    public var predicateFormat: String? {
        get { request.predicateFormat }
        set { request.predicateFormat = newValue }
    }
    /// The order of the result: key paths, a leading `-` for descending ones.
    public var sort: [String] {
        get { request.sort }
        set { request.sort = newValue }
    }
    /// The greatest number of objects; nil is no limit.
    public var limit: Int? {
        get { request.limit }
        set { request.limit = newValue }
    }
    /// How many objects to leave out at the beginning.
    public var offset: Int {
        get { request.offset }
        set { request.offset = newValue }
    }
}
