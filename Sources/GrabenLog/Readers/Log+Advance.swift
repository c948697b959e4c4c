extension Log {
    /// Whether the log is only read, while somebody else may write it.
    package var isFollower: Bool { health.readOnlyReason != nil && health.damage == nil && options.asOf == nil }

    /// Moves a log that was opened for reading to the newest commit its writer has made durable, in the same file or in the one a compaction
    /// put in its place. Snapshots taken before stay what they are, and the chain of commits leads on from them.
    ///
    /// Answers the newest snapshot; of a log that is written through this handle, or was opened as of a commit, just that. Throws `damaged`
    /// and `malformed` at bad bytes, having moved up to them; `replaced` when what stands at the path now does not go on from what was read;
    /// `noSuchFile`. O(1) when nothing has happened, else O(commits since).
    @discardableResult
    package func advance() throws(LogError) -> LogSnapshot {
        guard isFollower else { return newest }
        try refuseFork()
        return try writerLock.withLock { () throws(LogError) in
            guard let file = writer.file else { throw .closed(path: path) }
            do throws(LogError) {
                if !file.isStillNamed() { try moveToNewFile() }
                try follow()
            } catch {
                // Whoever compacts has renamed the new file and not yet said how far that may be read.
                guard case .system(_, _, Platform.tryAgain) = error else { throw error }
            }
            return newest
        }
    }

    /// How far the file may be read now; nil when its writer does not say, which it will soon.
    private func readableEnd(_ file: any LogFile) throws(LogError) -> UInt64? {
        let size = try file.size()
        guard try file.isLockedElsewhere() else { return try completeEnd(file, size) }
        if let side = SideFile.read(system, log: path) {
            return side.salt == writer.appended.header.salt && side.durableEnd <= size ? side.durableEnd : nil
        }
        // Without one nothing has been written since it was closed, or it is just being made.
        return system.exists(SideFile.path(of: path)) ? nil : try completeEnd(file, size)
    }

    /// Where the last complete commit ends in a file that nobody writes, made durable. The next writer may cut off what is behind it at any
    /// moment, so the bytes are read and not touched where they are mapped.
    private func completeEnd(_ file: any LogFile, _ size: UInt64) throws(LogError) -> UInt64 {
        var end = writer.tail
        var offset = end
        while size > offset, size - offset >= UInt64(Format.frameHeaderByteCount) {
            let head = try file.readAll(at: offset, count: Format.frameHeaderByteCount)
            guard head.count == Format.frameHeaderByteCount else { break }
            let (magic, payload) = head.withUnsafeBytes {
                (
                    UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)),
                    Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self)))
                )
            }
            guard magic == Format.frameMagic, payload <= Format.payloadLimit, UInt64(FrameHeader.frameLength(payload)) <= size - offset
            else { break }
            let bytes = try file.readAll(at: offset, count: FrameHeader.frameLength(payload))
            let salt = writer.appended.header.salt
            let frame: FrameHeader? = bytes.withUnsafeBytes { raw in
                guard let base = raw.baseAddress,
                    let frame = FrameHeader(base, offset: offset, limit: offset + UInt64(raw.count), salt: salt),
                    frame.firstBadBlock(base) == nil
                else { return nil }
                return frame
            }
            guard let frame else { break }
            offset = frame.end
            if frame.kind == .closeMarker || frame.hasCommitMark { end = offset }
        }
        if end > writer.tail { try? file.sync() }
        return end
    }

    /// Applies what the writer has appended since. Called under the writer lock, which in a reader guards what it reads.
    private func follow() throws(LogError) {
        guard let file = writer.file, let limit = try readableEnd(file), limit > writer.tail else { return }
        if !(writer.regions.last?.covers(writer.tail, Int(clamping: limit - writer.tail)) ?? false) {
            writer.regions.append(try Self.map(file, writer.tail / mappingGranularity * mappingGranularity, limit, options))
        }
        guard let region = writer.regions.last, region.covers(writer.tail, Int(clamping: limit - writer.tail)) else {
            throw .limit(what: "the store has outgrown its memory", path: path)
        }
        defer { publishFollowed() }
        let header = writer.appended.header
        var offset = writer.tail
        var parts: [(base: UnsafeRawPointer, header: FrameHeader)] = []
        var tableBefore: UInt32 = 0
        while offset < limit {
            let base = region.base + Int(offset - region.fileOffset)
            guard let frame = FrameHeader(base, offset: offset, limit: limit, salt: header.salt) else {
                throw .damaged(path: path, offset: offset, reason: "there is no valid frame, though the log goes on to byte \(limit)")
            }
            if let block = frame.firstBadBlock(base) {
                let place = frame.payloadOffset + UInt64(block * Format.blockByteCount)
                throw .damaged(path: path, offset: place, reason: "the checksum of a block is wrong")
            }
            offset = frame.end
            if frame.kind == .closeMarker {
                writer.tail = offset
                continue
            }
            guard frame.commit == writer.appended.commitNumber + 1, frame.part == UInt32(clamping: parts.count),
                frame.follows(table: tableBefore)
            else {
                throw .damaged(
                    path: path, offset: frame.offset,
                    reason: "commit \(frame.commit), part \(frame.part), does not follow commit \(writer.appended.commitNumber)")
            }
            parts.append((base + Format.frameHeaderByteCount, frame))
            tableBefore = frame.tableChecksum(base)
            guard frame.hasCommitMark else { continue }
            try apply(parts, in: region)
            writer.tail = offset
            parts.removeAll(keepingCapacity: true)
        }
    }

    private func apply(_ parts: [(base: UnsafeRawPointer, header: FrameHeader)], in region: MappedRegion) throws(LogError) {
        guard let first = parts.first?.header, let last = parts.last?.header else { return }
        let previous = writer.appended
        let assembler = SnapshotAssembler(path: path, purpose: .commit, header: previous.header, from: previous) { offset in
            region.covers(offset, 1) ? region.base + Int(offset - region.fileOffset) : nil
        }
        assembler.beginCommit(at: first.offset)
        for part in parts { try assembler.apply(part.base, part.header) }
        let snapshot = assembler.makeSnapshot(commit: last.commit, endOffset: last.end, regions: writer.regions)
        try snapshot.carryReverseIndexes(from: previous)
        try snapshot.carryKeyIndexes(from: previous)
        pins.add(snapshot)
        previous.setNext(snapshot)
        writer.appended = snapshot
    }

    /// Shows everybody the snapshot that was reached.
    private func publishFollowed() {
        var retired: LogSnapshot?
        syncLock.withLock {
            guard publication.newest !== writer.appended else { return }
            retired = publication.newest
            publication.newest = writer.appended
            publication.file = writer.file
            (publication.appendedEnd, publication.durableEnd) = (writer.tail, writer.tail)
            (publication.appendedCommit, publication.durableCommit) = (writer.appended.commitNumber, writer.appended.commitNumber)
            syncLock.broadcast()
        }
        _ = retired
    }

    /// Goes on in the file that stands at the path now, from the commit that was read last or, where that is history, from the first one
    /// there is: then what lies between is found by comparing the two.
    private func moveToNewFile() throws(LogError) {
        let old = writer.appended
        var reading = options
        reading.readOnly = true
        var (file, replay, _) = try Self.readReplay(path, system, reading, asOf: nil)
        if let damage = replay.health.damage { throw .damaged(path: path, offset: damage.offset, reason: damage.reason) }
        let header = replay.snapshot.header
        guard header.uuid == old.header.uuid else { throw .replaced(path: path, reason: "it is another store") }
        guard replay.snapshot.commitNumber >= old.commitNumber, header.epoch > old.header.epoch else {
            throw .replaced(
                path: path, reason: "it ends with commit \(replay.snapshot.commitNumber), and commit \(old.commitNumber) was read")
        }
        // As of the first commit that both have, or of the first one there is; what comes after it is followed as in any file.
        let first = max(Self.oldestHistory(of: replay.snapshot), old.commitNumber)
        if first != replay.snapshot.commitNumber {
            (file, replay, _) = try Self.readReplay(path, system, reading, asOf: .commit(first))
            guard replay.snapshot.header == header else {
                // It was compacted once more meanwhile.
                throw .system(operation: "following the compaction of", path: path, number: Platform.tryAgain)
            }
        }
        let fresh = replay.snapshot
        guard fresh.hasSameSlots(as: old) else {
            throw .replaced(path: path, reason: "a compaction has put its columns into another order")
        }
        if fresh.commitNumber == old.commitNumber {
            fresh.takePlace(of: old)
        } else {
            fresh.follow(old, changes: try ChangeSet(from: old, to: fresh))
        }
        pins.add(fresh)
        writer.file = file
        writer.appended = fresh
        writer.regions = fresh.regions
        writer.tail = replay.tail
        publishFollowed()
    }

    // MARK: Waiting

    /// Waits until there is a commit after the one of a number, and answers the newest snapshot; nil after so many seconds, or when
    /// `isCancelled` says so, which is asked about five times a second.
    ///
    /// Throws `closed` when the log is closed meanwhile, and what `advance()` throws.
    package func waitForCommit(
        after number: UInt64, seconds: Double, isCancelled: () -> Bool = { false }
    ) throws(LogError) -> LogSnapshot? {
        try refuseFork()
        let end = Platform.now() + seconds
        let watch = isFollower ? system.watch(path) : nil
        while true {
            watch?.arm()
            let snapshot = try advance()
            if snapshot.commitNumber > number { return snapshot }
            let rest = end - Platform.now()
            if rest <= 0 || isCancelled() { return nil }
            if let watch {
                watch.wait(seconds: min(rest, 0.2))
            } else {
                try syncLock.withLock { () throws(LogError) in
                    guard publication.file != nil else { throw .closed(path: path) }
                    guard publication.newest.commitNumber <= number else { return }
                    // Nothing wakes a reader where the system has no watch, so it looks a hundred times a second.
                    syncLock.wait(seconds: min(rest, isFollower ? 0.01 : 0.2))
                }
            }
        }
    }
}

extension LogSnapshot {
    /// Whether rows have the same slots in both.
    fileprivate func hasSameSlots(as other: LogSnapshot) -> Bool {
        guard permutedEntities == other.permutedEntities else { return false }
        for case let state? in other.entities {
            guard let map = state.slotMap, let mine = self.state(state.code) else { continue }
            // Later rows have their own numbers in both.
            let count = max(map.count, mine.slotMap?.count ?? 0)
            guard (0..<count).allSatisfy({ mine.slot(Row(truncatingIfNeeded: $0)) == map.slot(Row(truncatingIfNeeded: $0)) }) else {
                return false
            }
        }
        return true
    }
}
