import GrabenLog
import GrabenModel
import GrabenPredicate

extension ManagedObject {
    /// What a fetched property finds, in its order; evaluated at the first read and kept until the object is refreshed or turns into a
    /// fault, or the context is reset or rolled back. Objects that were deleted since are left out.
    ///
    /// Every option of the request counts, pending changes and sub-entities among them. Where it asks for no faults, the objects found (the
    /// first `batchSize` of them where it has one) are realised at that first read. An object in no context answers [].
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
        return try fetchedIDs(property.number).compactMap { context.object(with: $0) as? T }
    }

    /// What a subclass's getter of a fetched property returns: as `fetched(_:as:)`, but an error goes to the context and yields [].
    public final func fetchedProperty<T: ManagedObject>(_ key: String, as type: T.Type = T.self) -> [T] {
        do { return try fetched(key, as: type) } catch {
            _table.context?.report(error)
            return []
        }
    }

    final func fetchedIDs(_ number: Int) throws(GrabenError) -> [ObjectID] {
        guard let context else { return [] }
        let ids: [ObjectID]
        if let known = _data?.fetched.first(where: { $0.property == number })?.ids {
            ids = known
        } else {
            ids = try context.evaluate(number, of: self)
            data.fetched.append((number, ids))
            realise(ids, info.properties[number].fetched?.request)
        }
        return ids.filter { !(context.registeredObject(for: $0)?.isDeleted ?? false) }
    }
}

extension ManagedObject {
    /// Fires the faults among what was found, where the request asks for that. Their number is bounded by the batch size, since an array of
    /// objects is not told when it is read further.
    private func realise(_ ids: [ObjectID], _ request: FetchRequestDescription?) {
        guard let context, let request, !request.returnsObjectsAsFaults, request.includesPropertyValues else { return }
        for id in request.batchSize > 0 ? ids.prefix(request.batchSize) : ids[...] { context.object(with: id).fireIfNeeded() }
    }
}

extension ManagedObjectContext {
    /// Runs a fetched property's request with `$FETCH_SOURCE` bound to the object. Neither ends an event nor advances the snapshot.
    fileprivate func evaluate(_ number: Int, of object: ManagedObject) throws(GrabenError) -> [ObjectID] {
        let property = object.info.properties[number]
        guard let description = property.fetched else { return [] }
        let key = (object: ObjectIdentifier(object), property: number)
        guard !evaluating.contains(where: { $0 == key }) else {
            throw .fetchedPropertyCycle(entity: object.info.name, key: property.name)
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
}
