import GrabenModel

/// The model that classes declare, and which class is whose.
struct EntityClasses {
    let model: ManagedObjectModel
    /// The class of each entity by name.
    let classes: [String: ManagedObject.Type]

    /// Reads the classes' descriptions, those of superclasses that declare entities first.
    ///
    /// - Throws: `GrabenError.classMismatch` with every class that declares no entity, and every name that two of them declare.
    init(_ classes: [ManagedObject.Type]) throws(GrabenError) {
        var entities: [EntityDescription] = []
        var found: [String: ManagedObject.Type] = [:]
        var problems: [String] = []
        for objectClass in classes {
            if Self.declaration(of: objectClass) == nil {
                problems.append(
                    "\(objectClass) declares no entity of its own; write @Entity before the class, or override entityDescription in it")
            }
            for declaring in Self.lineage(of: objectClass) {
                guard let description = Self.declaration(of: declaring) else { continue }
                if let other = found[description.name] {
                    if other != declaring { problems.append("\(other) and \(declaring) both declare the entity \(description.name)") }
                    continue
                }
                found[description.name] = declaring
                entities.append(description)
            }
        }
        guard problems.isEmpty else { throw .classMismatch(problems) }
        self.classes = found
        model = ManagedObjectModel(entities: Self.withInverses(entities))
    }

    /// The entity that a class declares itself: one that only inherits its superclass's declares none.
    static func declaration(of objectClass: ManagedObject.Type) -> EntityDescription? {
        guard let description = objectClass.entityDescription else { return nil }
        guard let superclass = _getSuperclass(objectClass) as? ManagedObject.Type else { return description }
        return superclass.entityDescription == description ? nil : description
    }

    /// A class and its superclasses, the farthest first.
    static func lineage(of objectClass: ManagedObject.Type) -> [ManagedObject.Type] {
        var classes: [ManagedObject.Type] = []
        var current: ManagedObject.Type? = objectClass
        while let next = current {
            classes.append(next)
            current = _getSuperclass(next) as? ManagedObject.Type
        }
        return classes.reversed()
    }

    /// A declaration names the inverse on one side (two key paths that need each other would be a circle to the compiler); here the other
    /// side learns of it.
    private static func withInverses(_ entities: [EntityDescription]) -> [EntityDescription] {
        var entities = entities
        for source in entities {
            for relationship in source.relationships {
                guard let inverse = relationship.inverse, let target = entities.firstIndex(where: { $0.name == relationship.destination }),
                    let place = entities[target].relationships.firstIndex(where: { $0.name == inverse && $0.inverse == nil })
                else { continue }
                entities[target].relationships[place].inverse = relationship.name
            }
        }
        return entities
    }
}

extension ManagedObjectModel {
    /// The model that classes declare: with `@Entity`, or by overriding `entityDescription`.
    ///
    /// Superclasses that declare entities are added. Where one side of a relationship names the inverse, the other has it too.
    /// - Throws: `GrabenError.classMismatch` where a class declares no entity, or two declare one of the same name.
    public init(of classes: ManagedObject.Type...) throws(GrabenError) { try self.init(of: classes) }

    /// The model that classes declare; see `init(of:)`.
    ///
    /// - Throws: `GrabenError.classMismatch`.
    public init(of classes: [ManagedObject.Type]) throws(GrabenError) { self = try EntityClasses(classes).model }
}
