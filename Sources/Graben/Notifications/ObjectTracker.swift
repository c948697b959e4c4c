import GrabenLog
public import Observation

/// Swift's `Observation`: where the context has `usesObservation`, reading a property inside `withObservationTracking` is noted, and a change
/// of it tells.
extension ManagedObject: Observable {}

extension ManagedObjectContext {
    /// Whether `withObservationTracking` follows what it reads of this context's objects; false unless changed.
    ///
    ///     context.usesObservation = true
    ///     withObservationTracking { draw(joint.position, joint.name, joint.outgoing.count) } onChange: { redrawSoon() }
    ///
    /// Every property is followed: attributes, coordinates, relationships of both kinds (a to-many by being read, whatever is then asked of
    /// it) and fetched properties; through accessors and by key, not through primitive values, columns and positions. `onChange` is called
    /// once, for the first change by anyone: a setter, a bulk move, undo, rollback, a refresh or a merge, and when the objects are dropped by
    /// `reset()` or `close()`. It may be called though the value turns out to be the same, never the other way round; the new value is mostly
    /// in place by then. What is read of a coordinate and then not used at all may not be followed: optimized code leaves such a read out.
    ///
    /// It costs every read of such a context some hundred nanoseconds, coordinates included. Without it nothing costs anything.
    public var usesObservation: Bool {
        get { tracker != nil }
        set {
            guard newValue != (tracker != nil) else { return }
            let old = tracker
            tracker = newValue ? ObjectTracker() : nil
            forEachTable { $0.setTracked(newValue) }
            old?.noteEverything()
        }
    }
}

/// Who read which properties of a context's objects, so that a change can tell them.
///
/// By id and not by instance: an object nobody holds may be let go and come back as another one, and whoever read the first wants to hear
/// of the second.
final class ObjectTracker {
    private struct Entry {
        let registrar = ObservationRegistrar()
        /// Numbers of the properties that were read.
        var properties: Set<Int> = []
    }

    /// What key paths begin at: a registrar knows properties by key path only.
    private final class Subject: Observable {
        subscript(number: Int) -> Bool { false }
    }

    private let subject = Subject()
    private var paths: [KeyPath<Subject, Bool>] = []
    private var entries: [ObjectID: Entry] = [:]
    private(set) var fetched: FetchedTracker?
    /// With more entries than this, those of objects the context does not hold are told of a change, and dropped.
    private var limit: Int

    init(limit: Int = 65_536) { self.limit = limit }

    private func path(_ number: Int) -> KeyPath<Subject, Bool> {
        while paths.count <= number {
            let next = paths.count
            paths.append(\Subject[next])
        }
        return paths[number]
    }

    /// Notes that a property was read.
    func noteAccess(_ object: ManagedObject, _ number: Int) {
        let id = object.objectID
        if entries[id] == nil, entries.count >= limit { makeRoom(in: object.context) }
        var entry = entries[id] ?? Entry()
        if entry.properties.insert(number).inserted { entries[id] = entry }
        entry.registrar.access(subject, keyPath: path(number))
    }

    /// Notes that a fetched property which refreshes itself was read: whoever read it is told when what it finds may have changed.
    func watchFetched(_ object: ManagedObject, _ number: Int, in context: ManagedObjectContext) {
        let watch = fetched ?? FetchedTracker(context, self)
        fetched = watch
        watch.note(object.objectID, number)
    }

    /// Tells whoever read a property that it changed.
    func noteChange(_ id: ObjectID, _ number: Int) {
        guard let entry = entries[id], entry.properties.contains(number) else { return }
        tell(entry, number)
    }

    /// Tells whoever read anything of an object.
    func noteChange(_ id: ObjectID) {
        guard let entry = entries[id] else { return }
        for number in entry.properties.sorted() { tell(entry, number) }
    }

    /// Tells everyone, and forgets them.
    func noteEverything() {
        let all = entries
        entries = [:]
        fetched?.forget()
        for entry in all.values {
            for number in entry.properties.sorted() { tell(entry, number) }
        }
    }

    /// The numbers of the properties of an object that were read.
    func properties(of id: ObjectID) -> Set<Int> { entries[id]?.properties ?? [] }

    private func tell(_ entry: Entry, _ number: Int) {
        let path = path(number)
        entry.registrar.willSet(subject, keyPath: path)
        entry.registrar.didSet(subject, keyPath: path)
    }

    private func makeRoom(in context: ManagedObjectContext?) {
        let stray = entries.filter { context?.registeredObject(for: $0.key) == nil }
        for id in stray.keys { entries[id] = nil }
        fetched?.forget(stray.keys)
        limit = max(limit, 2 * entries.count)
        // Whether anyone waits for them is not known, so they are told to look again.
        for entry in stray.values {
            for number in entry.properties.sorted() { tell(entry, number) }
        }
    }
}

extension ObjectTable {
    /// Lets packed getters of the table's objects take the slow path, where their reads are noted, or no longer.
    func setTracked(_ isTracked: Bool) {
        self.isTracked = isTracked
        forEachRegistered { object in
            if isTracked { object.set(ObjectFlag.slow) } else { object.clear(ObjectFlag.slow) }
        }
    }
}

extension ManagedObject {
    /// Whether the object is in no context, and its packed values are its own.
    @inline(__always)
    final var isLoose: Bool { _word & (ObjectFlag.slow | ObjectFlag.registered) == ObjectFlag.slow }

    /// Notes a read of a property by name; nil names none.
    @inline(never)
    final func noteTrackedAccess(_ key: String?) {
        guard let key, has(ObjectFlag.registered), let tracker = _table.context?.tracker else { return }
        guard let number = _table.propertyNumber(named: key) else { return }
        tracker.noteAccess(self, number)
    }

    /// Notes a read of a packed attribute.
    @inline(never)
    final func noteTrackedAccess(lane: Int) {
        guard has(ObjectFlag.registered), let tracker = _table.context?.tracker else { return }
        guard lane >= 0, lane < info.laneProperties.count else { return }
        tracker.noteAccess(self, info.laneProperties[lane])
    }

    /// Drops the results of fetched properties: they are evaluated anew when they are read.
    final func dropFetched() {
        guard let data = keptData, !data.fetched.isEmpty else { return }
        let numbers = data.fetched.map(\.property)
        data.fetched = []
        guard has(ObjectFlag.slow), let tracker = _table.context?.tracker else { return }
        for number in numbers { tracker.noteChange(objectID, number) }
    }
}

extension ManagedObjectContext {
    /// Tells of a change of a property, where anyone tracks it.
    @inline(never)
    func noteTrackedChange(of object: ManagedObject, _ number: Int) { tracker?.noteChange(object.objectID, number) }

    /// After the snapshot advanced: tells of what commits changed of rows that are read from it, because there is no realised object of them,
    /// and of members. What realised objects took in they told by themselves.
    func noteTrackedRows(_ table: ObjectTable, _ rows: TouchedRows.Entity) {
        guard let tracker else { return }
        for row in rows.updated.union(rows.moved).union(rows.deleted) where table.registered(row)?.isFault ?? true {
            tracker.noteChange(table.id(row))
        }
        let members = table.info.properties.filter { $0.kind == .toMany }.map(\.number)
        for row in rows.followed {
            for number in members { tracker.noteChange(table.id(row), number) }
        }
    }
}
