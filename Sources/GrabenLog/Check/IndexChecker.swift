/// Compares an index file with what replaying its log comes to: every page, chunk, run and number of it.
struct IndexChecker {
    private let file: IndexFile
    private let root: IndexRoot
    /// What the index says.
    private let checkpoint: Checkpoint
    private let said: LogSnapshot
    /// What the log says.
    private let replayed: LogSnapshot
    private let base: UnsafeRawPointer
    private let header: FileHeader
    private let add: (LogFinding) -> Void

    init(_ checkpoint: Checkpoint, replayed: LogSnapshot, base: UnsafeRawPointer, header: FileHeader, add: @escaping (LogFinding) -> Void) {
        self.checkpoint = checkpoint
        file = checkpoint.file
        root = checkpoint.root
        said = checkpoint.snapshot()
        self.replayed = replayed
        self.base = base
        self.header = header
        self.add = add
    }

    private func note(
        _ what: String, at offset: Int? = nil, entity: EntityCode? = nil, row: Row? = nil, field: String? = nil
    ) {
        var finding = LogFinding(.index, what, offset: offset.map { UInt64($0) })
        finding.entity = entity
        finding.row = row
        finding.field = field
        add(finding)
    }

    /// Compares everything, as long as `goesOn` answers true to the fraction done.
    func run(_ goesOn: (Double) -> Bool) throws(LogError) {
        checkRoot()
        try checkAnchors()
        let total = Double(root.entities.count + root.reverse.count + root.links.count + root.keys.count + 1)
        var done = 1.0
        func isToGoOn() -> Bool {
            defer { done += 1 }
            return goesOn(done / total)
        }
        for entity in root.entities {
            guard isToGoOn() else { return }
            guard let state = replayed.state(entity.code) else {
                note("it tells of an entity that the log has nothing of", entity: entity.code)
                continue
            }
            checkSlots(entity, state)
            checkRows(entity, state)
            try checkChunks(entity, state)
        }
        for (key, run) in root.reverse {
            guard isToGoOn() else { return }
            try check(run, key)
        }
        for (code, members, owners) in root.links {
            guard isToGoOn() else { return }
            let index = replayed.links[code] ?? LinkIndex()
            let name = replayed.catalog.link(code)?.name
            check(members, index.members.all(), name ?? "relationship \(code)", "members")
            check(owners, index.owners.all(), name ?? "relationship \(code)", "owners")
        }
        for (code, run) in root.keys {
            guard isToGoOn() else { return }
            guard let declaration = replayed.catalog.indexes.first(where: { $0.code == code }) else {
                note("it has keys of index \(code), which the catalog does not declare", at: run.fences.offset)
                continue
            }
            try check(run, declaration)
        }
    }

    private func checkRoot() {
        let place = Int(file.header.rootOffset)
        if root.catalogs != replayed.table.places { note("it names other catalogs than the log has", at: place) }
        if root.metadata != replayed.metadata { note("it says something else of the last commit than the log", at: place) }
        let told = Set(root.entities.map(\.code))
        if told.count != root.entities.count { note("it tells of an entity twice", at: place) }
        for case let state? in replayed.entities where !told.contains(state.code) && state.highestRow >= 0 {
            note("it does not tell of an entity that the log has rows of", at: place, entity: state.code)
        }
        let links = Set(root.links.map(\.code))
        for (code, index) in replayed.links where !links.contains(code) && !index.members.all().isEmpty {
            note("it has no links of relationship \(code), and the log has", at: place)
        }
    }

    private func checkAnchors() throws(LogError) {
        let walked = try LogAnchors.walk(
            base, from: [], offset: UInt64(Format.headerByteCount), commit: 0, to: file.header.durableEnd, salt: header.salt,
            path: said.path)
        if walked.count != root.anchors.count {
            note("it has \(root.anchors.count) anchors, and the log \(walked.count) units", at: root.anchors.offset)
        }
        for (unit, (a, b)) in zip(checkpoint.anchors(), walked).enumerated() where a != b {
            note("an anchor leads to another frame than the log has there", at: root.anchors.offset + unit * 16)
        }
        if checkpoint.anchors().count < min(walked.count, root.anchors.count) {
            note("an anchor leads to no frame", at: root.anchors.offset + checkpoint.anchors().count * 16)
        }
    }

    // MARK: Rows and chunks

    private func checkRows(_ entity: IndexRoot.Entity, _ state: EntityState) {
        if entity.highestRow != state.highestRow {
            note("the highest row is said to be \(entity.highestRow), and is \(state.highestRow)", entity: entity.code)
        }
        if entity.liveCount != state.liveCount {
            note("\(entity.liveCount) objects are said to live, and \(state.liveCount) do", entity: entity.code)
        }
        let rows = MappedRows(file: file, entity: entity, checkpoint: checkpoint)
        let words = UnsafeMutablePointer<UInt>.allocate(capacity: MappedRows.rowsPerPage)
        defer { words.deallocate() }
        let pageCount = Int(max(entity.highestRow, state.highestRow) + Int64(MappedRows.rowsPerPage)) / MappedRows.rowsPerPage
        for page in 0..<pageCount where rows.hasPage(page) || state.records.hasLeaf(page) {
            _ = rows.copy(page, into: words)
            for index in 0..<MappedRows.rowsPerPage {
                let row = page * MappedRows.rowsPerPage + index
                let word = state.records[row]
                if words[index] == word { continue }
                let (said, found) = (RecordAddress(UInt64(words[index])), RecordAddress(UInt64(word)))
                note(
                    "the record is said to be at \(said) of the log, and is at \(found); byte 0 is none",
                    at: entity.rows.offset + page * 16, entity: entity.code, row: Row(truncatingIfNeeded: row))
            }
        }
    }

    private func checkSlots(_ entity: IndexRoot.Entity, _ state: EntityState) {
        guard entity.slots.count == state.slotMap?.count ?? 0 else {
            return note(
                "the slots of \(entity.slots.count) rows are mapped, and those of \(state.slotMap?.count ?? 0) should be",
                entity: entity.code)
        }
        guard let map = said.slotMap(entity.code) else { return }
        for row in 0..<Row(truncatingIfNeeded: entity.slots.count) {
            if map.slot(row) != state.slot(row) {
                note(
                    "the row is said to have slot \(map.slot(row)), and has \(state.slot(row))",
                    at: entity.slots.offset + Int(row) * 4, entity: entity.code, row: row)
            }
            if map.row(Int(row)) != state.row(Int(row)) {
                note(
                    "slot \(row) is said to be that of row \(map.row(Int(row))), and is that of \(state.row(Int(row)))",
                    at: entity.slots.offset + (entity.slots.count + Int(row)) * 4, entity: entity.code)
            }
        }
    }

    private func checkChunks(_ entity: IndexRoot.Entity, _ state: EntityState) throws(LogError) {
        guard let layout = replayed.table.newest(entity.code), layout.chunkByteCount > 0 else { return }
        let chunks = entity.chunks.count > 0 ? MappedChunks(file: file, entity: entity, checkpoint: checkpoint) : nil
        for index in 0..<replayed.chunkCount(entity.code) {
            let place = entity.chunks.offset + index * 16
            let handle = state.changedChunk(index)
            switch chunks?.entry(index) ?? .none {
            case .none where handle == nil: continue
            case .bad:
                note("the entry of a chunk has an impossible place, layout or length", at: place, entity: entity.code)
                continue
            case .inLog(let offset, _, _):
                guard checkpoint.log.end >= offset else {
                    note("a chunk is said to be at byte \(offset) of the log, which is behind its end", at: place, entity: entity.code)
                    continue
                }
            case .none, .inIndex: break
            }
            let mine = try said.chunk(entity.code, index)
            let other = try replayed.chunk(entity.code, index)
            if mine == other { continue }
            compare(
                ChunkHandle(mapped: mine, at: 0, layout: layout, usedSlots: slotsPerChunk),
                ChunkHandle(mapped: other, at: 0, layout: layout, usedSlots: slotsPerChunk), index, state, place)
        }
    }

    /// Compares what two chunks say of the rows that live; what they say of others means nothing.
    private func compare(_ a: ChunkHandle, _ b: ChunkHandle, _ index: Int, _ state: EntityState, _ place: Int) {
        for slot in 0..<slotsPerChunk {
            let row = state.row(index * slotsPerChunk + slot)
            guard Int64(row) <= state.highestRow, state.records[Int(row)] != 0 else { continue }
            for (lane, description) in a.layout.lanes.enumerated()
            where a.bits(lane, slot) != b.bits(lane, slot) || a.isValid(lane, slot) != b.isValid(lane, slot) {
                note("a packed value differs from the log's", at: place, entity: state.code, row: row, field: description.name)
            }
        }
    }

    // MARK: Runs

    /// What is wrong with a run, when it is not that its bytes cannot be read.
    private func compare(_ count: Int, _ run: IndexRoot.Run, _ expected: Int, _ firstDifference: Int?, _ what: String, _ field: String) {
        if let firstDifference {
            note("entry \(firstDifference) of the \(what) is another than the log's", at: run.fences.offset, field: field)
        } else if count != expected || run.entryCount != expected {
            note("there are \(run.entryCount) \(what) where the log has \(expected)", at: run.fences.offset, field: field)
        }
    }

    private func unreadable(_ run: IndexRoot.Run, _ what: String, _ error: ByteError, _ field: String) {
        note("the \(what) cannot be read: \(error.text)", at: run.fences.offset, field: field)
    }

    private func check(_ run: IndexRoot.Run, _ key: ReverseKey) throws(LogError) {
        guard case .array(let expected) = try replayed.reverseIndex(key).base else { return }
        var count = 0
        var difference: Int?
        do throws(ByteError) {
            try MappedPairs(file: file, run: run).forEach(from: 0) { word in
                if difference == nil, count >= expected.count || expected[count] != word { difference = count }
                count += 1
                return true
            }
        } catch { return unreadable(run, "reverse index", error, key.field) }
        compare(count, run, expected.count, difference, "pairs of the reverse index", key.field)
    }

    private func check(_ run: IndexRoot.Run, _ expected: [LinkEntry], _ name: String, _ direction: String) {
        var count = 0
        var difference: Int?
        do throws(ByteError) {
            try MappedLinks(file: file, run: run).forEach(from: (0, 0)) { entry in
                if difference == nil,
                    count >= expected.count || expected[count].key != entry.key || expected[count].other != entry.other
                        || expected[count].order != entry.order
                {
                    difference = count
                }
                count += 1
                return true
            }
        } catch { return unreadable(run, "links by \(direction)", error, name) }
        compare(count, run, expected.count, difference, "links by \(direction)", name)
    }

    private func check(_ run: IndexRoot.Run, _ declaration: KeyDeclaration) throws(LogError) {
        guard case .memory(let expected) = try replayed.keyIndex(declaration).base else { return }
        let name = declaration.parts.map(\.field).joined(separator: ", ")
        var list: [(key: [UInt8], row: Row)] = []
        list.reserveCapacity(expected.entries.count)
        expected.forEach(.all) { key, entry in
            list.append((Array(key), entry.row))
            return true
        }
        var count = 0
        var difference: Int?
        do throws(ByteError) {
            try MappedKeys(file: file, run: run).forEach(.all) { key, row in
                if difference == nil, count >= list.count || list[count].row != row || !key.elementsEqual(list[count].key) {
                    difference = count
                }
                count += 1
                return true
            }
        } catch { return unreadable(run, "keys", error, name) }
        compare(count, run, list.count, difference, "keys", name)
        // The entries of other runs begin with their fences; of keys a fence is only the beginning.
        let leaves = MappedRun(file: file, run: run, keyWords: 1, entriesPerLeaf: MappedKeys.entriesPerLeaf)
        do throws(ByteError) {
            for leaf in 0..<leaves.leafCount where leaf * leaves.entriesPerLeaf < list.count {
                if try leaves.fence(leaf, 0) != list[leaf * leaves.entriesPerLeaf].key.withUnsafeBytes(keyPrefix) {
                    note("the fence of a leaf is not how its first key begins", at: run.fences.offset + leaf * 16, field: name)
                }
            }
        } catch { unreadable(run, "fences", error, name) }
    }
}
