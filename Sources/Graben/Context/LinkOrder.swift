import GrabenLog

/// The order keys of link records: members keep theirs while they ascend, new ones get a key in between.
enum LinkOrder {
    struct Change {
        let member: ObjectID
        let order: Int64
        let removed: Bool
    }

    /// The distance between the keys of members that are appended.
    static let gap: Int64 = 1 << 20

    /// What to write so that the newest commit's members become the object's.
    static func changes(
        _ object: ManagedObject, _ number: Int, _ stored: StoredEntity, _ link: LinkRelationship, _ newest: LogSnapshot
    ) -> [Change] {
        let state = object.state(number)
        let isOrdered = object.info.properties[number].isOrdered
        if state.order == nil, state.removed.isEmpty, !isOrdered {
            return state.added.ids.map { Change(member: $0, order: 0, removed: false) }
        }
        let before = stored.orderedMembers(of: object._row, link, in: newest)
        // The common case: appends, as long as the keys in the file leave room for them.
        if isOrdered, state.order == nil, state.removed.isEmpty, before.last?.order ?? 0 < .max - gap * Int64(state.added.count + 1) {
            let known = Set(before.map(\.id))
            var last = before.last?.order ?? 0
            return state.added.ids.filter { !known.contains($0) }.map { id in
                last += gap
                return Change(member: id, order: last, removed: false)
            }
        }
        guard isOrdered else {
            // Only what changed here: another commit may have added and removed others.
            let known = Dictionary(before.map { ($0.id, $0.order) }, uniquingKeysWith: { first, _ in first })
            return state.removed.ids.compactMap { id in known[id].map { Change(member: id, order: $0, removed: true) } }
                + state.added.ids.filter { known[$0] == nil }.map { Change(member: $0, order: 0, removed: false) }
        }
        let members = ToManyState.merged(object.memberIDs(number), base: object.committedMemberIDs(number), with: before.map(\.id))
        let wanted = Set(members)
        var changes = before.filter { !wanted.contains($0.id) }.map { Change(member: $0.id, order: $0.order, removed: true) }
        let known = Dictionary(before.map { ($0.id, $0.order) }, uniquingKeysWith: { first, _ in first })
        let keys = orderKeys(members.map { known[$0] })
        for (id, key) in zip(members, keys) where known[id] != key {
            if let old = known[id] { changes.append(Change(member: id, order: old, removed: true)) }
            changes.append(Change(member: id, order: key, removed: false))
        }
        return changes
    }

    /// Ascending keys for members in order, keeping as many old ones as ascend; all anew where there is no room in between.
    static func orderKeys(_ old: [Int64?]) -> [Int64] {
        let kept = ascending(old)
        var keys: [Int64] = []
        var index = 0
        while index < old.count {
            if let key = kept[index] {
                keys.append(key)
                index += 1
                continue
            }
            var end = index
            while end < old.count, kept[end] == nil { end += 1 }
            let count = Int64(end - index)
            let low = keys.last ?? 0
            guard end < old.count, let high = kept[end] else {
                for place in 1...count { keys.append(low + gap * place) }
                index = end
                continue
            }
            let step = (high - low) / (count + 1)
            guard step >= 1 else { return old.indices.map { gap * Int64($0 + 1) } }
            for place in 1...count { keys.append(low + step * place) }
            index = end
        }
        return keys
    }

    /// The old keys that form a longest ascending run, by place; the others nil.
    private static func ascending(_ old: [Int64?]) -> [Int64?] {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: old.count)
        for (index, key) in old.enumerated() {
            guard let key, key > 0, key < Int64.max - gap * Int64(old.count + 1) else { continue }
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if (old[tails[middle]] ?? 0) < key { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var kept = [Int64?](repeating: nil, count: old.count)
        var place = tails.last ?? -1
        while place >= 0 {
            kept[place] = old[place]
            place = previous[place]
        }
        return kept
    }
}
