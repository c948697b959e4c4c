internal import Synchronization

/// Applies commits to the index: the one path by which replay and live commits alike become a snapshot.
///
/// Works on copies of its predecessor's state, so an assembler that is thrown away leaves no trace. Not thread-safe: it belongs to the
/// holder of the writer lock, or to the opening of a store.
final class SnapshotAssembler {
    /// Replay keeps no change lists, may adopt the file's order of rows, and applies many commits with one owner.
    enum Purpose { case replay, commit }

    let path: String
    let purpose: Purpose
    let owner: UInt64
    /// Of the file whose frames are applied.
    private let header: FileHeader
    private(set) var table: LayoutTable
    private(set) var entities: [EntityState?]
    private(set) var changes = ChangeSet()
    private(set) var metadata = CommitMetadata()
    private(set) var links: [UInt16: LinkIndex]
    private var linkChanges: [UInt16: [LinkChange]] = [:]
    /// The file offset at which the commit being applied begins.
    private(set) var commitStart: UInt64 = 0
    /// Where a byte of the file is, or will be, mapped.
    private let address: (UInt64) -> UnsafeRawPointer?
    /// How many listed chunks of the commit have been placed, by entity, where the commit's order of rows was adopted.
    private var placed: [EntityCode: Int] = [:]
    private var lastState: EntityState?
    /// The index file the log was opened from, if any.
    private let checkpoint: Checkpoint?
    /// What was decompressed of the file, for the snapshots that are made.
    private let blocks: RecordBlocks
    /// A chunk that was to be copied and could not be read; thrown when the payload it was for has been applied.
    private var unreadable: LogError?
    /// The entities whose slots may be permuted; nil for all at a replay, and for none by a commit.
    private let permuted: Set<EntityCode>?
    /// Chunks that need not be copied.
    private let ready: ReadyChunks?

    private static let owners = Atomic<UInt64>(1)

    init(
        path: String, purpose: Purpose, header: FileHeader, from previous: LogSnapshot?, permuted: Set<EntityCode>? = nil,
        ready: ReadyChunks? = nil, address: @escaping (UInt64) -> UnsafeRawPointer?
    ) {
        self.path = path
        self.purpose = purpose
        self.header = header
        owner = Self.owners.wrappingAdd(1, ordering: .relaxed).newValue
        table = previous?.table ?? LayoutTable(Catalog())
        entities = previous?.entities ?? []
        links = previous?.links ?? [:]
        metadata = previous?.metadata ?? CommitMetadata()
        checkpoint = previous?.checkpoint
        blocks = previous?.blocks ?? RecordBlocks()
        self.permuted = permuted
        self.ready = ready
        self.address = address
    }

    /// An assembler over nothing but a catalog.
    init(
        path: String, purpose: Purpose, header: FileHeader, catalog: Catalog,
        address: @escaping (UInt64) -> UnsafeRawPointer? = { _ in nil }
    ) {
        self.path = path
        self.purpose = purpose
        self.header = header
        owner = Self.owners.wrappingAdd(1, ordering: .relaxed).newValue
        table = LayoutTable(catalog)
        entities = []
        links = [:]
        checkpoint = nil
        blocks = RecordBlocks()
        permuted = nil
        ready = nil
        self.address = address
    }

    func beginCommit(at offset: UInt64) {
        commitStart = offset
        placed = [:]
    }

    /// The state of an entity, made or copied if this assembler does not own it yet.
    func writable(_ entity: EntityCode) -> EntityState {
        if let lastState, lastState.code == entity { return lastState }
        while entities.count <= Int(entity) { entities.append(nil) }
        let state: EntityState
        if let known = entities[Int(entity)] {
            state = known.owner == owner ? known : EntityState(copying: known, owner: owner)
        } else {
            state = EntityState(code: entity, owner: owner)
        }
        entities[Int(entity)] = state
        lastState = state
        return state
    }

    /// Applies the payload of a part. `base` is where its bytes are now; offsets count from its place in the file.
    func apply(_ base: UnsafeRawPointer, _ header: FrameHeader) throws(LogError) {
        var sections = SectionCursor(base, to: header.payloadLength)
        do throws(ByteError) {
            while case (let kind, let section)? = try sections.next() { try apply(kind, section, payloadOffset: header.payloadOffset) }
        } catch {
            throw .malformed(
                what: "a section of commit \(header.commit) cannot be read: \(error.text)", path: path,
                offset: header.payloadOffset + UInt64(sections.position))
        }
        if let unreadable { throw unreadable }
        if let failure = checkpoint?.failure { throw failure }
    }

    /// Applies a section, or of records, links and followers any whole ones of it.
    func apply(_ kind: SectionKind, _ contents: ByteReader, payloadOffset: UInt64) throws(ByteError) {
        var section = contents
        switch kind {
        case .metadata: try applyMetadata(&section)
        case .catalog: try applyCatalog(section, payloadOffset: payloadOffset)
        case .records: try applyRecords(&section, from: payloadOffset)
        case .recordBlock: try applyRecordBlock(section, payloadOffset: payloadOffset)
        case .patch: try applyPatch(&section)
        case .chunk: try applyChunk(&section, payloadOffset: payloadOffset)
        case .links: try applyLinks(&section)
        case .followers: try applyFollowers(&section)
        }
    }

    private func applyMetadata(_ reader: inout ByteReader) throws(ByteError) {
        metadata = try CommitMetadata(&reader)
        for (entity, row) in metadata.highestRows {
            if let known = Int(entity) < entities.count ? entities[Int(entity)] : nil, known.highestRow >= Int64(row) { continue }
            let state = writable(entity)
            state.highestRow = max(state.highestRow, Int64(row))
        }
    }

    private func applyCatalog(_ reader: ByteReader, payloadOffset: UInt64) throws(ByteError) {
        table = try table.following(reader, at: payloadOffset + UInt64(reader.position))
        changes.changedCatalog = true
    }

    private static func hasChunk(_ base: UnsafeRawPointer, _ header: FrameHeader) -> Bool {
        var sections = SectionCursor(base, to: header.payloadLength)
        // A section that cannot be read ends this look; applying the payload then says what is wrong.
        while let section = try? sections.next() {
            if section.kind == .chunk { return true }
        }
        return false
    }

    // MARK: Records

    /// Applies the rest of a reader's records. A record's word in the index is `first` and its place in the reader.
    private func applyRecords(_ reader: inout ByteReader, from first: UInt64) throws(ByteError) {
        while !reader.isAtEnd {
            var ahead = reader
            guard let layout = table[try RecordHead(&ahead).layoutNumber] else { throw .invalid }
            try applyRun(writable(layout.entity), layout, &reader, first)
        }
    }

    /// Applies whole records of a section or a block; `first` is the address of the first byte of what they are in.
    func applyRecords(_ run: ByteReader, from first: UInt64) throws(ByteError) {
        var reader = run
        try applyRecords(&reader, from: first)
    }

    private func applyRecordBlock(_ section: ByteReader, payloadOffset: UInt64) throws(ByteError) {
        let offset = payloadOffset + UInt64(section.position - Format.sectionHeadByteCount)
        let block = try RecordBlock(section, sectionOffset: offset)
        defer { withExtendedLifetime(block) {} }
        var reader = block.reader
        try applyRecords(&reader, from: RecordAddress.wordOfBlock(at: offset))
    }

    /// Applies the records that follow each other in one layout. Most of a replay is spent here, so what belongs to the entity is counted
    /// outside of it, and nothing in the loop touches a reference count.
    private func applyRun(
        _ state: EntityState, _ layout: RecordLayout, _ reader: inout ByteReader, _ first: UInt64
    ) throws(ByteError) {
        let records = state.records
        let (owner, number, isCommit) = (owner, layout.number, purpose == .commit)
        var live = 0
        var highest = state.highestRow
        var leafNumber = -1
        var leaf: UnsafeMutablePointer<UInt>?
        var inserted: (first: Row, end: Row) = (0, 0)
        defer {
            state.liveCount += live
            state.highestRow = highest
            noteInserted(inserted, layout.entity)
        }
        while !reader.isAtEnd {
            let word = UInt(first) + UInt(reader.position)
            var ahead = reader
            let head = try RecordHead(&ahead)
            guard head.layoutNumber == number else { return }
            reader = ahead
            let row = Int(head.row)
            if row >> 9 != leafNumber {
                // Deleting what is not there makes no page.
                if head.isTombstone, records[row] == 0 {
                    leaf = nil
                    leafNumber = -1
                } else {
                    leaf = records.writableLeaf(row >> 9, owner: owner)
                    leafNumber = row >> 9
                }
            }
            if let leaf {
                let place = leaf + (row & 511)
                live += (head.isTombstone ? 0 : 1) - (place.pointee == 0 ? 0 : 1)
                place.pointee = head.isTombstone ? 0 : word
            }
            if Int64(row) > highest { highest = Int64(row) }
            guard isCommit else { continue }
            if head.flags & (RecordFlags.insert | RecordFlags.tombstone) != RecordFlags.insert {
                try note(head, layout)
            } else if head.row == inserted.end, inserted.first < inserted.end {
                inserted.end += 1
            } else {
                noteInserted(inserted, layout.entity)
                inserted = (head.row, head.row + 1)
            }
        }
    }

    private func noteInserted(_ rows: (first: Row, end: Row), _ entity: EntityCode) {
        guard rows.first < rows.end else { return }
        changes.with(entity) { $0.inserted.append(rows.first..<rows.end) }
    }

    /// Notes an update or a deletion.
    private func note(_ head: RecordHead, _ layout: RecordLayout) throws(ByteError) {
        var mask = FieldMask()
        if !head.isTombstone {
            var reader = head.reader
            mask = FieldMask(bytes: try reader.bytes(layout.maskByteCount))
            if let newest = table.newest(layout.entity), newest.number != layout.number {
                mask = FieldMask(mask.members.compactMap { newest.fieldIndex(layout.fields[$0].name) })
            }
        }
        changes.with(layout.entity) { changes in
            if head.isTombstone {
                changes.deleted.append(head.row)
            } else {
                changes.updated.append(RowChange(row: head.row, mask: mask))
            }
        }
    }

    // MARK: Columns

    private func applyPatch(_ reader: inout ByteReader) throws(ByteError) {
        guard let layout = table[try reader.varint32()] else { throw .invalid }
        let head = try PatchHead(&reader, layout)
        let rows = head.rows
        var sources: [PatchLane] = []
        for lane in head.lanes {
            let validity = layout.lanes[lane].isOptional ? try reader.bytes((rows.count + 7) / 8).baseAddress : nil
            let width = Int(layout.lanes[lane].width.rawValue)
            let values = try reader.bytes(rows.count * width)
            guard let base = values.baseAddress else { continue }
            sources.append(PatchLane(name: layout.lanes[lane].name, width: layout.lanes[lane].width, values: base, validity: validity))
        }
        guard reader.isAtEnd else { throw .invalid }
        write(sources, rows, layout)
        noteMoved(layout, head.lanes, rows.list)
    }

    /// Stores values by row, copying each chunk this assembler does not own.
    func write(_ sources: [PatchLane], _ rows: RowListCoding.Decoded, _ layout: RecordLayout) {
        let state = writable(layout.entity)
        var highest = state.highestRow
        var places: [Int] = []
        var start = 0
        // Rows of one chunk mostly follow each other, and are written lane by lane.
        while start < rows.count {
            let chunk = state.slot(rows.row(start)) / slotsPerChunk
            places.removeAll(keepingCapacity: true)
            var last = 0
            while start + places.count < rows.count {
                let row = rows.row(start + places.count)
                let slot = state.slot(row)
                guard slot / slotsPerChunk == chunk else { break }
                places.append(slot % slotsPerChunk)
                last = max(last, slot % slotsPerChunk)
                highest = max(highest, Int64(row))
            }
            var handle = writableChunk(state, chunk, layout)
            if handle.isReady, !holds(handle, sources, from: start, places) {
                handle = handle.copy(owner: owner)
                state.setChunk(chunk, handle)
            }
            if !handle.isReady {
                for source in sources {
                    if let lane = handle.layout.laneIndex(source.name) { handle.write(source, from: start, lane, places) }
                }
            }
            handle.usedSlots = max(handle.usedSlots, last + 1)
            start += places.count
        }
        state.highestRow = highest
    }

    private func holds(_ handle: ChunkHandle, _ sources: [PatchLane], from start: Int, _ places: [Int]) -> Bool {
        sources.allSatisfy { source in handle.layout.laneIndex(source.name).map { handle.holds(source, from: start, $0, places) } ?? true }
    }

    /// The chunk that values are to be written to: this assembler's own, or one that has them already.
    private func writableChunk(_ state: EntityState, _ index: Int, _ layout: RecordLayout) -> ChunkHandle {
        let fresh: ChunkHandle
        var known: ChunkHandle?
        do throws(LogError) { known = try state.chunk(index) } catch { unreadable = unreadable ?? error }
        if let known {
            if known.layout.number < layout.number {
                fresh = known.convert(to: layout, catalog: table.catalog, owner: owner)
            } else if known.owner == owner || known.isReady && ready?.chunk(state.code, index)?.data == known.base {
                return known
            } else if known.layout.number == layout.number, let chunk = ready?.chunk(state.code, index), chunk.base == known.base {
                fresh = ChunkHandle(chunk, madeOf: known)
            } else {
                fresh = known.copy(owner: owner)
            }
        } else {
            fresh = state.freshChunk(index, layout, table, before: commitStart, owner: owner)
        }
        state.setChunk(index, fresh)
        return fresh
    }

    private func applyChunk(_ reader: inout ByteReader, payloadOffset: UInt64) throws(ByteError) {
        guard let layout = table[try reader.varint32()], layout.chunkByteCount > 0 else { throw .invalid }
        let rows = try RowListCoding.decode(&reader, atMost: slotsPerChunk)
        guard rows.count > 0, reader.remaining >= layout.chunkByteCount else { throw .truncated }
        try reader.skip(reader.remaining - layout.chunkByteCount)
        let offset = payloadOffset + UInt64(reader.position)
        guard offset % 64 == 0 else { throw .invalid }
        let body = reader.pointer
        let state = writable(layout.entity)
        noteMoved(layout, Array(layout.lanes.indices), rows.list)

        var place: Int?
        switch rows {
        case .dense(let first, _) where Int(first) % slotsPerChunk == 0 && Int(first) >= (state.slotMap?.count ?? 0):
            place = Int(first) / slotsPerChunk
        case .listed(let list):
            if let map = state.slotMap, let next = placed[layout.entity],
                list.enumerated().allSatisfy({ map.slot($1) == next * slotsPerChunk + $0 })
            {
                place = next
                placed[layout.entity] = next + 1
            }
        default: break
        }
        for index in [0, rows.count - 1] { state.highestRow = max(state.highestRow, Int64(rows.row(index))) }
        if case .listed(let list) = rows, let most = list.max() { state.highestRow = max(state.highestRow, Int64(most)) }
        if let place, isCovered(state, place, by: rows.count, layout), let mapped = address(offset) {
            state.setChunk(place, ChunkHandle(mapped: mapped, at: offset, layout: layout, usedSlots: rows.count))
            return
        }
        // Some of the chunk's slots belong to other rows, so the rows are written one by one.
        let sources = layout.lanes.indices.map { lane in
            PatchLane(
                name: layout.lanes[lane].name, width: layout.lanes[lane].width, values: body + layout.laneOffsets[lane],
                validity: layout.validityOffsets[lane].map { body + $0 })
        }
        write(sources, rows, layout)
    }

    /// Whether nothing the chunk already holds is lost when another of so many rows takes its place.
    private func isCovered(_ state: EntityState, _ index: Int, by count: Int, _ layout: RecordLayout) -> Bool {
        do throws(LogError) {
            return try state.chunk(index).map { $0.usedSlots <= count && $0.layout.number <= layout.number } ?? true
        } catch {
            unreadable = unreadable ?? error
            return false
        }
    }

    /// At replay, and in commits a compaction carries over, a commit that brings the first chunks of an entity in another order than that of rows
    /// keeps its order: the chunks are then mapped as they lie. `payloads` are the parts of the commit.
    func adoptOrder(_ payloads: [(base: UnsafeRawPointer, header: FrameHeader)]) throws(LogError) {
        guard purpose == .replay || permuted?.isEmpty == false, payloads.contains(where: { Self.hasChunk($0.base, $0.header) }) else {
            return
        }
        var table = table
        var lists: [EntityCode: [[Row]]] = [:]
        var highest: [EntityCode: Row] = [:]
        for (base, header) in payloads {
            var sections = SectionCursor(base, to: header.payloadLength)
            do throws(ByteError) {
                while case (let kind, var section)? = try sections.next() {
                    if kind == .chunk, let layout = table[try section.varint32()],
                        case .listed(let rows) = try RowListCoding.decode(&section, atMost: slotsPerChunk)
                    {
                        lists[layout.entity, default: []].append(rows)
                    } else if kind == .catalog {
                        table = try table.following(section, at: 0)
                    } else if kind == .metadata {
                        for (entity, row) in try CommitMetadata(&section).highestRows { highest[entity] = row }
                    }
                }
            } catch {
                throw .malformed(what: "a section cannot be read: \(error.text)", path: path, offset: header.payloadOffset)
            }
        }
        for (entity, chunks) in lists {
            let state = writable(entity)
            guard permuted?.contains(entity) ?? true, !state.hasChunks, state.slotMap == nil, let top = highest[entity] else { continue }
            let count = (Int(top) + slotsPerChunk) / slotsPerChunk * slotsPerChunk
            // A map far larger than the rows it is for is no writer's work.
            guard count <= chunks.reduce(0, { $0 + $1.count }) * 4 + 4 * slotsPerChunk else { continue }
            guard let map = SlotMap(count: count, chunkLists: chunks) else { continue }
            state.slotMap = map
            placed[entity] = 0
        }
    }

    private func noteMoved(_ layout: RecordLayout, _ lanes: [Int], _ rows: RowList) {
        guard purpose == .commit, !rows.isEmpty else { return }
        let newest = table.newest(layout.entity) ?? layout
        let mask = FieldMask(lanes.compactMap { newest.number == layout.number ? $0 : newest.laneIndex(layout.lanes[$0].name) })
        changes.with(layout.entity) { $0.patched.append(PatchedRows(rows: rows, lanes: mask)) }
    }

    // MARK: Links and followers

    private func applyLinks(_ reader: inout ByteReader) throws(ByteError) {
        while !reader.isAtEnd {
            let change = try LinkChange(&reader)
            guard table.catalog.link(change.relationship) != nil else { throw .invalid }
            apply(change)
            if purpose == .commit { changes.links.append(change) }
        }
    }

    /// Notes a link that was added, moved or removed.
    func apply(_ change: LinkChange) { linkChanges[change.relationship, default: []].append(change) }

    private func applyFollowers(_ reader: inout ByteReader) throws(ByteError) {
        while !reader.isAtEnd {
            let follower = try Follower(&reader)
            if purpose == .commit { changes.with(follower.entity) { $0.followers.append(follower.change) } }
        }
    }

    // MARK: The snapshot

    func makeSnapshot(commit: UInt64, endOffset: UInt64, regions: [MappedRegion]) -> LogSnapshot {
        for (relationship, changes) in linkChanges { links[relationship, default: LinkIndex()].append(changes) }
        linkChanges = [:]
        changes.normalize()
        return LogSnapshot(
            commitNumber: commit, metadata: metadata, changes: changes, path: path, endOffset: endOffset, table: table, entities: entities,
            regions: regions, links: links, reverseIndexes: [:], checkpoint: checkpoint, header: header, blocks: blocks)
    }
}
