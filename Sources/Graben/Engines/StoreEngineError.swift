/// What went wrong between an engine and the store that stands on it: something the engine threw, or something it delivered that cannot be.
public struct StoreEngineError: Error, Sendable, CustomStringConvertible {
    /// What was being done.
    public enum Operation: String, Sendable {
        /// The engine was asked what store it has.
        case opening
        /// Its objects were read.
        case loading
        /// It was told of a save.
        case saving
        /// It was closed.
        case closing
    }

    /// What was being done.
    public internal(set) var operation = Operation.opening
    /// The engine's name.
    public internal(set) var store = ""
    /// The object, where it is about one.
    public var object: StoreObjectKey?
    /// The property, where it is about one.
    public var key: String?
    /// What is wrong, in words.
    public var reason: String
    /// What the engine threw, where it did.
    public var underlying: (any Error)?

    /// For engines that want to say which object and key something is about; what was being done and in which store is filled in for them.
    public init(_ reason: String, object: StoreObjectKey? = nil, key: String? = nil, underlying: (any Error)? = nil) {
        self.reason = reason
        self.object = object
        self.key = key
        self.underlying = underlying
    }

    /// An error thrown by an engine, or by what it was handed.
    init(_ error: any Error, _ operation: Operation, _ store: String) {
        self = error as? StoreEngineError ?? StoreEngineError("the engine failed: \(error)", underlying: error)
        self.operation = operation
        self.store = store
    }

    /// What was being done, with which store, object and key, and what is wrong.
    public var description: String {
        let place = (object.map { " \($0.entity)/\($0.number)" } ?? "") + (key.map { " \($0)" } ?? "")
        return "\(operation.rawValue) the store '\(store)'\(place.isEmpty ? "" : ",\(place)"): \(reason)"
    }
}
