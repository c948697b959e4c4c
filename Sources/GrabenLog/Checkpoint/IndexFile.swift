internal import CGraben
internal import Synchronization

/// A mapped index file. No byte of its payload is handed out before the block it lies in has been compared with its checksum.
///
/// The header is checked when the file is opened, blocks when first touched, so that opening costs the same whatever the size.
///
/// Unchecked because of the pointer into the mapped region, which it holds and whose bytes never change; its marks are atomic.
final class IndexFile: @unchecked Sendable {
    let header: IndexHeader
    private let region: MappedRegion
    private let base: UnsafeRawPointer
    /// The file offset at which the payload ends.
    private let payloadEnd: Int
    private let table: Int
    let blockCount: Int
    private let verified: VerifiedBlocks
    private let verifiedTable: VerifiedBlocks
    private let foundBad = Atomic<Bool>(false)

    static func path(of log: String) -> String { log + "-index" }

    /// The index file beside a log; nil when there is none that is whole and sound. Whose it is, the caller finds out.
    static func open(log path: String, in system: any LogFileSystem) -> IndexFile? {
        guard let file = try? system.open(Self.path(of: path), .readOnly), let size = try? file.size(),
            size >= UInt64(IndexHeader.byteCount), let length = Int(exactly: size), let region = try? file.map(offset: 0, length: length),
            let header = IndexHeader(region.base, size: size)
        else { return nil }
        return IndexFile(header, region)
    }

    private init(_ header: IndexHeader, _ region: MappedRegion) {
        self.header = header
        self.region = region
        base = region.base
        let payload = Int(header.payloadLength)
        payloadEnd = IndexHeader.byteCount + payload
        table = IndexHeader.tableOffset(payload)
        blockCount = IndexHeader.blockCount(payload)
        verified = VerifiedBlocks(count: blockCount)
        verifiedTable = VerifiedBlocks(count: IndexHeader.blockCount(blockCount * 4))
    }

    /// Whether a block, or what stood in one, turned out to be wrong.
    var isBad: Bool { foundBad.load(ordering: .relaxed) }
    var byteCount: UInt64 { header.fileLength }

    /// Notes that something in the file contradicts itself though its checksum is right.
    func distrust() { foundBad.store(true, ordering: .relaxed) }

    /// The bytes at a file offset, checked; nil when they are outside the payload or in a bad block.
    @inline(__always)
    func bytes(_ offset: Int, _ count: Int) -> UnsafeRawPointer? {
        guard offset >= IndexHeader.byteCount, offset < payloadEnd, count > 0, count <= payloadEnd - offset else { return outside(count) }
        let first = (offset - IndexHeader.byteCount) / Format.blockByteCount
        let last = (offset + count - 1 - IndexHeader.byteCount) / Format.blockByteCount
        if verified.contains(first), first == last { return base + offset }
        return verify(first, last) ? base + offset : nil
    }

    /// Whether a table of entries of that size lies inside the payload.
    func holds(_ table: IndexRoot.Table, of size: Int) -> Bool {
        table.count == 0
            || (table.offset >= IndexHeader.byteCount && table.offset <= payloadEnd && table.count <= (payloadEnd - table.offset) / size)
    }

    @inline(never)
    private func outside(_ count: Int) -> UnsafeRawPointer? {
        if count == 0 { return base }
        distrust()
        return nil
    }

    @inline(never)
    private func verify(_ first: Int, _ last: Int) -> Bool {
        for block in first...last where !verified.contains(block) {
            guard verifyTable(block * 4 / Format.blockByteCount) else { return false }
            let start = IndexHeader.byteCount + block * Format.blockByteCount
            let size = min(Format.blockByteCount, payloadEnd - start)
            let expected = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: table + block * 4, as: UInt32.self))
            guard graben_crc32c(0, base + start, size) == expected else {
                distrust()
                return false
            }
            verified.insert(block)
        }
        region.noteCheck()
        return true
    }

    private func verifyTable(_ block: Int) -> Bool {
        if verifiedTable.contains(block) { return true }
        let start = block * Format.blockByteCount
        let size = min(Format.blockByteCount, blockCount * 4 - start)
        let expected = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: table + blockCount * 4 + block * 4, as: UInt32.self))
        guard graben_crc32c(0, base + table + start, size) == expected else {
            distrust()
            return false
        }
        verifiedTable.insert(block)
        return true
    }

    /// The number of the first block whose checksum is wrong; nil when all are right. Reads the whole file.
    func firstBadBlock() -> Int? { (0..<blockCount).first { !verify($0, $0) } }

    /// Whether a block has the checksum the table says.
    func isRight(_ block: Int) -> Bool { verify(block, block) }

    /// A byte of the header page.
    func byte(ofHeader offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }
}
