internal import GrabenPredicate

/// Something in a usable model that will not work when it is used: a fetched property or template names a key that does not exist.
///
/// It is no error, because the rest of the model is sound; reading the property is one.
public struct ModelWarning: Sendable, Equatable {
    /// The entity that declares the fetched property; nil for a template, which belongs to the model.
    public let entity: String?
    /// The fetched property or the template.
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
        let place = entity.map { "\($0).\(property)" } ?? "fetch request \(property)"
        return "\(place): \(keyEntity) has no property \"\(key)\"\(path)\(hint)"
    }
}

extension ResolvedModel {
    /// The keys of predicates and sort orders of fetched properties and templates that do not exist, in the model's order; each is a typed
    /// error when it is fetched.
    ///
    /// Complexity: parses the predicate of every fetched property and template.
    public var warnings: [ModelWarning] {
        var warnings: [ModelWarning] = []
        for entity in entities {
            for property in entity.properties where property.declaringEntity == entity.index {
                guard case .fetched(let fetched, let destination) = property.kind else { continue }
                warnings += missingKeys(in: fetched.request, of: entities[destination], entity: entity.name, property: property.name)
            }
        }
        for template in description.fetchRequestTemplates {
            guard let entity = entity(named: template.request.entity) else { continue }
            warnings += missingKeys(in: template.request, of: entity, entity: nil, property: template.name)
        }
        return warnings
    }

    private func missingKeys(in request: FetchRequestDescription, of destination: Entity, entity: String?, property: String)
        -> [ModelWarning]
    {
        var warnings: [ModelWarning] = []
        var paths = request.sort.map { ($0.hasPrefix("-") ? String($0.dropFirst()) : $0).split(separator: ".").map(String.init) }
        if let format = request.predicateFormat, let predicate = try? ObjectPredicate(format: format) { paths += predicate.keyPaths }
        for path in paths {
            guard let (key, owner) = missingKey(in: path, from: destination) else { continue }
            let warning = ModelWarning(
                entity: entity, property: property, keyPath: path.joined(separator: "."), key: key, keyEntity: owner.name,
                nearest: owner.nearestPropertyName(to: key))
            if !warnings.contains(warning) { warnings.append(warning) }
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
