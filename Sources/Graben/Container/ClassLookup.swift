import GrabenModel
import GrabenPredicate

/// Finds the entity of each class of a list in a model that was read: classes are handed over, since Swift has none by name.
struct ClassLookup {
    /// The class of each entity by name.
    private(set) var classes: [String: ManagedObject.Type] = [:]
    private var problems: [String] = []
    private let model: ManagedObjectModel

    /// Looks for each class by the class names in the model, then by the name of the entity that the class declares or is named like.
    ///
    /// A superclass that has an entity is bound too.
    /// - Throws: `GrabenError.classMismatch` with every class that has no entity, or that cannot tell which, and every entity that several
    ///   classes are for.
    init(_ list: [ManagedObject.Type], in model: ManagedObjectModel) throws(GrabenError) {
        self.model = model
        for objectClass in list {
            for candidate in EntityClasses.lineage(of: objectClass) where candidate != ManagedObject.self {
                switch entity(of: candidate) {
                case .found(let name): add(candidate, to: name)
                case .unknown: if candidate == objectClass { reportUnknown(candidate) }
                case .several(let names): if candidate == objectClass { reportSeveral(candidate, names) }
                }
            }
        }
        guard problems.isEmpty else { throw .classMismatch(problems) }
    }

    private enum Finding {
        case found(String)
        case unknown
        case several([String])
    }

    private func entity(of objectClass: ManagedObject.Type) -> Finding {
        let entities = model.entities.filter { $0.names(objectClass) }
        let names = Set(entities.map(\.name))
        // Sub-entities that only repeat their super-entity's class have it anyway.
        let outermost = entities.filter { entity in !(entity.superentity.map(names.contains) ?? false) }.map(\.name)
        if outermost.count == 1 { return .found(outermost[0]) }
        let own = objectClass.entityName
        if names.contains(own) { return .found(own) }
        if !outermost.isEmpty { return .several(outermost) }
        return model.entities.contains { $0.name == own } ? .found(own) : .unknown
    }

    private mutating func add(_ objectClass: ManagedObject.Type, to name: String) {
        guard let other = classes.updateValue(objectClass, forKey: name), other != objectClass else { return }
        let problem = "\(other) and \(objectClass) are both classes of the entity \(name); hand over one of them"
        if !problems.contains(problem) { problems.append(problem) }
    }

    private mutating func reportUnknown(_ objectClass: ManagedObject.Type) {
        let name = objectClass.entityName
        let what =
            name == "\(objectClass)" ? "is called or has a class called \(name)" : "is called \(name) or has a class called \(objectClass)"
        let nearest = nearestName(to: name, in: model.entities.map(\.name)).map { " (the nearest is \($0))" } ?? ""
        problems.append(
            "\(objectClass): no entity of the model \(what)\(nearest); name the class in the model, or hand it over with its entity's name, "
                + "as in classes: [\"Entity\": \(objectClass).self]")
    }

    private mutating func reportSeveral(_ objectClass: ManagedObject.Type, _ names: [String]) {
        problems.append(
            "\(objectClass): the model names it as the class of \(names.joined(separator: ", ")), and a class has one entity; hand it over "
                + "with the entity's name, as in classes: [\"\(names[0])\": \(objectClass).self], and others for the rest")
    }
}

extension EntityDescription {
    /// Whether a class is the one the entity names as its own.
    fileprivate func names(_ objectClass: ManagedObject.Type) -> Bool {
        guard let named = managedObjectClass, named.name == "\(objectClass)" else { return false }
        guard case .named(let module) = named.module else { return true }
        return String(reflecting: objectClass).split(separator: ".").first.map(String.init) == module
    }
}
