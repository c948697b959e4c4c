import GrabenLog
import GrabenModel
import GrabenPredicate

extension ManagedObject {
    /// What a fetched property finds, in its order; evaluated at the first read and kept until the object is refreshed or turns into a
    /// fault, or the context is reset or rolled back. Objects that were deleted since are left out.
    ///
    /// An object in no context answers [].
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
        }
        return ids.filter { !(context.registeredObject(for: $0)?.isDeleted ?? false) }
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
        do {
            request = FetchParameters(
                predicate: try description.predicateFormat.map { try ObjectPredicate(format: $0) },
                sort: try description.sort.map { try ObjectSortDescriptor(text: $0) }, limit: description.limit ?? 0,
                offset: description.offset)
        } catch let error as ObjectPredicateError {
            throw .fetchedProperty(entity: object.info.name, key: property.name, error: error)
        } catch {
            throw .invalidRequest(reason: "\(object.info.name).\(property.name): \(error)")
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
