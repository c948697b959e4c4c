internal import GrabenPredicate

/// Something in a usable model that will not work when it is used: a fetched property names a key that does not exist.
///
/// It is no error, because the rest of the model is sound; reading the property is one.
public struct ModelWarning: Sendable, Equatable {
    /// The entity that declares the fetched property.
    public let entity: String
    /// The fetched property.
    public let property: String
    /// Where the key stands: a key path of the predicate or of the sort order.
    public let keyPath: String
    /// The key that does not exist.
    public let key: String
    /// The entity that has no such property.
    public let keyEntity: String
    /// The property of that entity that is most like it.
    public let nearest: String?
}

extension ModelWarning: CustomStringConvertible {
    /// The place and what is wrong there, for people.
    public var description: String {
        let path = key == keyPath ? "" : " in \"\(keyPath)\""
        let hint = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
        return "\(entity).\(property): \(keyEntity) has no property \"\(key)\"\(path)\(hint)"
    }
}

extension ResolvedModel {
    /// The keys of fetched properties' predicates and sort orders that do not exist, in the model's order; each is a typed error when the
    /// property is read.
    ///
    /// Complexity: parses the predicate of every fetched property.
    public var warnings: [ModelWarning] {
        var warnings: [ModelWarning] = []
        for entity in entities {
            for property in entity.properties where property.declaringEntity == entity.index {
                guard case .fetched(let fetched, let destination) = property.kind else { continue }
                var paths = fetched.sort.map { ($0.hasPrefix("-") ? String($0.dropFirst()) : $0).split(separator: ".").map(String.init) }
                if let format = fetched.predicateFormat, let predicate = try? ObjectPredicate(format: format) {
                    paths += predicate.keyPaths
                }
                for path in paths {
                    guard let (key, owner) = missingKey(in: path, from: entities[destination]) else { continue }
                    let warning = ModelWarning(
                        entity: entity.name, property: property.name, keyPath: path.joined(separator: "."), key: key,
                        keyEntity: owner.name, nearest: owner.nearestPropertyName(to: key))
                    if !warnings.contains(warning) { warnings.append(warning) }
                }
            }
        }
        return warnings
    }

    /// The first key of a path that its entity does not have; what follows an attribute is the attribute's affair.
    private func missingKey(in path: [String], from start: Entity) -> (key: String, owner: Entity)? {
        var entity = start
        for key in path {
            guard let property = entity.property(named: key) else { return (key, entity) }
            guard let destination = destination(of: property) else { return nil }
            entity = destination
        }
        return nil
    }
}
