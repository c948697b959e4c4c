internal import CGraben

/// A frame of a damaged log, and which of its payload can be trusted.
struct SalvagedFrame {
    let header: FrameHeader
    /// Whether the header's own checksum is right; where it is not, only blocks that fit the table are believed.
    let isTrusted: Bool
    let payload: UnsafeRawPointer
    /// For each block whether it fits its checksum; empty where all do.
    private let blocks: [Bool]

    var length: Int { header.payloadLength }
    var isWhole: Bool { blocks.isEmpty }

    /// A frame with a right header, at an offset of the bytes of a log.
    init(_ header: FrameHeader, _ base: UnsafeRawPointer) {
        self.init(header, base, isTrusted: true)
    }

    private init(_ header: FrameHeader, _ base: UnsafeRawPointer, isTrusted: Bool) {
        self.header = header
        self.isTrusted = isTrusted
        let place = base + Int(header.offset)
        payload = place + Format.frameHeaderByteCount
        let blocks = (0..<FrameHeader.blockCount(header.payloadLength)).map { header.isBlockRight($0, place) }
        self.blocks = blocks.allSatisfy { $0 } ? [] : blocks
    }

    /// A frame whose header or table has bad bytes, in a gap between valid frames; nil when nothing of it fits a checksum.
    ///
    /// Its length is what the header says or, where that cannot be, what fills the gap.
    init?(in gap: Range<UInt64>, _ base: UnsafeRawPointer, salt: UInt64) {
        guard gap.lowerBound % 8 == 0, gap.count >= Format.frameHeaderByteCount else { return nil }
        let place = base + Int(gap.lowerBound)
        func u32(_ offset: Int) -> UInt32 { UInt32(littleEndian: place.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        func u64(_ offset: Int) -> UInt64 { UInt64(littleEndian: place.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
        // One damage does not take all three.
        let signs = [u32(0) == Format.frameMagic, u64(8) == salt, u64(16) == gap.lowerBound].count { $0 }
        guard signs >= 1 else { return nil }
        var lengths = [Int(u32(24))]
        let most = gap.count - Format.frameHeaderByteCount
        // The table takes four bytes for each block; so near the whole is what a payload can have that fills the gap.
        let least = max(0, most - FrameHeader.blockCount(most) * 4 - 24)
        lengths += (least...most).reversed().filter { FrameHeader.frameLength($0) == gap.count }
        for length in lengths.prefix(64) where length > 0 && length <= Format.payloadLimit && FrameHeader.frameLength(length) <= gap.count {
            let header = FrameHeader(
                kind: .commit, hasCommitMark: place.load(fromByteOffset: 5, as: UInt8.self) & 1 != 0, offset: gap.lowerBound,
                payloadLength: length, metadataOffset: Int(u32(28)), commit: u64(32), part: u32(40), durableEnd: 0)
            // The last block is what tells one length from another; looking at all of them for each would take long where there are many gaps.
            guard header.isBlockRight(FrameHeader.blockCount(length) - 1, place) else { continue }
            self = SalvagedFrame(header, base, isTrusted: false)
            return
        }
        let claimed = Int(u32(24))
        guard signs >= 2, claimed > 0, claimed <= Format.payloadLimit, FrameHeader.frameLength(claimed) <= gap.count else { return nil }
        let header = FrameHeader(
            kind: .commit, hasCommitMark: false, offset: gap.lowerBound, payloadLength: claimed, metadataOffset: 0, commit: u64(32),
            part: u32(40), durableEnd: 0)
        let frame = SalvagedFrame(header, base, isTrusted: false)
        guard frame.blocks.contains(true) else { return nil }
        self = frame
    }

    /// Whether this may stand behind another frame of the same commit, as far as the two can be trusted: a part of a commit that failed before, in
    /// the same place, does not. FileFormat.md says how a part names the one before.
    func canFollow(_ before: SalvagedFrame) -> Bool {
        guard isTrusted, before.isTrusted else { return true }
        guard header.commit == before.header.commit, header.part > 0, header.part - 1 == before.header.part else { return false }
        // A table with bad bytes has not the checksum that it is named by.
        return !before.isWhole || header.follows(table: before.header.tableChecksum(before.payload - Format.frameHeaderByteCount))
    }

    /// Whether bytes of the payload fit their checksums.
    func isGood(_ start: Int, _ count: Int) -> Bool {
        guard start >= 0, count >= 0, start <= length, count <= length - start else { return false }
        if blocks.isEmpty || count == 0 { return true }
        return (start / Format.blockByteCount...(start + count - 1) / Format.blockByteCount).allSatisfy { blocks[$0] }
    }

    /// How many bytes of the payload do not.
    var badByteCount: Int {
        blocks.enumerated().reduce(0) { sum, block in
            block.element ? sum : sum + min(Format.blockByteCount, length - block.offset * Format.blockByteCount)
        }
    }
}

/// Where an index file says that records begin: behind bad bytes the next record cannot be found otherwise.
struct RecordPlaces {
    /// Those of records that stand in the file by themselves, ascending.
    private(set) var offsets: [UInt64] = []
    /// Which object each address is that of the newest record of.
    private(set) var objects: [UInt64: ObjectKey] = [:]

    init() {}

    /// What an index says of rows, as far as its own blocks are right.
    init(_ file: IndexFile) {
        guard let offset = Int(exactly: file.header.rootOffset), let length = Int(exactly: file.header.rootLength), length > 0,
            let bytes = file.bytes(offset, length)
        else { return }
        var reader = ByteReader(bytes, to: length)
        guard let root = try? IndexRoot(&reader), root.fits(file) else { return }
        for entity in root.entities {
            for page in 0..<entity.rows.count { read(entity, page, file) }
        }
        offsets = objects.keys.filter { !RecordAddress($0).isInBlock }.sorted()
    }

    private mutating func read(_ entity: IndexRoot.Entity, _ page: Int, _ file: IndexFile) {
        let rows = MappedRows.rowsPerPage
        let count = min(rows, Int(entity.highestRow + 1) - page * rows)
        guard count > 0, let entry = file.bytes(entity.rows.offset + page * 16, 16) else { return }
        let place = UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self))
        let base = UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        guard place != 0, place < 1 << 56 else { return }
        let width = place & 1 == 0 ? 4 : 8
        guard let bytes = file.bytes(Int(place & ~1), count * width) else { return }
        for index in 0..<count {
            let word: UInt64
            if width == 4 {
                let number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
                word = number == 0 ? 0 : base &+ UInt64(number) &- 1
            } else {
                word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
            if word != 0 { objects[word] = ObjectKey(entity.code, Row(truncatingIfNeeded: page * rows + index)) }
        }
    }

    /// The first place at or behind an offset and before an end.
    func first(from offset: UInt64, before end: UInt64) -> UInt64? {
        var low = 0
        var high = offsets.count
        while low < high {
            let middle = (low + high) >> 1
            if offsets[middle] < offset { low = middle + 1 } else { high = middle }
        }
        return low < offsets.count && offsets[low] < end ? offsets[low] : nil
    }
}
