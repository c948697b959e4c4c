import GrabenLog
import GrabenPredicate

extension StoreQuery {
    /// The rows that match. Errors of a row that the window does not reach may stay unseen.
    func storeRows() throws(GrabenError) -> StoreRows {
        var plan = try plan()
        if order == nil, let rows = try rowsOfIndex(plan) {
            return StoreRows(rows: rows.count > limit ? Array(rows[..<limit]) : rows)
        }
        let batches = BatchFilter(self)
        if case .ordered(let index) = plan.access {
            if let rows = try rows(batches, inOrderOf: index, plan) { return rows }
            plan = plan.scanning(self)
        }
        guard let order else { return StoreRows(rows: try rows(batches, plan)) }
        var first = RowOrder(order, limit: limit)
        // A part of the predicate that may fail has to see every row.
        let leading = plan.test.isSafe ? order.leadingAttribute.map { stored.info.properties[$0.property] } : nil
        try forEachBatch(batches, plan) { (batch, candidates) throws(GrabenError) in
            var bits = candidates
            if let leading, let behind = first.numbersBehind() { try batches.exclude(behind, of: leading, from: &bits, in: batch) }
            try batches.narrow(&bits, by: plan.filter, in: batch)
            try bits.forEach { (slot) throws(GrabenError) in
                batches.cursor.move(to: batches.records.row(slot))
                do throws(ObjectPredicateError) { try first.offer(batches.cursor) } catch { throw .predicate(error) }
            }
            return true
        }
        return first.result(withKeys: needsKeys)
    }

    /// How many rows match, whatever the limit.
    func storeCount() throws(GrabenError) -> Int {
        if predicate == nil { return snapshot.liveCount(stored.code) - excluded.count { snapshot.contains(stored.code, $0) } }
        let plan = try plan()
        if let rows = try rowsOfIndex(plan) { return rows.count }
        let batches = BatchFilter(self)
        var count = 0
        try forEachBatch(batches, plan) { (batch, candidates) throws(GrabenError) in
            var bits = candidates
            try batches.narrow(&bits, by: plan.filter, in: batch)
            count += bits.count
            return true
        }
        return count
    }

    // MARK: Batches

    /// Calls `body` with the slots of each batch that have to be looked at, till it answers false.
    private func forEachBatch(
        _ batches: BatchFilter, _ plan: QueryPlan, _ body: (Int, BatchBits) throws(GrabenError) -> Bool
    ) throws(GrabenError) {
        let records = batches.records
        let left = leftOut(records)
        func visit(_ batch: Int, _ candidates: BatchBits) throws(GrabenError) -> Bool {
            if isCancelled() { throw .cancelled(what: "fetching \(stored.info.name)") }
            return try body(batch, left.isEmpty ? candidates : candidates & ~(left[batch] ?? BatchBits()))
        }
        switch plan.access {
        case .scan, .ordered:
            for batch in 0..<records.batchCount where records.hasRows(batch) {
                guard try visit(batch, try batches.live(batch)) else { return }
            }
        case .index(let choice):
            let rows = try rows(of: choice)
            guard records.isInRowOrder else {
                var found: [Int: BatchBits] = [:]
                for row in rows {
                    let (batch, slot) = records.place(row)
                    found[batch, default: BatchBits()][slot: slot] = true
                }
                for batch in found.keys.sorted() {
                    records.move(to: batch)
                    guard try visit(batch, found[batch] ?? BatchBits()) else { return }
                }
                return
            }
            var next = 0
            while next < rows.count {
                let (batch, _) = records.place(rows[next])
                records.move(to: batch)
                var bits = BatchBits()
                while next < rows.count {
                    let place = records.place(rows[next])
                    if place.batch != batch { break }
                    bits[slot: place.slot] = true
                    next += 1
                }
                guard try visit(batch, bits) else { return }
            }
        }
    }

    /// The rows of a query that an index answers by itself; nil where they have to be looked at.
    private func rowsOfIndex(_ plan: QueryPlan) throws(GrabenError) -> [Row]? {
        guard case .index(let choice) = plan.access, case .constant(true) = plan.filter else { return nil }
        if isCancelled() { throw .cancelled(what: "fetching \(stored.info.name)") }
        var rows = try rows(of: choice)
        if !excluded.isEmpty { rows.removeAll { excluded.contains($0) } }
        return rows
    }

    /// The rows an index has for its ranges, ascending, each once.
    private func rows(of choice: IndexChoice) throws(GrabenError) -> [Row] {
        var rows: [Row] = []
        do throws(LogError) {
            for range in choice.ranges {
                let found = try snapshot.rows(range, in: choice.declaration)
                if rows.isEmpty { rows = found } else { rows += found }
            }
        } catch { throw .store(error) }
        rows.arrange()
        return rows
    }

    /// The rows to leave out, by batch.
    private func leftOut(_ records: RecordScan) -> [Int: BatchBits] {
        var left: [Int: BatchBits] = [:]
        for row in excluded {
            let (batch, slot) = records.place(row)
            left[batch, default: BatchBits()][slot: slot] = true
        }
        return left
    }

    // MARK: In the order of rows

    private func rows(_ batches: BatchFilter, _ plan: QueryPlan) throws(GrabenError) -> [Row] {
        var rows: [Row] = []
        let isInOrder = batches.records.isInRowOrder
        let stopsEarly = isInOrder && limit != .max
        // Where the interpreter is asked and the first few rows will do, it is asked of a few at a time.
        let isStepwise = stopsEarly && plan.filter.isInterpreted
        try forEachBatch(batches, plan) { (batch, candidates) throws(GrabenError) in
            for word in 0..<16 {
                var bits = candidates
                if isStepwise {
                    bits = BatchBits()
                    bits[word] = candidates[word]
                }
                let asked = bits
                do throws(GrabenError) { try batches.narrow(&bits, by: plan.filter, in: batch) } catch {
                    guard stopsEarly else { throw error }
                    // Whoever needs only the rows before the one that fails never sees the error.
                    return try append(asked, batches, to: &rows)
                }
                let first = batch * ChunkGeometry.slotsPerChunk
                if isInOrder {
                    bits.forEach { rows.append(Row(truncatingIfNeeded: first + $0)) }
                } else {
                    bits.forEach { rows.append(batches.records.row($0)) }
                }
                if !isStepwise { break }
                if rows.count >= limit { return false }
            }
            return !stopsEarly || rows.count < limit
        }
        if !isInOrder { rows.sort() }
        return rows.count > limit ? Array(rows[..<limit]) : rows
    }

    /// Appends the rows that match one by one, till there are enough or one fails; answers whether more are needed.
    private func append(_ bits: BatchBits, _ batches: BatchFilter, to rows: inout [Row]) throws(GrabenError) -> Bool {
        try bits.forEach { (slot) throws(GrabenError) in
            let row = batches.records.row(slot)
            if rows.count < limit, try batches.matches(row, predicate) { rows.append(row) }
        }
        return rows.count < limit
    }

    // MARK: In the order of an index

    /// The first rows in an index's order that pass; nil where so few pass that looking at all rows is less work.
    private func rows(
        _ batches: BatchFilter, inOrderOf index: OrderedIndex, _ plan: QueryPlan
    ) throws(GrabenError) -> StoreRows? {
        guard let order, var group = KeyGroup(of: index.kind) else { return nil }
        var first = RowOrder(order, limit: limit)
        // A row through the index costs many times what it costs in a scan of all.
        var patience = predicate == nil ? Int.max : max(4 * limit + 1_000, plan.rowCount / 16)
        var failure: GrabenError?
        var isDone = false
        for range in index.ranges where !isDone {
            do throws(LogError) {
                try snapshot.walk(range, in: index.declaration, descending: index.descending) { key, row in
                    // What has the same first key as the last one may come before it by another.
                    if group.begins(with: key), first.isFull { isDone = true }
                    patience -= 1
                    if isDone || patience < 0 { return false }
                    if !excluded.isEmpty, excluded.contains(row) { return true }
                    do throws(GrabenError) {
                        if patience & 1023 == 0, isCancelled() { throw .cancelled(what: "fetching \(stored.info.name)") }
                        let (batch, slot) = batches.records.place(row)
                        var bits = BatchBits()
                        bits[slot: slot] = true
                        try batches.narrow(&bits, by: plan.filter, in: batch)
                        if bits.isNone { return true }
                        batches.cursor.move(to: row)
                        do throws(ObjectPredicateError) { try first.offer(batches.cursor) } catch { throw .predicate(error) }
                    } catch { failure = error }
                    return failure == nil
                }
            } catch { throw .store(error) }
            if let failure {
                // A scan tells of the first row that fails by its number; another order must not tell of another.
                if case .predicate = failure { return nil }
                throw failure
            }
            if patience < 0 { return nil }
        }
        return first.result(withKeys: needsKeys)
    }
}
