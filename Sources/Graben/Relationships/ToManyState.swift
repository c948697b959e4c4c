import GrabenLog

/// What a context knows of one to-many relationship of one object: the changes made to it, and its members once someone asked for them.
///
/// The members are the base (of the snapshot, or of the parent context) without `removed` and with `added`; for an ordered relationship
/// the added ones follow in order, until `order` takes over because someone changed the order otherwise.
final class ToManyState {
    /// The base's members, in order where ordered, once read.
    var base: [ObjectID]? {
        didSet { baseIndex = nil }
    }
    /// The base as a set, once it was searched and is too long to search in place.
    private var baseIndex: Set<ObjectID>?
    var added = IDSet()
    var removed = IDSet()
    /// The whole order, once it is not "base, then added".
    var order: [ObjectID]?

    /// An order made on top of `base`, with what another commit added and removed since.
    static func merged(_ order: [ObjectID], base: [ObjectID], with new: [ObjectID]) -> [ObjectID] {
        guard base != new else { return order }
        let known = Set(base)
        let there = Set(new)
        let here = Set(order)
        return order.filter { there.contains($0) || !known.contains($0) } + new.filter { !known.contains($0) && !here.contains($0) }
    }

    /// Whether the base has a member; nil where the base is not read. Complexity: O(1) but for the first call.
    func baseContains(_ id: ObjectID) -> Bool? {
        guard let base else { return nil }
        if base.count <= IDSet.indexedCount { return base.contains(id) }
        let index = baseIndex ?? Set(base)
        baseIndex = index
        return index.contains(id)
    }

    var isChanged: Bool { !added.isEmpty || !removed.isEmpty || order != nil }
}

/// A set of ids that keeps the order of insertion; small ones are searched in place.
struct IDSet {
    /// In the order of insertion; where there is an index, those removed stand among them until they are half of it.
    private var all: [ObjectID] = []
    /// Where in `all` each id of a larger set stands.
    private var places: [ObjectID: Int] = [:]
    static let indexedCount = 16

    var isEmpty: Bool { count == 0 }
    var count: Int { places.isEmpty ? all.count : places.count }

    /// The ids in the order of insertion. Complexity: O(count) after a removal.
    var ids: [ObjectID] {
        if places.isEmpty || places.count == all.count { return all }
        return all.enumerated().filter { places[$0.element] == $0.offset }.map(\.element)
    }

    func contains(_ id: ObjectID) -> Bool { places.isEmpty ? all.contains(id) : places[id] != nil }

    /// Adds an id; false where it was in the set.
    @discardableResult
    mutating func insert(_ id: ObjectID) -> Bool {
        guard !contains(id) else { return false }
        all.append(id)
        if !places.isEmpty {
            places[id] = all.count - 1
        } else if all.count > Self.indexedCount {
            reindex()
        }
        return true
    }

    /// Takes an id out; false where it was not in the set. Complexity: O(1), amortized.
    @discardableResult
    mutating func remove(_ id: ObjectID) -> Bool {
        guard !places.isEmpty else {
            guard let place = all.lastIndex(of: id) else { return false }
            all.remove(at: place)
            return true
        }
        guard places.removeValue(forKey: id) != nil else { return false }
        guard places.count * 2 < all.count else { return true }
        all = all.enumerated().filter { places[$0.element] == $0.offset }.map(\.element)
        reindex()
        return true
    }

    private mutating func reindex() {
        places = [:]
        guard all.count > Self.indexedCount else { return }
        for (place, id) in all.enumerated() { places[id] = place }
    }
}
