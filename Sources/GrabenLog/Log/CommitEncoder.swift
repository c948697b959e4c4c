/// Encodes one commit, part by part.
///
/// Invariant: the buffer holds the 64 bytes of the frame's header, still empty, and then the payload written so far; `sectionStart` is where
/// the open section's kind byte stands.
final class CommitEncoder {
    private let path: String
    private let buffer: ByteBuffer
    private let commit: UInt64
    private let durableEnd: UInt64
    private let partLimit: Int
    /// Room for a compressed block; nil where records are not compressed.
    private let scratch: UnsafeMutableRawPointer?
    private var blockNumber = 0
    /// How many blocks in a row were tried in vain.
    private var failedBlocks = 0
    /// Seals, applies and writes a part.
    private let close: (ByteBuffer, FrameHeader) throws(LogError) -> Void

    // Exclusivity is unchecked where a record is counted and its section kept open: the encoder is used by one thread, and calls out only to
    // the closures that give it values.
    private(set) var table: LayoutTable
    private(set) var frameOffset: UInt64
    private(set) var part: UInt32 = 0
    @exclusivity(unchecked) private(set) var isEmpty = true
    @exclusivity(unchecked) private(set) var failure: LogError?
    @exclusivity(unchecked) private var counts = CommitCounts()
    private var highest: [EntityCode: Row]
    @exclusivity(unchecked) private var lastEntity: EntityCode?
    @exclusivity(unchecked) private var lastHighest: Row = 0
    @exclusivity(unchecked) private var lastLayout: RecordLayout?
    /// Whether the last record had a null.
    @exclusivity(unchecked) private var expectsNulls = false
    @exclusivity(unchecked) private var section: SectionKind?
    @exclusivity(unchecked) private var sectionStart = 0

    /// An encoder of the commit after `previous`.
    convenience init(
        path: String, buffer: ByteBuffer, previous: LogSnapshot, frameOffset: UInt64, durableEnd: UInt64, partLimit: Int,
        close: @escaping (ByteBuffer, FrameHeader) throws(LogError) -> Void
    ) {
        self.init(
            path: path, buffer: buffer, commit: previous.commitNumber + 1, highestOf: previous, table: previous.table,
            frameOffset: frameOffset, durableEnd: durableEnd, partLimit: partLimit, close: close)
    }

    /// An encoder of any commit. It goes on from the highest rows of `previous` and writes in the layouts of `table`.
    init(
        path: String, buffer: ByteBuffer, commit: UInt64, highestOf previous: LogSnapshot, table: LayoutTable, frameOffset: UInt64,
        durableEnd: UInt64, partLimit: Int, compressesRecords: Bool = false,
        close: @escaping (ByteBuffer, FrameHeader) throws(LogError) -> Void
    ) {
        scratch = compressesRecords ? RecordBlock.makeScratch() : nil
        self.path = path
        self.buffer = buffer
        self.frameOffset = frameOffset
        self.durableEnd = durableEnd
        self.partLimit = partLimit
        self.close = close
        self.commit = commit
        self.table = table
        highest = [:]
        for case let state? in previous.entities where state.highestRow >= 0 {
            highest[state.code] = Row(truncatingIfNeeded: state.highestRow)
        }
        buffer.reset()
        buffer.appendZeros(Format.frameHeaderByteCount)
    }

    deinit { scratch?.deallocate() }

    func fail(_ what: String) { if failure == nil { failure = .invalid(what: what, path: path) } }

    // MARK: Sections and parts

    @inline(__always)
    private func open(_ kind: SectionKind) {
        switch kind {
        case .records, .links, .followers: if section == kind { return }
        case .metadata, .catalog, .patch, .chunk, .recordBlock: break
        }
        begin(kind)
    }

    @inline(never)
    private func begin(_ kind: SectionKind) {
        isEmpty = false
        closeSection()
        section = kind
        sectionStart = buffer.count
        buffer.append(kind.rawValue)
        buffer.append(UInt32(0))
    }

    private func closeSection() {
        guard let kind = section else { return }
        if kind == .records, let scratch { compressSection(scratch) }
        buffer.set(UInt32(truncatingIfNeeded: buffer.count - sectionStart - 5), at: sectionStart + 1)
        section = nil
    }

    /// Makes a block of the open section of records, where that saves an eighth of it or more.
    private func compressSection(_ scratch: UnsafeMutableRawPointer) {
        let start = sectionStart + Format.sectionHeadByteCount
        let count = buffer.count - start
        // Records of one entity compress alike: after some for which it did not pay only every eighth block is tried.
        defer { blockNumber += 1 }
        guard failedBlocks < 8 || blockNumber % 8 == 0 else { return }
        failedBlocks += 1
        guard frameOffset + UInt64(sectionStart) < RecordAddress.sectionLimit,
            let packed = RecordBlock.pack(UnsafeRawBufferPointer(start: buffer.base + start, count: count), into: scratch)
        else { return }
        failedBlocks = 0
        buffer.truncate(to: start)
        buffer.set(SectionKind.recordBlock.rawValue, at: sectionStart)
        buffer.appendVarint(UInt64(count))
        buffer.append(UnsafeRawBufferPointer(start: scratch, count: packed))
    }

    /// Closes the part when it has passed the limit.
    @inline(__always)
    private func finishEntry() {
        if buffer.count - Format.frameHeaderByteCount > partLimit { closePart(hasCommitMark: false, metadataOffset: 0) }
    }

    private func closePart(hasCommitMark: Bool, metadataOffset: Int) {
        closeSection()
        guard failure == nil else {
            // What follows will be thrown away as well; keep the memory bounded.
            buffer.truncate(to: Format.frameHeaderByteCount)
            return
        }
        let header = FrameHeader(
            kind: .commit, hasCommitMark: hasCommitMark, offset: frameOffset, payloadLength: buffer.count - Format.frameHeaderByteCount,
            metadataOffset: metadataOffset, commit: commit, part: part, durableEnd: durableEnd)
        do throws(LogError) { try close(buffer, header) } catch { failure = error }
        frameOffset = header.end
        part += 1
        buffer.reset()
        buffer.appendZeros(Format.frameHeaderByteCount)
    }

    /// Closes the part here, however short it is.
    func endPart() {
        if !isEmpty { closePart(hasCommitMark: false, metadataOffset: 0) }
    }

    /// Writes the metadata and the last part.
    func finish(author: String?, time: Double) throws(LogError) {
        if let failure { throw failure }
        var metadata = CommitMetadata()
        metadata.time = time
        metadata.author = author
        metadata.counts = counts
        flushHighest()
        metadata.highestRows = highest.map { (entity: $0.key, row: $0.value) }.sorted { $0.entity < $1.entity }
        open(.metadata)
        let start = sectionStart
        metadata.encode(into: buffer)
        closePart(hasCommitMark: true, metadataOffset: start - Format.frameHeaderByteCount)
        if let failure { throw failure }
    }

    @inline(__always)
    func noteRow(_ entity: EntityCode, _ row: Row) {
        if entity == lastEntity {
            if row > lastHighest { lastHighest = row }
        } else {
            flushHighest()
            lastEntity = entity
            lastHighest = max(row, highest[entity] ?? 0)
        }
        if row > Format.highestRow { fail("row \(row) is beyond the highest the format allows") }
    }

    private func flushHighest() {
        if let lastEntity { highest[lastEntity] = lastHighest }
    }

    @inline(__always)
    private func accepts(_ layout: RecordLayout) -> Bool {
        if layout === lastLayout { return true }
        guard table[layout.number] == layout else {
            fail("layout \(layout.number) is not in the catalog; set a catalog that has it first")
            return false
        }
        lastLayout = layout
        return true
    }

    // MARK: Entries

    func setCatalog(_ catalog: Catalog) {
        do throws(CatalogError) {
            try catalog.validate()
            table = LayoutTable(try catalog.following(table.catalog))
        } catch {
            return fail("the catalog cannot be used: \(error.description)")
        }
        lastLayout = nil
        open(.catalog)
        catalog.tree.encode(into: buffer)
        closeSection()
        finishEntry()
    }

    func appendRecord(
        _ layout: RecordLayout, _ row: Row, _ isInsert: Bool, _ changed: (Int) -> Bool, _ value: (Int) -> StoredValue
    ) {
        guard accepts(layout) else { return }
        open(.records)
        do throws(RecordEncoder.Refusal) {
            // Where there was a null there is often one in the next record too.
            var isWritten = false
            if !expectsNulls {
                isWritten = try RecordEncoder.recordWithoutNulls(
                    layout, row: row, isInsert: isInsert, changed: changed, value: value, into: buffer)
            }
            if !isWritten {
                expectsNulls = try RecordEncoder.record(layout, row: row, isInsert: isInsert, changed: changed, value: value, into: buffer)
            }
        } catch {
            return fail("\(error.text) (entity \(layout.entity), row \(row))")
        }
        noteRow(layout.entity, row)
        if isInsert { counts.inserted += 1 } else { counts.updated += 1 }
        if buffer.count > Format.payloadLimit { return fail("row \(row) of entity \(layout.entity) is larger than a frame can be") }
        finishEntry()
    }

    /// Appends a record of an insertion for each set bit of `slots`; the row of slot `s` is `firstRow + s`.
    func appendInsertions(_ layout: RecordLayout, _ firstRow: Row, _ slots: UnsafeRawPointer, _ columns: RecordColumns) {
        guard accepts(layout) else { return }
        guard columns.fields.count == layout.fieldCount, columns.defaults.count == layout.fieldCount else {
            return fail("layout \(layout.number) has \(layout.fieldCount) fields, and was given \(columns.fields.count)")
        }
        let integers = RecordEncoder.givenIntegers(of: layout, columns)
        for word in 0..<slotsPerChunk / 64 {
            var rest = slots.load(fromByteOffset: word * 8, as: UInt64.self)
            let whole = rest == 0 ? 0 : columns.wholeSlots(word)
            while rest != 0 {
                let slot = word * 64 + rest.trailingZeroBitCount
                let isWhole = rest & (0 &- rest) & whole != 0
                rest &= rest - 1
                let row = firstRow + Row(slot)
                open(.records)
                do throws(RecordEncoder.Refusal) {
                    if isWhole {
                        try RecordEncoder.wholeInsertion(layout, row: row, slot: slot, columns, integers, into: buffer)
                    } else {
                        try RecordEncoder.insertion(layout, row: row, slot: slot, columns, into: buffer)
                    }
                } catch {
                    return fail("\(error.text) (entity \(layout.entity), row \(row))")
                }
                noteRow(layout.entity, row)
                counts.inserted += 1
                if buffer.count > Format.payloadLimit { return fail("row \(row) of entity \(layout.entity) is larger than a frame can be") }
                finishEntry()
            }
        }
    }

    /// Appends a record as it stands in a log, as that of an insertion: without what an update says was changed.
    func appendCopy(of head: RecordHead, _ layout: RecordLayout) throws(ByteError) {
        var reader = head.reader
        if head.flags & RecordFlags.insert == 0 { try reader.skip(layout.maskByteCount) }
        let rest = try reader.bytes(reader.remaining)
        let size = ByteBuffer.varintSize(UInt64(head.layoutNumber)) + ByteBuffer.varintSize(UInt64(head.row)) + 1 + rest.count
        if scratch != nil, section == .records,
            buffer.count - sectionStart - Format.sectionHeadByteCount + ByteBuffer.varintSize(UInt64(size)) + size > Format.recordBlockLimit
        {
            closeSection()
        }
        open(.records)
        buffer.appendVarint(UInt64(size))
        buffer.appendVarint(UInt64(head.layoutNumber))
        buffer.appendVarint(UInt64(head.row))
        buffer.append(head.flags | RecordFlags.insert)
        buffer.append(rest)
        noteRow(layout.entity, head.row)
        counts.inserted += 1
        finishEntry()
    }

    func appendTombstone(_ layout: RecordLayout, _ row: Row) {
        guard accepts(layout) else { return }
        open(.records)
        RecordEncoder.tombstone(layout, row: row, into: buffer)
        noteRow(layout.entity, row)
        counts.deleted += 1
        finishEntry()
    }

    func appendPatch(
        _ layout: RecordLayout, _ lanes: [Int], _ rows: UnsafeBufferPointer<Row>, _ bits: UnsafeBufferPointer<UInt64>,
        _ valid: UnsafeBufferPointer<Bool>?
    ) {
        guard accepts(layout), !rows.isEmpty, !lanes.isEmpty else { return }
        let needed = lanes.count * rows.count
        guard lanes.allSatisfy({ layout.lanes.indices.contains($0) }), bits.count >= needed, valid.map({ $0.count >= needed }) ?? true
        else {
            return fail("a patch of layout \(layout.number) names a lane it does not have, or brings too few values")
        }
        counts.moved += rows.count
        if let most = rows.max() { noteRow(layout.entity, most) }
        var start = 0
        while start < rows.count {
            let end = min(start + Format.patchRowLimit, rows.count)
            open(.patch)
            buffer.appendVarint(UInt64(layout.number))
            buffer.appendVarint(UInt64(lanes.count))
            for lane in lanes { buffer.appendVarint(UInt64(lane)) }
            RowListCoding.encode(UnsafeBufferPointer(rebasing: rows[start..<end]), into: buffer)
            for (index, lane) in lanes.enumerated() {
                let first = index * rows.count
                if layout.lanes[lane].isOptional {
                    var byte: UInt8 = 0
                    for row in start..<end {
                        if valid.map({ $0[first + row] }) ?? true { byte |= 1 << UInt8((row - start) & 7) }
                        if (row - start) & 7 == 7 || row == end - 1 {
                            buffer.append(byte)
                            byte = 0
                        }
                    }
                }
                let isOptional = layout.lanes[lane].isOptional
                if !isOptional, layout.lanes[lane].width == .double, UInt16(1).littleEndian == 1 {
                    buffer.append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bits[(first + start)..<(first + end)])))
                    continue
                }
                for row in start..<end {
                    let value = isOptional && valid.map { !$0[first + row] } ?? false ? 0 : bits[first + row]
                    switch layout.lanes[lane].width {
                    case .double: buffer.append(value)
                    case .float: buffer.append(UInt32(truncatingIfNeeded: value))
                    }
                }
            }
            closeSection()
            finishEntry()
            start = end
        }
    }

    func appendChunk(_ layout: RecordLayout, _ count: Int, _ base: UnsafeRawPointer, rows: (ByteBuffer) -> Void) {
        guard accepts(layout) else { return }
        guard layout.chunkByteCount > 0, count > 0, count <= slotsPerChunk else {
            return fail("a chunk of layout \(layout.number) has \(count) rows; it must have 1 to \(slotsPerChunk), and lanes")
        }
        counts.moved += count
        open(.chunk)
        buffer.appendVarint(UInt64(layout.number))
        rows(buffer)
        let misalignment = Int((frameOffset + UInt64(buffer.count)) % 64)
        buffer.appendZeros((64 - misalignment) % 64)
        let body = buffer.count
        buffer.append(UnsafeRawBufferPointer(start: base, count: layout.chunkByteCount))
        if count < slotsPerChunk { Self.clear(buffer.base + body, layout, from: count) }
        closeSection()
        finishEntry()
    }

    /// Makes the places of a chunk from `count` on zero and null, whatever the caller had there.
    private static func clear(_ chunk: UnsafeMutableRawPointer, _ layout: RecordLayout, from count: Int) {
        for (lane, offset) in layout.laneOffsets.enumerated() {
            let width = Int(layout.lanes[lane].width.rawValue)
            (chunk + offset + count * width).initializeMemory(as: UInt8.self, repeating: 0, count: (slotsPerChunk - count) * width)
        }
        for case let offset? in layout.validityOffsets {
            let bits = chunk + offset
            if count & 7 != 0 {
                let kept = bits.load(fromByteOffset: count >> 3, as: UInt8.self) & (1 << UInt8(count & 7) - 1)
                bits.storeBytes(of: kept, toByteOffset: count >> 3, as: UInt8.self)
            }
            let first = (count + 7) >> 3
            (bits + first).initializeMemory(as: UInt8.self, repeating: 0, count: validityByteCount - first)
        }
    }

    func appendLink(
        _ relationship: LinkRelationship, _ owner: (entity: EntityCode, row: Row), _ member: (entity: EntityCode, row: Row), _ order: Int64,
        _ removed: Bool
    ) {
        guard table.catalog.link(relationship.code) != nil else {
            return fail("the relationship '\(relationship.name)' is not in the catalog; set a catalog that has it first")
        }
        open(.links)
        buffer.appendVarint(UInt64(relationship.code))
        buffer.append(UInt8(removed ? 1 : 0))
        buffer.appendVarint(UInt64(owner.entity))
        buffer.appendVarint(UInt64(owner.row))
        buffer.appendVarint(UInt64(member.entity))
        buffer.appendVarint(UInt64(member.row))
        buffer.appendVarint(Zigzag.encode(order))
        counts.links += 1
        finishEntry()
    }

    func appendFollower(_ entity: EntityCode, _ row: Row, _ mask: FieldMask) {
        open(.followers)
        buffer.appendVarint(UInt64(entity))
        buffer.appendVarint(UInt64(row))
        let count = (mask.members.last ?? -1) + 1
        buffer.appendVarint(UInt64((count + 7) / 8))
        mask.encode(into: buffer, count: count)
        counts.followers += 1
        finishEntry()
    }
}
