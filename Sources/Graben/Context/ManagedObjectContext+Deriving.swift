import FoundationEssentials
import GrabenLog
import GrabenModel
import GrabenPredicate

/// Derived attributes: worked out by the save of a root context, after everything was validated, from what is about to be saved.
///
/// Between a change and its save they are stale, and a rule of the model about them sees the value before the save. An object is worked out
/// when it is saved, and when an object is that one of its derivations leads to by relationships with inverses. `now()` is the time of a save
/// that changed the object itself.
extension ManagedObjectContext {
    /// Works out the derived attributes of objects about to be saved and of those that depend on them; answers all that are to be saved.
    func derive(_ objects: [ManagedObject]) -> [ManagedObject] {
        guard parent == nil, coordinator.hasDerivations else { return objects }
        var all = objects
        var seen = Set(objects.map(ObjectIdentifier.init))
        let now = Value.date(Date())
        for object in objects where !object.has(ObjectFlag.deleted) { object.deriveValues(now: now) }
        // What depends on derived values of others comes in the next round; a circle of derivations ends with the rounds.
        var changed = objects
        for _ in 0..<16 where !changed.isEmpty {
            var next: [ManagedObject] = []
            for owner in dependents(of: changed) where !owner.isDeleted {
                owner.fireIfNeeded()
                guard owner.deriveValues(now: nil) else { continue }
                owner.markUpdated(self)
                next.append(owner)
                if seen.insert(ObjectIdentifier(owner)).inserted { all.append(owner) }
            }
            changed = next
        }
        return all
    }

    /// The objects with derivations that lead to one of these, each once.
    private func dependents(of objects: [ManagedObject]) -> [ManagedObject] {
        var found: [ManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        for info in coordinator.infos where !info.derivations.isEmpty {
            for derivation in info.derivations {
                for way in derivation.ways(from: info, coordinator) {
                    for object in objects where object.info.entity.isKind(of: coordinator.infos[way.destination].entity) {
                        for owner in owners(of: object, way.back) where owner.info.entity.isKind(of: info.entity) {
                            if seen.insert(ObjectIdentifier(owner)).inserted { found.append(owner) }
                        }
                    }
                }
            }
        }
        return found
    }

    /// The objects at the end of a way of relationships by number.
    private func owners(of object: ManagedObject, _ way: [Int]) -> [ManagedObject] {
        var objects = [object]
        for number in way {
            objects = objects.flatMap { object in
                object.info.properties.indices.contains(number) ? object.relatedIDs(number).map { self.object(with: $0) } : []
            }
        }
        return objects
    }
}

/// One derived attribute of an entity.
struct DerivedAttribute: Sendable {
    let property: Int
    let derivation: Derivation

    /// For each relationship on its way: the entity it leads to, and the numbers of the relationships back to where it begins.
    func ways(from info: EntityInfo, _ coordinator: PersistentStoreCoordinator) -> [(destination: Int, back: [Int])] {
        guard let path = derivation.keyPaths.first else { return [] }
        var ways: [(destination: Int, back: [Int])] = []
        var back: [Int] = []
        var current = info
        for key in path {
            guard let number = current.entity.propertyNumber(named: key), let link = current.properties[number].link,
                let inverse = link.inverse
            else { break }
            back.insert(inverse, at: 0)
            ways.append((link.destination, back))
            current = coordinator.infos[link.destination]
        }
        return ways
    }
}

extension ManagedObject {
    /// Gives derived attributes the values that follow now; answers whether one changed. A nil `now` leaves those alone that tell the time.
    @discardableResult
    final func deriveValues(now: Value?) -> Bool {
        var isChanged = false
        for derived in info.derivations {
            let property = info.properties[derived.property]
            let value: Value
            switch derived.derivation {
            case .now:
                guard let now else { continue }
                value = now
            case .value(let path, let function): value = Self.apply(function, to: values(at: path[...]).first ?? .null)
            case .count(let path): value = .int(Int64(objects(at: path[...]).count))
            case .aggregate(let aggregate, let path, let key):
                value = Self.combine(objects(at: path[...]).flatMap { $0.values(at: key[...]) }.filter { !$0.isNull }, aggregate)
            }
            let fitting = property.attribute.flatMap { Self.fit(value, $0.type) } ?? .null
            guard primitive(property.number) != fitting else { continue }
            isChanged = true
            setPrimitive(property.number, fitting)
            guard property.kind == .packed, has(ObjectFlag.registered) else { continue }
            let overlay = _table.overlay(for: self)
            overlay.dirty[slot] = true
            overlay.kept[slot] = false
        }
        return isChanged
    }

    /// The objects at the end of a path of relationships.
    private final func objects(at path: ArraySlice<String>) -> [ManagedObject] {
        guard let key = path.first else { return [self] }
        guard let number = info.entity.propertyNumber(named: key), info.properties[number].link != nil, let context = _table.context else {
            return []
        }
        return relatedIDs(number).flatMap { context.object(with: $0).objects(at: path.dropFirst()) }
    }

    /// The values at the end of a path whose last key is an attribute.
    private final func values(at path: ArraySlice<String>) -> [Value] {
        guard let key = path.last else { return [] }
        return objects(at: path.dropLast()).compactMap { object in
            object.info.entity.propertyNumber(named: key).map { object.primitive($0) }
        }
    }

    private static func apply(_ function: Derivation.Function?, to value: Value) -> Value {
        guard let function, case .string(let text) = value else { return value }
        return switch function {
        case .canonical: .string(TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive]))
        case .uppercase: .string(text.uppercased())
        case .lowercase: .string(text.lowercased())
        }
    }

    /// What values come to: nil of none, but for the sum, which is 0.
    private static func combine(_ values: [Value], _ aggregate: Derivation.Aggregate) -> Value {
        let numbers = values.compactMap { fit($0, .decimal) }
        func decimals() -> [Decimal] { numbers.compactMap { if case .decimal(let number) = $0 { number } else { nil } } }
        let doubles = values.compactMap { if case .double(let number)? = fit($0, .double) { number } else { nil } }
        let isExact = numbers.count == values.count
        switch aggregate {
        case .sum: return isExact ? .decimal(decimals().reduce(0, +)) : .double(doubles.reduce(0, +))
        case .average:
            if doubles.isEmpty { return .null }
            return isExact
                ? .decimal(decimals().reduce(0, +) / Decimal(values.count)) : .double(doubles.reduce(0, +) / Double(doubles.count))
        case .minimum, .maximum:
            return values.reduce(Value.null) { best, value in
                guard !best.isNull else { return value }
                let isLess = AttributeType.isLess(value, best)
                return isLess == (aggregate == .minimum) ? value : best
            }
        }
    }

    /// A number as an attribute of some type holds it; nil where it does not fit.
    private static func fit(_ value: Value, _ type: AttributeType) -> Value? {
        if let fitting = type.normalized(value) { return fitting }
        switch (type, value) {
        case (.decimal, .float), (.decimal, .double): return nil
        case (.double, .decimal(let number)): return Double("\(number)").map { .double($0) }
        case (.double, .float(let number)): return .double(Double(number))
        case (.float, .decimal(let number)): return Float("\(number)").map { .float($0) }
        case (.int16, .decimal(let number)), (.int32, .decimal(let number)), (.int64, .decimal(let number)):
            return Int64("\(number)").flatMap { type.normalized(.int($0)) }
        case (.int16, .double(let number)), (.int32, .double(let number)), (.int64, .double(let number)):
            return Int64(exactly: number).flatMap { type.normalized(.int($0)) }
        default: return nil
        }
    }
}

extension AttributeType {
    /// Whether a value sorts before another, both being of one type.
    fileprivate static func isLess(_ a: Value, _ b: Value) -> Bool {
        allCases.contains { $0.normalized(a) == a && $0.isLess(a, b) }
    }
}
