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
        let test = query.test
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
    /// The predicate with its parts in the order in which the store best tries them.
    fileprivate var test: CompiledTest {
        (predicate?.compiled ?? .constant(true)).arranged { $0.rank(stored) }
    }

    func plan() throws(GrabenError) -> QueryPlan {
        let rowCount = snapshot.liveCount(stored.code)
        let test = test
        let filter = RowFilter(test, stored)
        var plan = QueryPlan(access: .scan, filter: filter, test: test, rowCount: rowCount)
        let scanCost = 2_000 + rowCount * test.scanCost(stored)
        var cost = scanCost
        if let choice = try chooseIndex(test, scanCost: scanCost) {
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

extension CompiledTest {
    /// What a test costs for each row that it rules out: the one with the least comes first.
    fileprivate func rank(_ stored: StoredEntity) -> Double {
        let (cost, share) = guess(stored)
        return cost / max(1 - share, 0.01)
    }

    /// About how many nanoseconds a row takes, and what share of rows passes, from nothing but the kind of comparison.
    private func guess(_ stored: StoredEntity) -> (cost: Double, share: Double) {
        switch self {
        case .constant(let answer): return (0, answer ? 1 : 0)
        case .evaluated: return (500, 0.5)
        case .not(let inner):
            let (cost, share) = inner.guess(stored)
            return (cost, 1 - share)
        case .all(let members):
            return members.reduce((0, 1)) { sum, member in
                let (cost, share) = member.guess(stored)
                return (sum.0 + cost * sum.1, sum.1 * share)
            }
        case .any(let members):
            let (cost, rest) = members.reduce((0.0, 1.0)) { sum, member in
                let (cost, share) = member.guess(stored)
                return (sum.0 + cost * sum.1, sum.1 * (1 - share))
            }
            return (cost, 1 - rest)
        case .attribute(let test):
            let property = stored.info.properties[test.property]
            let isPacked = property.kind == .packed
            guard let form = test.form, isPacked || property.field >= 0 else { return (500, 0.5) }
            switch form {
            case .isNull: return (isPacked ? 1 : 6, 0.2)
            case .numbers(let numbers):
                let isPoint = numbers.doubles.allSatisfy { $0.lowerBound == $0.upperBound }
                return (isPacked ? 1 : 8, isPoint ? 0.05 : 0.4)
            case .text(.equal): return (9, 0.02)
            case .text(.prefix(let text)): return (9, text.isEmpty ? 1 : 0.05)
            case .text(.bytes): return (40, 0.2)
            }
        }
    }

    /// About what testing one of very many rows costs, in nanoseconds.
    fileprivate func scanCost(_ stored: StoredEntity) -> Int { Int(guess(stored).cost) + 1 }
}
