/// An order in which a store can find objects without reading all of them.
public struct IndexDescription: Sendable, Equatable {
    /// The index's name, unique among the indexes of its entity.
    public var name: String
    /// What is compared, the first element first.
    public var elements: [Element]
    /// Which objects are in it, in the format language; nil for all.
    public var partialPredicateFormat: String?
    /// What a model file says of the index and nothing here stands for.
    public var foreign = ForeignContent()

    /// One thing that is compared.
    public struct Element: Sendable, Equatable {
        /// What is compared.
        public var key: Key
        /// Whether small values come first.
        public var isAscending: Bool
        /// How values are found.
        public var kind: Kind

        /// A property's value, ascending and in a sorted index unless said otherwise.
        public init(_ property: String, isAscending: Bool = true, kind: Kind = .sorted) {
            self.init(.property(property), isAscending: isAscending, kind: kind)
        }

        /// What `key` says, ascending and in a sorted index unless said otherwise.
        public init(_ key: Key, isAscending: Bool = true, kind: Kind = .sorted) {
            self.key = key
            self.isAscending = isAscending
            self.kind = kind
        }
    }

    /// What an element compares.
    public enum Key: Sendable, Hashable {
        /// The value of a stored attribute or to-one relationship.
        case property(String)
        /// The value of an expression in the format language.
        case expression(String, AttributeType)
    }

    /// How an index finds values.
    ///
    /// The raw value is its name in the JSON form of a model.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// By order: equal to, above and below.
        case sorted
        /// By extent: numbers of a point in space that lie in a box.
        case spatial
    }

    /// Describes an index.
    public init(_ name: String, _ elements: [Element], partialPredicateFormat: String? = nil) {
        self.name = name
        self.elements = elements
        self.partialPredicateFormat = partialPredicateFormat
    }

    /// Describes an index over properties, ascending.
    public init(_ name: String, on properties: String...) { self.init(name, properties.map { Element($0) }) }
}
