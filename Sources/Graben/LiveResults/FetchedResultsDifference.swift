public import GrabenLog
import GrabenPredicate

/// What turns one result into the next: sections and objects that went, came, moved or changed.
///
/// Places of what is deleted, moved away or updated are those in the old result, places of what is inserted or moved there those in the new one, as
/// table views take them. `applied(to:)` does the same to a snapshot. An object is in one of the lists at most: one that moved and changed is moved.
public struct FetchedResultsDifference: Sendable, Equatable {
    /// A section that came, and its place in the new result.
    public struct SectionInsertion: Sendable, Equatable {
        /// Its place in the new result.
        public var index: Int
        /// Its name.
        public var name: String
        /// The value its objects share.
        public var value: Value

        /// Says where a section came.
        public init(index: Int, name: String, value: Value) {
            self.index = index
            self.name = name
            self.value = value
        }
    }

    /// An object and its place.
    public struct Item: Sendable, Equatable {
        /// The object.
        public var objectID: ObjectID
        /// Its place, in the old or the new result.
        public var path: ResultPath

        /// Says where an object is.
        public init(objectID: ObjectID, path: ResultPath) {
            self.objectID = objectID
            self.path = path
        }
    }

    /// An object that is at another place now.
    public struct Move: Sendable, Equatable {
        /// The object.
        public var objectID: ObjectID
        /// Its place in the old result.
        public var from: ResultPath
        /// Its place in the new result.
        public var to: ResultPath

        /// Says where an object was and is.
        public init(objectID: ObjectID, from: ResultPath, to: ResultPath) {
            self.objectID = objectID
            self.from = from
            self.to = to
        }
    }

    /// Sections that went, by their places in the old result, ascending.
    public var deletedSections: [Int] = []
    /// Sections that came, ascending.
    public var insertedSections: [SectionInsertion] = []
    /// Objects that went, by their places in the old result, ascending; those of deleted sections too.
    public var deletions: [Item] = []
    /// Objects that came, by their places in the new result, ascending; those of inserted sections too.
    public var insertions: [Item] = []
    /// Objects that moved, by their places in the new result, ascending.
    public var moves: [Move] = []
    /// Objects that stayed where they are among the others and changed, by their places in the old result, ascending.
    public var updates: [Item] = []

    /// Whether nothing differs.
    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty && moves.isEmpty && updates.isEmpty
    }

    /// The difference of two results, with as few moves as there can be.
    ///
    /// - Parameter changed: the objects whose values may have changed. Complexity: O(n log n) for n objects.
    public init(from old: FetchedResultsSnapshot, to new: FetchedResultsSnapshot, changed: Set<ObjectID> = []) {
        let (oldPlaces, newPlaces) = (old.places, new.places)

        // Sections that are in both and in the same order stay.
        var oldSections: [RowKey: Int] = [:]
        for (index, section) in old.sections.enumerated() { oldSections[section.key] = index }
        let origins = new.sections.map { oldSections[$0.key] }
        let kept = Self.longestAscending(origins)
        var home: [Int: Int] = [:]
        for (index, origin) in origins.enumerated() {
            if let origin, kept.contains(index) {
                home[origin] = index
            } else {
                let section = new.sections[index]
                insertedSections.append(SectionInsertion(index: index, name: section.name, value: section.value))
            }
        }
        deletedSections = old.sections.indices.filter { home[$0] == nil }

        for (section, content) in old.sections.enumerated() {
            for (item, id) in content.objectIDs.enumerated() {
                let path = ResultPath(section: section, item: item)
                if newPlaces[id] == nil { deletions.append(Item(objectID: id, path: path)) }
            }
        }
        for (section, content) in new.sections.enumerated() {
            // Of those that are in the same section still, the longest run in the old order stays; the others move.
            let places = content.objectIDs.map { id in oldPlaces[id].flatMap { home[$0.section] == section ? $0.item : nil } }
            let staying = Self.longestAscending(places)
            for (item, id) in content.objectIDs.enumerated() {
                let path = ResultPath(section: section, item: item)
                guard let before = oldPlaces[id] else {
                    insertions.append(Item(objectID: id, path: path))
                    continue
                }
                if places[item] != nil, staying.contains(item) {
                    if changed.contains(id) { updates.append(Item(objectID: id, path: before)) }
                } else {
                    moves.append(Move(objectID: id, from: before, to: path))
                }
            }
        }
        updates.sort { $0.path < $1.path }
    }

    /// The places of a longest ascending sequence among numbers, of which some are nil.
    private static func longestAscending(_ numbers: [Int?]) -> Set<Int> {
        var isAscending = true
        var last = Int.min
        for case let number? in numbers {
            if number <= last {
                isAscending = false
                break
            }
            last = number
        }
        if isAscending { return Set(numbers.indices.filter { numbers[$0] != nil }) }
        // By patience sorting: the place that ends the best sequence of each length, and the place before each.
        var ends: [Int] = []
        var before: [Int: Int] = [:]
        for (place, number) in numbers.enumerated() {
            guard let number else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] ?? Int.max < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var found: Set<Int> = []
        var place = ends.last
        while let current = place {
            found.insert(current)
            place = before[current]
        }
        return found
    }

    /// The new result, made of the old one.
    ///
    /// - Returns: nil where the difference does not fit: where it is of another result.
    public func applied(to old: FetchedResultsSnapshot) -> FetchedResultsSnapshot? {
        var leaving: [Int: Set<Int>] = [:]
        for (id, path) in deletions.map({ ($0.objectID, $0.path) }) + moves.map({ ($0.objectID, $0.from) }) {
            guard old[path] == id else { return nil }
            leaving[path.section, default: []].insert(path.item)
        }
        for update in updates where old[update.path] != update.objectID { return nil }
        var sections: [FetchedResultsSnapshot.Section] = []
        let gone = Set(deletedSections)
        guard gone.allSatisfy({ old.sections.indices.contains($0) }) else { return nil }
        for (index, section) in old.sections.enumerated() {
            let left = leaving[index] ?? []
            var rest = section
            rest.objectIDs = section.objectIDs.enumerated().filter { !left.contains($0.offset) }.map(\.element)
            if !gone.contains(index) { sections.append(rest) } else if !rest.objectIDs.isEmpty { return nil }
        }
        for insertion in insertedSections {
            guard insertion.index <= sections.count else { return nil }
            sections.insert(.init(name: insertion.name, value: insertion.value), at: insertion.index)
        }
        var arriving: [Int: [(item: Int, id: ObjectID)]] = [:]
        for (id, path) in insertions.map({ ($0.objectID, $0.path) }) + moves.map({ ($0.objectID, $0.to) }) {
            guard sections.indices.contains(path.section) else { return nil }
            arriving[path.section, default: []].append((path.item, id))
        }
        for (index, items) in arriving {
            var rest = sections[index].objectIDs[...]
            var ids: [ObjectID] = []
            ids.reserveCapacity(rest.count + items.count)
            for (item, id) in items.sorted(by: { $0.item < $1.item }) {
                let missing = item - ids.count
                guard missing >= 0, missing <= rest.count else { return nil }
                ids += rest.prefix(missing)
                rest = rest.dropFirst(missing)
                ids.append(id)
            }
            sections[index].objectIDs = ids + rest
        }
        return FetchedResultsSnapshot(sections: sections)
    }
}
