/// Writes what lives in a snapshot into a new file, as one commit that has the number of the snapshot's, in parts; and after it the commits that
/// were made meanwhile.
///
/// Memory is bounded by a part, whatever the store's size: records and chunks go from the old file's mapping through the part's buffer.
final class CompactionWriter {
    let path: String
    let header: FileHeader
    private let file: any LogFile
    private let buffer = ByteBuffer()
    private let partLimit: Int
    /// Told how many objects have been written; ends the compaction by answering false.
    private let goesOn: (Int) -> Bool
    /// Where the next frame goes.
    private(set) var tail = UInt64(Format.headerByteCount)
    private(set) var isCancelled = false

    init(path: String, header: FileHeader, file: any LogFile, partLimit: Int, goesOn: @escaping (Int) -> Bool) {
        self.path = path
        self.header = header
        self.file = file
        self.partLimit = partLimit
        self.goesOn = goesOn
    }

    /// What ends a compaction that is given up; nobody outside sees it.
    private var cancellation: LogError { .invalid(what: "the compaction was given up", path: path) }

    private var lastDone = 0
    /// Of the frame written last.
    private var tableBefore: UInt32 = 0

    /// Asks again with what was done last; between commits that are carried over.
    func askWhetherToGoOn() throws(LogError) { try ask(lastDone) }

    private func ask(_ done: Int) throws(LogError) {
        lastDone = done
        if goesOn(done) { return }
        isCancelled = true
        throw cancellation
    }

    private func write(_ header: FrameHeader) throws(LogError) {
        var frame = header
        frame.tableBefore = frame.part == 0 ? 0 : tableBefore
        frame.seal(buffer, salt: self.header.salt)
        tableBefore = frame.tableChecksum(buffer.base)
        try file.write(buffer.bytes, at: frame.offset)
        tail = frame.end
    }

    // MARK: The snapshot

    /// Writes the header page and everything that lives in a snapshot.
    func write(_ snapshot: LogSnapshot) throws(LogError) {
        try file.writeAll(header.encoded(), at: 0)
        let encoder = CommitEncoder(
            path: path, buffer: buffer, commit: snapshot.commitNumber, highestOf: snapshot, table: LayoutTable(Catalog()),
            frameOffset: tail, durableEnd: 0, partLimit: partLimit, compressesRecords: true
        ) { [self] (_, frame) throws(LogError) in try write(frame) }
        if snapshot.catalog.version > 0 {
            encoder.setCatalog(snapshot.catalog)
            // In a part of its own: bad bytes among the records then leave their meaning whole.
            encoder.endPart()
        }
        var done = 0
        for case let state? in snapshot.entities {
            try writeRecords(of: state, snapshot, encoder, &done)
            try writeChunks(of: state, snapshot, encoder, done)
        }
        for relationship in snapshot.catalog.links {
            guard let index = snapshot.links[relationship.code] else { continue }
            try writeLinks(index.members, relationship, encoder, done)
        }
        if let failure = encoder.failure { throw failure }
        // What could not be read must not be left out as if it were not there.
        if let failure = snapshot.checkpoint?.failure { throw failure }
        // A damaged log may have a time that is none.
        let time = snapshot.metadata.time
        try encoder.finish(author: snapshot.metadata.author, time: time.isFinite ? time : 0)
    }

    private func writeRecords(
        of state: EntityState, _ snapshot: LogSnapshot, _ encoder: CommitEncoder, _ done: inout Int
    ) throws(LogError) {
        var count = done
        defer { done = count }
        var layout: RecordLayout?
        var block: RecordBlock?
        defer { withExtendedLifetime(block) {} }
        try state.records.forEachLeaf(0..<state.records.leafLimit) { (leaf, words) throws(LogError) in
            for place in 0..<PagedArray.fanOut where words[place] != 0 {
                let word = UInt64(words[place])
                let head = try snapshot.head(word, in: &block)
                if layout?.number != head.layoutNumber { layout = snapshot.table[head.layoutNumber] }
                do throws(ByteError) {
                    guard let layout, layout.entity == state.code, Int(head.row) == leaf * PagedArray.fanOut + place, !head.isTombstone
                    else {
                        throw .invalid
                    }
                    try encoder.appendCopy(of: head, layout)
                } catch { throw snapshot.unreadable(word, error) }
                count += 1
            }
            if let failure = encoder.failure { throw failure }
            try ask(count)
            return true
        }
    }

    /// Writes the columns in the newest layout: chunks of which three quarters live whole, with the places of dead rows zeroed, and of others the rows that
    /// live.
    ///
    /// Rows keep their slots: where an entity's rows are not in order, every chunk says which rows it has, and the file is read back in that
    /// order.
    private func writeChunks(
        of state: EntityState, _ snapshot: LogSnapshot, _ encoder: CommitEncoder, _ done: Int
    ) throws(LogError) {
        guard let layout = snapshot.table.newest(state.code), layout.chunkByteCount > 0 else { return }
        let scratch = ChunkHandle(layout: layout, owner: ChunkHandle.nobody)
        let top = Int(state.highestRow)
        // All chunks of a permuted order, and of others those in which a row lives: a file of a few objects can claim four billion rows.
        let listedCount = ((state.slotMap?.count ?? 0) + slotsPerChunk - 1) / slotsPerChunk
        var indexes = Array(0..<listedCount)
        try state.records.forEachLeaf(0..<state.records.leafLimit) { (leaf, words) throws(LogError) in
            let index = leaf * PagedArray.fanOut / slotsPerChunk
            if index >= listedCount, indexes.last != index, (0..<PagedArray.fanOut).contains(where: { words[$0] != 0 }) {
                indexes.append(index)
            }
            return true
        }
        for index in indexes {
            let first = index * slotsPerChunk
            var rows = (first..<first + slotsPerChunk).map { state.row($0) }
            // Rows that never were have the last of the chunk's places.
            while let last = rows.last, Int(last) > top { rows.removeLast() }
            let isListed = first < state.slotMap?.count ?? 0
            var dead: [Int] = []
            var live: [Row] = []
            for (place, row) in rows.enumerated() {
                if state.records[Int(row)] == 0 { dead.append(place) } else { live.append(row) }
            }
            if rows.isEmpty || (dead.count == rows.count && !isListed) { continue }
            if !isListed, (rows.count - dead.count) * 4 < slotsPerChunk * 3 {
                let chunk = ChunkHandle(mapped: try snapshot.chunk(state.code, index), at: 0, layout: layout, usedSlots: rows.count)
                writePatch(of: chunk, live, encoder)
                if let failure = encoder.failure { throw failure }
                continue
            }
            scratch.base.copyMemory(from: try snapshot.chunk(state.code, index), byteCount: layout.chunkByteCount)
            for place in dead {
                for lane in layout.lanes.indices {
                    scratch.setValidity(lane, place, false)
                    scratch.setBits(lane, place, 0)
                }
            }
            encoder.appendChunk(layout, rows.count, scratch.base) { buffer in
                if isListed {
                    RowListCoding.encodeListed(rows, into: buffer)
                } else {
                    RowListCoding.encodeDense(first: Row(truncatingIfNeeded: first), count: rows.count, into: buffer)
                }
            }
            if let failure = encoder.failure { throw failure }
            try ask(done)
        }
    }

    /// Writes the packed attributes of some rows of a chunk that is in order of rows.
    private func writePatch(of chunk: ChunkHandle, _ rows: [Row], _ encoder: CommitEncoder) {
        var bits: [UInt64] = []
        var valid: [Bool] = []
        bits.reserveCapacity(rows.count * chunk.layout.lanes.count)
        valid.reserveCapacity(bits.capacity)
        // What belongs to the lane is asked for once, for there are a thousand values in it.
        for (index, lane) in chunk.layout.lanes.enumerated() {
            let isOptional = lane.isOptional
            let values = UnsafeRawPointer(chunk.base + chunk.layout.laneOffsets[index])
            for row in rows {
                let slot = Int(row) % slotsPerChunk
                switch lane.width {
                case .double: bits.append(values.load(fromByteOffset: slot * 8, as: UInt64.self))
                case .float: bits.append(UInt64(values.load(fromByteOffset: slot * 4, as: UInt32.self)))
                }
                valid.append(!isOptional || chunk.isValid(index, slot))
            }
        }
        rows.withUnsafeBufferPointer { rows in
            bits.withUnsafeBufferPointer { bits in
                valid.withUnsafeBufferPointer { encoder.appendPatch(chunk.layout, Array(chunk.layout.lanes.indices), rows, bits, $0) }
            }
        }
    }

    private func writeLinks(
        _ runs: LinkRuns, _ relationship: LinkRelationship, _ encoder: CommitEncoder, _ done: Int
    ) throws(LogError) {
        var count = 0
        func add(_ entry: LinkEntry) throws(LogError) {
            let owner = ObjectKey(word: entry.key)
            let member = ObjectKey(word: entry.other)
            encoder.appendLink(relationship, (owner.entity, owner.row), (member.entity, member.row), entry.order, false)
            count += 1
            guard count % 4096 == 0 else { return }
            if let failure = encoder.failure { throw failure }
            try ask(done)
        }
        if let base = runs.soleBase {
            var failure: LogError?
            base.forEach(from: (0, 0)) { entry in
                do throws(LogError) { try add(entry) } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
        } else {
            for entry in runs.all() { try add(entry) }
        }
    }

    // MARK: Commits made meanwhile

    /// Writes the commits after `start` up to `end` again, which has them all in its mappings. `apply` is told each one: its frames, and where
    /// their payloads are in memory as long as the call lasts.
    func carry(
        from start: LogSnapshot, to end: LogSnapshot, apply: (UInt64, [FrameHeader]) throws(LogError) -> Void
    ) throws(LogError) {
        var offset = start.endOffset
        var frames: [FrameHeader] = []
        while offset < end.endOffset {
            guard let region = end.region(offset, Format.frameHeaderByteCount),
                let frame = FrameHeader(
                    region.base + Int(offset - region.fileOffset), offset: offset,
                    limit: min(end.endOffset, region.fileOffset + UInt64(region.length)), salt: end.header.salt)
            else {
                throw .damaged(
                    path: path, offset: offset, reason: "there is no valid frame, though the log goes on to byte \(end.endOffset)")
            }
            offset = frame.end
            guard frame.kind == .commit else { continue }
            guard end.isChecked(frame, from: 0) else {
                throw .damaged(path: path, offset: frame.payloadOffset, reason: "the checksum of a block is wrong")
            }
            frames.append(try copy(frame, region.base + Int(frame.payloadOffset - region.fileOffset)))
            guard frame.hasCommitMark else { continue }
            try apply(frame.commit, frames)
            frames.removeAll(keepingCapacity: true)
        }
    }

    /// Writes a frame of the old file at the new one's end. Only chunks move within it: they are aligned in the file.
    private func copy(_ old: FrameHeader, _ payload: UnsafeRawPointer) throws(LogError) -> FrameHeader {
        buffer.reset()
        buffer.appendZeros(Format.frameHeaderByteCount)
        var metadataOffset = 0
        var sections = SectionCursor(payload, to: old.payloadLength)
        do throws(ByteError) {
            while case (let kind, var section)? = try sections.next() {
                let start = buffer.count
                let whole = UnsafeRawBufferPointer(start: section.pointer, count: section.remaining)
                if kind == .metadata { metadataOffset = start - Format.frameHeaderByteCount }
                buffer.append(kind.rawValue)
                buffer.append(UInt32(0))
                if kind == .chunk {
                    let first = section.position
                    _ = try section.varint32()
                    _ = try RowListCoding.decode(&section, atMost: slotsPerChunk)
                    buffer.append(UnsafeRawBufferPointer(rebasing: whole[..<(section.position - first)]))
                    buffer.appendZeros(Self.padding(tail + UInt64(buffer.count)))
                    try section.skip(Self.padding(old.payloadOffset + UInt64(section.position)))
                    buffer.append(try section.bytes(section.remaining))
                } else {
                    buffer.append(whole)
                }
                buffer.set(UInt32(truncatingIfNeeded: buffer.count - start - 5), at: start + 1)
            }
        } catch {
            throw .malformed(
                what: "a section of commit \(old.commit) cannot be read: \(error.text)", path: path,
                offset: old.payloadOffset + UInt64(sections.position))
        }
        let length = buffer.count - Format.frameHeaderByteCount
        guard length <= Format.payloadLimit else { throw .limit(what: "commit \(old.commit) is too long to be copied", path: path) }
        let frame = FrameHeader(
            kind: .commit, hasCommitMark: old.hasCommitMark, offset: tail, payloadLength: length, metadataOffset: metadataOffset,
            commit: old.commit, part: old.part, durableEnd: 0)
        try write(frame)
        return frame
    }

    /// How many zeros lead from an offset to where a chunk may stand.
    private static func padding(_ offset: UInt64) -> Int { Int((64 - offset % 64) % 64) }

    /// Writes a close marker: everything before it will be durable before the file is anyone's store, so bad bytes there are damage and no torn
    /// tail.
    func writeMarker(commit: UInt64) throws(LogError) {
        buffer.reset()
        buffer.appendZeros(Format.frameHeaderByteCount)
        try write(
            FrameHeader(
                kind: .closeMarker, hasCommitMark: false, offset: tail, payloadLength: 0, metadataOffset: 0, commit: commit, part: 0,
                durableEnd: tail))
    }
}
