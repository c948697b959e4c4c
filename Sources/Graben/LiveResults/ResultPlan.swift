import GrabenLog
import GrabenModel
import GrabenPredicate

/// How a result that is kept up to date is fetched and divided into sections.
struct ResultPlan {
    /// The entities a change has to be of to matter; nil for any.
    let entities: Set<Int>?
    private let section: BoundColumn?
    private let sectionKeyPath: String?
    private let entity: EntityInfo

    /// Checks that request and section fit each other.
    init<T: ManagedObject>(_ request: FetchRequest<T>, _ context: ManagedObjectContext, _ sectionKeyPath: String?) throws(GrabenError) {
        self.sectionKeyPath = sectionKeyPath
        entity = try context.entity(of: request)
        guard request.resultType == .objects else {
            throw .invalidRequest(reason: "keeping a result up to date: the request is for \(request.resultType.rawValue), not for objects")
        }
        let schema = context.coordinator.model.schema(of: entity.entity)
        var section: BoundColumn?
        if let sectionKeyPath {
            do throws(ObjectPredicateError) {
                section = try BoundColumn(try ObjectExpression(keyPath: sectionKeyPath), schema: schema)
            } catch { throw .predicate(error) }
            if section?.isCollection == true {
                throw .invalidRequest(reason: "dividing into sections: \(sectionKeyPath) has many values for each object")
            }
            // What lives in memory only cannot be sorted by in a store; whether its values are together is seen when they are read.
            let isStored = section?.properties.allSatisfy { [entity] in entity.properties[$0].kind != .transient } ?? true
            if isStored, request.sortDescriptors.first?.keyPath != sectionKeyPath {
                throw .invalidRequest(
                    reason: "dividing into sections by \(sectionKeyPath): the first sort descriptor has to be of it too, and is of "
                        + (request.sortDescriptors.first?.keyPath ?? "nothing"))
            }
        }
        self.section = section
        let bound = FetchExecution(context: context, info: entity, request: FetchParameters(request))
        _ = try bound.bind(request.predicate, [:])
        _ = try bound.bindSort()
        var paths = request.predicate?.keyPaths ?? []
        paths += request.sortDescriptors.map { $0.keyPath.split(separator: ".").map(String.init) }
        if let sectionKeyPath { paths.append(sectionKeyPath.split(separator: ".").map(String.init)) }
        entities = Self.entities(of: entity, paths)
    }

    /// The entity's own objects, where nothing that is asked of them is another object's; else any.
    static func entities(of info: EntityInfo, _ paths: [[String]]) -> Set<Int>? {
        for path in paths {
            guard path.count == 1, let number = info.entity.propertyNumber(named: path[0]) else { return nil }
            switch info.properties[number].kind {
            case .attribute, .packed, .toOne: continue
            case .transient, .toMany, .fetched: return nil
            }
        }
        return Set(info.entity.concreteDescendants)
    }

    // MARK: Fetching

    /// The result as the context has it now. Neither ends an event nor advances the snapshot.
    func fetch<T: ManagedObject>(_ context: ManagedObjectContext, _ request: FetchRequest<T>) throws(GrabenError) -> FetchedResultsSnapshot
    {
        let ids = try context.run(request)
        guard let section else { return FetchedResultsSnapshot(sections: [.init(name: "", value: .null, objectIDs: ids)]) }
        var sections: [FetchedResultsSnapshot.Section] = []
        var known: Set<RowKey> = []
        var key: RowKey?
        var lent = StoreCursors(context, includesPending: request.includesPendingChanges)
        for id in ids {
            guard let object = try lent.pendingOrStored(id) else { continue }
            let value: Value
            do throws(ObjectPredicateError) { value = try section.value(of: object) } catch { throw .predicate(error) }
            let itsKey = RowKey([value])
            if itsKey != key {
                guard known.insert(itsKey).inserted else {
                    throw .invalidRequest(
                        reason:
                            "dividing into sections by \(sectionKeyPath ?? ""): the objects of \(value.summary) are not together in the "
                            + "request's order; sort by it first, or by what it follows from")
                }
                key = itsKey
                sections.append(.init(name: Self.name(of: value), value: Self.plain(value)))
            }
            sections[sections.count - 1].objectIDs.append(id)
        }
        return FetchedResultsSnapshot(sections: sections)
    }

    private static func name(of value: Value) -> String {
        switch value {
        case .null: ""
        case .string(let text), .uri(let text): text
        default: plain(value).summary
        }
    }

    /// Zeros are one section, and so are all NaNs: which of them comes first must not tell sections apart.
    private static func plain(_ value: Value) -> Value {
        switch value {
        case .double(let number): .double(number.isNaN ? .nan : number == 0 ? 0 : number)
        case .float(let number): .float(number.isNaN ? .nan : number == 0 ? 0 : number)
        default: value
        }
    }
}
