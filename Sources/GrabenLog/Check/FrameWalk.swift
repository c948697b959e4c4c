/// Goes from frame to frame of a log, past what is damaged: behind bad bytes it goes on with the next frame of the file's salt that stands
/// where it says it does.
struct FrameWalk {
    enum Step {
        case frame(FrameHeader)
        /// Bytes without a valid frame, before one or before the end.
        case gap(Range<UInt64>)
    }

    private let base: UnsafeRawPointer
    private let limit: UInt64
    private let salt: UInt64
    private(set) var offset: UInt64
    /// How many bytes of tables may still be read of what only looks like a frame: a hostile file must not make this quadratic.
    private var budget: Int

    /// `base..<base + limit` are the bytes of the log from its header page on.
    init(_ base: UnsafeRawPointer, limit: UInt64, salt: UInt64, from offset: UInt64 = UInt64(Format.headerByteCount)) {
        self.base = base
        self.limit = limit
        self.salt = salt
        self.offset = offset
        budget = Self.budget(limit)
    }

    private static func budget(_ limit: UInt64) -> Int { (64 << 20) + Int(clamping: limit / 16) * 16 }

    mutating func next() -> Step? {
        guard offset < limit else { return nil }
        if let frame = Self.frame(base, at: offset, limit: limit, salt: salt) {
            offset = frame.end
            return .frame(frame)
        }
        let start = offset
        // Frames begin at multiples of 8, whatever the bad bytes did to the length of the one before.
        offset = Self.nextFrame(base, from: (start / 8 + 1) * 8, limit: limit, salt: salt, &budget) ?? limit
        return .gap(start..<offset)
    }

    static func frame(_ base: UnsafeRawPointer, at offset: UInt64, limit: UInt64, salt: UInt64) -> FrameHeader? {
        guard offset % 8 == 0, limit >= UInt64(Format.frameHeaderByteCount), offset <= limit - UInt64(Format.frameHeaderByteCount),
            let frame = FrameHeader(base + Int(offset), offset: offset, limit: limit, salt: salt), frame.durableEnd <= offset
        else { return nil }
        return frame
    }

    /// Where the next valid frame begins, of a salt or, where that is nil, of any. Only what has the magic, the salt and its own offset is looked
    /// at any closer, so that bytes which happen to look like frames cost little.
    private static func nextFrame(
        _ base: UnsafeRawPointer, from start: UInt64, limit: UInt64, salt: UInt64?, _ budget: inout Int
    ) -> UInt64? {
        let size = UInt64(Format.frameHeaderByteCount)
        var offset = start
        while limit >= size, offset <= limit - size {
            let place = base + Int(offset)
            if UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)) == Format.frameMagic,
                UInt64(littleEndian: place.loadUnaligned(fromByteOffset: 16, as: UInt64.self)) == offset
            {
                let found = UInt64(littleEndian: place.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                if found == salt ?? found {
                    if frame(base, at: offset, limit: limit, salt: found) != nil { return offset }
                    budget -= FrameHeader.blockCount(Format.payloadLimit) * 4
                    if budget < 0 { return nil }
                }
            }
            offset += 8
        }
        return nil
    }

    /// The salt of a log whose header page is bad, as its first valid frame has it.
    static func salt(_ base: UnsafeRawPointer, limit: UInt64) -> UInt64? {
        var budget = budget(limit)
        return nextFrame(base, from: UInt64(Format.headerByteCount), limit: limit, salt: nil, &budget).map { offset in
            UInt64(littleEndian: (base + Int(offset)).loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }
}
