/// Writes a snapshot down as an index file. Reads nothing but the snapshot, so it can run on any thread while commits go on.
struct IndexWriter {
    let snapshot: LogSnapshot
    let header: FileHeader
    let stream: IndexStream
    /// The mappings of the log, which may reach further than the snapshot's.
    private let regions: [MappedRegion]
    private var root = IndexRoot()

    init(_ snapshot: LogSnapshot, header: FileHeader, stream: IndexStream, regions: [MappedRegion]) {
        self.snapshot = snapshot
        self.header = header
        self.stream = stream
        self.regions = regions
    }

    /// Writes everything. `end` is the offset before which the log is durable: that of the snapshot, or of the close marker behind it.
    /// Answers the length of the file.
    mutating func write(upTo end: UInt64) throws(LogError) -> UInt64 {
        root.catalogs = snapshot.table.places
        root.metadata = snapshot.metadata
        for case let state? in snapshot.entities { try write(state) }
        for key in snapshot.catalog.references { root.reverse.append((key, try write(snapshot.reverseIndex(key)))) }
        for (code, index) in snapshot.links.sorted(by: { $0.key < $1.key }) {
            root.links.append((code, try write(index.members), try write(index.owners)))
        }
        for declaration in snapshot.catalog.indexes {
            root.keys.append((declaration.code, try write(snapshot.keyIndex(declaration))))
        }
        let last = try writeAnchors(to: end)
        let rootOffset = stream.offset
        root.encode(into: stream.buffer)
        let index = IndexHeader(
            uuid: header.uuid, epoch: header.epoch, salt: header.salt, durableEnd: end, commit: snapshot.commitNumber,
            lastFrame: last.offset,
            lastFrameChecksum: last.checksum)
        // What could not be read must not be written down as if it were not there.
        if let failure = snapshot.checkpoint?.failure { throw failure }
        return try stream.finish(index, rootOffset: rootOffset)
    }

    // MARK: Entities

    private mutating func write(_ state: EntityState) throws(LogError) {
        let rows = try writeRows(state)
        let chunks = try writeChunks(state)
        var slots = IndexRoot.Table()
        if let map = state.slotMap {
            stream.align(8)
            slots = IndexRoot.Table(offset: stream.offset, count: map.count)
            for row in 0..<map.count {
                stream.buffer.append(UInt32(truncatingIfNeeded: map.slot(Row(row))))
                try stream.flushIfLarge()
            }
            for slot in 0..<map.count {
                stream.buffer.append(map.row(slot))
                try stream.flushIfLarge()
            }
        }
        root.entities.append(
            IndexRoot.Entity(
                code: state.code, highestRow: state.highestRow, liveCount: state.liveCount, rows: rows, chunks: chunks, slots: slots))
    }

    private func writeRows(_ state: EntityState) throws(LogError) -> IndexRoot.Table {
        let rowCount = Int(state.highestRow + 1)
        let pageCount = (rowCount + PagedArray.fanOut - 1) / PagedArray.fanOut
        var entries: [(place: UInt64, base: UInt64)] = []
        try state.records.forEachLeaf(0..<min(pageCount, state.records.leafLimit)) { (number, words) throws(LogError) in
            let count = min(PagedArray.fanOut, rowCount - number * PagedArray.fanOut)
            var least = UInt.max
            var most: UInt = 0
            for index in 0..<count where words[index] != 0 {
                least = min(least, words[index])
                most = max(most, words[index])
            }
            if most == 0 { return true }
            while entries.count < number { entries.append((0, 0)) }
            stream.align(8)
            let isWide = most - least >= UInt(UInt32.max)
            entries.append((UInt64(stream.offset) | (isWide ? 1 : 0), isWide ? 0 : UInt64(least)))
            for index in 0..<count {
                let word = words[index]
                if isWide {
                    stream.buffer.append(UInt64(word))
                } else {
                    stream.buffer.append(word == 0 ? 0 : UInt32(truncatingIfNeeded: word - least + 1))
                }
            }
            try stream.flushIfLarge()
            return true
        }
        stream.align(8)
        let table = IndexRoot.Table(offset: stream.offset, count: entries.count)
        for (place, base) in entries {
            stream.buffer.append(place)
            stream.buffer.append(base)
        }
        try stream.flushIfLarge()
        return table
    }

    private func writeChunks(_ state: EntityState) throws(LogError) -> IndexRoot.Table {
        let count = state.hasChunks ? Int((state.highestRow + Int64(slotsPerChunk)) / Int64(slotsPerChunk)) : 0
        var entries: [(place: UInt64, layout: UInt32, used: Int)] = []
        func add(_ index: Int, _ place: UInt64, _ layout: RecordLayout, _ used: Int) {
            while entries.count < index { entries.append((0, 0, 0)) }
            entries.append((place, layout.number, used))
        }
        func copy(_ bytes: UnsafeRawPointer, _ layout: RecordLayout) throws(LogError) -> UInt64 {
            stream.align(64)
            let place = UInt64(stream.offset) | 1
            stream.buffer.append(UnsafeRawBufferPointer(start: bytes, count: layout.chunkByteCount))
            try stream.flushIfLarge()
            return place
        }
        func add(_ index: Int, _ handle: ChunkHandle) throws(LogError) {
            add(index, handle.logOffset != 0 ? handle.logOffset : try copy(handle.base, handle.layout), handle.layout, handle.usedSlots)
        }
        for index in 0..<count {
            if let handle = state.changedChunk(index) {
                try add(index, handle)
                continue
            }
            // Chunks nobody has read or changed are copied as the old index has them, for reading them would check all of the log.
            switch state.baseChunks?.entry(index) ?? .none {
            case .none: continue
            case .inLog(let place, let layout, let used): add(index, place, layout, used)
            case .inIndex(let bytes, let layout, let used): add(index, try copy(bytes, layout), layout, used)
            case .bad: if let handle = try state.chunk(index) { try add(index, handle) }
            }
        }
        stream.align(8)
        let table = IndexRoot.Table(offset: stream.offset, count: entries.count)
        for (place, layout, used) in entries {
            stream.buffer.append(place)
            stream.buffer.append(layout)
            stream.buffer.append(UInt32(truncatingIfNeeded: used))
        }
        try stream.flushIfLarge()
        return table
    }

    // MARK: The log's frames

    /// Writes the frame each 64 KB of the log belong to; answers the last frame before `end`.
    private mutating func writeAnchors(to end: UInt64) throws(LogError) -> (offset: UInt64, checksum: UInt32) {
        var known: [LogAnchors.Anchor] = snapshot.checkpoint?.anchors() ?? []
        var offset = known.last?.offset ?? UInt64(Format.headerByteCount)
        var last: (offset: UInt64, checksum: UInt32) = (0, 0)
        while offset < end {
            guard let region = regions.last(where: { $0.fileOffset <= offset }), region.covers(offset, Format.frameHeaderByteCount),
                let frame = FrameHeader(
                    region.base + Int(offset - region.fileOffset), offset: offset,
                    limit: min(end, region.fileOffset + UInt64(region.length)),
                    salt: header.salt)
            else {
                throw .damaged(
                    path: snapshot.path, offset: offset, reason: "there is no valid frame, though the log goes on to byte \(end)")
            }
            while UInt64(known.count) * UInt64(LogAnchors.spacing) < frame.end {
                known.append(LogAnchors.Anchor(offset: frame.offset, commit: frame.commit))
            }
            last = (frame.offset, FrameHeader.checksum(region.base + Int(offset - region.fileOffset)))
            offset = frame.end
        }
        stream.align(8)
        root.anchors = IndexRoot.Table(offset: stream.offset, count: known.count)
        for anchor in known {
            stream.buffer.append(anchor.offset)
            stream.buffer.append(anchor.commit)
        }
        try stream.flushIfLarge()
        return last
    }
}
