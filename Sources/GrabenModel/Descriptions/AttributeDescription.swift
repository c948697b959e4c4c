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
    /// What a text has to match as a whole, in the dialect of Swift's `Regex`; strings only.
    public var regularExpression: String?
    /// How the value follows from others, such as `lines.@count`; nil for an attribute that is set. See `Derivation`.
    public var derivationExpression: String?
    /// The composite whose elements the value holds, by name; the type is then `transformable`, an object of JSON with one key each.
    public var composite: String?
    /// Whether other tools may keep the value in a file of its own; a store here keeps every value in its log.
    public var allowsExternalStorage: Bool
    /// Whether the value is to stay readable in the history after its object was deleted.
    public var isPreservedAfterDeletion: Bool
    /// The name of what turns a transformable value into bytes in the program the model came from; it only travels with the model.
    public var valueTransformerName: String?
    /// The Swift type that generated code declares, as it is to be written there, such as `[String]`; nil for the one of the type.
    public var valueClassName: String?
    /// Whether generated code declares a number, Boolean or date as the bare Swift type; nil where the model does not say.
    public var usesScalarType: Bool?
    /// A text of the program's own that makes a new version of the attribute where nothing else of it changed.
    public var versionHashModifier: String?
    /// What the attribute was called in an earlier version of the model, where it was renamed.
    public var renamingIdentifier: String?
    /// Notes of the program's own; they change no stored byte and no version hash.
    public var userInfo: [String: String]
    /// What a model file says of the attribute and nothing here stands for.
    public var foreign = ForeignContent()

    /// Describes an attribute; literals such as `defaultValue: 0` take the form its type needs.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = true, defaultValue: Value? = nil, isTransient: Bool = false,
        isPacked: Bool = false, minimum: Value? = nil, maximum: Value? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil,
        regularExpression: String? = nil, derivationExpression: String? = nil, composite: String? = nil,
        allowsExternalStorage: Bool = false, isPreservedAfterDeletion: Bool = false, valueTransformerName: String? = nil,
        valueClassName: String? = nil, usesScalarType: Bool? = nil, versionHashModifier: String? = nil,
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
        self.regularExpression = regularExpression
        self.derivationExpression = derivationExpression
        self.composite = composite
        self.allowsExternalStorage = allowsExternalStorage
        self.isPreservedAfterDeletion = isPreservedAfterDeletion
        self.valueTransformerName = valueTransformerName
        self.valueClassName = valueClassName
        self.usesScalarType = usesScalarType
        self.versionHashModifier = versionHashModifier
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }

    /// Describes an attribute that holds the elements of a composite, each under its name.
    public init(
        _ name: String, composite: String, isOptional: Bool = true, isTransient: Bool = false, versionHashModifier: String? = nil,
        renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.init(
            name, .transformable, isOptional: isOptional, isTransient: isTransient, composite: composite,
            versionHashModifier: versionHashModifier, renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }

    /// Whether its value follows from others, instead of being set.
    public var isDerived: Bool { derivationExpression != nil }
}
