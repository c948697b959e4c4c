/// A model as it is written down: entities that refer to each other by name.
///
/// It may be wrong in any way. `resolved()` checks it whole and yields the form that contexts work with; `problems()` only lists what is
/// wrong. `load(json:)` and `jsonData()` read and write its JSON form, which `Documentation/ModelFormat.md` lays out.
public struct ManagedObjectModel: Sendable, Equatable {
    /// The entities; an entity's place here is its number in every `ObjectID`.
    public var entities: [EntityDescription]
    /// Notes of the program's own; they change no stored byte and no version hash.
    public var userInfo: [String: String]

    /// A model of these entities.
    public init(entities: [EntityDescription], userInfo: [String: String] = [:]) {
        self.entities = entities
        self.userInfo = userInfo
    }
}
