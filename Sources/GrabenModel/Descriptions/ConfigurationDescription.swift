/// A named part of a model, whose objects a store of that configuration holds.
public struct ConfigurationDescription: Sendable, Equatable {
    /// The configuration's name, unique in its model.
    public var name: String
    /// The names of its entities.
    public var entities: [String]
    /// What a model file says of the configuration and nothing here stands for.
    public var foreign = ForeignContent()

    /// Describes a configuration.
    public init(_ name: String, entities: [String]) {
        self.name = name
        self.entities = entities
    }
}
