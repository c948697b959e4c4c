extension Log {
    /// What a log came to at a point of its history: a replay that ends there, of records and patches alike.
    ///
    /// Throws `noSuchCommit` when the log does not have it, `damaged` when bad bytes come before it. O(size of the log up to it).
    static func load(
        asOf moment: LogMoment, path: String, header: FileHeader, region: MappedRegion, limit: UInt64, knownDurable: UInt64,
        index: IndexFile?, watch: RecoveryWatch? = nil
    ) throws(LogError) -> Replay {
        let search = MomentSearch(moment, region.base, limit: limit, header: header)
        guard let found = search.found else {
            // Where the log ends in damage, the commit may well be behind that.
            let whole = try load(
                path: path, header: header, region: region, limit: limit, knownDurable: knownDurable, index: index, watch: watch)
            if let damage = whole.health.damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
            throw .noSuchCommit(path: path, wanted: moment.description, oldest: search.oldest, newest: search.newest)
        }
        // An index of later commits says nothing about this one.
        let usable = index.flatMap { $0.header.durableEnd <= found.end ? $0 : nil }
        let durable = found.isFollowed ? found.end : min(knownDurable, found.end)
        var replay = try load(
            path: path, header: header, region: region, limit: found.end, knownDurable: durable, index: usable, watch: watch)
        if let damage = replay.health.damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
        guard replay.snapshot.commitNumber == found.commit else {
            // The commit's frames are there and their payload is not: the last one, that a crash tore.
            throw .noSuchCommit(
                path: path, wanted: moment.description, oldest: min(search.oldest, replay.snapshot.commitNumber),
                newest: replay.snapshot.commitNumber)
        }
        replay.health.asOf = found.commit
        replay.health.readOnlyReason = "it was opened as of commit \(found.commit)"
        return replay
    }
}

/// Finds where a replay as of a point of history ends, by the headers of frames and, for a time, the metadata of commits.
private struct MomentSearch {
    struct Place {
        let commit: UInt64
        /// Where the next commit begins: a close marker behind the commit belongs to it.
        var end: UInt64
        /// Whether a valid frame comes after it, so that no crash explains bad bytes before.
        var isFollowed = false
    }

    private(set) var found: Place?
    private(set) var oldest: UInt64 = 0
    private(set) var newest: UInt64 = 0

    init(_ moment: LogMoment, _ base: UnsafeRawPointer, limit: UInt64, header: FileHeader) {
        var cursor = FrameCursor(base, limit: limit, header: header)
        while let frame = cursor.next() {
            if let place = found, frame.offset == place.end {
                if frame.kind == .closeMarker { found?.end = frame.end } else { found?.isFollowed = true }
            }
            if case .commit = moment, found?.isFollowed == true { return }
            guard frame.kind == .commit, frame.hasCommitMark else { continue }
            if oldest == 0 { oldest = frame.commit }
            newest = frame.commit
            switch moment {
            case .commit(let number):
                if frame.commit == number { found = Place(commit: number, end: frame.end) }
            case .time(let time):
                // Clocks are set back: what counts is the last commit of all that are not later.
                if let made = CommitMetadata(of: frame, at: base + Int(frame.offset)), made.time <= time {
                    found = Place(commit: frame.commit, end: frame.end)
                }
            }
        }
    }
}

extension CommitMetadata {
    /// The metadata of the commit whose last frame stands at `base`; nil when its bytes are bad.
    init?(of frame: FrameHeader, at base: UnsafeRawPointer) {
        let start = frame.payloadOffset + UInt64(frame.metadataOffset)
        guard LogBlocks.firstBadBlock(of: frame, base, start, frame.payloadOffset + UInt64(frame.payloadLength)) == nil else { return nil }
        self.init(checked: frame, at: base)
    }

    /// The same for a frame whose blocks have been compared with their checksums.
    init?(checked frame: FrameHeader, at base: UnsafeRawPointer) {
        var sections = SectionCursor(base + Format.frameHeaderByteCount, from: frame.metadataOffset, to: frame.payloadLength)
        guard case (.metadata, var section)?? = try? sections.next() else { return nil }
        do throws(ByteError) { try self.init(&section) } catch { return nil }
    }
}
