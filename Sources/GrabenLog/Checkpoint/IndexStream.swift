internal import CGraben

/// Writes the payload of an index file from front to back, in pieces of two megabytes, and at the end its tables and header.
///
/// What is written in such pieces, each from a multiple of their size on, Linux keeps in large pages: who looks up keys at random then waits for half
/// as many memory accesses, and the first look into each costs nothing more.
final class IndexStream {
    /// What is written next is put in here; `flushIfLarge` afterwards.
    let buffer = ByteBuffer(capacity: 64 << 10)
    private let file: any LogFile
    /// The file offset of the buffer's first byte.
    private var start = 0
    private var checksums: [UInt32] = []
    /// Of the bytes of the block that has begun.
    private var checksum: UInt32 = 0
    private var summed = 0
    /// Asked between pieces; true ends the writing.
    private let isCancelled: () -> Bool

    private static let pieceByteCount = 2 << 20

    init(_ file: any LogFile, isCancelled: @escaping () -> Bool) {
        self.file = file
        self.isCancelled = isCancelled
        // Room for the header, which is written last: without it nobody takes the file for an index.
        buffer.appendZeros(IndexHeader.byteCount)
    }

    /// The file offset of the next byte.
    var offset: Int { start + buffer.count }

    func align(_ size: Int) { buffer.appendZeros((size - offset % size) % size) }

    @inline(__always)
    func flushIfLarge() throws(LogError) {
        while buffer.count >= Self.pieceByteCount { try flush(Self.pieceByteCount) }
    }

    private func flush(_ count: Int) throws(LogError) {
        if isCancelled() { throw .closed(path: file.path) }
        // The header's checksum is its own.
        var next = max(0, IndexHeader.byteCount - start)
        while next < count {
            let part = min(Format.blockByteCount - summed, count - next)
            checksum = graben_crc32c(checksum, buffer.base + next, part)
            next += part
            summed += part
            if summed == Format.blockByteCount { endBlock() }
        }
        try file.write(UnsafeRawBufferPointer(start: buffer.base, count: count), at: UInt64(start))
        start += count
        buffer.removeFirst(count)
    }

    private func endBlock() {
        checksums.append(checksum)
        (checksum, summed) = (0, 0)
    }

    /// Writes what is left, the tables and the header. Answers the length of the file.
    func finish(_ header: IndexHeader, rootOffset: Int) throws(LogError) -> UInt64 {
        var header = header
        let end = offset
        header.payloadLength = UInt64(end - IndexHeader.byteCount)
        header.rootOffset = UInt64(rootOffset)
        header.rootLength = UInt64(end - rootOffset)
        try flush(buffer.count)
        if summed > 0 { endBlock() }
        let table = ByteBuffer(capacity: checksums.count * 4 + 64)
        table.appendZeros(IndexHeader.tableOffset(Int(header.payloadLength)) - end)
        let first = table.count
        for checksum in checksums { table.append(checksum) }
        let second = table.count
        var block = first
        while block < second {
            let size = min(Format.blockByteCount, second - block)
            table.append(graben_crc32c(0, table.base + block, size))
            block += size
        }
        try file.write(table.bytes, at: UInt64(end))
        header.fileLength = UInt64(end + table.count)
        let page = header.encoded(secondTable: UnsafeRawBufferPointer(start: table.base + second, count: table.count - second))
        try file.write(page.bytes, at: 0)
        return header.fileLength
    }
}
