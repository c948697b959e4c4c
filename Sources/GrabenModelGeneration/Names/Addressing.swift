internal import GrabenModel

/// How the accessors of a class name a property to the library.
enum Addressing {
    /// By its number in the class's `accessorKeys`, so that no access hashes a name. All superclasses have to number alike, which is
    /// certain only where they are generated too.
    case number
    /// By its name: in extensions, which cannot override `accessorKeys`, and below classes that are written by hand.
    case name

    func argument(_ property: Property) -> String {
        switch self {
        case .number: "at: \(property.number)"
        case .name: SwiftText.literal(property.name)
        }
    }
}

extension SwiftGenerator {
    /// How the accessors of an entity's class name properties.
    func addressing(of plan: ClassPlan) -> Addressing {
        var current: Entity? = plan.entity
        while let entity = current {
            guard plans[entity.index].part == .whole || plans[entity.index].part == .general else { return .name }
            current = entity.superentity
        }
        return .number
    }
}
