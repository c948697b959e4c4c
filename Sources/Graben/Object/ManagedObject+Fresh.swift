import GrabenLog

/// Fresh objects: new ones whose values lie in their chunk's `FreshValues`, and of which nothing else is kept.
extension ManagedObject {
    /// Whether everything set in the object lies in its chunk's fresh values.
    @inline(__always)
    final var isFresh: Bool {
        freshValues != nil
    }

    /// The values of the chunk the object is fresh in; nil where it is not fresh.
    @inline(__always)
    final var freshValues: FreshValues? {
        guard has(ObjectFlag.registered), let fresh = ChunkTable.fresh(of: _entry), fresh.isFresh(slot) else { return nil }
        assert(has(ObjectFlag.inserted), "an object that was saved is still fresh")
        return fresh
    }

    /// The value of an attribute or to-one of a fresh object.
    @inline(__always)
    final func freshValue(_ property: PropertyInfo, in fresh: FreshValues) -> Value {
        guard let lane = property.fresh else { return property.defaultValue }
        return fresh.value(lane, slot, store: withTable { $0.storeNumber }) ?? property.defaultValue
    }

    /// Makes it an object like any other, with data of its own.
    @discardableResult
    final func leaveFresh() -> ObjectData {
        let data = ObjectData()
        data.base = .defaults
        if let fresh = freshValues {
            let table = _table
            for property in table.info.properties {
                guard let lane = property.fresh, let value = fresh.value(lane, slot, store: table.storeNumber) else { continue }
                data.values[property.number] = value
            }
            fresh.remove(slot, table.info.freshLanes)
        }
        _data = data
        return data
    }

    /// Forgets the values of a fresh object.
    final func dropFresh() {
        guard let fresh = freshValues else { return }
        withTable { fresh.remove(slot, $0.info.freshLanes) }
    }
}

extension ObjectTable {
    /// Forgets the values of fresh objects that were saved: those that are not new any more.
    ///
    /// - Parameter isEverything: whether no object is new any more.
    func settleFresh(isEverything: Bool) {
        for index in 0..<chunks.count {
            let entry = chunks.entry(index)
            if isEverything {
                chunks.releaseFresh(of: entry)
                continue
            }
            guard let fresh = ChunkTable.fresh(of: entry) else { continue }
            fresh.forEachFresh { slot in
                let object = registered(row(slotNumber: index * ChunkGeometry.slotsPerChunk + slot))
                if object?.isInserted != true { fresh.remove(slot, info.freshLanes) }
            }
            if fresh.isEmpty { chunks.releaseFresh(of: entry) }
        }
    }
}
