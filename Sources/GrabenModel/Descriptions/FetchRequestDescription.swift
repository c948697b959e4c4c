/// What a model says of a fetch: which objects of an entity, in which order, and how they are handed out.
public struct FetchRequestDescription: Sendable, Equatable {
    /// The name of the entity whose objects are looked for.
    public var entity: String
    /// The predicate in the format language; nil for every object.
    public var predicateFormat: String?
    /// The order of the result: key paths, a leading `-` for descending ones.
    public var sort: [String]
    /// The greatest number of objects; nil is no limit.
    public var limit: Int?
    /// How many objects to leave out at the beginning.
    public var offset: Int
    /// How many objects are read at a time; 0 reads all at once. Of a fetched property that asks for no faults: how many are realised when it
    /// is read.
    public var batchSize: Int
    /// Whether objects of sub-entities count.
    public var includesSubentities: Bool
    /// Whether values are read along with the objects; without them every object comes as a fault.
    public var includesPropertyValues: Bool
    /// Whether unsaved changes count.
    public var includesPendingChanges: Bool
    /// Whether objects come as faults where they are not realised.
    public var returnsObjectsAsFaults: Bool
    /// Whether equal rows of a result of dictionaries are handed out once; no two objects are equal.
    public var returnsDistinctResults: Bool
    /// What is handed out.
    public var result: Result

    /// What a fetch hands out.
    ///
    /// The raw value is its name in the JSON form of a model.
    public enum Result: String, Sendable, Hashable, CaseIterable {
        case objects, ids, dictionaries, count
    }

    /// Describes a fetch.
    public init(
        _ entity: String, predicateFormat: String? = nil, sort: [String] = [], limit: Int? = nil, offset: Int = 0, batchSize: Int = 0,
        includesSubentities: Bool = true, includesPropertyValues: Bool = true, includesPendingChanges: Bool = true,
        returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false, result: Result = .objects
    ) {
        self.entity = entity
        self.predicateFormat = predicateFormat
        self.sort = sort
        self.limit = limit
        self.offset = offset
        self.batchSize = batchSize
        self.includesSubentities = includesSubentities
        self.includesPropertyValues = includesPropertyValues
        self.includesPendingChanges = includesPendingChanges
        self.returnsObjectsAsFaults = returnsObjectsAsFaults
        self.returnsDistinctResults = returnsDistinctResults
        self.result = result
    }
}

/// A fetch request that the model keeps under a name; `$name` in its predicate is a variable to be filled in.
public struct FetchRequestTemplate: Sendable, Equatable {
    /// The template's name, unique in its model.
    public var name: String
    /// What it fetches.
    public var request: FetchRequestDescription
    /// What a model file says of the template and nothing here stands for.
    public var foreign = ForeignContent()

    /// Names a request.
    public init(_ name: String, _ request: FetchRequestDescription) {
        self.name = name
        self.request = request
    }
}
