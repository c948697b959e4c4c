public import GrabenLog
import GrabenModel
import GrabenPredicate

/// A property and the value it is to have: a key, or a part of one, to look an object up by.
public struct KeyPart<Object: ManagedObject> {
    fileprivate enum Property {
        case path(AnyKeyPath)
        case name(String)
    }
    fileprivate let property: Property
    fileprivate let value: Value

    /// The property that a key path reads, and its value.
    public static func key<V: PrimitiveConvertible>(_ path: KeyPath<Object, V>, _ value: V) -> KeyPart {
        KeyPart(property: .path(path), value: value.primitiveValue)
    }

    /// A property by its name, and its value.
    public static func key(_ name: String, _ value: some PrimitiveConvertible) -> KeyPart {
        KeyPart(property: .name(name), value: value.primitiveValue)
    }
}

extension ManagedObjectContext {
    /// The object whose unique attribute has a value; nil where there is none, and for nil, which is no key.
    ///
    ///     let joint = try context.object(Joint.self, where: \.name, equals: "J12")
    ///
    /// Unsaved changes count, of the contexts above too. One look-up in the index that the uniqueness constraint keeps; no event ends. A context
    /// that is not pinned moves to the newest snapshot where its own has no such object. Complexity: O(log n).
    /// - Throws: `GrabenError.invalidRequest` where no uniqueness constraint is of that attribute alone; `.unknownKey`, `.wrongType`,
    ///   `.store`.
    public func object<T: ManagedObject, V: PrimitiveConvertible>(
        _ type: T.Type, where path: KeyPath<T, V>, equals value: V
    ) throws(GrabenError) -> T? {
        try object(try keyPlan(type, path), value.primitiveValue) as? T
    }

    /// The object whose unique attribute, by name, has a value.
    ///
    /// - Throws: as for a key path.
    public func object<T: ManagedObject>(
        _ type: T.Type, where key: String, equals value: some PrimitiveConvertible
    ) throws(GrabenError) -> T? {
        try object(type, where: .key(key, value))
    }

    /// The object that has the values of a uniqueness constraint's attributes, in any order.
    ///
    ///     let joint = try context.object(Joint.self, where: .key(\.layer, 3), .key(\.name, "J12"))
    ///
    /// - Throws: as for a key path; `.invalidRequest` where no uniqueness constraint is of just these attributes.
    public func object<T: ManagedObject>(_ type: T.Type, where parts: KeyPart<T>...) throws(GrabenError) -> T? {
        let plan = try keyPlan(T.self, parts.map(\.property))
        return try object(plan, parts.map(\.value)) as? T
    }

    /// For each of many values the object whose unique attribute has it, in their order; nil where there is none, and for nil, which is no key.
    ///
    ///     let joints = try context.objects(Joint.self, where: \.name, equals: ["J12", "J13"])
    ///
    /// Much faster than one look-up after the other where the index is larger than a processor's own memory: its places are read side by side.
    /// Complexity: O(m log n).
    /// - Throws: as for one value; nothing is found then.
    @inlinable
    public func objects<T: ManagedObject, V: PrimitiveConvertible>(
        _ type: T.Type, where path: KeyPath<T, V>, equals values: some Collection<V>
    ) throws(GrabenError) -> [T?] {
        // They are of the class.
        try objects(type, at: path, equalToEach: values.map(\.primitiveValue)).map { $0.map { unsafeDowncast($0, to: T.self) } }
    }

    /// The same for an attribute that may be nil, of values that are not.
    ///
    /// - Throws: as for one value.
    @inlinable
    public func objects<T: ManagedObject, V: PrimitiveConvertible>(
        _ type: T.Type, where path: KeyPath<T, V?>, equals values: some Collection<V>
    ) throws(GrabenError) -> [T?] {
        try objects(type, at: path, equalToEach: values.map(\.primitiveValue)).map { $0.map { unsafeDowncast($0, to: T.self) } }
    }

    /// Objects of the class, though typed as the type of all: so nothing generic is done for each.
    @usableFromInline
    func objects<T: ManagedObject>(_ type: T.Type, at path: AnyKeyPath, equalToEach values: [Value]) throws(GrabenError) -> [ManagedObject?]
    {
        try objects(try keyPlan(type, path), equalToEach: values) { $0 is T.Type }
    }

    /// The object of an entity that has the values of a uniqueness constraint's attributes, by name.
    ///
    /// - Throws: as for key paths; `.unknownEntity`.
    public func object(entity name: String, where values: [String: Value]) throws(GrabenError) -> ManagedObject? {
        let names = values.keys.sorted()
        let plan = try keyPlan(try coordinator.info(named: name), names)
        return try object(plan, names.map { values[$0] ?? .null })
    }

    /// For each of many values the object of an entity whose unique attribute, by name, has it; nil where there is none, and for null.
    ///
    /// - Throws: as for one value; `.unknownEntity`.
    public func objects(entity name: String, where key: String, equals values: [Value]) throws(GrabenError) -> [ManagedObject?] {
        try objects(try keyPlan(try coordinator.info(named: name), [key]), equalToEach: values) { _ in true }
    }

    // MARK: Inserting or updating

    /// Changes the object that has a key, or a new one that is given it.
    ///
    ///     let (joint, isNew) = try context.insertOrUpdate(Joint.self, where: \.name, equals: "J12") { $0.z = 700 }
    ///
    /// - Parameters:
    ///   - store: the store that takes a new object; needed only where several take the entity.
    ///   - body: changes the object. What it throws is thrown on; a new object is then gone again.
    /// - Throws: as `object(_:where:equals:)`, `.invalidRequest` for nil, which is no key, `.noStore`, and what `body` throws.
    @discardableResult
    public func insertOrUpdate<T: ManagedObject, V: PrimitiveConvertible>(
        _ type: T.Type, where path: KeyPath<T, V>, equals value: V, into store: PersistentStore? = nil,
        _ body: (T) throws -> Void = { _ in }
    ) throws -> (object: T, isNew: Bool) {
        try insertOrUpdate(type, where: [.key(path, value)], into: store, body)
    }

    /// Changes the object that has the values of a uniqueness constraint's attributes, or a new one that is given them.
    ///
    /// - Throws: as for one key path.
    @discardableResult
    public func insertOrUpdate<T: ManagedObject>(
        _ type: T.Type, where parts: KeyPart<T>..., into store: PersistentStore? = nil, _ body: (T) throws -> Void = { _ in }
    ) throws -> (object: T, isNew: Bool) {
        try insertOrUpdate(type, where: parts, into: store, body)
    }

    private func insertOrUpdate<T: ManagedObject>(
        _ type: T.Type, where parts: [KeyPart<T>], into store: PersistentStore?, _ body: (T) throws -> Void
    ) throws -> (object: T, isNew: Bool) {
        let plan = try keyPlan(T.self, parts.map(\.property))
        let (object, isNew) = try self.object(plan, insertingInto: store, parts.map(\.value))
        guard let object = object as? T else {
            throw GrabenError.classMismatch([plan.info.refusal(of: T.self)])
        }
        do { try body(object) } catch {
            if isNew { delete(object) }
            throw error
        }
        return (object, isNew)
    }

    /// The object of an entity that has the values of a uniqueness constraint's attributes, by name; a new one that is given them where there is
    /// none.
    ///
    /// - Throws: as for key paths; `.unknownEntity`.
    public func findOrInsert(
        entity name: String, where values: [String: Value], into store: PersistentStore? = nil
    ) throws(GrabenError) -> (object: ManagedObject, isNew: Bool) {
        let names = values.keys.sorted()
        return try object(
            try keyPlan(try coordinator.info(named: name), names), insertingInto: store, names.map { values[$0] ?? .null })
    }

    private func object(
        _ plan: KeyPlan, insertingInto store: PersistentStore?, _ values: [Value]
    ) throws(GrabenError) -> (object: ManagedObject, isNew: Bool) {
        if values.contains(where: \.isNull) {
            throw .invalidRequest(reason: "inserting or updating a \(plan.info.name): nil is no key")
        }
        if let object = try object(plan, values) { return (object, false) }
        let object = try insertObject(entity: plan.info.name, into: store)
        for (number, value) in zip(plan.given, values) { try object.setValue(value, forKey: plan.info.properties[number].name) }
        return (object, true)
    }

    // MARK: Plans

    private func keyPlan<T: ManagedObject>(_ type: T.Type, _ path: AnyKeyPath) throws(GrabenError) -> KeyPlan {
        if let last = root.lastKeyPlan, last.path === path, last.storeCount == coordinator.storeCount { return last }
        return try keyPlan(T.self, [.path(path)])
    }

    private func keyPlan<T: ManagedObject>(_ type: T.Type, _ properties: [KeyPart<T>.Property]) throws(GrabenError) -> KeyPlan {
        var names: [String] = []
        var path: AnyKeyPath?
        for property in properties {
            switch property {
            case .name(let name): names.append(name)
            case .path(let its):
                path = its
                do throws(UnmappedKeyPath) {
                    names.append(try ManagedObject.propertyNames(for: its).joined(separator: "."))
                } catch { throw .invalidRequest(reason: "looking up a \(T.self): \(error)") }
            }
        }
        let plan = try keyPlan(try coordinator.info(of: T.self), names)
        if properties.count == 1, let path {
            plan.path = path
            root.lastKeyPlan = plan
        }
        return plan
    }

    private func keyPlan(_ info: EntityInfo, _ names: [String]) throws(GrabenError) -> KeyPlan {
        let root = root
        if let known = root.keyPlans.first(where: {
            $0.info === info && $0.names == names && $0.storeCount == coordinator.storeCount
        }) {
            return known
        }
        let plan = try KeyPlan(info, names, coordinator)
        // More are made by programs that look up by other keys all the time, if by anyone.
        if root.keyPlans.count >= 64 { root.keyPlans = [] }
        root.keyPlans.append(plan)
        return plan
    }

    /// Lets go of indexes of a snapshot that the context has left.
    func forgetLookups() {
        for plan in keyPlans {
            for source in plan.sources { source.lookup = nil }
        }
        for source in lastKeyPlan?.sources ?? [] { source.lookup = nil }
    }
}
