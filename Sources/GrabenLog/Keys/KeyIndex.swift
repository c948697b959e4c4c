internal import Synchronization

/// What to keep an ordered index of: a field or several of one entity. Handed to the log as data; the log knows nothing of what it is for.
package struct KeyDeclaration: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        package let field: String
        /// The key of records in layouts that lack the field: their value is a default that only the layer above knows.
        let absent: [UInt8]

        package init(field: String, absent: StoredValue = .null) {
            self.field = field
            var key: [UInt8] = []
            KeyCoding.append(absent, to: &key)
            self.absent = key
        }

        init(field: String, absent: [UInt8]) {
            self.field = field
            self.absent = absent
        }
    }

    /// Unique in the file and never used again for another index.
    package let code: UInt16
    package let entity: EntityCode
    package let parts: [Part]
    /// Whether writers let no two objects have one key. The log only says so: who commits looks the key up under the writer's lock.
    package let isUnique: Bool

    package init(code: UInt16, entity: EntityCode, parts: [Part], isUnique: Bool = false) {
        self.code = code
        self.entity = entity
        self.parts = parts
        self.isUnique = isUnique
    }

    /// Names are not hashed: an index is looked for several times in a fetch.
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// Makes the keys of records, in one layout after the other.
struct KeyMaker {
    private let declaration: KeyDeclaration
    private var number: UInt32?
    private var fields: [Int?] = []
    /// Where records are read that lie in compressed blocks.
    var block: RecordBlock?

    init(_ declaration: KeyDeclaration) { self.declaration = declaration }

    mutating func append(_ record: RecordView, to key: inout [UInt8]) throws(ByteError) {
        if record.layout.number != number {
            number = record.layout.number
            fields = declaration.parts.map { record.layout.fieldIndex($0.field) }
        }
        for (part, field) in zip(declaration.parts, fields) {
            if let field { KeyCoding.append(try record.value(at: field), to: &key) } else { key += part.absent }
        }
    }
}

/// An index as of one commit: all keys of some commit before, in memory or in an index file, and runs of what came since, oldest first.
struct KeyIndex: Sendable {
    enum Base: Sendable {
        case memory(KeyRun)
        case mapped(MappedKeyBase)
    }

    let base: Base
    private(set) var runs: [KeyRun] = []

    init(base: Base) { self.base = base }

    /// Adds what a commit changed. Runs are merged so that each has at least twice the entries of the next.
    mutating func append(_ run: KeyRun) {
        guard !run.entries.isEmpty else { return }
        runs.append(run)
        while runs.count > 1, runs[runs.count - 1].entries.count * 2 >= runs[runs.count - 2].entries.count {
            let newer = runs.removeLast()
            let older = runs.removeLast()
            runs.append(Self.merge(older, newer))
        }
    }

    private static func merge(_ older: KeyRun, _ newer: KeyRun) -> KeyRun {
        var said: [Pair: Bool] = [:]
        for run in [older, newer] { note(run, .all, &said) }
        var builder = KeyRun.Builder()
        for (pair, isRemoved) in said {
            // Appending bytes throws nothing.
            try? builder.add(pair.row, isRemoved: isRemoved) { $0 += pair.key }
        }
        return KeyRun(builder)
    }

    private struct Pair: Hashable, Comparable {
        let key: [UInt8]
        let row: Row

        /// Below 0 when this is before another key and row.
        func order(_ other: UnsafeRawBufferPointer, _ otherRow: Row) -> Int {
            let order = key.withUnsafeBytes { compareKeys($0, other) }
            return order != 0 ? order : Int(row) - Int(otherRow)
        }

        static func < (a: Pair, b: Pair) -> Bool { b.key.withUnsafeBytes { a.order($0, b.row) < 0 } }
    }

    /// What the runs say of a range: of each pair whether it is gone, and those that are there, ascending.
    private func tail(_ range: KeyRange) -> (said: [Pair: Bool], added: [Pair]) {
        if runs.isEmpty { return ([:], []) }
        var said: [Pair: Bool] = [:]
        for run in runs { Self.note(run, range, &said) }
        return (said, said.filter { !$0.value }.map(\.key).sorted())
    }

    /// What a run says last of each pair in the range.
    private static func note(_ run: KeyRun, _ range: KeyRange, _ said: inout [Pair: Bool]) {
        // A commit that changes a key removes the old pair and adds the new one; no pair is both in one run but an added one.
        run.forEach(range) { key, entry in
            said[Pair(key: Array(key), row: entry.row)] = entry.isRemoved
            return true
        }
    }

    /// The rows whose keys are in the range, by key and then by row, at most so many.
    func rows(_ range: KeyRange, limit: Int = .max) throws(LogError) -> [Row] {
        let (said, added) = tail(range)
        var result: [Row] = []
        if said.isEmpty {
            switch base {
            case .memory(let run): run.append(range, upTo: limit, to: &result)
            case .mapped(let mapped): try mapped.append(range, upTo: limit, to: &result)
            }
            return result
        }
        var next = 0
        try forEachBase(range) { key, row in
            while next < added.count, result.count < limit, added[next].order(key, row) < 0 {
                result.append(added[next].row)
                next += 1
            }
            // What the runs speak of is in their list, or gone.
            if said[Pair(key: Array(key), row: row)] == nil, result.count < limit { result.append(row) }
            return result.count < limit
        }
        while next < added.count, result.count < limit {
            result.append(added[next].row)
            next += 1
        }
        return result
    }

    /// About how many rows `rows` gives.
    func estimate(_ range: KeyRange) throws(LogError) -> Int {
        var count = 0
        switch base {
        case .memory(let run): count = run.indexes(range).count
        case .mapped(let mapped): count = try mapped.estimate(range)
        }
        for run in runs { count += run.indexes(range).count }
        return count
    }

    /// Calls `body` with the keys in the range and their rows, by key, ascending or descending, until it answers false. The order of the rows of
    /// one key follows.
    func walk(
        _ range: KeyRange, descending: Bool, _ body: (UnsafeRawBufferPointer, Row) -> Bool
    ) throws(LogError) {
        let tail = tail(range)
        let added = descending ? tail.added.reversed() : tail.added
        var next = 0
        var isDone = false
        try forEachBase(range, descending: descending) { key, row in
            while next < added.count, descending ? added[next].order(key, row) > 0 : added[next].order(key, row) < 0 {
                isDone = !added[next].key.withUnsafeBytes { body($0, added[next].row) }
                next += 1
                if isDone { return false }
            }
            if !tail.said.isEmpty, tail.said[Pair(key: Array(key), row: row)] != nil { return true }
            isDone = !body(key, row)
            return !isDone
        }
        while !isDone, next < added.count {
            isDone = !added[next].key.withUnsafeBytes { body($0, added[next].row) }
            next += 1
        }
    }

    /// A row whose key is just this one; of several the first that is found. Runs are asked from the newest to the oldest, and what one says of a
    /// row counts.
    func firstRow(
        equalTo key: UnsafeRawBufferPointer, _ sample: FenceSample? = nil, notIn left: [Row] = []
    ) throws(LogError) -> Row? {
        var gone = left
        for run in runs.reversed() {
            var found: Row?
            run.forEachEqual(key) { row, isRemoved in
                if isRemoved { gone.append(row) } else if !gone.contains(row) { found = row }
                return found == nil
            }
            if let found { return found }
        }
        switch base {
        case .memory(let run):
            var found: Row?
            run.forEachEqual(key) { row, _ in
                if !gone.contains(row) { found = row }
                return found == nil
            }
            return found
        case .mapped(let mapped): return try mapped.firstRow(equalTo: key, notIn: gone, sample)
        }
    }

    /// As `firstRow` for every key of a batch, whose places get the rows.
    func look(for batch: KeyBatch, _ sample: FenceSample?, _ rows: inout [Row?]) throws(LogError) {
        if runs.isEmpty, let sample, case .mapped(let mapped) = base { return try mapped.look(for: batch, sample, &rows) }
        try batch.forEach { (index, key) throws(LogError) in rows[batch.places[index]] = try firstRow(equalTo: key, sample) }
    }

    /// What makes many look-ups faster; nil where they are in memory anyway.
    func sample() -> FenceSample? {
        guard case .mapped(let mapped) = base else { return nil }
        return mapped.sample()
    }

    private func forEachBase(
        _ range: KeyRange, descending: Bool = false, _ body: (UnsafeRawBufferPointer, Row) -> Bool
    ) throws(LogError) {
        switch base {
        case .memory(let run): run.forEach(range, descending: descending) { body($0, $1.row) }
        case .mapped(let mapped): try mapped.forEach(range, descending: descending, body)
        }
    }

    /// Every key with its row, ascending.
    func forEach(_ body: (UnsafeRawBufferPointer, Row) throws(LogError) -> Void) throws(LogError) {
        var failure: LogError?
        func lend(_ key: UnsafeRawBufferPointer, _ row: Row) -> Bool {
            do throws(LogError) { try body(key, row) } catch { failure = error }
            return failure == nil
        }
        let (said, added) = tail(.all)
        var next = 0
        try forEachBase(.all) { key, row in
            while next < added.count, added[next].order(key, row) < 0 {
                guard added[next].key.withUnsafeBytes({ lend($0, added[next].row) }) else { return false }
                next += 1
            }
            return !said.isEmpty && said[Pair(key: Array(key), row: row)] != nil ? true : lend(key, row)
        }
        while failure == nil, next < added.count {
            _ = added[next].key.withUnsafeBytes { lend($0, added[next].row) }
            next += 1
        }
        if let failure { throw failure }
    }
}

/// An index of keys in an index file, or where that is bad, made from the log.
final class MappedKeyBase: Sendable {
    private let keys: MappedKeys
    private let declaration: KeyDeclaration
    private let checkpoint: Checkpoint
    /// Made for who looks up many keys.
    private let fences = AtomicLazyReference<FenceSample>()

    init(_ run: IndexRoot.Run, _ declaration: KeyDeclaration, checkpoint: Checkpoint) {
        keys = MappedKeys(file: checkpoint.file, run: run)
        self.declaration = declaration
        self.checkpoint = checkpoint
    }

    /// nil where the index is bad, which look-ups find out.
    func sample() -> FenceSample? {
        if let known = fences.load() { return known }
        return (try? keys.sample()).map { fences.storeIfNil($0) }
    }

    /// Appends the rows of the keys in the range, by key, till there are so many.
    func append(_ range: KeyRange, upTo limit: Int, to rows: inout [Row]) throws(LogError) {
        let count = rows.count
        do throws(ByteError) { try keys.append(range, upTo: limit, to: &rows) } catch {
            keys.file.distrust()
            guard case .memory(let run) = try checkpoint.rebuiltSnapshot().keyIndex(declaration).base else { return }
            rows.removeSubrange(count...)
            run.append(range, upTo: limit, to: &rows)
        }
    }

    func estimate(_ range: KeyRange) throws(LogError) -> Int {
        do throws(ByteError) { return try keys.estimate(range) } catch {
            keys.file.distrust()
            guard case .memory(let run) = try checkpoint.rebuiltSnapshot().keyIndex(declaration).base else { return 0 }
            return run.indexes(range).count
        }
    }

    func firstRow(equalTo key: UnsafeRawBufferPointer, notIn gone: [Row], _ sample: FenceSample?) throws(LogError) -> Row? {
        do throws(ByteError) { return try keys.firstRow(equalTo: key, notIn: gone, sample) } catch {
            keys.file.distrust()
            return try checkpoint.rebuiltSnapshot().keyIndex(declaration).firstRow(equalTo: key, notIn: gone)
        }
    }

    func look(for batch: KeyBatch, _ sample: FenceSample, _ rows: inout [Row?]) throws(LogError) {
        do throws(ByteError) { try keys.look(for: batch, sample, &rows) } catch {
            keys.file.distrust()
            try checkpoint.rebuiltSnapshot().keyIndex(declaration).look(for: batch, nil, &rows)
        }
    }

    func forEach(
        _ range: KeyRange, descending: Bool = false, _ body: (UnsafeRawBufferPointer, Row) -> Bool
    ) throws(LogError) {
        var lent = 0
        var isDone = false
        do throws(ByteError) {
            func lend(_ key: UnsafeRawBufferPointer, _ row: Row) -> Bool {
                lent += 1
                isDone = !body(key, row)
                return !isDone
            }
            if descending { try keys.forEachDescending(range, lend) } else { try keys.forEach(range, lend) }
        } catch {
            keys.file.distrust()
            if isDone { return }
            guard case .memory(let run) = try checkpoint.rebuiltSnapshot().keyIndex(declaration).base else { return }
            var skipped = 0
            run.forEach(range, descending: descending) { key, entry in
                // What was lent before the bad bytes was right.
                skipped += 1
                return skipped <= lent || body(key, entry.row)
            }
        }
    }
}
