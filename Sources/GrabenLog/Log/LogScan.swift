/// What the headers of a log say, before anything is replayed.
struct LogScan {
    /// The first offset at which no valid frame stands.
    var end: UInt64
    /// The greatest durable end that anything valid names, in or after the frames before `end`.
    var durableEnd: UInt64
    /// Whether a close marker is the last frame.
    var endsWithMarker = false
    /// Whether nothing but zeros follows `end`.
    var restIsZero = true
    /// Whether so much looked like frames and was none that the search was given up; no crash leaves such bytes.
    var gaveUp = false

    /// Walks the headers of the bytes `base..<base + limit`, from the end of what a checkpoint covers, then looks for frames after the first
    /// place that has none.
    init(_ base: UnsafeRawPointer, limit: UInt64, header file: FileHeader, after checkpoint: Checkpoint? = nil) {
        end = checkpoint?.durableEnd ?? UInt64(Format.headerByteCount)
        durableEnd = end
        endsWithMarker = checkpoint?.endsWithMarker ?? false
        var cursor = FrameCursor(base, limit: limit, header: file, after: checkpoint)
        while let header = cursor.next() {
            durableEnd = max(durableEnd, header.durableEnd)
            endsWithMarker = header.kind == .closeMarker
            end = header.end
        }
        lookAhead(base, limit: limit, salt: file.salt)
    }

    private mutating func lookAhead(_ base: UnsafeRawPointer, limit: UInt64, salt: UInt64) {
        var offset = end
        // Bytes that only look like frames must not make this quadratic: checking a claimed table costs its length.
        var budget = (64 << 20) + Int(clamping: limit / 16) * 16
        while limit >= 8, offset <= limit - 8 {
            let word = base.loadUnaligned(fromByteOffset: Int(offset), as: UInt64.self)
            if word != 0 {
                restIsZero = false
                if UInt32(truncatingIfNeeded: UInt64(littleEndian: word)) == Format.frameMagic {
                    guard budget > 0 else {
                        gaveUp = true
                        return
                    }
                    if let header = FrameHeader(base + Int(offset), offset: offset, limit: limit, salt: salt),
                        header.durableEnd <= offset
                    {
                        durableEnd = max(durableEnd, header.durableEnd)
                        offset = header.end
                        continue
                    }
                    budget -= FrameHeader.blockCount(Format.payloadLimit) * 4
                }
            }
            offset += 8
        }
        while offset < limit {
            if base.load(fromByteOffset: Int(offset), as: UInt8.self) != 0 { restIsZero = false }
            offset += 1
        }
    }
}

/// Goes from frame to frame as long as each is valid and follows the one before it.
struct FrameCursor {
    private let base: UnsafeRawPointer
    private let limit: UInt64
    private let salt: UInt64
    private var offset: UInt64
    /// The number of the next commit; nil before the first one of a compacted file, which has that of the commit it was made from.
    private var following: UInt64?
    /// The part expected next; 0 between commits.
    private var part: UInt32 = 0
    /// Of the part before.
    private var tableBefore: UInt32 = 0

    init(_ base: UnsafeRawPointer, limit: UInt64, header: FileHeader, after checkpoint: Checkpoint? = nil) {
        self.base = base
        self.limit = limit
        salt = header.salt
        offset = checkpoint?.durableEnd ?? UInt64(Format.headerByteCount)
        following = checkpoint.map { $0.commit + 1 } ?? (header.epoch == 1 ? 1 : nil)
    }

    mutating func next() -> FrameHeader? {
        guard offset < limit, limit - offset >= UInt64(Format.frameHeaderByteCount),
            let header = FrameHeader(base + Int(offset), offset: offset, limit: limit, salt: salt), header.durableEnd <= offset
        else { return nil }
        switch header.kind {
        case .commit:
            guard header.commit == following ?? header.commit, header.commit > 0, header.part == part, header.follows(table: tableBefore)
            else { return nil }
            following = header.commit
            if header.hasCommitMark {
                following = header.commit + 1
                part = 0
            } else {
                guard part < .max else { return nil }
                part += 1
                tableBefore = header.tableChecksum(base + Int(offset))
            }
        case .closeMarker:
            guard part == 0, header.commit + 1 == following, header.payloadLength == 0 else { return nil }
        }
        offset = header.end
        return header
    }
}
