extension LogChecker {
    mutating func checkPatch(_ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        let offset = frame.payloadOffset + UInt64(section.position)
        guard let layout = layout(try section.varint32(), at: offset) else { return try section.skip(section.remaining) }
        func wrong(_ what: String, _ row: Row? = nil, _ lane: Int? = nil) {
            note(.patch, what, at: offset, entity: layout.entity, row: row, field: lane.map { layout.lanes[$0].name })
        }
        let head = try PatchHead(&section, layout)
        let (lanes, rows) = (head.lanes, head.rows)
        if Set(lanes).count != lanes.count || lanes.isEmpty { wrong("a patch names a lane twice, or none") }
        counts.moved += rows.count
        for index in 0..<rows.count { see(rows.row(index), layout.entity) }
        for lane in lanes {
            let isOptional = layout.lanes[lane].isOptional
            let width = Int(layout.lanes[lane].width.rawValue)
            let validity = isOptional ? try section.bytes((rows.count + 7) / 8) : nil
            let values = try section.bytes(rows.count * width)
            guard let validity else { continue }
            for index in 0..<rows.count where validity[index >> 3] >> UInt8(index & 7) & 1 == 0 {
                if values[index * width..<(index + 1) * width].contains(where: { $0 != 0 }) {
                    wrong("the bits of a null are not zero", rows.row(index), lane)
                }
            }
            if rows.count & 7 != 0, let last = validity.last, last >> UInt8(rows.count & 7) != 0 {
                wrong("the validity bitmap has bits behind the last row", nil, lane)
            }
        }
    }

    /// The bits of validity bitmaps behind the chunk's rows must be clear, and its numbers there zero.
    mutating func checkChunk(_ section: inout ByteReader, _ frame: FrameHeader) throws(ByteError) {
        let offset = frame.payloadOffset + UInt64(section.position)
        guard let layout = layout(try section.varint32(), at: offset) else { return try section.skip(section.remaining) }
        let rows = try RowListCoding.decode(&section, atMost: slotsPerChunk)
        guard layout.chunkByteCount > 0, rows.count > 0 else { throw .invalid }
        guard section.remaining >= layout.chunkByteCount else { throw .truncated }
        let padding = try section.bytes(section.remaining - layout.chunkByteCount)
        let body = frame.payloadOffset + UInt64(section.position)
        func wrong(_ what: String, _ row: Row? = nil, _ lane: Int? = nil) {
            note(.chunk, what, at: body, entity: layout.entity, row: row, field: lane.map { layout.lanes[$0].name })
        }
        if body % 64 != 0 { wrong("a chunk is not aligned to 64 bytes") }
        if padding.contains(where: { $0 != 0 }) || padding.count >= 64 { wrong("what stands before a chunk is not what aligns it") }
        counts.moved += rows.count
        for index in 0..<rows.count { see(rows.row(index), layout.entity) }
        switch rows {
        case .dense(let first, _): if Int(first) % slotsPerChunk != 0 { wrong("a dense chunk begins in the middle of one", first) }
        case .listed(let list): if Set(list).count != list.count { wrong("a chunk has a row twice") }
        }
        let chunk = ChunkHandle(mapped: section.pointer, at: 0, layout: layout, usedSlots: rows.count)
        for lane in layout.lanes.indices {
            let isOptional = layout.lanes[lane].isOptional
            if (rows.count..<slotsPerChunk).contains(where: { chunk.bits(lane, $0) != 0 || (isOptional && chunk.isValid(lane, $0)) }) {
                wrong("a chunk has values behind its last row", nil, lane)
            }
        }
        try section.skip(layout.chunkByteCount)
    }
}
