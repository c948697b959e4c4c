public import GrabenPredicate

/// How a fetch would run: a part for each entity of each store it looks in. Made by `FetchRequest.explain(in:)`.
///
///     print(try request.explain(in: context))
///
///     Joint in /data/town.graben: 1,000,000 rows
///       reads the rows of index name: 1 range, about 480 rows
///       tests x > 5.0 (column)
///       keeps the first 10 by -z
public struct FetchExplanation: Sendable, Equatable {
    /// Which rows are looked at.
    public enum Access: Sendable, Equatable {
        /// None: the predicate is true of no object.
        case nothing
        /// Every row that exists, 1,024 at a time.
        case everything
        /// Those of some keys of an index over these attributes; so many ranges of keys.
        case index([String], ranges: Int)
        /// Rows in the order of an index, till enough have passed.
        case order(String, ascending: Bool)
    }

    /// By what a part of the predicate is answered.
    public enum Means: String, Sendable, Equatable, Comparable {
        /// A packed attribute's values, by SIMD; chunks whose bounds decide are skipped.
        case column
        /// The bytes of records, where they lie.
        case record
        /// The interpreter, row by row.
        case interpreter

        private var rank: Int {
            switch self {
            case .column: 0
            case .record: 1
            case .interpreter: 2
            }
        }

        /// The cheaper means is less.
        public static func < (a: Means, b: Means) -> Bool { a.rank < b.rank }
    }

    /// A part of the predicate that rows still have to pass.
    public struct Test: Sendable, Equatable {
        /// The part in the format language.
        public let format: String
        /// The dearest means it takes.
        public let means: Means
    }

    /// One entity of one store.
    public struct Part: Sendable, Equatable {
        /// The entity's name.
        public let entity: String
        /// Where the store is.
        public let store: StoreLocation
        /// How many objects of it the store has.
        public let rowCount: Int
        /// Which of them are looked at.
        public let access: Access
        /// About how many those are.
        public let estimate: Int
        /// What they have to pass, in the order in which it is tried.
        public let tests: [Test]
        /// How many objects with unsaved changes are looked at besides, one by one.
        public let pendingCount: Int
    }

    /// The parts, in the order in which they are looked in.
    public let parts: [Part]
    /// The order asked for.
    public let order: [ObjectSortDescriptor]
    /// How many objects are wanted of the beginning; nil for all.
    public let limit: Int?
}

extension FetchExplanation: CustomStringConvertible {
    /// The plan for people to read.
    public var description: String { parts.map { $0.text(order, limit) }.joined(separator: "\n") }
}

extension FetchExplanation.Part {
    fileprivate func text(_ order: [ObjectSortDescriptor], _ limit: Int?) -> String {
        var lines: [String] = []
        lines.append("\(entity) in \(store.name): \(Self.rows(rowCount))")
        switch access {
        case .nothing: return lines[0] + "\n  reads nothing: the predicate is true of no object"
        case .everything: lines.append("  reads every row")
        case .index(let keys, let ranges):
            let what = ranges == 1 ? "1 range" : "\(ranges.grouped) ranges"
            lines.append("  reads the rows of index \(keys.joined(separator: ", ")): \(what), about \(Self.rows(estimate))")
        case .order(let key, let ascending):
            lines.append(
                "  reads rows in the order of index \(key), \(ascending ? "ascending" : "descending"), till \((limit ?? 0).grouped) have passed"
            )
        }
        for test in tests { lines.append("  tests \(test.format) (\(test.means.rawValue))") }
        if !order.isEmpty {
            let keys = order.map(\.description).joined(separator: ", ")
            lines.append(limit.map { "  keeps the first \($0.grouped) by \(keys)" } ?? "  sorts by \(keys)")
        } else if let limit {
            lines.append("  ends after \(limit.grouped)")
        }
        if pendingCount > 0 {
            lines.append("  looks at \(pendingCount.grouped) unsaved \(pendingCount == 1 ? "object" : "objects") besides")
        }
        return lines.joined(separator: "\n")
    }

    private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count.grouped) rows" }
}

extension Int {
    /// With commas between thousands.
    fileprivate var grouped: String {
        var text = ""
        for (place, digit) in String(magnitude).reversed().enumerated() {
            if place > 0, place % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }
}
