/// A stored fetch request that an object answers as if it were a property.
///
/// It is run when first read, with `$FETCH_SOURCE` standing for the object that is read. Nothing of it is stored with objects, so adding,
/// changing or removing one changes no version hash, no record and no layout.
public struct FetchedPropertyDescription: Sendable, Equatable {
    /// The property's name, unique among the properties of its entity, inherited ones included.
    public var name: String
    /// The name of the entity whose objects it yields, those of sub-entities included.
    public var destination: String
    /// The predicate in the format language; nil yields every object of the destination.
    public var predicateFormat: String?
    /// The order of the result: key paths, a leading `-` for descending ones.
    public var sort: [String]
    /// The greatest number of objects; nil is no limit.
    public var limit: Int?
    /// How many objects to leave out at the beginning.
    public var offset: Int
    /// Notes of the program's own, which the predicate can read as `$FETCHED_PROPERTY.userInfo.key`.
    public var userInfo: [String: String]

    /// Describes a fetched property.
    public init(
        _ name: String, of destination: String, predicateFormat: String? = nil, sort: [String] = [], limit: Int? = nil, offset: Int = 0,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.predicateFormat = predicateFormat
        self.sort = sort
        self.limit = limit
        self.offset = offset
        self.userInfo = userInfo
    }
}
