public import GrabenLog
import GrabenPredicate

/// A place in a result with sections.
public struct ResultPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The section, from 0.
    public var section: Int
    /// The place in the section, from 0.
    public var item: Int

    /// Makes a place.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Orders places by section, then by item.
    public static func < (a: ResultPath, b: ResultPath) -> Bool { (a.section, a.item) < (b.section, b.item) }

    /// `section.item`.
    public var description: String { "\(section).\(item)" }
}

/// A result at one moment, by ids: its sections, and the objects of each in order.
public struct FetchedResultsSnapshot: Sendable, Equatable {
    /// Objects with one value of the section key path.
    public struct Section: Sendable, Equatable {
        /// The value as text; empty for nil and where there are no sections.
        public var name: String
        /// The value of the section key path; `.null` for nil and where there are no sections.
        public var value: Value
        /// The objects, in order.
        public var objectIDs: [ObjectID]

        /// Makes a section.
        public init(name: String, value: Value, objectIDs: [ObjectID] = []) {
            self.name = name
            self.value = value
            self.objectIDs = objectIDs
        }

        /// What makes it the same section as another.
        var key: RowKey { RowKey([value]) }
    }

    /// The sections, in order; without a section key path one that holds everything.
    public var sections: [Section]

    /// Makes a snapshot.
    public init(sections: [Section] = []) { self.sections = sections }

    /// How many objects there are in all sections. Complexity: O(sections).
    public var count: Int { sections.reduce(0) { $0 + $1.objectIDs.count } }

    /// The ids in order, across sections. Complexity: O(objects).
    public var objectIDs: [ObjectID] { sections.flatMap(\.objectIDs) }

    /// The id at a place; nil where there is none. Complexity: O(1).
    public subscript(path: ResultPath) -> ObjectID? {
        guard sections.indices.contains(path.section), sections[path.section].objectIDs.indices.contains(path.item) else { return nil }
        return sections[path.section].objectIDs[path.item]
    }

    /// Where each object is.
    var places: [ObjectID: ResultPath] {
        var places: [ObjectID: ResultPath] = [:]
        places.reserveCapacity(count)
        for (section, content) in sections.enumerated() {
            for (item, id) in content.objectIDs.enumerated() { places[id] = ResultPath(section: section, item: item) }
        }
        return places
    }
}
