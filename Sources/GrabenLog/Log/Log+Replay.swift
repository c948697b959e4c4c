/// What replaying a log came to.
struct Replay {
    var snapshot: LogSnapshot
    /// Where the next frame goes: the end of the last complete commit or close marker.
    var tail: UInt64
    var health = LogHealth()
    /// Whether zeros and nothing else follow the tail.
    var restIsZero: Bool
    /// The index file the snapshot stands on, if any.
    var checkpoint: Checkpoint? { snapshot.checkpoint }
}

extension Log {
    /// What the log and the index file beside it come to. The index is believed where it is this log's; where it is not, or the log below it
    /// turns out bad, the log is replayed from its beginning, and what the index calls durable counts.
    static func load(
        path: String, header: FileHeader, region: MappedRegion, limit: UInt64, knownDurable: UInt64, index: IndexFile?,
        watch: RecoveryWatch? = nil
    ) throws(LogError) -> Replay {
        guard let index, Checkpoint.belongs(index.header, to: header) else {
            return try replay(
                path: path, header: header, region: region, limit: limit, knownDurable: knownDurable, checkpoint: nil, watch: watch)
        }
        do throws(LogError) {
            if let checkpoint = try Checkpoint(index, path: path, header: header, region: region, limit: limit) {
                let replay = try replay(
                    path: path, header: header, region: region, limit: limit, knownDurable: knownDurable, checkpoint: checkpoint,
                    watch: watch)
                if replay.health.damage == nil { return replay }
            }
        } catch {
            if case .cancelled = error { throw error }
            // Which of the two is bad, and where, the log alone shows.
        }
        var replay = try replay(
            path: path, header: header, region: region, limit: limit, knownDurable: max(knownDurable, index.header.durableEnd),
            checkpoint: nil, watch: watch)
        if let damage = replay.health.damage, index.header.durableEnd > limit {
            // The bytes may be missing because an older copy of the file was put back by hand; nothing in it can tell.
            replay.health.damage = LogHealth.Damage(
                offset: damage.offset,
                reason: "\(damage.reason), as the index beside it says; if this is an older copy of the file, remove the index")
        }
        return replay
    }

    /// Applies the log's frames to what a checkpoint says of those before, or to nothing. `limit` is how far the file may be read;
    /// `knownDurable` an offset the side file of a running writer or an index vouches for; `permuted` the entities whose slots may differ from
    /// their rows, nil for all.
    static func replay(
        path: String, header: FileHeader, region: MappedRegion, limit: UInt64, knownDurable: UInt64, checkpoint: Checkpoint?,
        permuted: Set<EntityCode>? = nil, watch: RecoveryWatch? = nil
    ) throws(LogError) -> Replay {
        let base = region.base
        let start = checkpoint?.snapshot()
        let scan = LogScan(base, limit: limit, header: header, after: checkpoint)
        let durable = max(scan.durableEnd, knownDurable)
        var damage: LogHealth.Damage?
        if durable > scan.end {
            damage = LogHealth.Damage(offset: scan.end, reason: "there is no valid frame, though bytes up to \(durable) were once durable")
        }
        if damage == nil, scan.gaveUp {
            damage = LogHealth.Damage(offset: scan.end, reason: "what follows is neither frames nor the remains of an interrupted commit")
        }
        var stop = scan.end
        while true {
            // Bytes that fail while they are applied have changed the index already, so it is built again up to the commit before them.
            let pass = try replayPass(
                path: path, header: header, region: region, limit: stop, start: start, permuted: permuted, watch: watch)
            switch pass.failure {
            case nil:
                var health = LogHealth()
                health.damage = damage
                health.wasClosedCleanly = scan.endsWithMarker && pass.tail == scan.end && damage == nil && scan.restIsZero
                let restIsZero = scan.restIsZero && pass.tail == scan.end
                if damage == nil, !restIsZero { health.tornTail = pass.tail..<limit }
                return Replay(snapshot: pass.snapshot, tail: pass.tail, health: health, restIsZero: restIsZero)
            case let failure?:
                // Nobody has been told of what was never durable: the disk may have kept a part of it, or the writer died between a frame and
                // finding that it cannot be applied.
                if durable > failure.frame { damage = LogHealth.Damage(offset: failure.offset, reason: failure.reason) }
                stop = failure.frame
            }
        }
    }

    /// Bytes that cannot be applied: a block whose checksum is wrong, or contents that do not follow the format.
    private struct PassFailure {
        let reason: String
        let offset: UInt64
        /// Where the log ends for that.
        let frame: UInt64
    }

    private static func replayPass(
        path: String, header: FileHeader, region: MappedRegion, limit: UInt64, start: LogSnapshot?, permuted: Set<EntityCode>?,
        watch: RecoveryWatch?
    ) throws(LogError) -> (snapshot: LogSnapshot, tail: UInt64, failure: PassFailure?) {
        let base = region.base
        let assembler = SnapshotAssembler(path: path, purpose: .replay, header: header, from: start, permuted: permuted) { base + Int($0) }
        var cursor = FrameCursor(base, limit: limit, header: header, after: start?.checkpoint)
        var tail = start?.endOffset ?? UInt64(Format.headerByteCount)
        var commit = start?.commitNumber ?? 0
        var parts: [(base: UnsafeRawPointer, header: FrameHeader)] = []
        var failure: PassFailure?
        let first = tail
        frames: while let frame = cursor.next() {
            try watch?.note(Double(frame.offset - min(first, frame.offset)) / Double(max(limit - min(first, limit), 1)))
            if let block = frame.firstBadBlock(base + Int(frame.offset)) {
                let place = frame.payloadOffset + UInt64(block * Format.blockByteCount)
                failure = PassFailure(reason: "the checksum of a block is wrong", offset: place, frame: frame.offset)
                break
            }
            if frame.kind == .closeMarker {
                tail = frame.end
                continue
            }
            parts.append((base + Int(frame.payloadOffset), frame))
            guard frame.hasCommitMark else { continue }
            let start = parts.first?.header.offset ?? frame.offset
            do throws(LogError) {
                assembler.beginCommit(at: start)
                try assembler.adoptOrder(parts)
                for part in parts { try assembler.apply(part.base, part.header) }
            } catch {
                if case .malformed(let what, _, let offset) = error {
                    failure = PassFailure(reason: what, offset: offset, frame: start)
                    break frames
                }
                throw error
            }
            parts.removeAll(keepingCapacity: true)
            commit = frame.commit
            tail = frame.end
        }
        // With nothing behind it, what the index says is the store as it is.
        if let start, commit == start.commitNumber, tail == start.endOffset { return (start, tail, failure) }
        return (assembler.makeSnapshot(commit: commit, endOffset: tail, regions: [region]), tail, failure)
    }
}
