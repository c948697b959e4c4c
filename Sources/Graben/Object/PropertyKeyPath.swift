/// A property's name with the key path of its accessor.
public struct PropertyKeyPath: Sendable {
    /// The property's name in the model.
    public let key: String
    /// The accessor's key path.
    public let path: AnyKeyPath & Sendable

    /// Names the property that a key path reads.
    public init(_ key: String, _ path: AnyKeyPath & Sendable) {
        self.key = key
        self.path = path
    }
}

extension ManagedObject {
    /// The name of the property that a key path of the class reads; nil where it reads none, or the class has no table of them.
    ///
    /// Complexity: O(properties of the class), which are listed anew at each call.
    public final class func propertyKey(for path: AnyKeyPath) -> String? {
        propertyKeyPaths.first { $0.path == path }?.key
    }
}
