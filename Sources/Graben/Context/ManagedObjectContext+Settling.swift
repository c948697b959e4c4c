/// What hooks, observers and handlers are still to be told.
///
/// A save, a merge, a rollback takes many objects from one state to another. A hook that ran in between would see some of each; what it set would be taken
/// for something that was saved or taken back, and what undo puts back would be a value that was gone already. So they run when all is done.
struct PostponedHooks {
    /// New objects that were taken back, and objects whose deletion was saved: they leave.
    var farewells: [ManagedObject] = []
    /// Objects whose fault has fired.
    var awakened: [ManagedObject] = []
    /// What observers saw of objects that have other values now.
    var observed: [(object: ManagedObject, before: [(key: String, value: Value)])] = []
    /// Objects that took other values.
    var changed: [(object: ManagedObject, events: SnapshotEvents)] = []
    /// For handlers.
    var changes: [ContextChanges] = []

    var isEmpty: Bool { farewells.isEmpty && awakened.isEmpty && observed.isEmpty && changed.isEmpty && changes.isEmpty }
}

extension ManagedObjectContext {
    /// Whether the context is on its way from one state to another.
    var isSettling: Bool { settlingDepth > 0 }

    /// Takes the context from one state to another, and then tells hooks, observers and handlers what is different.
    func settling<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        settlingDepth += 1
        defer {
            settlingDepth -= 1
            while !isSettling, !postponed.isEmpty { tellPostponed() }
        }
        return try body()
    }

    private func tellPostponed() {
        let told = postponed
        postponed = PostponedHooks()
        for object in told.farewells where object.has(ObjectFlag.registered) && object.has(CellFlag.leaving) { bidFarewell(to: object) }
        for object in told.awakened where object.has(ObjectFlag.registered) && !object.isFault { tellAwake(object) }
        for (object, before) in told.observed { object.notifyDifferences(from: before) }
        for (object, events) in told.changed where object.has(ObjectFlag.registered) { object.awake(fromSnapshotEvents: events) }
        for changes in told.changes { notify(changes) }
    }

    /// An object's fault has fired.
    func noteAwake(_ object: ManagedObject) {
        if isSettling { postponed.awakened.append(object) } else { tellAwake(object) }
    }

    private func tellAwake(_ object: ManagedObject) {
        awakening.append(ObjectIdentifier(object))
        callingOut { object.awakeFromFetch() }
        awakening.removeLast()
    }

    /// Runs what a program does in the middle of a change, as if it was in none: what it relates gets its other side.
    @inline(__always)
    func callingOut(_ body: () -> Void) {
        let before = (isMaintainingInverses, isRestoring)
        (isMaintainingInverses, isRestoring) = (false, false)
        body()
        (isMaintainingInverses, isRestoring) = before
    }

    /// Takes an object out of the context as soon as that has settled. It says that it is deleted till then, so that nothing is related to it.
    func leaveSoon(_ object: ManagedObject) {
        object.set(ObjectFlag.deleted)
        object.set(CellFlag.leaving)
        postponed.farewells.append(object)
    }

    /// Takes an object out of the context that was to leave.
    func bidFarewell(to object: ManagedObject) {
        object.clear(CellFlag.leaving)
        if object.isInserted { return vanish(object) }
        object.leave()
        object.clear(ObjectFlag.updated | ObjectFlag.deleted | ObjectFlag.listed)
    }
}

extension ManagedObject {
    /// The object has other values: tells observers and its own hook, now or when the context has settled.
    final func tellChange(from before: [(key: String, value: Value)], _ events: SnapshotEvents) {
        guard let context = _table.context, context.isSettling else {
            notifyDifferences(from: before)
            return awake(fromSnapshotEvents: events)
        }
        if !before.isEmpty { context.postponed.observed.append((self, before)) }
        context.postponed.changed.append((self, events))
    }
}
