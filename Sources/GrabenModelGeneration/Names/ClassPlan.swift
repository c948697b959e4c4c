internal import GrabenModel

/// Which class the objects of an entity have, and what of it is generated.
struct ClassPlan {
    enum Part: Equatable {
        /// The whole class.
        case whole
        /// The properties, as an extension of a class that is written by hand.
        case properties
        /// Nothing: the class is written by hand or comes from another module.
        case nothing
        /// There is no class of its own; the objects have the super-entity's, or `ManagedObject`.
        case general
    }

    let entity: Entity
    let part: Part
    /// The class as other code refers to it, with its module where that is another one.
    let typeName: String
    /// The class's name in its own module.
    let className: String
    /// Where it comes from, unless it is of this module.
    let module: String?
    /// The class its objects' class inherits from, as code refers to it.
    let superclass: String
    let access: SwiftAccess
    /// Whether no other entity's class can inherit from it.
    let isFinal: Bool
}

extension ClassPlan {
    /// The plans of a model's entities, by number.
    static func plans(of model: ResolvedModel, _ options: SwiftOptions) -> [ClassPlan] {
        var plans = [ClassPlan?](repeating: nil, count: model.entities.count)
        let saysClasses = model.description.saysClasses
        func plan(_ entity: Entity) -> ClassPlan {
            if let known = plans[entity.index] { return known }
            // Super-entities form no circle: the model is resolved.
            let parent = entity.superentity.map(plan)
            let made = ClassPlan(entity, parent: parent, in: model, options, saysClasses: saysClasses)
            plans[entity.index] = made
            return made
        }
        return model.entities.map(plan)
    }

    private init(_ entity: Entity, parent: ClassPlan?, in model: ResolvedModel, _ options: SwiftOptions, saysClasses: Bool) {
        let description = entity.description
        let named = ClassName(of: description)
        let wanted = Part(of: description, saysClasses: saysClasses)
        let isElsewhere = named.module.map { options.module != nil && $0 != options.module } ?? false
        let isGeneral = wanted == .general && !options.generatesEveryClass
        superclass = parent?.typeName ?? "ManagedObject"
        access =
            options.access
            ?? (description.userInfo["graben.access"] ?? model.description.userInfo["graben.access"]).flatMap(SwiftAccess.init(rawValue:))
            ?? .internal
        isFinal = entity.subentities.isEmpty
        self.entity = entity
        if isGeneral {
            part = .general
            className = parent?.className ?? "ManagedObject"
            typeName = superclass
            module = parent?.module
        } else {
            part = isElsewhere ? .nothing : options.generatesEveryClass ? .whole : wanted
            className = named.isGeneral ? entity.name : named.name
            module = isElsewhere ? named.module : nil
            typeName = (module.map { "\($0)." } ?? "") + className.swiftIdentifier
        }
    }

    /// What stands before the class or an extension's members.
    var isWritten: Bool { part == .whole || part == .properties }
    /// Whether there is a class that a container can bind to the entity.
    var isBound: Bool { part != .general }
}

/// A class's name as model files have it: `Joint`, `.Joint` (the module the model is in) or `Drawing.Joint`.
struct ClassName {
    let module: String?
    let name: String

    init(of entity: EntityDescription) {
        let named = entity.managedObjectClass
        name = named?.name ?? ""
        module = if case .named(let module)? = named?.module { module } else { nil }
    }

    /// Whether no class of its own is meant.
    var isGeneral: Bool { name.isEmpty || name == "NSManagedObject" || name == "ManagedObject" }
}

extension ManagedObjectModel {
    /// Whether the model says anything of classes. One that does not is taken to want one for each entity: else a model written for other
    /// purposes, or a store's, would have none at all.
    var saysClasses: Bool { entities.contains { $0.managedObjectClassName != nil || $0.codeGeneration != .manual } }
}

extension ClassPlan.Part {
    /// What the model wants to have generated of an entity's class.
    fileprivate init(of entity: EntityDescription, saysClasses: Bool) {
        switch entity.codeGeneration {
        case .classDefinition: self = .whole
        case .categoryExtension: self = .properties
        case .manual: self = !saysClasses ? .whole : ClassName(of: entity).isGeneral ? .general : .nothing
        }
    }
}
