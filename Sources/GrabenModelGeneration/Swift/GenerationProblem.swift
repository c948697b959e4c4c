package import GrabenModel

/// Something in a sound model that no Swift can be generated for.
package struct GenerationProblem: Error, Sendable, Equatable {
    /// The entity it is about; nil for the model as a whole.
    package let entity: String?
    /// The property it is about.
    package let property: String?
    /// What is wrong, and what to do about it.
    package let message: String

    init(_ message: String, entity: String? = nil, property: String? = nil) {
        self.message = message
        self.entity = entity
        self.property = property
    }
}

extension GenerationProblem: CustomStringConvertible {
    /// The place and what is wrong there.
    package var description: String {
        switch (entity, property) {
        case (nil, _): message
        case (let entity?, nil): "entity \(entity): \(message)"
        case (let entity?, let property?): "\(entity).\(property): \(message)"
        }
    }
}

/// Why no Swift was generated.
package enum GenerationError: Error, Sendable {
    /// The model itself is wrong.
    case model(ModelError)
    /// The model is sound, but not all of it can be said in Swift; the list holds everything that cannot.
    case unspeakable([GenerationProblem])
}
