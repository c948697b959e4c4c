internal import Synchronization

/// The store as of one commit. Immutable; whoever holds it can read it whatever happens after.
///
/// It shares pages, chunks and runs with its neighbours and keeps alive the mappings its records lie in, so pointers it has lent stay valid
/// as long as it lives.
package final class LogSnapshot: @unchecked Sendable {
    package let metadata: CommitMetadata
    /// Which file the offsets are about: a compaction puts another in its place.
    let header: FileHeader
    /// Exchanged at most once, before anyone else sees the snapshot.
    private var node: CommitNode
    /// Counts the snapshot among those that are held; set before anyone else sees it, in those that are published.
    var pin: SnapshotPins.Pin?
    let path: String
    /// The end of the commit's last frame.
    let endOffset: UInt64
    let table: LayoutTable
    let entities: [EntityState?]
    let regions: [MappedRegion]
    let links: [UInt16: LinkIndex]
    /// Built on first use, and then carried on from snapshot to snapshot.
    let reverseIndexes: Mutex<[ReverseKey: ReverseIndex]>
    /// As the reverse indexes.
    let keyIndexes = Mutex<[KeyDeclaration: KeyIndex]>([:])
    /// Held while an index is built.
    let building = Mutex(())
    /// The index file the log was opened from: what lies below the pages, runs and chunks in memory.
    let checkpoint: Checkpoint?
    /// Records before this offset are compared with their checksums when they are first read; 0 where all were when the log was opened.
    private let uncheckedEnd: UInt64
    /// The one mapping there usually is, where reading a record need not touch a reference count to find it; nil when there are several.
    private let soleBase: UnsafeRawPointer?
    private let soleLength: Int
    /// What was decompressed of the file, for all of its snapshots.
    let blocks: RecordBlocks
    /// Chunks of rows that never wrote any: zeros, or defaults of lanes added later.
    private let synthesized = Mutex<[UInt64: ChunkHandle]>([:])

    init(
        commitNumber: UInt64, metadata: CommitMetadata, changes: ChangeSet, path: String, endOffset: UInt64, table: LayoutTable,
        entities: [EntityState?], regions: [MappedRegion], links: [UInt16: LinkIndex], reverseIndexes: [ReverseKey: ReverseIndex],
        checkpoint: Checkpoint?, header: FileHeader, blocks: RecordBlocks
    ) {
        self.metadata = metadata
        self.header = header
        node = CommitNode(commitNumber: commitNumber, changes: changes)
        self.path = path
        self.endOffset = endOffset
        self.table = table
        self.entities = entities
        self.regions = regions
        self.links = links
        self.reverseIndexes = Mutex(reverseIndexes)
        self.checkpoint = checkpoint
        self.blocks = blocks
        uncheckedEnd = checkpoint?.durableEnd ?? 0
        let sole = regions.count == 1 && regions[0].fileOffset == 0 ? regions[0] : nil
        soleBase = sole?.base
        soleLength = min(sole?.length ?? 0, Int(clamping: endOffset))
    }

    package var catalog: Catalog { table.catalog }

    package var commitNumber: UInt64 { node.commitNumber }
    /// What the commit that made this snapshot did.
    package var changes: ChangeSet { node.changes }
    /// The following commit, once that is appended; it may not be durable yet.
    package var next: CommitNode? { node.next }

    func setNext(_ snapshot: LogSnapshot) { node.setNext(snapshot.node) }

    /// Makes this snapshot the same link of the chain as another of the same commit: what leads to and from that one then leads here.
    func takePlace(of other: LogSnapshot) { node = other.node }

    /// Makes this snapshot the one after another of an earlier commit, and `changes` what lies between them.
    func follow(_ other: LogSnapshot, changes: ChangeSet) {
        node = CommitNode(commitNumber: commitNumber, changes: changes)
        other.node.setNext(node)
    }

    /// Whether both were read from one file, so that what one keeps mapped is all the other needs.
    package func isOfSameFile(as other: LogSnapshot) -> Bool { header.salt == other.header.salt && header.epoch == other.header.epoch }

    @inline(__always)
    func state(_ entity: EntityCode) -> EntityState? { Int(entity) < entities.count ? entities[Int(entity)] : nil }

    // MARK: Records

    /// The record of a row; nil when there is none or the object was deleted. O(1), no copying.
    package func record(_ entity: EntityCode, _ row: Row) throws(LogError) -> RecordView? {
        guard let state = state(entity) else { return nil }
        let word = UInt64(state.records[Int(row)])
        if word == 0 {
            if let failure = checkpoint?.failure { throw failure }
            return nil
        }
        let record = RecordAddress(word).isInBlock ? try copyRecord(word) : try bind(head(at: word), word)
        guard record.row == row, record.layout.entity == entity else { throw unreadable(word, .invalid) }
        return record
    }

    /// Whether a frame's payload is right from a place on; compares it with its checksums where that has not been done.
    func isChecked(_ frame: FrameHeader, from place: Int) -> Bool {
        guard let blocks = checkpoint?.log else { return true }
        do throws(LogError) {
            try blocks.verify(frame.payloadOffset + UInt64(place), max(frame.payloadLength - place, 1))
            return true
        } catch {
            return false
        }
    }

    /// Compares the blocks a record lies in with their checksums.
    @inline(never)
    private func check(_ offset: UInt64) throws(LogError) {
        guard let blocks = checkpoint?.log else { return }
        // Its length first, which takes ten bytes at most.
        try blocks.verify(offset, 10)
        guard let region = region(offset, 1) else { return }
        let start = Int(offset - region.fileOffset)
        var reader = ByteReader(region.base + start, to: min(region.length - start, Int(clamping: endOffset - offset)))
        // A length that cannot be read is found out by whoever binds the record.
        guard let length = try? reader.count(atMost: Format.payloadLimit) else { return }
        try blocks.verify(offset, reader.position + length)
    }

    // A record in a compressed block is read in the block's memory, so who reads many keeps the last block in a variable of its own: neighbours
    // then cost no look-up, and what was read stays in memory until the next one is.

    /// The record a word of the row index leads to. Valid until the next one is read into `block`.
    @inline(__always)
    func bind(_ word: UInt64, in block: inout RecordBlock?) throws(LogError) -> RecordView {
        try bind(try head(word, in: &block), word)
    }

    @inline(__always)
    private func bind(_ head: RecordHead, _ word: UInt64, _ copy: RecordCopy? = nil) throws(LogError) -> RecordView {
        do throws(ByteError) {
            guard let layout = table.unretained(head.layoutNumber) else { throw ByteError.invalid }
            return try RecordView(head: head, layout: layout.takeUnretainedValue(), copy: copy)
        } catch {
            throw unreadable(word, error)
        }
    }

    /// The head of the record a word leads to, its bytes checked. Valid until the next one is read into `block`.
    @inline(__always)
    func head(_ word: UInt64, in block: inout RecordBlock?) throws(LogError) -> RecordHead {
        RecordAddress(word).isInBlock ? try headInBlock(word, &block) : try head(at: word)
    }

    /// The head of the record at an offset, its bytes checked.
    @inline(__always)
    private func head(at offset: UInt64) throws(LogError) -> RecordHead {
        if offset < uncheckedEnd { try check(offset) }
        do throws(ByteError) {
            var reader: ByteReader
            if let soleBase, offset < UInt64(soleLength) {
                reader = ByteReader(soleBase + Int(offset), to: soleLength - Int(offset))
            } else {
                guard let found = self.reader(at: offset) else { throw ByteError.truncated }
                reader = found
            }
            return try RecordHead(&reader)
        } catch {
            throw unreadable(offset, error)
        }
    }

    /// Reads from an offset to the end of the mapping it lies in, or of the commit; nil where there is nothing.
    private func reader(at offset: UInt64) -> ByteReader? {
        guard offset < endOffset, let region = region(offset, 1) else { return nil }
        let start = Int(offset - region.fileOffset)
        let end = min(region.length, Int(clamping: endOffset - region.fileOffset))
        return start < end ? ByteReader(region.base + start, to: end - start) : nil
    }

    // MARK: Records in compressed blocks

    /// `isScan` says that the records behind this one will be asked for as well.
    @inline(never)
    private func headInBlock(_ word: UInt64, _ block: inout RecordBlock?, isScan: Bool = true) throws(LogError) -> RecordHead {
        let address = RecordAddress(word)
        if let block, block.sectionOffset == address.sectionOffset, block.isWhole { return try head(word, block) }
        let known = blocks[address.sectionOffset]
        if let known, known.isWhole || !isScan, let head = try? head(word, known) {
            block = known
            return head
        }
        if known == nil, !isScan {
            // Half of the time, on average, is saved by leaving out what stands behind the one record; who comes back for more gets the whole block.
            let part = try decompress(address.sectionOffset, upTo: address.place + Self.recordAllowance)
            block = part
            if let head = try? head(word, part) { return head }
        }
        let whole = try decompress(address.sectionOffset, upTo: .max)
        block = whole
        return try head(word, whole)
    }

    /// So much is decompressed for a record whose length is not known yet.
    private static let recordAllowance = 256

    private func head(_ word: UInt64, _ block: RecordBlock) throws(LogError) -> RecordHead {
        let place = RecordAddress(word).place
        do throws(ByteError) {
            guard place < block.count else { throw .outOfRange }
            var reader = ByteReader(block.base + place, to: block.count - place)
            return try RecordHead(&reader)
        } catch {
            throw unreadable(word, error)
        }
    }

    /// The record a word leads to, copied out of its block.
    @inline(never)
    private func copyRecord(_ word: UInt64) throws(LogError) -> RecordView {
        var block: RecordBlock?
        defer { withExtendedLifetime(block) {} }
        let head = try headInBlock(word, &block, isScan: false)
        let copy = RecordCopy(head.bytes, sectionOffset: RecordAddress(word).sectionOffset)
        return try bind(RecordHead(head, in: copy), word, copy)
    }

    /// Decompresses the block whose section begins at an offset, its bytes checked before they are used, and leaves it in the cache.
    private func decompress(_ offset: UInt64, upTo limit: Int) throws(LogError) -> RecordBlock {
        let unchecked = checkpoint?.log
        try unchecked?.verify(offset, Format.sectionHeadByteCount)
        guard var reader = reader(at: offset), (try? reader.byte()) == SectionKind.recordBlock.rawValue,
            let length = try? Int(reader.integer(UInt32.self)), length <= reader.remaining
        else { throw unreadable(offset, .invalid) }
        try unchecked?.verify(offset, Format.sectionHeadByteCount + length)
        let contents = ByteReader(reader.base, from: reader.position, to: reader.position + length)
        do throws(ByteError) {
            let block = try RecordBlock(contents, sectionOffset: offset, upTo: limit)
            blocks.insert(block)
            return block
        } catch { throw unreadable(offset, error) }
    }

    @inline(never)
    func unreadable(_ word: UInt64, _ error: ByteError) -> LogError {
        .malformed(what: "a record cannot be read: \(error.text)", path: path, offset: RecordAddress(word).fileOffset)
    }

    /// A record of this snapshot was read, and the value of one of its fields has bytes that its kind does not.
    package func undecodable(_ what: String, in record: RecordView) -> LogError {
        let region = regions.first { $0.base <= record.address && record.address < $0.base + $0.length }
        let offset = record.copy?.sectionOffset ?? region.map { $0.fileOffset + UInt64(record.address - $0.base) } ?? 0
        return .malformed(what: "\(what) cannot be decoded", path: path, offset: offset)
    }

    /// The mapping that holds the byte and everything of its frame: the last one that begins at or before it, for mappings overlap where one
    /// ends in the middle of a page.
    @inline(__always)
    func region(_ offset: UInt64, _ count: Int) -> MappedRegion? {
        guard let region = regions.count == 1 ? regions.first : regions.last(where: { $0.fileOffset <= offset }),
            region.covers(offset, count)
        else { return nil }
        return region
    }

    /// The address of a row's record, as the row index has it; 0 when there is none.
    func word(_ entity: EntityCode, _ row: Row) -> UInt64 { state(entity).map { UInt64($0.records[Int(row)]) } ?? 0 }

    /// Whether the object exists.
    package func contains(_ entity: EntityCode, _ row: Row) -> Bool { state(entity).map { $0.records[Int(row)] != 0 } ?? false }

    /// The highest row the entity ever had; nil when it never had one.
    package func highestRow(_ entity: EntityCode) -> Row? {
        state(entity).flatMap { $0.highestRow >= 0 ? Row(truncatingIfNeeded: $0.highestRow) : nil }
    }

    package func liveCount(_ entity: EntityCode) -> Int { state(entity)?.liveCount ?? 0 }

    /// Calls `body` with the rows that exist, ascending, until it answers false.
    package func forEachLiveRow<E: Error>(_ entity: EntityCode, from start: Row = 0, _ body: (Row) throws(E) -> Bool) throws(E) {
        guard let state = state(entity) else { return }
        try state.records.forEach(from: Int(start)) { (row, _) throws(E) -> Bool in try body(Row(truncatingIfNeeded: row)) }
    }

    // MARK: Columns

    /// The number of chunks that cover the rows of the entity; 0 when its newest layout has no lanes.
    package func chunkCount(_ entity: EntityCode) -> Int {
        guard let layout = table.newest(entity), !layout.lanes.isEmpty, let state = state(entity) else { return 0 }
        return Int((state.highestRow + Int64(slotsPerChunk)) / Int64(slotsPerChunk))
    }

    /// A chunk in the lane order of the entity's newest layout. Valid as long as the snapshot lives. O(1) but for chunks of an older layout,
    /// which are rebuilt the first time.
    package func chunk(_ entity: EntityCode, _ index: Int) throws(LogError) -> UnsafeRawPointer {
        UnsafeRawPointer(try handle(entity, index).base)
    }

    func handle(_ entity: EntityCode, _ index: Int) throws(LogError) -> ChunkHandle {
        guard let layout = table.newest(entity), !layout.lanes.isEmpty, index >= 0 else {
            throw .invalid(what: "entity \(entity) has no packed attributes", path: path)
        }
        guard let state = state(entity), let handle = try state.chunk(index) else { return synthesize(entity, index, layout) }
        return handle.inLayout(layout, catalog: catalog)
    }

    private func synthesize(_ entity: EntityCode, _ index: Int, _ layout: RecordLayout) -> ChunkHandle {
        // Rows only the entity's older layouts know have the defaults; where it always had lanes, all chunks without rows are the same.
        let isShared = !table.hadNoLanes(entity) || state(entity) == nil
        let key = UInt64(entity) << 32 | UInt64(isShared ? 0 : index + 1)
        return synthesized.withLock { known in
            if let handle = known[key] { return handle }
            let handle: ChunkHandle
            if let state = state(entity), !isShared {
                handle = state.freshChunk(index, layout, table, before: .max, owner: ChunkHandle.nobody)
            } else {
                handle = ChunkHandle(layout: layout, owner: ChunkHandle.nobody)
            }
            known[key] = handle
            return handle
        }
    }

    /// Where a row lies in the columns: chunk `slot / 1024`, place `slot % 1024`.
    @inline(__always)
    package func slot(_ entity: EntityCode, _ row: Row) -> Int { state(entity)?.slot(row) ?? Int(row) }
    @inline(__always)
    package func row(_ entity: EntityCode, slot: Int) -> Row { state(entity)?.row(slot) ?? Row(truncatingIfNeeded: slot) }
    /// Where the rows of an entity lie; nil where every row's slot is its own number.
    package func slotMap(_ entity: EntityCode) -> SlotMap? { state(entity)?.slotMap }
}
