public import GrabenLog

extension ManagedObjectContext {
    // MARK: Firing many faults

    /// Realises those of the objects that are faults, in the order in which they lie in the store, and answers how many that were.
    ///
    /// Objects of another context are left alone, and reported. Complexity: O(n log n) for n faults.
    @discardableResult
    public func fireFaults(of objects: some Sequence<ManagedObject>) -> Int {
        var faults: [ManagedObject] = []
        for object in objects where object.isFault {
            if object.context === self {
                faults.append(object)
            } else {
                report(.noContext(entity: object.info.name, doing: "firing the fault of \(object.objectID.uriRepresentation)"))
            }
        }
        // Rows of an entity mostly lie in their order, at least between two compactions.
        faults.sort { $0.objectID < $1.objectID }
        var count = 0
        for fault in faults where fault.isFault {
            fault.fireIfNeeded()
            count += 1
        }
        return count
    }

    /// Realises what relationships of objects lead to, before it is asked for one by one.
    ///
    /// The ids of to-many members are read and kept, so that `hasFault(forRelationshipNamed:)` is false afterwards, and the objects are
    /// realised.
    ///
    ///     let lines = try context.prefetch("outgoing.end", of: joints)   // the lines' ends, realised, and so are the lines
    ///
    /// - Parameter path: names of relationships, one after the other.
    /// - Returns: what the last relationship leads to, each object once, ordered by id.
    /// - Throws: `GrabenError.unknownKey`, `.invalidRequest` where a name is no relationship's, `.noContext` for an object of another context;
    ///   nothing is read then.
    /// - Complexity: O(n log n) for n objects that are reached.
    @discardableResult
    public func prefetch(_ path: String, of objects: some Sequence<ManagedObject>) throws(GrabenError) -> [ManagedObject] {
        var level: [ManagedObject] = []
        for object in objects {
            guard object.context === self else { throw .noContext(entity: object.info.name, doing: "prefetching \(path)") }
            level.append(object)
        }
        return realise(try relationshipKeys(path, from: Set(level.map(\.info.index))), of: level)
    }
}

extension ManagedObjectContext {
    /// The names in a key path, each of which has to be a relationship of every entity it is asked of, whatever objects there are.
    func relationshipKeys(_ path: String, from start: Set<Int>) throws(GrabenError) -> [String] {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var entities = start
        for key in keys {
            var next: Set<Int> = []
            for entity in entities.sorted() {
                let info = coordinator.infos[entity]
                let property = info.properties[try info.number(key)]
                switch property.kind {
                case .toOne, .toMany: next.insert(property.destination)
                case .fetched:
                    throw .invalidRequest(
                        reason: "prefetching \(path): \(info.name).\(key) is a fetched property, which each object evaluates by itself")
                case .attribute, .packed, .transient:
                    throw .invalidRequest(reason: "prefetching \(path): \(info.name).\(key) is no relationship")
                }
            }
            entities = next
        }
        return keys
    }

    /// Realises what relationships lead to, step by step, those of one step together, and keeps the ids of members; answers what the last one
    /// leads to, each object once, by id. Counts a fetch for each entity of a step.
    @discardableResult
    func realise(_ keys: [String], of objects: [ManagedObject]) -> [ManagedObject] {
        var level = objects
        for key in keys {
            var ids: Set<ObjectID> = []
            for object in level {
                guard let number = object.info.entity.propertyNumber(named: key) else { continue }
                if object.info.properties[number].kind == .toMany {
                    ids.formUnion(object.loadMembers(number))
                } else {
                    ids.formUnion(object.primitive(number).objectIDs)
                }
            }
            statistics.fetches += Set(ids.map(\.entityNumber)).count
            level = ids.sorted().map { self.object(with: $0) }
            fireFaults(of: level)
        }
        return level
    }
}

extension ManagedObject {
    /// The ids that a relationship leads to, without firing the relationship or the object: in order where it is ordered, else ascending.
    ///
    /// - Throws: `GrabenError.unknownKey`, `.invalidRequest` where the name is no relationship's, `.store` where the record cannot be read.
    /// - Complexity: O(members).
    public final func objectIDs(forRelationshipNamed name: String) throws(GrabenError) -> [ObjectID] {
        let property = try relationship(name, doing: "reading the ids of a relationship")
        guard property.kind == .toOne, isFault else { return relatedIDs(property.number) }
        if let parent = _table.context?.parent, let stored = _table.stored {
            return try parent.object(_row, in: parent.table(stored, info)).objectIDs(forRelationshipNamed: name)
        }
        do throws(LogError) {
            guard let stored = _table.stored, let record = try _table.record(_row) else { return [] }
            return try stored.value(property, of: record).objectIDs
        } catch { throw .store(error) }
    }

    private final func relationship(_ name: String, doing: String) throws(GrabenError) -> PropertyInfo {
        let property = info.properties[try info.number(name)]
        guard property.kind == .toOne || property.kind == .toMany else {
            throw .invalidRequest(reason: "\(doing): \(info.name).\(name) is no relationship")
        }
        return property
    }
}
