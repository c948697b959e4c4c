internal import GrabenModel
internal import GrabenPredicate

/// What a sound model has that Swift cannot say: all of it is looked for, so that it can be mended at once.
extension SwiftGenerator {
    /// What every generated text names, whatever the model; the types of accessors come to it as they are used.
    private static let libraryTypes: Set<String> = [
        "Data", "Graben", "GrabenError", "ManagedObject", "ManagedObjectModel", "ModelError", "PersistentContainer", "Sequence", "String",
        "Swift",
    ]

    /// The names that classes of the model would take from the generated code.
    private var usedTypes: Set<String> {
        let named = (members.joined() + modelMembers).flatMap(\.types) + composites.flatMap(\.types)
        return Self.libraryTypes.union(named.filter(isOfLibrary))
    }

    /// Whether a name means a type that accessors have, as `Date`, though the model has a class of the name.
    private func isOfLibrary(_ name: String) -> Bool {
        AttributeType.allCases.contains { $0.swiftName == name }
            || [
                "AccessorPlace", "FetchRequest", "ObjectPredicate", "ObjectSortDescriptor", "OrderedToMany", "SIMD2", "SIMD3", "ToMany",
                "Value",
            ].contains(name)
    }

    func problemsOfClasses() -> [GenerationProblem] {
        var problems: [GenerationProblem] = []
        if !options.modelTypeName.isSwiftIdentifier {
            problems.append(GenerationProblem("\(SwiftText.literal(options.modelTypeName)) is no name for the type that holds the model"))
        }
        let used = usedTypes
        var owners: [String: String] = [:]
        for composite in composites {
            if used.contains(composite.name) || composite.name == options.modelTypeName {
                problems.append(
                    GenerationProblem(
                        "the composite \(composite.name) would hide a type of that name that the generated code needs; rename it"))
            }
            owners[composite.name.swiftIdentifier] = composite.name
        }
        for plan in plans where plan.part != .general {
            let entity = plan.entity.name
            func add(_ message: String) { problems.append(GenerationProblem(message, entity: entity)) }
            if !plan.className.isSwiftIdentifier {
                add("its class \(SwiftText.literal(plan.className)) is no name for one in Swift; give the entity another class name")
            } else if plan.module == nil {
                if used.contains(plan.className) {
                    add("its class would hide the type \(plan.className), which the accessors need; give the entity another class name")
                }
                if plan.className == options.modelTypeName {
                    add("its class has the name of the type that holds the model; give one of them another")
                }
            }
            if let module = plan.module,
                !module.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ String($0).isSwiftIdentifier })
            {
                add("its class is in a module called \(SwiftText.literal(module)), which is no name for one in Swift")
            }
            if let other = owners.updateValue(entity, forKey: plan.typeName) {
                add("its class \(plan.typeName) is that of the entity \(other) too; a class is bound to one entity")
            }
            if let access = plan.entity.description.userInfo["graben.access"], SwiftAccess(rawValue: access) == nil {
                let known = SwiftAccess.allCases.map(\.rawValue)
                let nearest = nearestName(to: access, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
                add(
                    "its userInfo entry graben.access is \(SwiftText.literal(access)), which is none of \(known.joined(separator: ", "))\(nearest)"
                )
            }
        }
        return problems
    }

    func problemsOfMembers(of plan: ClassPlan, classNames: Set<String>) -> [GenerationProblem] {
        let entity = plan.entity.name
        var problems: [GenerationProblem] = []
        // What inherited accessors are called; a class written by hand has what the generator would give it.
        var owners: [String: String] = [:]
        var ancestor = plan.entity.superentity
        while let parent = ancestor {
            for member in members[parent.index] { owners[member.name] = "\(parent.name)'s \(member.name)" }
            ancestor = parent.superentity
        }
        for attribute in declared(by: plan).compactMap(\.attribute) where attribute.valueClassName?.isSwiftTypeName == false {
            problems.append(
                GenerationProblem(
                    "its class \(SwiftText.literal(attribute.valueClassName ?? "")) is no type of Swift", entity: entity,
                    property: attribute.name))
        }
        for member in members[plan.entity.index] where member.isStatic && !member.bareName.isSwiftIdentifier {
            problems.append(
                GenerationProblem(
                    "its fetch request gives no function a name Swift takes: \(SwiftText.literal(member.bareName))", entity: entity))
        }
        var overloads: Set<String> = []
        for member in members[plan.entity.index] {
            let owner = member.property ?? member.name
            func add(_ message: String) { problems.append(GenerationProblem(message, entity: entity, property: owner)) }
            let isFunction = member.name.contains("(")
            if !isFunction {
                if ReservedMembers.names.contains(member.name) {
                    add("every managed object has a member called \(member.name); give the property another name")
                } else if !member.name.isSwiftIdentifier {
                    add("\(SwiftText.literal(member.name)) is no name for a property in Swift; give it another")
                } else if member.types.contains(member.name) || classNames.contains(member.name) {
                    add("the property would hide the type \(member.name); give it a name that begins with a small letter")
                }
            }
            // The two overloads for one member and for many are one thing by name.
            if isFunction, !overloads.insert("\(owner) \(member.name)").inserted { continue }
            if let other = owners.updateValue("\(owner)'s \(member.name)", forKey: member.name) {
                add("its accessor \(member.name) is that of \(other) too; rename one of them")
            }
        }
        return problems
    }
}
