internal import CGraben

/// Writes the payload of an index file from front to back, in pieces of about a megabyte, and at the end its tables and header.
final class IndexStream {
    /// What is written next is put in here; `flushIfLarge` afterwards.
    let buffer = ByteBuffer(capacity: 64 << 10)
    private let file: any LogFile
    /// The file offset of the buffer's first byte: the beginning of a block.
    private var start = IndexHeader.byteCount
    private var checksums: [UInt32] = []
    /// Asked between pieces; true ends the writing.
    private let isCancelled: () -> Bool

    private static let pieceByteCount = 1 << 20

    init(_ file: any LogFile, isCancelled: @escaping () -> Bool) {
        self.file = file
        self.isCancelled = isCancelled
    }

    /// The file offset of the next byte.
    var offset: Int { start + buffer.count }

    func align(_ size: Int) { buffer.appendZeros((size - offset % size) % size) }

    @inline(__always)
    func flushIfLarge() throws(LogError) {
        if buffer.count >= Self.pieceByteCount { try flush(buffer.count / Format.blockByteCount * Format.blockByteCount) }
    }

    private func flush(_ count: Int) throws(LogError) {
        if isCancelled() { throw .closed(path: file.path) }
        var block = 0
        while block < count {
            checksums.append(graben_crc32c(0, buffer.base + block, min(Format.blockByteCount, count - block)))
            block += Format.blockByteCount
        }
        try file.write(UnsafeRawBufferPointer(start: buffer.base, count: count), at: UInt64(start))
        start += count
        buffer.removeFirst(count)
    }

    /// Writes what is left, the tables and the header. Answers the length of the file.
    func finish(_ header: IndexHeader, rootOffset: Int) throws(LogError) -> UInt64 {
        var header = header
        let end = offset
        header.payloadLength = UInt64(end - IndexHeader.byteCount)
        header.rootOffset = UInt64(rootOffset)
        header.rootLength = UInt64(end - rootOffset)
        try flush(buffer.count)
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
