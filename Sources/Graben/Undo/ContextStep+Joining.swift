import GrabenLog

extension ContextStep {
    /// This step with a later one of the same context taken in, so that a drag of many events in a group keeps one old value for each
    /// property and coordinate; nil where they have to stay apart, because objects came or went in the later one.
    ///
    /// Sound because performing a step restores values of objects that are there before and after both. Of a property that both changed the
    /// earlier old value counts; members keep one entry for each that came or went. Complexity: O(what the later step changed, and chunks
    /// and objects of this one).
    func joined(with later: ContextStep) -> ContextStep? {
        guard isOfSameContext(as: later), later.inserted.isEmpty, later.deleted.isEmpty else { return nil }
        return ContextStep(
            context: context, inserted: inserted, deleted: deleted, objects: joinedObjects(later.objects),
            packed: joinedPacked(later.packed))
    }

    private func joinedObjects(_ later: [ObjectChanges]) -> [ObjectChanges] {
        guard !later.isEmpty else { return objects }
        var all = objects
        var places: [ObjectIdentifier: Int] = [:]
        for (place, entry) in all.enumerated() { places[ObjectIdentifier(entry.object)] = place }
        for entry in later {
            guard let place = places[ObjectIdentifier(entry.object)] else {
                places[ObjectIdentifier(entry.object)] = all.count
                all.append(entry)
                continue
            }
            for change in entry.changes { all[place].add(change) }
        }
        return all
    }

    private func joinedPacked(_ later: [PackedChanges]) -> [PackedChanges] {
        struct Place: Hashable {
            let table: ObjectIdentifier
            let chunk: Int
        }
        guard !later.isEmpty else { return packed }
        var all = packed
        var places: [Place: Int] = [:]
        for (place, entry) in all.enumerated() { places[Place(table: ObjectIdentifier(entry.table), chunk: entry.chunk)] = place }
        for entry in later {
            if let place = places[Place(table: ObjectIdentifier(entry.table), chunk: entry.chunk)] {
                all[place].join(entry)
            } else {
                all.append(entry)
            }
        }
        return all
    }
}

extension ContextStep.ObjectChanges {
    fileprivate mutating func add(_ change: EventChange) {
        switch change {
        case .value(let property, _):
            for case .value(property, _) in changes { return }
        case .order(let property, _):
            for case .order(property, _) in changes { return }
        case .member(let property, let id, let added):
            if let last = changes.last, case .member(property, id, !added) = last {
                changes.removeLast()
                return
            }
        }
        changes.append(change)
    }
}

extension ContextStep.PackedChanges {
    fileprivate mutating func join(_ later: ContextStep.PackedChanges) {
        let laneCount = table.info.laneProperties.count
        // The same selection is mostly moved again.
        guard slots != later.slots else {
            for place in lanes.indices { join(place, later, place, laneCount) }
            return
        }
        var places: [UInt16: Int] = [:]
        for (place, slot) in slots.enumerated() { places[slot] = place }
        for (place, slot) in later.slots.enumerated() {
            if let mine = places[slot] {
                join(mine, later, place, laneCount)
            } else {
                before.append(place, of: later.before, laneCount: laneCount)
                lanes.append(later.lanes[place])
            }
        }
    }

    /// Lanes that only the later step changed have their old values from it: they may have been changed without undo in between.
    private mutating func join(_ place: Int, _ later: ContextStep.PackedChanges, _ other: Int, _ laneCount: Int) {
        guard lanes[place] != .max, lanes[place] | later.lanes[other] != lanes[place] else { return }
        guard later.lanes[other] != .max else {
            lanes[place] = .max
            return
        }
        for lane in 0..<laneCount where later.lanes[other] & ~lanes[place] & (1 << UInt64(lane)) != 0 {
            before.take(lane, at: place, from: later.before, at: other, laneCount: laneCount)
        }
        lanes[place] |= later.lanes[other]
    }
}
