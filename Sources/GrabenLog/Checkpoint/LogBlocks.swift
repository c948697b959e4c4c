internal import CGraben
internal import Synchronization

/// Which parts of a log have been compared with their checksums since the log was opened from an index file, in units of 16 KB of the file.
///
/// A unit is right when every block that overlaps it is: blocks begin where their frame's payload does, and so lie across units.
///
/// A log that was replayed from its beginning has no need of this: all of its blocks were checked then.
///
/// Unchecked because of the pointer into the mapped region, which it holds; bytes below the durable end never change, and the marks are
/// atomic. Two threads may check one block, which only takes time.
final class LogBlocks: @unchecked Sendable {
    static let unitBits = 14
    private static let unitByteCount = 1 << unitBits
    /// A unit that follows one already checked is likely to be part of a scan; so many are checked with it, for neighbours share a block.
    private static let unitsAhead = 8

    /// Everything at or behind this offset was checked when the log was opened, or has been written since.
    let end: UInt64
    let verified: VerifiedBlocks
    private let base: UnsafeRawPointer
    private let region: MappedRegion
    private let salt: UInt64
    private let path: String
    private let file: IndexFile
    private let anchors: IndexRoot.Table
    /// The frame the first byte of each unit belongs to, found by walking the log because the index would not say.
    private let walked = Mutex<[UInt64]?>(nil)

    /// Precondition: the region begins with the log and holds everything before the index's durable end.
    init(region: MappedRegion, header: FileHeader, path: String, file: IndexFile, anchors: IndexRoot.Table) {
        self.region = region
        base = region.base
        salt = header.salt
        self.path = path
        self.file = file
        self.anchors = anchors
        end = file.header.durableEnd
        verified = VerifiedBlocks(count: Int(end) / Self.unitByteCount + 1)
    }

    /// The bytes of the log at an offset, checked; nil when they are not all before the durable end. Throws at bad ones.
    func bytes(_ offset: UInt64, _ count: Int) throws(LogError) -> UnsafeRawPointer? {
        guard offset >= UInt64(Format.headerByteCount), offset <= end, UInt64(count) <= end - offset else { return nil }
        try verify(offset, count)
        return base + Int(offset)
    }

    /// Checks every block of every frame that overlaps these bytes, as far as they are before the durable end.
    @inline(__always)
    func verify(_ offset: UInt64, _ count: Int) throws(LogError) {
        guard offset < end, count > 0 else { return }
        let first = Int(offset) / Self.unitByteCount
        let last = (min(Int(offset) + count, Int(end)) - 1) / Self.unitByteCount
        if first == last, verified.contains(first) { return }
        try verifyUnits(first, last)
    }

    @inline(never)
    private func verifyUnits(_ first: Int, _ last: Int) throws(LogError) {
        guard let start = (first...last).first(where: { !verified.contains($0) }) else { return }
        defer { region.noteCheck() }
        let isScan = start > 0 && verified.contains(start - 1)
        let stop = isScan ? min(max(last + 1, start + Self.unitsAhead), verified.count) : last + 1
        do throws(LogError) {
            try verify(UInt64(start) * UInt64(Self.unitByteCount)..<min(UInt64(stop) * UInt64(Self.unitByteCount), end))
        } catch {
            // What was asked for may be right all the same.
            if !isScan || stop == last + 1 { throw error }
            try verify(UInt64(start) * UInt64(Self.unitByteCount)..<min(UInt64(last + 1) * UInt64(Self.unitByteCount), end))
            for unit in start...last { verified.insert(unit) }
            return
        }
        for unit in start..<stop { verified.insert(unit) }
    }

    private func verify(_ range: Range<UInt64>) throws(LogError) {
        let start = max(range.lowerBound, UInt64(Format.headerByteCount))
        let stop = range.upperBound
        var offset = try frame(holding: start)
        while offset < stop {
            guard let frame = FrameHeader(base + Int(offset), offset: offset, limit: end, salt: salt) else {
                throw .damaged(path: path, offset: offset, reason: "there is no valid frame, though the index tells of one")
            }
            if let bad = Self.firstBadBlock(of: frame, base + Int(offset), start, stop) {
                throw .damaged(path: path, offset: bad, reason: "the checksum of a block is wrong")
            }
            offset = frame.end
        }
    }

    /// Where the first bad block begins among those of the frame that overlap a range of the file.
    static func firstBadBlock(of frame: FrameHeader, _ base: UnsafeRawPointer, _ start: UInt64, _ stop: UInt64) -> UInt64? {
        let payloadEnd = frame.payloadOffset + UInt64(frame.payloadLength)
        guard frame.payloadLength > 0, start < payloadEnd, stop > frame.payloadOffset else { return nil }
        let size = UInt64(Format.blockByteCount)
        let first = start > frame.payloadOffset ? (start - frame.payloadOffset) / size : 0
        let last = (min(stop, payloadEnd) - frame.payloadOffset - 1) / size
        let block = (Int(first)...Int(last)).first { !frame.isBlockRight($0, base) }
        return block.map { frame.payloadOffset + UInt64($0) * size }
    }

    /// A frame that begins at or before an offset of the log, at most 64 KB of other frames before the one it belongs to.
    private func frame(holding start: UInt64) throws(LogError) -> UInt64 {
        let unit = Int(start) / LogAnchors.spacing
        if unit < anchors.count, let entry = file.bytes(anchors.offset + unit * 16, 16) {
            let offset = UInt64(littleEndian: entry.loadUnaligned(as: UInt64.self))
            if offset >= UInt64(Format.headerByteCount), offset <= start, offset % 8 == 0 { return offset }
            file.distrust()
        }
        let list = try walked.withLock { (known) throws(LogError) -> [UInt64] in
            if let known { return known }
            let made = try LogAnchors.walk(
                base, from: [], offset: UInt64(Format.headerByteCount), commit: 0, to: end, salt: salt, path: path)
            let offsets = made.map(\.offset)
            known = offsets
            return offsets
        }
        return unit < list.count ? list[unit] : UInt64(Format.headerByteCount)
    }
}

/// Which frame the first byte of each 64 KB of a log belongs to, so that the frame around a record is found without walking from the start.
enum LogAnchors {
    static let spacing = 1 << 16

    struct Anchor: Equatable {
        let offset: UInt64
        /// The number of the frame's commit; a close marker has that of the commit before it.
        let commit: UInt64
    }

    /// Anchors of the units that begin before `end`, those already known going before. `offset` is that of a frame no later than the first
    /// unit without an anchor.
    static func walk(
        _ base: UnsafeRawPointer, from known: [Anchor], offset: UInt64, commit: UInt64, to end: UInt64, salt: UInt64, path: String
    ) throws(LogError) -> [Anchor] {
        var result = known
        var offset = offset
        let unit = UInt64(spacing)
        while offset < end {
            guard let frame = FrameHeader(base + Int(offset), offset: offset, limit: end, salt: salt) else {
                throw .damaged(path: path, offset: offset, reason: "there is no valid frame, though the log goes on to byte \(end)")
            }
            // The first frame stands for the header page before it as well.
            while UInt64(result.count) * unit < frame.end, UInt64(result.count) * unit < end {
                result.append(Anchor(offset: frame.offset, commit: frame.commit))
            }
            offset = frame.end
        }
        return result
    }
}
