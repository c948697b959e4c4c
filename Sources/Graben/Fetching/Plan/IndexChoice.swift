import GrabenLog
import GrabenPredicate

/// How an index answers a part of a query: the keys to read, and what of the predicate is then known to be true.
struct IndexChoice {
    let declaration: KeyDeclaration
    let ranges: [KeyRange]
    /// The places among the predicate's leading conjuncts that need no more looking at.
    let answered: Set<Int>
    /// The names of the attributes whose values are bounded.
    let keys: [String]
    /// About how many rows the ranges have.
    let estimate: Int

    /// About what reading so many rows through the index costs, in nanoseconds.
    var cost: Int { ranges.count * 1_000 + estimate * 150 }
}

extension StoreQuery {
    /// The indexes of the entity, each with the fields it is of.
    func indexes() -> [(declaration: KeyDeclaration, properties: [PropertyInfo])] {
        snapshot.catalog.indexes.compactMap { declaration in
            guard declaration.entity == stored.code else { return nil }
            var properties: [PropertyInfo] = []
            for part in declaration.parts {
                guard let property = stored.info.properties.first(where: { $0.name == part.field && $0.field >= 0 }) else { return nil }
                properties.append(property)
            }
            return (declaration, properties)
        }
    }

    /// The index that finds the rows of a test with the least work; nil where looking at all rows is less.
    func chooseIndex(_ test: CompiledTest, scanCost: Int) throws(GrabenError) -> IndexChoice? {
        let conjuncts = test.leadingConjuncts
        if conjuncts.isEmpty { return nil }
        var best: IndexChoice?
        for (declaration, properties) in indexes() {
            guard let choice = try choice(declaration, properties, Array(conjuncts)) else { continue }
            if choice.cost < (best?.cost ?? scanCost) { best = choice }
        }
        return best
    }

    /// More combinations of values than this are not looked up one by one.
    private static let mostRanges = 1 << 14

    private func choice(
        _ declaration: KeyDeclaration, _ properties: [PropertyInfo], _ conjuncts: [CompiledTest]
    ) throws(GrabenError) -> IndexChoice? {
        // The values of the parts so far, in all combinations.
        var heads: [[StoredValue]] = [[]]
        var ranges: [KeyRange]?
        var answered: Set<Int> = []
        var keys: [String] = []
        for property in properties {
            guard let (place, bounds) = bounds(of: property, conjuncts, besides: answered) else { break }
            guard heads.count * max(1, bounds.bounds.count) <= Self.mostRanges else { break }
            if bounds.isExact { answered.insert(place) }
            keys.append(property.name)
            let values = bounds.bounds.compactMap { bound in
                if case .value(let value) = bound { return value }
                return nil
            }
            if values.count == bounds.bounds.count {
                heads = heads.flatMap { head in values.map { head + [$0] } }
                continue
            }
            ranges = heads.flatMap { head in bounds.bounds.map { Self.range(head, $0) } }
            break
        }
        guard !keys.isEmpty else { return nil }
        let all = ranges ?? heads.map { KeyRange(equalTo: $0) }
        return IndexChoice(
            declaration: declaration, ranges: all, answered: answered, keys: keys, estimate: try estimate(all, declaration))
    }

    /// The conjunct that says most of an attribute: a value rather than a range.
    private func bounds(
        of property: PropertyInfo, _ conjuncts: [CompiledTest], besides: Set<Int>
    ) -> (Int, IndexBounds)? {
        var found: (Int, IndexBounds)?
        let kind = stored.layout.fields[property.field].kind
        for (place, conjunct) in conjuncts.enumerated() where !besides.contains(place) {
            guard let bounds = IndexBounds(conjunct, property.number, kind) else { continue }
            let isValues = bounds.bounds.allSatisfy { if case .value = $0 { true } else { false } }
            if isValues { return (place, bounds) }
            found = found.map { ($0.0, $0.1.narrowed(by: bounds)) } ?? (place, bounds)
        }
        return found
    }

    static func range(_ head: [StoredValue], _ bound: IndexBounds.Bound) -> KeyRange {
        switch bound {
        case .value(let value): return KeyRange(equalTo: head + [value])
        case .prefix(let text): return KeyRange(equalTo: head, prefix: text)
        case .range(let low, let high, let isLowerOpen, let isUpperOpen):
            // Nulls come before all values.
            let from = head + [low ?? .null]
            let to: [StoredValue]? = high.map { head + [$0] } ?? (head.isEmpty ? nil : head)
            return KeyRange(from: from, to: to, isLowerOpen: low == nil || isLowerOpen, isUpperOpen: high != nil && isUpperOpen)
        }
    }

    /// Of many ranges a few are counted, and the rest taken for like them.
    private func estimate(_ ranges: [KeyRange], _ declaration: KeyDeclaration) throws(GrabenError) -> Int {
        let step = max(1, ranges.count / 16)
        var (count, looked) = (0, 0)
        do throws(LogError) {
            for place in stride(from: 0, to: ranges.count, by: step) {
                count += try snapshot.estimate(ranges[place], in: declaration)
                looked += 1
            }
        } catch { throw .store(error) }
        return looked == 0 ? 0 : count * ranges.count / looked
    }
}

extension IndexBounds {
    /// One range within both, where each of the two bounds it on another side; this one where that is not so.
    fileprivate func narrowed(by other: IndexBounds) -> IndexBounds {
        guard bounds.count == 1, other.bounds.count == 1, case .range(let low, let high, let lowOpen, let highOpen) = bounds[0],
            case .range(let otherLow, let otherHigh, let otherLowOpen, let otherHighOpen) = other.bounds[0]
        else { return self }
        var narrowed = self
        // Which conjunct it is that both together answer cannot be said, so both are looked at again.
        narrowed.isExact = false
        if Self.isUnbounded(low), !Self.isUnbounded(otherLow) {
            narrowed.bounds = [.range(otherLow, high, isLowerOpen: otherLowOpen, isUpperOpen: highOpen)]
        } else if Self.isUnbounded(high), !Self.isUnbounded(otherHigh) {
            narrowed.bounds = [.range(low, otherHigh, isLowerOpen: lowOpen, isUpperOpen: otherHighOpen)]
        } else {
            return self
        }
        return narrowed
    }

    private static func isUnbounded(_ value: StoredValue?) -> Bool {
        switch value {
        case nil: true
        case .double(let number)?, .date(let number)?: number.isInfinite
        default: false
        }
    }
}
