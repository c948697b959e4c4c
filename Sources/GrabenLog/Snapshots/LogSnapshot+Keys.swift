extension LogSnapshot {
    /// The rows whose keys are in a range, by key and then by row, at most so many.
    ///
    /// The first call for an index that no index file holds reads all records of the entity; later ones, in this snapshot and those after it,
    /// cost O(log n + what the later commits say of the range + rows).
    package func rows(_ range: KeyRange, in declaration: KeyDeclaration, limit: Int = .max) throws(LogError) -> [Row] {
        try keyIndex(declaration).rows(range, limit: limit)
    }

    /// About how many rows `rows` gives, without reading them.
    package func estimate(_ range: KeyRange, in declaration: KeyDeclaration) throws(LogError) -> Int {
        try keyIndex(declaration).estimate(range)
    }

    /// Calls `body` with the keys in a range and their rows, by key, ascending or descending, until it answers false.
    package func walk(
        _ range: KeyRange, in declaration: KeyDeclaration, descending: Bool, _ body: (UnsafeRawBufferPointer, Row) -> Bool
    ) throws(LogError) {
        try keyIndex(declaration).walk(range, descending: descending, body)
    }

    func keyIndex(_ declaration: KeyDeclaration) throws(LogError) -> KeyIndex {
        if let known = keyIndexes.withLock({ $0[declaration] }) { return known }
        return try building.withLock { _ throws(LogError) in
            if let known = keyIndexes.withLock({ $0[declaration] }) { return known }
            let made = try makeKeyIndex(declaration)
            keyIndexes.withLock { $0[declaration] = made }
            return made
        }
    }

    private func makeKeyIndex(_ declaration: KeyDeclaration) throws(LogError) -> KeyIndex {
        var maker = KeyMaker(declaration)
        var builder = KeyRun.Builder()
        guard let state = state(declaration.entity) else { return KeyIndex(base: .memory(KeyRun(builder))) }
        guard let base = checkpoint?.keys(declaration) else {
            builder.reserve(state.liveCount)
            try state.records.forEach { (row, word) throws(LogError) -> Bool in
                try add(Row(truncatingIfNeeded: row), UInt64(word), isRemoved: false, &maker, &builder)
                return true
            }
            return KeyIndex(base: .memory(KeyRun(builder)))
        }
        var index = KeyIndex(base: .mapped(base))
        try state.records.forEachChange { (row, before, now) throws(LogError) in
            let row = Row(truncatingIfNeeded: row)
            if before != 0, now != 0, try key(UInt64(before), &maker) == key(UInt64(now), &maker) { return }
            if before != 0 { try add(row, UInt64(before), isRemoved: true, &maker, &builder) }
            if now != 0 { try add(row, UInt64(now), isRemoved: false, &maker, &builder) }
        }
        index.append(KeyRun(builder))
        return index
    }

    private func key(_ word: UInt64, _ maker: inout KeyMaker) throws(LogError) -> [UInt8] {
        var key: [UInt8] = []
        let record = try bind(word, in: &maker.block)
        do throws(ByteError) { try maker.append(record, to: &key) } catch { throw unreadable(word, error) }
        return key
    }

    private func add(
        _ row: Row, _ word: UInt64, isRemoved: Bool, _ maker: inout KeyMaker, _ builder: inout KeyRun.Builder
    ) throws(LogError) {
        let record = try bind(word, in: &maker.block)
        try builder.add(row, isRemoved: isRemoved) { (key) throws(LogError) in
            do throws(ByteError) { try maker.append(record, to: &key) } catch { throw unreadable(word, error) }
        }
    }

    /// The indexes of `previous` carried on to this snapshot.
    func carryKeyIndexes(from previous: LogSnapshot) throws(LogError) {
        let known = previous.keyIndexes.withLock { $0 }
        if known.isEmpty { return }
        var carried: [KeyDeclaration: KeyIndex] = [:]
        for (declaration, index) in known {
            var index = index
            if let changes = changes[declaration.entity] {
                var maker = KeyMaker(declaration)
                var builder = KeyRun.Builder()
                func compare(_ row: Row) throws(LogError) {
                    let old = previous.word(declaration.entity, row)
                    let new = word(declaration.entity, row)
                    if old != 0, new != 0, try previous.key(old, &maker) == key(new, &maker) { return }
                    if old != 0 { try previous.add(row, old, isRemoved: true, &maker, &builder) }
                    if new != 0 { try add(row, new, isRemoved: false, &maker, &builder) }
                }
                for row in changes.inserted { try compare(row) }
                for row in changes.deleted where !changes.inserted.contains(row) { try compare(row) }
                for change in changes.updated where !changes.inserted.contains(change.row) && !changes.deleted.contains(change.row) {
                    try compare(change.row)
                }
                index.append(KeyRun(builder))
            }
            carried[declaration] = index
        }
        keyIndexes.withLock { $0 = carried }
    }
}
