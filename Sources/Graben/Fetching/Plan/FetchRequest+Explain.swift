import GrabenLog
import GrabenPredicate

extension FetchRequest {
    /// How the request would run now in a context, without running it.
    ///
    /// Complexity: that of binding the predicate; the first time that an index is asked which no index file holds, that of making it.
    /// - Throws: as `ManagedObjectContext.fetch(_:)`.
    public func explain(in context: ManagedObjectContext) throws(GrabenError) -> FetchExplanation {
        try FetchExecution(context: context, info: try context.entity(of: self), request: FetchParameters(self)).explain()
    }
}

extension FetchExecution {
    /// What `run` would ask of each store.
    func explain() throws(GrabenError) -> FetchExplanation {
        let (predicate, order, end) = try prepared([:])
        var parts: [FetchExplanation.Part] = []
        for source in try sources() {
            let query = source.query(predicate, order, end, needsKeys: false, self)
            parts.append(try query.explanation(pendingCount: source.pending.count))
        }
        return FetchExplanation(parts: parts, order: request.sort, limit: end == .max ? nil : end)
    }
}

extension StoreQuery {
    fileprivate func explanation(pendingCount: Int) throws(GrabenError) -> FetchExplanation.Part {
        let plan = try plan()
        let access: FetchExplanation.Access
        let estimate: Int
        switch plan.access {
        case .index(let choice):
            access = .index(choice.keys, ranges: choice.ranges.count)
            estimate = choice.estimate
        case .ordered(let index):
            access = .order(index.key, ascending: !index.descending)
            estimate = min(limit, plan.rowCount)
        case .scan:
            access = predicate?.constant == false ? .nothing : .everything
            estimate = predicate?.constant == false ? 0 : plan.rowCount
        }
        return FetchExplanation.Part(
            entity: stored.info.name, store: stored.store.location, rowCount: plan.rowCount, access: access, estimate: estimate,
            tests: access == .nothing ? [] : plan.tests, pendingCount: pendingCount)
    }
}

extension QueryPlan {
    fileprivate var tests: [FetchExplanation.Test] {
        switch (test, filter) {
        case (.constant, _): []
        case (.all(let tests), .all(let filters)):
            zip(tests, filters).map { FetchExplanation.Test(format: $0.format, means: $1.means) }
        default: [FetchExplanation.Test(format: test.format, means: filter.means)]
        }
    }
}

extension RowFilter {
    fileprivate var means: FetchExplanation.Means {
        switch self {
        case .constant, .lane, .laneIsNull: .column
        case .field: .record
        case .evaluated: .interpreter
        case .not(let inner): inner.means
        case .all(let members), .any(let members): members.map(\.means).max() ?? .column
        }
    }
}
