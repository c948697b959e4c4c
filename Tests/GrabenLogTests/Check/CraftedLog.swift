import CGraben
import Testing

@testable import GrabenLog

/// A log to which frames can be added whose contents are anything, with checksums that are right.
struct CraftedLog {
    var bytes: [UInt8]
    let header: FileHeader
    /// Where each frame added begins.
    var frames: [Int] = []
    private var commit: UInt64

    /// Goes on from a log that ends with its last commit.
    init(_ system: MemoryFileSystem, _ log: Log) throws {
        bytes = Array(try #require(system.contents(log.path)).prefix(Int(log.newest.endOffset)))
        header = log.newest.header
        commit = log.newest.commitNumber
    }

    /// Adds the next commit, as one frame: sections of any contents, and then what it says of itself unless that is among them.
    @discardableResult
    mutating func add(
        _ sections: [(kind: UInt8, body: (ByteBuffer, UInt64) -> Void)], metadata: CommitMetadata? = CommitMetadata(),
        change: (inout FrameHeader) -> Void = { _ in }
    ) -> Int {
        let offset = UInt64(bytes.count)
        let buffer = ByteBuffer()
        buffer.appendZeros(Format.frameHeaderByteCount)
        func put(_ kind: UInt8, _ body: (ByteBuffer, UInt64) -> Void) {
            let start = buffer.count
            buffer.append(kind)
            buffer.append(UInt32(0))
            body(buffer, offset)
            buffer.set(UInt32(buffer.count - start - 5), at: start + 1)
        }
        for section in sections { put(section.kind, section.body) }
        var metadataOffset = 0
        if let metadata {
            metadataOffset = buffer.count - Format.frameHeaderByteCount
            put(1) { buffer, _ in metadata.encode(into: buffer) }
        }
        commit += 1
        var frame = FrameHeader(
            kind: .commit, hasCommitMark: true, offset: offset, payloadLength: buffer.count - Format.frameHeaderByteCount,
            metadataOffset: metadataOffset, commit: commit, part: 0, durableEnd: offset)
        change(&frame)
        frame.seal(buffer, salt: header.salt)
        bytes += Array(buffer.bytes)
        frames.append(Int(offset))
        return Int(offset)
    }

    /// Adds a close marker, so that everything before it was once durable.
    mutating func close(change: (inout FrameHeader) -> Void = { _ in }) {
        let offset = UInt64(bytes.count)
        var frame = FrameHeader(
            kind: .closeMarker, hasCommitMark: false, offset: offset, payloadLength: 0, metadataOffset: 0, commit: commit, part: 0,
            durableEnd: offset)
        change(&frame)
        let buffer = ByteBuffer()
        buffer.appendZeros(Format.frameHeaderByteCount)
        frame.seal(buffer, salt: header.salt)
        bytes += Array(buffer.bytes)
    }
}

/// Makes the checksum of the header page right again.
func resealHeader(_ bytes: inout [UInt8]) { put(checksum(bytes[0..<4092]), at: 4092, &bytes) }

/// Makes the checksums of an index file right again.
func resealIndex(_ bytes: inout [UInt8]) {
    func number(_ place: Int) -> Int { bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) } }
    let payload = number(88)
    let table = IndexHeader.tableOffset(payload)
    let blocks = IndexHeader.blockCount(payload)
    for block in 0..<blocks {
        let start = IndexHeader.byteCount + block * Format.blockByteCount
        let end = min(start + Format.blockByteCount, IndexHeader.byteCount + payload)
        put(checksum(bytes[start..<end]), at: table + block * 4, &bytes)
    }
    let second = table + blocks * 4
    for block in 0..<IndexHeader.blockCount(blocks * 4) {
        let start = table + block * Format.blockByteCount
        put(checksum(bytes[start..<min(start + Format.blockByteCount, second)]), at: second + block * 4, &bytes)
    }
    put(checksum(Array(bytes[0..<4092]) + bytes[second...]), at: 4092, &bytes)
}

private func checksum(_ bytes: some Collection<UInt8>) -> UInt32 {
    Array(bytes).withUnsafeBytes { graben_crc32c(0, $0.baseAddress, $0.count) }
}

private func put(_ value: UInt32, at place: Int, _ bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
}
