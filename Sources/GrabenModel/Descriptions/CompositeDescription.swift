/// A kind of value that is made of named elements, such as a place of its coordinates.
///
/// An attribute that names it holds all elements in one value, an object of JSON. Elements may be composites again.
public struct CompositeDescription: Sendable, Equatable {
    /// The composite's name, unique in its model.
    public var name: String
    /// Its elements; their defaults together are the default of an attribute of the composite.
    public var elements: [AttributeDescription]
    /// What a model file says of the composite and nothing here stands for.
    public var foreign = ForeignContent()

    /// Describes a composite.
    public init(_ name: String, _ elements: [AttributeDescription] = []) {
        self.name = name
        self.elements = elements
    }
}
