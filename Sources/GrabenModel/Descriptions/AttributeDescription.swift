public import GrabenLog

/// An attribute of an entity: its name, its type and the rules its values keep.
public struct AttributeDescription: Sendable, Equatable {
    /// The attribute's name, unique among the properties of its entity, inherited ones included.
    public var name: String
    /// What kind of value it holds.
    public var type: AttributeType
    /// Whether an object may be saved without a value.
    public var isOptional: Bool
    /// What a new object begins with; nil means no value, or 0 in a non-optional packed attribute.
    public var defaultValue: Value?
    /// Whether the value lives in memory only.
    public var isTransient: Bool
    /// Whether the value is a lane of the entity's column instead of a field of its record; Double and Float only.
    public var isPacked: Bool
    /// The least value allowed, for numbers and dates.
    public var minimum: Value?
    /// The greatest value allowed, for numbers and dates.
    public var maximum: Value?
    /// The least length allowed: characters of a string or URI, bytes of data.
    public var minimumLength: Int?
    /// The greatest length allowed: characters of a string or URI, bytes of data.
    public var maximumLength: Int?
    /// What the attribute was called in an earlier version of the model, where it was renamed.
    public var renamingIdentifier: String?
    /// Notes of the program's own; they change no stored byte and no version hash.
    public var userInfo: [String: String]

    /// Describes an attribute; literals such as `defaultValue: 0` take the form its type needs.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = true, defaultValue: Value? = nil, isTransient: Bool = false,
        isPacked: Bool = false, minimum: Value? = nil, maximum: Value? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        // A value of another kind is kept as given, so that `ManagedObjectModel.problems` can name it.
        func fitting(_ value: Value?) -> Value? { value.map { type.normalized($0) ?? $0 } }
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = fitting(defaultValue)
        self.isTransient = isTransient
        self.isPacked = isPacked
        self.minimum = fitting(minimum)
        self.maximum = fitting(maximum)
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}
