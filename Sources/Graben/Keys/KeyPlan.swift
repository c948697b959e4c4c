import GrabenLog
import GrabenModel

/// How objects of an entity are looked up by a uniqueness constraint: worked out once, and kept by the context.
final class KeyPlan {
    /// The index of one entity of one store.
    final class Source {
        let stored: StoredEntity
        let declaration: KeyDeclaration
        /// The index as of the snapshot it was asked for last.
        var lookup: KeyLookup?

        init(_ stored: StoredEntity, _ declaration: KeyDeclaration) {
            self.stored = stored
            self.declaration = declaration
        }
    }

    let info: EntityInfo
    /// The names as they were given.
    let names: [String]
    /// The numbers of the properties, in the order of the names.
    let given: [Int]
    /// For each property of the constraint, in its order, its place among the names.
    let places: [Int]
    /// Their numbers, in the constraint's order.
    let properties: [Int]
    let sources: [Source]
    /// How many stores there were; one more may take the entity too.
    let storeCount: Int
    /// The key path that the only name was given by.
    var path: AnyKeyPath?

    /// - Throws: where there is no such property, or no constraint of just these.
    init(_ info: EntityInfo, _ names: [String], _ coordinator: PersistentStoreCoordinator) throws(GrabenError) {
        self.info = info
        self.names = names
        storeCount = coordinator.storeCount
        var numbers: [Int] = []
        for name in names { numbers.append(try info.number(name)) }
        given = numbers
        guard let key = info.entity.uniqueKeys.first(where: { $0.properties.count == numbers.count && Set($0.properties) == Set(numbers) })
        else {
            let known = info.entity.uniqueKeys.map { $0.properties.map { info.properties[$0].name }.joined(separator: " and ") }
            let list = known.isEmpty ? "\(info.name) has no uniqueness constraint" : "unique are \(known.joined(separator: "; "))"
            throw .invalidRequest(
                reason: "looking up a \(info.name) by \(names.joined(separator: " and ")), which no uniqueness constraint is of: \(list). "
                    + "Make it unique in the model, or fetch with a predicate")
        }
        properties = key.properties
        places = key.properties.map { numbers.firstIndex(of: $0) ?? 0 }
        var sources: [Source] = []
        let entities = info.entity.concreteDescendants.sorted()
        for store in coordinator.stores.sorted(by: { $0.number < $1.number }) {
            guard
                let group = store.uniqueKeys.first(where: { group in
                    group.properties == key.properties && entities.contains { group.indexes[$0] != nil }
                })
            else { continue }
            for entity in entities {
                guard let stored = store.stored(entity: entity), let declaration = group.indexes[entity] else { continue }
                sources.append(Source(stored, declaration))
            }
        }
        self.sources = sources
    }

    /// Values as the only part of a key has them; nulls stay.
    ///
    /// - Throws: where the property cannot have one.
    func fitting(_ values: [Value]) throws(GrabenError) -> [Value] {
        let isText = info.properties[properties[0]].attribute?.type == .string
        var fitting = values
        for (place, value) in values.enumerated() where !value.isNull {
            if isText, case .string = value { continue }
            fitting[place] = try self.fitting(value, properties[0])
        }
        return fitting
    }

    /// A value as a key has it.
    ///
    /// - Throws: where the property cannot have it.
    func fitting(_ value: Value, _ number: Int) throws(GrabenError) -> Value {
        let property = info.properties[number]
        if case .string = value, property.attribute?.type == .string { return value }
        if property.kind == .toOne {
            if case .reference = value { return value }
        } else if let fitting = property.attribute?.type.normalized(value) {
            return fitting
        }
        throw .wrongType(
            entity: info.name, key: property.name, expected: "a key of type \(property.attribute?.type.rawValue ?? "reference")",
            found: value.summary)
    }
}

extension ManagedObjectContext {
    /// For each of many values the object that has the key of one attribute, where its class is wanted.
    func objects(
        _ plan: KeyPlan, equalToEach values: [Value], _ isWanted: @escaping (ManagedObject.Type) -> Bool
    ) throws(GrabenError) -> [ManagedObject?] {
        checkOwner()
        let keys = try plan.fitting(values)
        var objects: [ManagedObject?] = []
        objects.reserveCapacity(keys.count)
        var maker = ObjectMaker(self, count: keys.count, isWanted)
        // What is found for some is used before the next are looked up, while it is near.
        for start in stride(from: 0, to: keys.count, by: Nursery.capacity / 8) {
            let part = keys[start..<min(start + Nursery.capacity / 8, keys.count)]
            let ids = try ids(plan, part)
            for case let id? in ids { maker.prefetch(id) }
            for (key, id) in zip(part, ids) {
                var id = id
                // Another context may have saved it since.
                if id == nil, !key.isNull { id = try newerID(plan, SoughtKey(one: key)) }
                objects.append(id.flatMap { maker.object($0) })
            }
        }
        return objects
    }

    /// Ids of the objects that have keys of one attribute, here or in the snapshot.
    private func ids(_ plan: KeyPlan, _ keys: ArraySlice<Value>) throws(GrabenError) -> [ObjectID?] {
        var ids = [ObjectID?](repeating: nil, count: keys.count)
        /// Places of the keys not found yet.
        var open: [Int] = []
        open.reserveCapacity(keys.count)
        let isPending = hasPendingChanges
        for (place, key) in keys.enumerated() where !key.isNull {
            if isPending { ids[place] = try pendingID(plan, SoughtKey(one: key)) }
            if ids[place] == nil { open.append(place) }
        }
        // Each entity of each store has an index of its own.
        for source in plan.sources where !open.isEmpty {
            guard let lookup = try lookup(source) else { continue }
            let sought = open.map { source.stored.stored(keys[keys.startIndex + $0]) }
            let rows: [Row?]
            do throws(LogError) { rows = try lookup.rows(equalToEach: sought) } catch { throw .store(error) }
            var left: [Int] = []
            for (place, row) in zip(open, rows) {
                var id = row.map { source.stored.id(of: $0) }
                if isPending, let found = id, try isOvertaken(found, plan, SoughtKey(one: keys[keys.startIndex + place]), below: nil) {
                    id = nil
                }
                if let id { ids[place] = id } else { left.append(place) }
            }
            open = left
        }
        return ids
    }

    /// Whether anything is unsaved, here or in a context above.
    private var hasPendingChanges: Bool {
        var level: ManagedObjectContext? = self
        while let context = level {
            if !context.changed.isEmpty { return true }
            level = context.parent
        }
        return false
    }

    /// An index as of the snapshot; nil where the context reads none of its store.
    private func lookup(_ source: KeyPlan.Source) throws(GrabenError) -> KeyLookup? {
        guard let snapshot = root.snapshot(of: source.stored) else { return nil }
        if let known = source.lookup, known.snapshot === snapshot { return known }
        do throws(LogError) {
            let lookup = try snapshot.lookup(source.declaration)
            source.lookup = lookup
            return lookup
        } catch { throw .store(error) }
    }

    /// The object that has a key of one attribute.
    func object(_ plan: KeyPlan, _ value: Value) throws(GrabenError) -> ManagedObject? {
        value.isNull ? nil : try look(plan, .init(one: try plan.fitting(value, plan.properties[0])))
    }

    /// The object that has a key; values in the order they were named in.
    func object(_ plan: KeyPlan, _ values: [Value]) throws(GrabenError) -> ManagedObject? {
        if values.contains(where: \.isNull) { return nil }
        var fitting: [Value] = []
        for (number, place) in zip(plan.properties, plan.places) { fitting.append(try plan.fitting(values[place], number)) }
        return try look(plan, .init(all: fitting))
    }

    /// A key: mostly one value, for which no array is made.
    struct SoughtKey {
        let first: Value
        let rest: [Value]

        init(one: Value) { (first, rest) = (one, []) }
        init(all: [Value]) { (first, rest) = (all[0], Array(all.dropFirst())) }

        var values: [Value] { [first] + rest }

        /// Whether values, in the constraint's order, are the key.
        func isKey(_ properties: [Int], _ value: (Int) throws(GrabenError) -> Value) throws(GrabenError) -> Bool {
            guard try value(properties[0]) == first else { return false }
            for (place, sought) in rest.enumerated() where try value(properties[place + 1]) != sought { return false }
            return true
        }
    }

    private func look(_ plan: KeyPlan, _ key: SoughtKey) throws(GrabenError) -> ManagedObject? {
        if let id = try pendingID(plan, key) { return object(with: id) }
        if let id = try storedID(plan, key) { return object(with: id) }
        return try newerID(plan, key).map { object(with: $0) }
    }

    /// The object that has a key in the newest snapshot, where the context can move to one.
    private func newerID(_ plan: KeyPlan, _ key: SoughtKey) throws(GrabenError) -> ObjectID? {
        let root = root
        guard !isPinned, !root.isPinned, !plan.sources.isEmpty else { return nil }
        let before = root.snapshots.mapValues(\.commitNumber)
        root.advanceSnapshots(merging: root.automaticallyMergesChangesFromParent)
        guard root.snapshots.mapValues(\.commitNumber) != before else { return nil }
        return try storedID(plan, key)
    }

    /// The object that has the key in the snapshot, and no other key here.
    private func storedID(_ plan: KeyPlan, _ key: SoughtKey) throws(GrabenError) -> ObjectID? {
        for source in plan.sources {
            guard let lookup = try lookup(source) else { continue }
            var found: Row?
            do throws(LogError) {
                if key.rest.isEmpty {
                    found = try lookup.row(equalTo: source.stored.stored(key.first))
                } else {
                    found = try lookup.row(equalTo: key.values.map { source.stored.stored($0) })
                }
            } catch { throw .store(error) }
            guard let row = found else { continue }
            let id = source.stored.id(of: row)
            if try isOvertaken(id, plan, key, below: nil) { continue }
            return id
        }
        return nil
    }

    /// Whether an object is deleted or has another key in this context or one above it, as far as they are below another one or, without one,
    /// all of them.
    private func isOvertaken(
        _ id: ObjectID, _ plan: KeyPlan, _ key: SoughtKey, below upper: ManagedObjectContext?
    ) throws(GrabenError) -> Bool {
        var level: ManagedObjectContext? = self
        while let context = level, context !== upper {
            // Who has nothing unsaved has no such object.
            if !context.changed.isEmpty, let object = context.registeredObject(for: id), object.hasChanges {
                if object.isDeleted { return true }
                return !(try key.isKey(plan.properties) { number throws(GrabenError) in object.primitive(number) })
            }
            level = context.parent
        }
        return false
    }

    /// An unsaved object of this context, or one above it, that has the key.
    private func pendingID(_ plan: KeyPlan, _ key: SoughtKey) throws(GrabenError) -> ObjectID? {
        var level: ManagedObjectContext? = self
        while let context = level {
            if !context.changed.isEmpty {
                for id in context.pendingKeys(of: plan).ids(of: key.values)
                where plan.info.entity.concreteDescendants.contains(Int(id.entityNumber)) {
                    guard let object = context.registeredObject(for: id), object.hasChanges, !object.isDeleted,
                        try key.isKey(plan.properties, { number throws(GrabenError) in object.primitive(number) }),
                        !(try isOvertaken(id, plan, key, below: context))
                    else { continue }
                    return id
                }
            }
            level = context.parent
        }
        return nil
    }
}
