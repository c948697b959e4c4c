/// A model's entities by name and their ancestry, tolerant of every mistake a model can have.
struct ModelNames {
    let entities: [EntityDescription]
    /// The number of the first entity of each name.
    let byName: [String: Int]
    /// The numbers of each entity's super-entities and of itself, outermost first; a chain that is broken or circular ends there.
    let lineage: [[Int]]
    /// For each entity that is its own ancestor, the way round as numbers, from itself to itself.
    let cycles: [Int: [Int]]
    /// The first composite of each name.
    let composites: [String: CompositeDescription]

    init(_ model: ManagedObjectModel) {
        let entities = model.entities
        let byName = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var lineage: [[Int]] = []
        var cycles: [Int: [Int]] = [:]
        for start in entities.indices {
            var chain = [start]
            var seen: Set<Int> = [start]
            while let last = chain.last, let name = entities[last].superentity, let parent = byName[name] {
                guard seen.insert(parent).inserted else {
                    if parent == start { cycles[start] = chain + [start] }
                    break
                }
                chain.append(parent)
            }
            lineage.append(chain.reversed())
        }
        self.entities = entities
        self.byName = byName
        self.lineage = lineage
        self.cycles = cycles
        self.composites = Dictionary(model.composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// A declared property, as far as other descriptions need to know it.
    enum Declared {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
        case fetched(FetchedPropertyDescription)

        var name: String {
            switch self {
            case .attribute(let description): description.name
            case .relationship(let description): description.name
            case .fetched(let description): description.name
            }
        }
    }

    /// The properties an entity declares itself, in the order in which they are numbered.
    func declared(by entity: Int) -> [Declared] {
        let description = entities[entity]
        return description.attributes.map(Declared.attribute) + description.relationships.map(Declared.relationship)
            + description.fetchedProperties.map(Declared.fetched)
    }

    /// The property an entity declares or inherits by this name, and who declares it.
    func property(_ name: String, of entity: Int) -> (declaredBy: Int, property: Declared)? {
        for ancestor in lineage[entity] {
            if let found = declared(by: ancestor).first(where: { $0.name == name }) { return (ancestor, found) }
        }
        return nil
    }

    /// The names of all properties of an entity, inherited ones first.
    func propertyNames(of entity: Int) -> [String] {
        lineage[entity].flatMap { declared(by: $0).map(\.name) }
    }
}
