import GrabenLog
import GrabenModel
import GrabenPredicate

extension ManagedObject {
    /// What a fetched property finds, in its order; evaluated at the first read and kept until the object is refreshed or turns into a
    /// fault, or the context is reset or rolled back. Objects that were deleted since are left out.
    ///
    /// Every option of the request counts, pending changes and sub-entities among them. Where it asks for no faults, the objects found (the
    /// first `batchSize` of them where it has one) are realised at that first read. One with `autoRefresh` is evaluated again after a change
    /// that could alter what it finds. An object in no context answers [].
    /// - Throws: `GrabenError.unknownKey`, `.fetchedProperty`, `.fetchedPropertyCycle`, `.wrongType` where the key names no fetched property.
    public final func fetched<T: ManagedObject>(_ key: String, as type: T.Type = T.self) throws(GrabenError) -> [T] {
        try fetched(info.properties[try info.number(key)])
    }

    final func fetched<T: ManagedObject>(_ property: PropertyInfo) throws(GrabenError) -> [T] {
        guard property.kind == .fetched else {
            throw .wrongType(entity: info.name, key: property.name, expected: "a fetched property", found: "another property")
        }
        guard let context else { return [] }
        willAccessValue(forKey: property.name)
        defer { didAccessValue(forKey: property.name) }
        if has(ObjectFlag.slow), property.fetched?.autoRefresh == true { context.tracker?.watchFetched(self, property.number, in: context) }
        return try fetchedIDs(property.number).compactMap { context.object(with: $0) as? T }
    }

    /// What a subclass's getter of a fetched property returns: as `fetched(_:as:)`, but an error goes to the context and yields [].
    public final func fetchedProperty<T: ManagedObject>(_ key: String, as type: T.Type = T.self) -> [T] {
        do { return try fetched(key, as: type) } catch {
            _table.context?.report(error)
            return []
        }
    }

    /// What a subclass's getter of a fetched property that finds one object returns: the first of what `fetchedProperty(_:as:)` does.
    public final func fetchedObject<T: ManagedObject>(_ key: String, as type: T.Type = T.self) -> T? {
        fetchedProperty(key, as: type).first
    }

    final func fetchedIDs(_ number: Int) throws(GrabenError) -> [ObjectID] {
        guard let context else { return [] }
        let property = info.properties[number]
        let stamp = property.fetched?.autoRefresh == true ? context.fetchStamp(property, of: info) : .kept
        let ids: [ObjectID]
        if let known = _data?.fetched.first(where: { $0.property == number }), stamp.allows(known.stamp) {
            ids = known.ids
        } else {
            ids = try context.evaluate(number, of: self)
            data.fetched.removeAll { $0.property == number }
            data.fetched.append(FetchedValue(property: number, ids: ids, stamp: stamp))
            realise(ids, property.fetched?.request)
        }
        return ids.filter { context.mayExist($0) }
    }

    /// Fires the faults among what was found, where the request asks for that. Their number is bounded by the batch size, since an array of
    /// objects is not told when it is read further.
    private func realise(_ ids: [ObjectID], _ request: FetchRequestDescription?) {
        guard let context, let request, !request.returnsObjectsAsFaults, request.includesPropertyValues else { return }
        for id in request.batchSize > 0 ? ids.prefix(request.batchSize) : ids[...] { context.object(with: id).fireIfNeeded() }
    }
}

extension Fetchable {
    /// What a fetched property finds; as its getter, but errors are thrown.
    ///
    ///     let neighbours = try joint.fetched(\.neighbours)
    ///
    /// - Throws: `GrabenError.invalidRequest` where the key path is not in the class's `propertyKeyPaths`; as `fetched(_:as:)` besides.
    public func fetched<T: ManagedObject>(_ path: KeyPath<Self, [T]>) throws(GrabenError) -> [T] {
        try fetched(try fetchedKey(path))
    }

    /// The one object that a fetched property with a limit of 1 finds, or nil; as its getter, but errors are thrown.
    ///
    ///     let nearest = try joint.fetched(\.nearest)
    ///
    /// - Throws: as for a property that finds many.
    public func fetched<T: ManagedObject>(_ path: KeyPath<Self, T?>) throws(GrabenError) -> T? {
        try fetched(try fetchedKey(path), as: T.self).first
    }

    private func fetchedKey(_ path: AnyKeyPath) throws(GrabenError) -> String {
        if let key = Self.propertyKey(for: path) { return key }
        throw .invalidRequest(reason: "reading a fetched property of \(entity.name): \(path) is no property in propertyKeyPaths")
    }
}

/// What a fetched property found, kept by its object.
struct FetchedValue {
    let property: Int
    let ids: [ObjectID]
    let stamp: FetchStamp
}

/// When a fetched property was evaluated, as far as that decides how long its value holds.
enum FetchStamp: Equatable {
    /// Until it is dropped.
    case kept
    /// As long as the objects it could be about have not changed; so often had they, in each context from the object's upwards.
    case at([UInt64])
    /// Not at all: they are being changed, in an event that has not ended.
    case passing

    /// Whether a value of that stamp holds at this one.
    func allows(_ other: FetchStamp) -> Bool { self == other && self != .passing }
}

extension ManagedObjectContext {
    /// How deep evaluations may stand inside each other: one reads an object, whose `awakeFromFetch` reads a property of its own, and so on from
    /// object to object. Each level takes some kilobytes of the stack.
    private static let nestingLimit = 32

    /// Runs a fetched property's request with `$FETCH_SOURCE` bound to the object. Neither ends an event nor advances the snapshot.
    fileprivate func evaluate(_ number: Int, of object: ManagedObject) throws(GrabenError) -> [ObjectID] {
        let property = object.info.properties[number]
        guard let description = property.fetched else { return [] }
        let key = (object: ObjectIdentifier(object), property: number)
        guard !evaluating.contains(where: { $0 == key }) else {
            throw .fetchedPropertyCycle(entity: object.info.name, key: property.name)
        }
        guard evaluating.count < Self.nestingLimit else {
            throw .invalidRequest(
                reason:
                    "evaluating the fetched property \(object.info.name).\(property.name): \(Self.nestingLimit) others wait for it, each read "
                    + "while another is evaluated; read it later than in awakeFromFetch()")
        }
        evaluating.append(key)
        defer { evaluating.removeLast() }
        statistics.fetches += 1
        let request: FetchParameters
        do { request = try FetchParameters(description.request) } catch {
            throw .fetchedProperty(entity: object.info.name, key: property.name, error: error)
        }
        let variables: [String: PredicateBinding] = [
            "FETCH_SOURCE": .object(ObjectCursor(object, in: self)),
            "FETCHED_PROPERTY": .dictionary([
                "name": .value(.string(description.name)),
                "userInfo": .dictionary(description.userInfo.mapValues { .value(.string($0)) }),
            ]),
        ]
        do {
            return try FetchExecution(context: self, info: coordinator.infos[property.destination], request: request)
                .run(variables: variables)
        } catch .predicate(let error) {
            throw .fetchedProperty(entity: object.info.name, key: property.name, error: error)
        } catch { throw error }
    }

    /// Whether nothing says that an object is gone: it is in no context from here upwards deleted, and in one of them or the snapshot.
    fileprivate func mayExist(_ id: ObjectID) -> Bool {
        for level in sequence(first: self, next: \.parent) {
            guard let object = level.registeredObject(for: id) else { continue }
            if object.isDeleted { return false }
            if object.isInserted { return true }
        }
        guard let stored = coordinator.store(numbered: id.storeNumber)?.stored(entity: Int(id.entityNumber)) else { return false }
        return root.snapshot(of: stored)?.contains(stored.code, id.row) == true
    }

    /// The stamp of a value of a property that refreshes itself, evaluated now.
    fileprivate func fetchStamp(_ property: PropertyInfo, of info: EntityInfo) -> FetchStamp {
        let entities = fetchedEntities(property, of: info)
        var counts: [UInt64] = []
        for level in sequence(first: self, next: \.parent) {
            counts.append(level.resultWatch.stamp(of: entities))
            if level.isChanging(entities) { return .passing }
        }
        return .at(counts)
    }

    /// The entities whose objects decide what a property finds; nil for any.
    func fetchedEntities(_ property: PropertyInfo, of info: EntityInfo) -> Set<Int>? {
        let key = FetchedPropertyKey(entity: info.index, property: property.number)
        if let known = fetchedEntities[key] { return known }
        var found: Set<Int>?
        if let request = property.fetched?.request {
            let destination = coordinator.infos[property.destination]
            let predicate = request.predicateFormat.flatMap { try? ObjectPredicate(format: $0) }
            let order = request.sort.compactMap { try? ObjectSortDescriptor(text: $0).keyPath.split(separator: ".").map(String.init) }
            found = ResultPlan.entities(of: destination, (predicate?.keyPaths ?? []) + order)
            let source = (predicate?.paths(fromVariable: "FETCH_SOURCE") ?? []).filter { !$0.isEmpty }
            if !source.isEmpty {
                let own = ResultPlan.entities(of: info, source)
                found = found.flatMap { mine in own.map { mine.union($0) } }
            }
        }
        fetchedEntities[key] = .some(found)
        return found
    }

    /// Whether the event that has not ended changed objects of one of these entities.
    private func isChanging(_ entities: Set<Int>?) -> Bool {
        if event.isEmpty { return false }
        guard let entities else { return true }
        return event.inserted.contains { entities.contains($0.info.index) } || event.deleted.contains { entities.contains($0.info.index) }
            || event.objects.contains { entities.contains($0.info.index) }
            || event.chunks.contains { entities.contains($0.table.info.index) }
    }
}

/// A fetched property of an entity.
struct FetchedPropertyKey: Hashable {
    let entity: Int
    let property: Int
}
