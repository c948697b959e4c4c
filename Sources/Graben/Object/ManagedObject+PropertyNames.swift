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
    ///
    /// By the class's table; where that does not have it, by reading the key path on an object that notes what is asked of it. So also
    /// `\Line.start?.name`, inherited properties and accessors written by hand have names.
    package static func propertyNames(for path: AnyKeyPath) throws(UnmappedKeyPath) -> [String] {
        guard let root = type(of: path).rootType as? ManagedObject.Type else {
            throw UnmappedKeyPath(
                keyPath: "\(path)", className: "\(type(of: path).rootType)", reason: "it begins at a type that is no entity's class")
        }
        if let name = root.propertyKey(for: path) { return [name] }
        if let names = KeyPathProbe.names(of: path, from: root) { return names }
        let known = root.propertyKeyPaths.map(\.key)
        let list = known.isEmpty ? "the class has none" : "those there are \(known.joined(separator: ", "))"
        throw UnmappedKeyPath(
            keyPath: "\(path)", className: "\(root)",
            reason:
                "it is none of the class's propertyKeyPaths, and does not read just one property of each object; \(list). @Entity writes"
                + " them; vectors have one for each of their lanes")
    }

    /// Whether a key path reads the identity of an object.
    package static func isObjectID(_ path: AnyKeyPath) -> Bool {
        guard let root = type(of: path).rootType as? ManagedObject.Type else { return false }
        return KeyPathProbe.readsObjectID(path, from: root)
    }
}

extension ObjectSortDescriptor {
    /// Sorts by the property that a key path reads: `try ObjectSortDescriptor(\Joint.name)`.
    ///
    /// - Throws: `UnmappedKeyPath` where the key path reads something else than a property, or several.
    public init<T: ManagedObject>(
        _ path: PartialKeyPath<T>, ascending: Bool = true, comparison: Comparison = .scalar
    ) throws(UnmappedKeyPath) {
        let names = try ManagedObject.propertyNames(for: path)
        self.init(names.joined(separator: "."), ascending: ascending, comparison: comparison)
    }
}
