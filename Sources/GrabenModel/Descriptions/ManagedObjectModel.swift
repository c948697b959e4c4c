/// A model as it is written down: entities that refer to each other by name.
///
/// It may be wrong in any way. `resolved()` checks it whole and yields the form that contexts work with; `problems()` only lists what is
/// wrong. `load(json:)` and `jsonData()` read and write its JSON form, which `Documentation/ModelFormat.md` lays out.
public struct ManagedObjectModel: Sendable, Equatable {
    /// The entities; an entity's place here is its number in every `ObjectID`.
    public var entities: [EntityDescription]
    /// The kinds of value that attributes put together of others.
    public var composites: [CompositeDescription]
    /// The fetch requests that the model keeps under names.
    public var fetchRequestTemplates: [FetchRequestTemplate]
    /// The named parts of the model; an entity in none of them belongs to the whole only.
    public var configurations: [ConfigurationDescription]
    /// What the program calls this version of the model.
    public var versionIdentifier: String?
    /// Notes of the program's own; they change no stored byte and no version hash.
    public var userInfo: [String: String]
    /// What a model file says of the model and nothing here stands for.
    public var foreign = ForeignContent()

    /// A model of these entities.
    public init(
        entities: [EntityDescription], composites: [CompositeDescription] = [], fetchRequestTemplates: [FetchRequestTemplate] = [],
        configurations: [ConfigurationDescription] = [], versionIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.entities = entities
        self.composites = composites
        self.fetchRequestTemplates = fetchRequestTemplates
        self.configurations = configurations
        self.versionIdentifier = versionIdentifier
        self.userInfo = userInfo
    }

    /// The template of this name; nil when there is none.
    ///
    /// Complexity: the number of templates.
    public func fetchRequestTemplate(named name: String) -> FetchRequestTemplate? { fetchRequestTemplates.first { $0.name == name } }

    /// The composite of this name; nil when there is none.
    ///
    /// Complexity: the number of composites.
    public func composite(named name: String) -> CompositeDescription? { composites.first { $0.name == name } }

    /// The entities of a configuration, in the model's order; nil when there is none of this name.
    ///
    /// Complexity: the number of entities.
    public func entities(inConfiguration name: String) -> [EntityDescription]? {
        guard let configuration = configurations.first(where: { $0.name == name }) else { return nil }
        let names = Set(configuration.entities)
        return entities.filter { names.contains($0.name) }
    }
}
