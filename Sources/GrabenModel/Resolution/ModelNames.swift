/// A model's entities by name and their ancestry, tolerant of every mistake a model can have.
struct ModelNames {
    let entities: [EntityDescription]
    /// The number of the first entity of each name.
    let byName: [String: Int]
    /// The numbers of each entity's super-entities and of itself, outermost first; a chain that is broken or circular ends there.
    let lineage: [[Int]]
    /// For each entity that is its own ancestor, the way round as numbers, from itself to itself.
    let cycles: [Int: [Int]]
    /// The entities that stand below more super-entities than `depthLimit`.
    let tooDeep: Set<Int>
    /// What a hierarchy may have one below the other: an entity holds what it inherits, so that the work grows with the square of it.
    static let depthLimit = 64
    /// The first property of each name that an entity declares itself.
    private let declaredByName: [[String: Declared]]
    /// The first composite of each name.
    let composites: [String: CompositeDescription]

    init(_ model: ManagedObjectModel) {
        let entities = model.entities
        let byName = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var lineage: [[Int]] = []
        var cycles: [Int: [Int]] = [:]
        var tooDeep: Set<Int> = []
        for start in entities.indices {
            var chain = [start]
            var seen: Set<Int> = [start]
            while let last = chain.last, let name = entities[last].superentity, let parent = byName[name] {
                guard seen.insert(parent).inserted else {
                    if parent == start { cycles[start] = chain + [start] }
                    break
                }
                chain.append(parent)
                if chain.count > Self.depthLimit {
                    tooDeep.insert(start)
                    break
                }
            }
            lineage.append(chain.reversed())
        }
        self.entities = entities
        self.byName = byName
        self.lineage = lineage
        self.cycles = cycles
        self.tooDeep = tooDeep
        self.declaredByName = entities.map { entity in
            Dictionary(Self.declared(by: entity).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
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
    func declared(by entity: Int) -> [Declared] { Self.declared(by: entities[entity]) }

    private static func declared(by description: EntityDescription) -> [Declared] {
        description.attributes.map(Declared.attribute) + description.relationships.map(Declared.relationship)
            + description.fetchedProperties.map(Declared.fetched)
    }

    /// The property an entity declares or inherits by this name, and who declares it.
    func property(_ name: String, of entity: Int) -> (declaredBy: Int, property: Declared)? {
        for ancestor in lineage[entity] {
            if let found = declaredByName[ancestor][name] { return (ancestor, found) }
        }
        return nil
    }

    /// The names of all properties of an entity, inherited ones first.
    func propertyNames(of entity: Int) -> [String] {
        lineage[entity].flatMap { declared(by: $0).map(\.name) }
    }
}
