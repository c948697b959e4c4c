import GrabenModel
public import GrabenPredicate

/// A key path that reads no property of its class, as far as the class says.
public struct UnmappedKeyPath: Error, Sendable, CustomStringConvertible {
    /// The key path, as Swift prints it.
    public let keyPath: String
    /// The class it begins at.
    public let className: String
    /// Why it leads to no property, and what to do.
    public let reason: String

    /// One line.
    public var description: String { "cannot name the property of \(className) that \(keyPath) reads: \(reason)" }
}

extension ManagedObject {
    /// The names of the properties that a key path reads one after the other: usually one.
    package static func propertyNames(for path: AnyKeyPath) throws(UnmappedKeyPath) -> [String] {
        guard let root = type(of: path).rootType as? ManagedObject.Type else {
            throw UnmappedKeyPath(
                keyPath: "\(path)", className: "\(type(of: path).rootType)", reason: "it begins at a type that is no entity's class")
        }
        if let name = root.propertyKey(for: path) { return [name] }
        let known = root.propertyKeyPaths.map(\.key)
        let list = known.isEmpty ? "the class has none" : "those there are \(known.joined(separator: ", "))"
        throw UnmappedKeyPath(
            keyPath: "\(path)", className: "\(root)",
            reason: "it is none of the class's propertyKeyPaths; \(list). @Entity writes them; vectors have one for each of their lanes")
    }
}

extension ObjectSortDescriptor {
    /// Sorts by the property that a key path reads: `try ObjectSortDescriptor(\Joint.name)`.
    ///
    /// - Throws: `UnmappedKeyPath` where the class's `propertyKeyPaths` do not have the key path.
    public init<T: ManagedObject>(
        _ path: PartialKeyPath<T>, ascending: Bool = true, comparison: Comparison = .scalar
    ) throws(UnmappedKeyPath) {
        let names = try ManagedObject.propertyNames(for: path)
        self.init(names.joined(separator: "."), ascending: ascending, comparison: comparison)
    }
}
