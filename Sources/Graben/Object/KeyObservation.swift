public import GrabenLog

/// What an observer of a property is told.
public struct PropertyChange: Sendable {
    /// The property's name.
    public let key: String
    /// What it was.
    public let old: Value
    /// What it is.
    public let new: Value
}

/// Stands for an observer of a property; see `ManagedObject.observe(_:_:)`.
public struct HandlerToken: Sendable, Hashable {
    let number: Int
}

struct KeyObserver {
    let token: Int
    let key: String
    let handler: (PropertyChange) -> Void
}

extension ManagedObject {
    /// Calls `handler` once for each change of a property, whoever makes it: a setter, undo, redo, refresh, rollback or a merge, and
    /// wherever the value lives. A dotted key path follows to-one relationships: a change anywhere along it that changes what it leads to is
    /// told once.
    ///
    /// The place to begin is `awakeFromInsert()` and `awakeFromFetch()`, the place to end `didTurnIntoFault()`; an observer left behind is
    /// dropped when the object becomes a fault, and never called for one.
    /// - Throws: `GrabenError.unknownKey`, `.noContext`.
    @discardableResult
    public final func observe(_ key: String, _ handler: @escaping (PropertyChange) -> Void) throws(GrabenError) -> HandlerToken {
        guard let context else { throw .noContext(entity: info.name, doing: "observing \(key)") }
        if key.contains(".") { return try PathObservation.begin(key, of: self, in: context, handler) }
        _ = try info.number(key)
        context.nextToken += 1
        context.keyObservers[ObjectIdentifier(self), default: []].append(
            KeyObserver(token: context.nextToken, key: key, handler: handler))
        set(CellFlag.observed)
        return HandlerToken(number: context.nextToken)
    }

    /// Ends an observation; a token that has ended does nothing.
    public final func removeObserver(_ token: HandlerToken) {
        guard let context = _table.context else { return }
        if let path = context.pathObservations.removeValue(forKey: token.number) { return path.end() }
        context.keyObservers[ObjectIdentifier(self)]?.removeAll { $0.token == token.number }
        guard context.keyObservers[ObjectIdentifier(self)]?.isEmpty ?? true else { return }
        context.keyObservers[ObjectIdentifier(self)] = nil
        clear(CellFlag.observed)
    }

    final func dropObservers() {
        clear(CellFlag.observed)
        guard let context = _table.context else { return }
        context.keyObservers[ObjectIdentifier(self)] = nil
        for (token, path) in context.pathObservations where path.root === self {
            context.pathObservations[token] = nil
            path.end()
        }
    }

    /// The values of observed properties before something puts others in their place; empty where nobody observes.
    final func observedValues() -> [(key: String, value: Value)] {
        guard has(CellFlag.observed) || has(ObjectFlag.slow), let context = _table.context else { return [] }
        var keys = Set((context.keyObservers[ObjectIdentifier(self)] ?? []).map(\.key))
        for number in context.tracker?.properties(of: objectID) ?? [] { keys.insert(info.properties[number].name) }
        var values: [(String, Value)] = []
        for key in keys.sorted() {
            if let value = try? primitiveValue(forKey: key) { values.append((key, value)) }
        }
        return values
    }

    final func notifyDifferences(from before: [(key: String, value: Value)]) {
        guard let context = _table.context, !isFault else { return }
        for (key, old) in before {
            guard let new = try? primitiveValue(forKey: key), new != old else { continue }
            context.notifyObservers(of: self, key, old: old, new: new)
            if has(ObjectFlag.slow), let number = info.entity.propertyNumber(named: key) { context.noteTrackedChange(of: self, number) }
        }
    }
}

extension ManagedObjectContext {
    func notifyObservers(of object: ManagedObject, _ key: String, old: Value, new: Value) {
        for observer in keyObservers[ObjectIdentifier(object)] ?? [] where observer.key == key {
            callingOut { observer.handler(PropertyChange(key: key, old: old, new: new)) }
        }
    }
}
