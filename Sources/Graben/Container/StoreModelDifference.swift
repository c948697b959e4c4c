/// One thing in which the model a store was written under differs from the program's, and what it means for the store's objects.
public struct StoreModelDifference: Sendable, Equatable {
    /// What becomes of the objects in the store.
    public enum Effect: String, Sendable, Hashable {
        /// They are read under the new model as they are; nothing is copied or converted.
        case mapped
        /// They cannot be read as the model wants them, so that the store is not opened.
        case refused
    }

    /// The entity concerned; nil where it is the model as a whole.
    public let entity: String?
    /// The property concerned; nil where it is the entity itself.
    public let property: String?
    /// What becomes of the objects in the store.
    public let effect: Effect
    /// What the file says, what the model says, what that means, and what to do where it cannot be mapped.
    public let reason: String
}

extension StoreModelDifference: CustomStringConvertible {
    /// The place and the reason, in a sentence.
    public var description: String {
        switch (entity, property) {
        case (let entity?, let property?): "\(entity).\(property) \(reason)"
        case (let entity?, nil): "\(entity) \(reason)"
        default: reason
        }
    }
}
