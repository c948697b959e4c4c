import Graben
import GrabenLog
import GrabenModel

/// Compares the objects of two open stores, which may be one store at two times: those of one entity and row with each other.
///
/// Of one file's commits only what their records, columns and links say has changed is looked at; of other stores everything.
struct StoreDifference {
    enum Entry {
        case entityOnlyInFirst(String)
        case entityOnlyInSecond(String)
        case onlyInFirst(String, UInt32)
        case onlyInSecond(String, UInt32)
        case differs(String, UInt32, [PropertyDifference])
    }

    /// A property and its values in both; nil where its entity has no such property there.
    struct PropertyDifference {
        let name: String
        let before: Value?
        let after: Value?
    }

    private let old: OpenStore
    private let new: OpenStore

    init(_ old: OpenStore, _ new: OpenStore) { (self.old, self.new) = (old, new) }

    /// Calls `body` with each difference: by entity in the first store's order, and then those only the second has; by row.
    func forEach(_ body: (Entry) throws -> Void) throws {
        let (first, second) = (old.concreteEntities, new.concreteEntities)
        let isOneFile = old.log.newest.isOfSameFile(as: new.log.newest)
        let changes = isOneFile ? try ChangeSet(from: old.log.newest, to: new.log.newest) : nil
        for entity in first {
            guard let other = second.first(where: { $0.name == entity.name }) else {
                try body(.entityOnlyInFirst(entity.name))
                continue
            }
            if let changes { try compare(entity, other, changed: changes, body) } else { try compare(entity, other, body) }
        }
        for entity in second where !first.contains(where: { $0.name == entity.name }) {
            try body(.entityOnlyInSecond(entity.name))
            for id in try Selection(entity, includesSubentities: false).ids(in: new) {
                try body(.onlyInSecond(entity.name, UInt32(truncatingIfNeeded: id.rowNumber)))
            }
        }
    }

    /// Compares only what the two commits' records, columns and links do not share.
    private func compare(_ entity: Entity, _ other: Entity, changed: ChangeSet, _ body: (Entry) throws -> Void) throws {
        guard let code = new.log.newest.catalog.entity(named: other.name)?.code else { return }
        let changes = changed[code]
        var rows = Set<Row>()
        for row in changes?.inserted ?? RowList() { rows.insert(row) }
        for row in changes?.deleted ?? RowList() { rows.insert(row) }
        for change in changes?.updated ?? [] { rows.insert(change.row) }
        for patch in changes?.patched ?? [] { for row in patch.rows { rows.insert(row) } }
        for link in changed.links where link.owner.entity == code { rows.insert(link.owner.row) }
        for row in rows.sorted() {
            try compare(
                row, entity, other, isInFirst: old.log.newest.contains(code, row), isInSecond: new.log.newest.contains(code, row), body)
        }
    }

    private func compare(_ entity: Entity, _ other: Entity, _ body: (Entry) throws -> Void) throws {
        func rows(_ entity: Entity, _ store: OpenStore) throws -> [Row] {
            try Selection(entity, includesSubentities: false).ids(in: store).map { Row(truncatingIfNeeded: $0.rowNumber) }.sorted()
        }
        let (before, after) = (try rows(entity, old), try rows(other, new))
        var (first, second) = (0, 0)
        while first < before.count || second < after.count {
            let row = min(first < before.count ? before[first] : .max, second < after.count ? after[second] : .max)
            let isInFirst = first < before.count && before[first] == row
            let isInSecond = second < after.count && after[second] == row
            try compare(row, entity, other, isInFirst: isInFirst, isInSecond: isInSecond, body)
            if isInFirst { first += 1 }
            if isInSecond { second += 1 }
        }
    }

    private func compare(
        _ row: Row, _ entity: Entity, _ other: Entity, isInFirst: Bool, isInSecond: Bool, _ body: (Entry) throws -> Void
    ) throws {
        switch (isInFirst, isInSecond) {
        case (true, false): try body(.onlyInFirst(entity.name, row))
        case (false, true): try body(.onlyInSecond(entity.name, row))
        case (true, true):
            let found = try properties(row, entity, other)
            if !found.isEmpty { try body(.differs(entity.name, row, found)) }
        case (false, false): break
        }
    }

    private func properties(_ row: Row, _ entity: Entity, _ other: Entity) throws -> [PropertyDifference] {
        guard let first = object(row, entity, old), let second = object(row, other, new) else { return [] }
        var found: [PropertyDifference] = []
        for property in entity.properties where Self.isCompared(property) {
            let before = try first.value(forKey: property.name)
            let counterpart = other.property(named: property.name).flatMap { Self.isCompared($0) ? $0 : nil }
            let after = try counterpart.map { try second.value(forKey: $0.name) }
            if let after, isSame(before, after) { continue }
            found.append(PropertyDifference(name: property.name, before: before, after: after))
        }
        for property in other.properties where Self.isCompared(property) {
            if let known = entity.property(named: property.name), Self.isCompared(known) { continue }
            found.append(PropertyDifference(name: property.name, before: nil, after: try second.value(forKey: property.name)))
        }
        return found
    }

    private func object(_ row: Row, _ entity: Entity, _ store: OpenStore) -> ManagedObject? {
        guard let number = store.coordinator.stores.first?.number else { return nil }
        return store.context.object(with: ObjectID(store: number, entity: UInt32(entity.index), row: row))
    }

    /// The other side of a to-one, or of links, says nothing that this one does not.
    private static func isCompared(_ property: Property) -> Bool {
        guard property.fetched == nil, !property.isTransient else { return false }
        switch property.link?.storage {
        case nil, .field, .linksAsOwner: return true
        case .reverse, .linksAsMember: return false
        }
    }

    /// Ids carry the number their store has in this process, so those of two stores are compared by entity and row.
    private func isSame(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.reference(let a), .reference(let b)): return old.names.shortID(a) == new.names.shortID(b)
        case (.references(let a), .references(let b)): return a.map(old.names.shortID) == b.map(new.names.shortID)
        default: return a == b
        }
    }
}
