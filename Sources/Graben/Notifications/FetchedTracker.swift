/// Which fetched properties with `autoRefresh` were read under Swift's `Observation`: who read one is told at the end of an event that may have changed what
/// it finds, here or in a context above.
final class FetchedTracker: ResultObserver {
    private weak var context: ManagedObjectContext?
    private weak var tracker: ObjectTracker?
    private(set) var read: [ObjectID: Set<Int>] = [:]
    private var change = ResultChange()

    init(_ context: ManagedObjectContext, _ tracker: ObjectTracker) {
        (self.context, self.tracker) = (context, tracker)
        for level in sequence(first: context, next: \.parent) { level.resultWatch.add(self) }
    }

    /// Notes that a property was read.
    func note(_ id: ObjectID, _ number: Int) { read[id, default: []].insert(number) }

    /// Forgets all that was read.
    func forget() { read = [:] }

    /// Forgets what was read of some objects.
    func forget(_ ids: some Sequence<ObjectID>) { for id in ids { read[id] = nil } }

    func note(_ change: ResultChange) { if !read.isEmpty { self.change.entities.formUnion(change.entities) } }

    func catchUp() {
        guard !change.isEmpty, let context, let tracker, !context.isSaving else { return }
        let entities = change.entities
        change = ResultChange()
        for (id, numbers) in read {
            guard
                let info = context.coordinator.infos.indices.contains(Int(id.entityNumber))
                    ? context.coordinator.infos[Int(id.entityNumber)] : nil
            else { continue }
            for number in numbers.sorted() {
                guard context.fetchedEntities(info.properties[number], of: info).map({ !$0.isDisjoint(with: entities) }) ?? true else {
                    continue
                }
                // Who is told reads it again, or does not care any more.
                read[id]?.remove(number)
                if read[id]?.isEmpty == true { read[id] = nil }
                tracker.noteChange(id, number)
            }
        }
    }
}
