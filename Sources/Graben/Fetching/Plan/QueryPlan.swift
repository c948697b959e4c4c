import GrabenLog
import GrabenPredicate

/// How a store answers a query: which rows are looked at, and what is asked of them.
struct QueryPlan {
    enum Access {
        /// Every row that exists, chunk by chunk.
        case scan
        /// The rows of some keys, by row.
        case index(IndexChoice)
        /// Rows in the order of an index, till enough have passed.
        case ordered(OrderedIndex)
    }

    var access: Access
    /// What rows have to pass, besides what the access says of them.
    let filter: RowFilter
    /// The same before it was bound to the store; what the access answers is left out.
    let test: CompiledTest
    /// How many rows the entity has.
    let rowCount: Int

    /// The plan that looks at every row, for one whose guess went wrong.
    func scanning(_ query: StoreQuery) -> QueryPlan {
        let test = query.predicate?.compiled ?? .constant(true)
        return QueryPlan(access: .scan, filter: RowFilter(test, query.stored), test: test, rowCount: rowCount)
    }
}

/// An index whose order is that of a query.
struct OrderedIndex {
    let declaration: KeyDeclaration
    let key: String
    let kind: FieldKind
    /// In the order in which they are read.
    let ranges: [KeyRange]
    let descending: Bool
}

extension StoreQuery {
    func plan() throws(GrabenError) -> QueryPlan {
        let rowCount = snapshot.liveCount(stored.code)
        let test = predicate?.compiled ?? .constant(true)
        let filter = RowFilter(test, stored)
        var plan = QueryPlan(access: .scan, filter: filter, test: test, rowCount: rowCount)
        let scanCost = 2_000 + rowCount * filter.scanCost
        var cost = scanCost
        if let choice = try chooseIndex(scanCost: scanCost) {
            cost = choice.cost
            plan = self.plan(choice, test, rowCount)
        }
        if order != nil, test.isSafe, limit < rowCount / 8, let ordered = orderedIndex() {
            // Not knowing how many rows pass, one in four is taken for granted; the scan in order ends when it turns out to be far fewer.
            let guess = limit.multipliedReportingOverflow(by: predicate == nil ? 300 : 1_200)
            if !guess.overflow, guess.partialValue + 5_000 < cost + cost / 2 {
                plan = QueryPlan(access: .ordered(ordered), filter: filter, test: test, rowCount: rowCount)
            }
        }
        return plan
    }

    private func plan(_ choice: IndexChoice, _ test: CompiledTest, _ rowCount: Int) -> QueryPlan {
        var members: [CompiledTest] = [test]
        if case .all(let all) = test { members = all }
        // Leading conjuncts are the first members, so they have the same places.
        let rest = members.enumerated().filter { !choice.answered.contains($0.offset) }.map(\.element)
        let remaining: CompiledTest = rest.isEmpty ? .constant(true) : rest.count == 1 ? rest[0] : .all(rest)
        return QueryPlan(access: .index(choice), filter: RowFilter(remaining, stored), test: remaining, rowCount: rowCount)
    }

    /// An index that has the first key of the order for its first part.
    private func orderedIndex() -> OrderedIndex? {
        guard let (number, ascending) = order?.leadingAttribute else { return nil }
        let property = stored.info.properties[number]
        guard property.kind == .attribute, property.field >= 0 else { return nil }
        let kind = stored.layout.fields[property.field].kind
        guard KeyGroup(of: kind) != nil, let index = indexes().first(where: { $0.properties.first === property }) else { return nil }
        var ranges: [KeyRange]
        switch kind {
        case .float, .double, .date:
            // An index has NaN behind infinity, an order before all numbers.
            let (least, greatest): (StoredValue, StoredValue) = (.double(-.infinity), .double(.infinity))
            ranges = [
                KeyRange(equalTo: [.null]), KeyRange(equalTo: [.double(.nan)]), KeyRange(from: [least], to: [greatest]),
            ]
        default: ranges = [KeyRange(from: nil, to: nil)]
        }
        if !ascending { ranges.reverse() }
        return OrderedIndex(
            declaration: index.declaration, key: property.name, kind: kind, ranges: ranges, descending: !ascending)
    }
}

extension RowFilter {
    /// About what testing one of very many rows costs, in nanoseconds.
    fileprivate var scanCost: Int {
        switch self {
        case .constant: 1
        case .lane, .laneIsNull: 2
        case .field: 12
        case .evaluated: 500
        case .not(let inner): inner.scanCost
        // Each member sees what the one before it left, which is taken to be a third.
        case .all(let members): members.reversed().reduce(0) { $1.scanCost + $0 / 3 }
        case .any(let members): members.reduce(0) { $0 + $1.scanCost }
        }
    }
}
