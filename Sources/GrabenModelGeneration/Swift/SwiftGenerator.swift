package import GrabenModel

/// Writes the classes of a model's entities as Swift, the same text for the same model.
///
/// The accessors are what one writes by hand, and need no macros: packed attributes are read by literal lanes, so that their getters cost
/// two loads. Which classes are written is what the model says; see `ClassPlan`.
package struct SwiftGenerator {
    let model: ResolvedModel
    let options: SwiftOptions
    let plans: [ClassPlan]
    /// The members of each entity's class, by the entity's number; empty for what is not written.
    private(set) var members: [[ClassMember]] = []
    /// The structures of the model's composites.
    private(set) var composites: [CompositePlan] = []
    /// The members of the type that holds the model, besides the model and its classes: requests for objects whose class is not written.
    private(set) var modelMembers: [ClassMember] = []
    private var problems: [GenerationProblem] = []

    /// Plans the classes of a model.
    ///
    /// Throws `GenerationError.model` where the model is wrong, and `.unspeakable` with everything in it that Swift cannot say.
    /// Complexity: the number of properties, inherited ones included.
    package init(_ model: ManagedObjectModel, _ options: SwiftOptions) throws(GenerationError) {
        do { self.model = try model.resolved() } catch { throw .model(error) }
        self.options = options
        plans = ClassPlan.plans(of: self.model, options)
        composites = CompositePlan.plans(of: self.model.description, access: modelAccess, problems: &problems)
        for plan in plans { members.append(plan.isWritten ? plannedMembers(of: plan) : []) }
        for template in self.model.description.fetchRequestTemplates {
            guard let entity = self.model.entity(named: template.request.entity) else { continue }
            let member = ClassMember(template: template, about: entity, self.model, plans)
            if plans[entity.index].isWritten { members[entity.index].append(member) } else { modelMembers.append(member) }
        }
        let written = plans.filter(\.isWritten)
        let names = Set(written.map(\.className))
        problems += problemsOfClasses() + written.flatMap { problemsOfMembers(of: $0, classNames: names) }
        guard problems.isEmpty else { throw .unspeakable(problems) }
    }

    /// Whether there is anything to write but the model itself.
    package var writesAnyClass: Bool { plans.contains(where: \.isWritten) }

    /// The types it makes besides that of the model, each with the entity it is the class of; none of a composite's structure.
    package var declaredTypes: [String: String?] {
        var types: [String: String?] = [:]
        for composite in composites { types[composite.name] = .some(nil) }
        for plan in plans where plan.part == .whole && plan.isWritten { types[plan.className] = plan.entity.name }
        return types
    }

    /// One file for each class and one for the model.
    package func files(header: String) throws(GenerationError) -> [GeneratedFile] {
        var files: [GeneratedFile] = []
        for plan in plans where plan.isWritten {
            let ending = plan.part == .properties ? "+Properties" : ""
            files.append(file("\(plan.className)\(ending).swift", header, [plan], [], json: nil))
        }
        for composite in composites { files.append(file("\(composite.name).swift", header, [], [composite], json: nil)) }
        files.append(file("\(options.modelTypeName).swift", header, [], [], json: try json()))
        return files
    }

    /// All of it in one file.
    package func file(header: String) throws(GenerationError) -> GeneratedFile {
        file("\(options.modelTypeName).swift", header, plans.filter(\.isWritten), composites, json: try json())
    }

    private func file(_ name: String, _ header: String, _ plans: [ClassPlan], _ composites: [CompositePlan], json: String?) -> GeneratedFile
    {
        var content = SwiftText()
        if let json { writeModelType(json: json, to: &content) }
        func separate() {
            if !content.text.isEmpty { content.line() }
        }
        for composite in composites {
            separate()
            composite.write(to: &content)
        }
        for plan in plans {
            separate()
            write(plan, to: &content)
        }
        var text = SwiftText()
        text.line("// \(header.oneLine)")
        text.line("// swift-format-ignore-file")
        text.line()
        writeImports(of: plans, composites, content.text, holdsModel: json != nil, to: &text)
        text.line()
        return GeneratedFile(name: name, text: text.text + content.text)
    }

    /// Who sees the type that holds the model.
    var modelAccess: SwiftAccess {
        options.access ?? model.description.userInfo["graben.access"].flatMap(SwiftAccess.init(rawValue:))
            ?? (plans.contains { $0.isWritten && $0.access == .public } ? .public : .internal)
    }

    private func json() throws(GenerationError) -> String {
        do { return String(decoding: try model.description.jsonData(), as: UTF8.self) } catch { throw .model(error) }
    }

    // MARK: Members

    private mutating func plannedMembers(of plan: ClassPlan) -> [ClassMember] {
        let entity = plan.entity
        let addressing = addressing(of: plan)
        var members: [ClassMember] = PointGroup.groups(of: entity, problems: &problems).map { ClassMember(point: $0) }
        for property in declared(by: plan) {
            switch property.kind {
            case .attribute(let attribute):
                let document = Documents.text(for: attribute)
                if let lane = property.lane {
                    members.append(ClassMember(packed: attribute, lane: LanePlace(lane, of: entity), document: document))
                } else {
                    members.append(ClassMember(attribute: attribute, property, addressing, document: document))
                }
            case .relationship(let relationship, let link):
                members += ClassMember.members(
                    of: relationship, property, addressing, type: plans[link.destination].typeName,
                    document: Documents.text(for: relationship))
            case .fetched(let fetched, let destination):
                members += ClassMember.members(
                    of: fetched, property, addressing, type: plans[destination].typeName, document: Documents.text(for: fetched))
            }
        }
        return members
    }

    /// The properties whose accessors a class has to declare: the entity's own, and those of super-entities that have no class of theirs.
    func declared(by plan: ClassPlan) -> [Property] {
        var declaring: Set<Int> = [plan.entity.index]
        var ancestor = plan.entity.superentity
        while let entity = ancestor, plans[entity.index].part == .general {
            declaring.insert(entity.index)
            ancestor = entity.superentity
        }
        return plan.entity.properties.filter { declaring.contains($0.declaringEntity) }
    }
}
