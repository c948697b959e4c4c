internal import Synchronization

/// A member of a relationship kept as links.
package struct LinkMember: Sendable, Equatable {
    package let order: Int64
    package let entity: EntityCode
    package let row: Row
    package var key: ObjectKey { ObjectKey(entity, row) }
}

extension LogSnapshot {
    // MARK: Reverse indexes

    /// The rows whose records refer to the target, ascending. The first call for a key reads all records of the source entity; later
    /// ones, in this snapshot and those after it, cost O(runs log n + sources).
    package func sources(of target: Row, through key: ReverseKey) throws(LogError) -> [Row] {
        try reverseIndex(key).sources(of: target)
    }

    package func sourceCount(of target: Row, through key: ReverseKey) throws(LogError) -> Int { try reverseIndex(key).count(of: target) }

    package func containsSource(_ source: Row, of target: Row, through key: ReverseKey) throws(LogError) -> Bool {
        try reverseIndex(key).contains(source, of: target)
    }

    func reverseIndex(_ key: ReverseKey) throws(LogError) -> ReverseIndex {
        if let known = reverseIndexes.withLock({ $0[key] }) { return known }
        // Built outside the lock of those that are known, so that their readers do not wait; one at a time, for the same records would be read.
        return try building.withLock { _ throws(LogError) in try buildReverseIndex(key) }
    }

    private func buildReverseIndex(_ key: ReverseKey) throws(LogError) -> ReverseIndex {
        if let known = reverseIndexes.withLock({ $0[key] }) { return known }
        var made: [(ReverseKey, ReverseIndex)] = []
        if let base = checkpoint?.reverseRun(key) {
            var index = ReverseIndex(base: base)
            if let run = try sinceCheckpoint(key) { index.append(run) }
            made.append((key, index))
        } else {
            // Records are read once for all the relationships of their entity: who asks for one usually asks for the others.
            let others = catalog.references.filter { other in
                other != key && other.source == key.source && reverseIndexes.withLock { $0[other] == nil }
                    && checkpoint?.reverseRun(other) == nil
            }
            let keys = [key] + others.prefix(7)
            for (key, pairs) in zip(keys, try scan(keys)) { made.append((key, ReverseIndex(base: pairs))) }
        }
        return reverseIndexes.withLock { indexes in
            for (key, index) in made where indexes[key] == nil { indexes[key] = index }
            return indexes[key] ?? made[0].1
        }
    }

    /// All pairs of some relationships of one entity, sorted, from a walk over its records; where they are many, by several threads.
    private func scan(_ keys: [ReverseKey]) throws(LogError) -> [[UInt64]] {
        guard let state = state(keys[0].source), state.highestRow >= 0 else { return keys.map { _ in [] } }
        let leaves = Int(state.highestRow) / PagedArray.fanOut + 1
        let shares = state.liveCount < Self.threadedCount ? 1 : min(Platform.processorCount, 4)
        let share = (leaves + shares - 1) / shares
        let lists = keys.map { _ in PairList(shares: shares, capacity: max(1, min(state.liveCount, share * PagedArray.fanOut))) }
        let failure = Mutex<LogError?>(nil)
        DetachedThread.forEach(shares) { number in
            let first = min(number * share, leaves)
            do throws(LogError) {
                try self.scan(keys, state.records, first..<min(first + share, leaves), lists, share: number)
            } catch { failure.withLock { $0 = $0 ?? error } }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return PairList.sorted(lists)
    }

    /// Below so many records threads cost more than they save.
    private static let threadedCount = 1 << 16

    private func scan(
        _ keys: [ReverseKey], _ records: PagedArray, _ leaves: Range<Int>, _ lists: [PairList], share: Int
    ) throws(LogError) {
        var block: RecordBlock?
        defer { withExtendedLifetime(block) {} }
        var scans = zip(keys, lists).map { $1.scan($0, share: share) }
        let table = table
        _ = try scans.withUnsafeMutableBufferPointer { scans throws(LogError) in
            try records.forEachLeaf(leaves) { (leaf, words) throws(LogError) in
                for slot in 0..<PagedArray.fanOut where words[slot] != 0 {
                    let word = UInt64(words[slot])
                    let head = try self.head(word, in: &block)
                    do throws(ByteError) {
                        for index in scans.indices { try scans[index].add(head, UInt64(leaf * PagedArray.fanOut + slot), table) }
                    } catch { throw unreadable(word, error) }
                }
                return true
            }
        }
        for (scan, list) in zip(scans, lists) { list.take(scan, share: share) }
    }

    /// What the records written since the index file changed: found by comparing the pages of the row index that are in memory with those in
    /// the file.
    private func sinceCheckpoint(_ key: ReverseKey) throws(LogError) -> ReverseRun? {
        guard let state = state(key.source) else { return nil }
        var fields = FieldFinder(key.field)
        var added: [UInt64] = []
        var removed: [UInt64] = []
        var block: RecordBlock?
        defer { withExtendedLifetime(block) {} }
        func pair(_ row: Int, _ word: UInt) throws(LogError) -> UInt64? {
            guard word != 0 else { return nil }
            let record = try bind(UInt64(word), in: &block)
            guard let target = record.reference(fields.index(in: record.layout)), target.entity == key.target else { return nil }
            return UInt64(target.row) << 32 | UInt64(row)
        }
        try state.records.forEachChange { (row, before, now) throws(LogError) in
            let old = try pair(row, before)
            let new = try pair(row, now)
            if old == new { return }
            if let old { removed.append(old) }
            if let new { added.append(new) }
        }
        if added.isEmpty, removed.isEmpty { return nil }
        ReverseRun.sortByTarget(&added)
        ReverseRun.sortByTarget(&removed)
        return ReverseRun(added: added, removed: removed)
    }

    /// The reverse indexes of `previous` carried on to this snapshot.
    func carryReverseIndexes(from previous: LogSnapshot) throws(LogError) {
        var carried: [ReverseKey: ReverseIndex] = [:]
        for (key, index) in previous.reverseIndexes.withLock({ $0 }) {
            var index = index
            if let changes = changes[key.source], let run = try delta(key, changes, previous) { index.append(run) }
            carried[key] = index
        }
        if !carried.isEmpty { reverseIndexes.withLock { $0 = carried } }
    }

    private func delta(_ key: ReverseKey, _ changes: EntityChanges, _ previous: LogSnapshot) throws(LogError) -> ReverseRun? {
        var fields = FieldFinder(key.field)
        let newestIndex = table.newest(key.source)?.fieldIndex(key.field) ?? -1
        var added: [UInt64] = []
        var removed: [UInt64] = []
        func target(_ row: Row, in snapshot: LogSnapshot) throws(LogError) -> Row? {
            guard let record = try snapshot.record(key.source, row),
                let target = record.reference(fields.index(in: record.layout)), target.entity == key.target
            else { return nil }
            return target.row
        }
        func compare(_ row: Row) throws(LogError) {
            let old = try target(row, in: previous)
            let new = try target(row, in: self)
            if old == new { return }
            if let old { removed.append(UInt64(old) << 32 | UInt64(row)) }
            if let new { added.append(UInt64(new) << 32 | UInt64(row)) }
        }
        for row in changes.inserted { try compare(row) }
        for row in changes.deleted { try compare(row) }
        for change in changes.updated where newestIndex < 0 || change.mask.contains(newestIndex) { try compare(change.row) }
        if added.isEmpty, removed.isEmpty { return nil }
        return ReverseRun(added: Self.sortedUnique(added), removed: Self.sortedUnique(removed))
    }

    private static func sortedUnique(_ words: [UInt64]) -> [UInt64] {
        var result: [UInt64] = []
        for word in words.sorted() where word != result.last { result.append(word) }
        return result
    }

    // MARK: Links

    /// The members of an owner, by order key and then by object. O(runs log n + members).
    package func members(of owner: ObjectKey, through relationship: LinkRelationship) -> [LinkMember] {
        guard let index = links[relationship.code] else { return [] }
        return index.members.entries(owner.word).sorted { ($0.order, $0.other) < ($1.order, $1.other) }.map(Self.member)
    }

    package func memberCount(of owner: ObjectKey, through relationship: LinkRelationship) -> Int {
        links[relationship.code]?.members.count(owner.word) ?? 0
    }

    package func ownerCount(of member: ObjectKey, through relationship: LinkRelationship) -> Int {
        links[relationship.code]?.owners.count(member.word) ?? 0
    }

    package func containsMember(_ member: ObjectKey, of owner: ObjectKey, through relationship: LinkRelationship) -> Bool {
        links[relationship.code]?.members.contains(owner.word, member.word) ?? false
    }

    /// The owners a member belongs to, ascending; their order keys are the member's place in each.
    package func owners(of member: ObjectKey, through relationship: LinkRelationship) -> [LinkMember] {
        links[relationship.code]?.owners.entries(member.word).map(Self.member) ?? []
    }

    /// Calls `body` with every link of a relationship, by owner and then by member, until it answers false. O(links).
    package func forEachLink(_ relationship: LinkRelationship, _ body: (ObjectKey, ObjectKey, Int64) -> Bool) {
        guard let index = links[relationship.code] else { return }
        for entry in index.members.all() where !body(ObjectKey(word: entry.key), ObjectKey(word: entry.other), entry.order) { return }
    }

    private static func member(_ entry: LinkEntry) -> LinkMember {
        let key = ObjectKey(word: entry.other)
        return LinkMember(order: entry.order, entity: key.entity, row: key.row)
    }
}

/// A field's index in the layouts of a scan, remembered for the last one.
private struct FieldFinder {
    private let name: String
    private var number: UInt32?
    private var found = -1

    init(_ name: String) { self.name = name }

    @inline(__always)
    mutating func index(in layout: RecordLayout) -> Int {
        if layout.number != number {
            number = layout.number
            found = layout.fieldIndex(name) ?? -1
        }
        return found
    }
}
