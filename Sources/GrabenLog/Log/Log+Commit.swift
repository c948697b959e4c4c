internal import Synchronization

extension Log {
    /// Appends one commit: all or nothing.
    ///
    /// `body` runs under the writer lock; it sees the newest appended snapshot, which may not be durable yet, and fills the builder. When it
    /// throws, nothing is appended. A builder left empty appends and syncs nothing. Answers the snapshot the commit made, published.
    ///
    /// With full durability a failed sync throws `inDoubt` and poisons the log. A failed write throws and leaves the log usable.
    package func commit<R, E: Error>(
        author: String? = nil, _ body: (LogSnapshot, inout CommitBuilder) throws(E) -> R
    ) throws(CommitError<E>) -> (R, LogSnapshot) {
        committing.wrappingAdd(1, ordering: .relaxed)
        defer { committing.wrappingSubtract(1, ordering: .relaxed) }
        var cut: (any LogFile)?
        let (result, snapshot): (R, LogSnapshot)
        do throws(CommitError<E>) { (result, snapshot) = try append(author, &cut, body) } catch {
            // Before anyone hears that it failed: all of its frame may be on the disk, and must not come back. Others commit meanwhile.
            if let cut {
                do throws(LogError) { try syncCut(cut) } catch { throw .log(error) }
            }
            throw error
        }
        do throws(LogError) {
            switch options.durability {
            case .full: try waitUntilDurable(snapshot)
            case .deferred: publishWithoutSync()
            }
        } catch { throw .log(error) }
        checkpointIfNeeded(snapshot)
        compactIfNeeded(snapshot)
        return (result, snapshot)
    }

    /// The part of a commit that the writer lock covers: everything but the sync. `cut` is set to the file where bytes of a commit that failed
    /// were cut off, which is to be made durable.
    private func append<R, E: Error>(
        _ author: String?, _ cut: inout (any LogFile)?, _ body: (LogSnapshot, inout CommitBuilder) throws(E) -> R
    ) throws(CommitError<E>) -> (R, LogSnapshot) {
        do throws(LogError) { try refuseFork() } catch { throw .log(error) }
        writerLock.lock()
        defer { writerLock.unlock() }
        let file: any LogFile
        do throws(LogError) { file = try prepareToAppend() } catch { throw .log(error) }
        let previous = writer.appended
        guard previous.commitNumber < .max - 1 else {
            throw .log(.limit(what: "it has had as many commits as can be numbered", path: path))
        }
        let salt = previous.header.salt
        let ready = ReadyChunks()
        let assembler = SnapshotAssembler(path: path, purpose: .commit, header: previous.header, from: previous, ready: ready) {
            [writer] offset in
            writer.regions.last.flatMap { $0.covers(offset, 1) ? $0.base + Int(offset - $0.fileOffset) : nil }
        }
        assembler.beginCommit(at: writer.tail)
        var end = writer.tail
        // Only a long commit has one.
        var overlap: PartOverlap?
        // Nothing may go on in another thread when the lock is let go of.
        defer { try? overlap?.wait() }
        var tableBefore: UInt32 = 0
        let encoder = CommitEncoder(
            path: path, buffer: writer.buffer, previous: previous, frameOffset: end, durableEnd: durableEnd,
            partLimit: options.partByteCount
        ) { [self] (buffer, frame) throws(LogError) in
            try overlap?.wait()
            try ensureMapped(file, frame.offset, frame.length)
            end = frame.end
            func finish(_ part: ByteBuffer) throws(LogError) {
                var frame = frame
                frame.tableBefore = tableBefore
                frame.seal(part, salt: salt)
                tableBefore = frame.tableChecksum(part.base)
                // From here on something of the commit may be in the file.
                writer.needsCut = true
                try write(part, at: frame.offset, file)
                beginWriting(part.count, at: frame.offset, file)
                try assembler.apply(UnsafeRawPointer(part.base + Format.frameHeaderByteCount), frame)
            }
            if frame.hasCommitMark || buffer.count < options.overlapByteCount { return try finish(buffer) }
            let other = overlap ?? PartOverlap()
            overlap = other
            let part = other.take(buffer)
            other.start { () throws(LogError) in try finish(part) }
        }
        var builder = CommitBuilder(encoder: encoder, ready: ready)
        let result: R
        do throws(E) { result = try body(previous, &builder) } catch { throw .body(error) }
        if encoder.isEmpty, encoder.failure == nil { return (result, previous) }
        var refusal: (any Error)?
        do throws(LogError) {
            try encoder.finish(author: author ?? options.author, time: Platform.now())
            let snapshot = assembler.makeSnapshot(commit: previous.commitNumber + 1, endOffset: end, regions: writer.regions)
            try snapshot.carryReverseIndexes(from: previous)
            try snapshot.carryKeyIndexes(from: previous)
            if let approval = writer.approval {
                do { try approval(snapshot) } catch {
                    refusal = error
                    throw LogError.invalid(what: "the commit was refused: \(error)", path: path)
                }
            }
            pins.add(snapshot)
            writer.needsCut = false
            writer.tail = end
            writer.endsWithMarker = false
            // At once, not when it is published: the next writer checks against this commit while it is still being synced.
            previous.setNext(snapshot)
            writer.appended = snapshot
            counters.withLock { $0.commits += 1 }
            enqueue(snapshot)
            return (result, snapshot)
        } catch {
            try? overlap?.wait()
            guard writer.needsCut else { throw .log(error) }
            do throws(LogError) { try cutBack(file) } catch let second {
                let cause = "\(error.description); and then cutting it off failed: \(second.description)"
                throw .log(.inDoubt(path: path, commit: previous.commitNumber + 1, cause: cause))
            }
            cut = file
            if let refusal { throw .refused(refusal) }
            throw .log(error)
        }
    }

    /// Has every commit from now on looked at, as the snapshot it makes, before anyone is told of it. What `body` throws keeps the commit out, and
    /// comes from `commit` as `CommitError.refused`. It is called under the writer lock.
    package func approve(_ body: @escaping (LogSnapshot) throws -> Void) { writerLock.withLock { writer.approval = body } }

    /// The file, when it can be appended to; cuts off what must not be there.
    func prepareToAppend() throws(LogError) -> any LogFile {
        guard let file = writer.file else { throw .closed(path: path) }
        try prepareToAppend(to: file)
        return file
    }

    /// Refuses a log that cannot be appended to; cuts off what must not be there.
    func prepareToAppend(to file: any LogFile) throws(LogError) {
        if let reason = health.readOnlyReason { throw .readOnly(path: path, reason: reason) }
        if let poison = syncLock.withLock({ publication.poison }) { throw .poisoned(path: path, cause: poison.description) }
        if !writer.hasSideFile {
            let sideFile = try SideFile(system, log: path, salt: writer.appended.header.salt, durableEnd: writer.tail)
            writer.hasSideFile = true
            syncLock.withLock { publication.sideFile = sideFile }
        }
        if writer.needsCut { try cutBack(file) }
    }

    /// Removes what a failed write left behind the tail.
    ///
    /// The next commit may be appended before that is durable: what a crash brings back of the failed one then stands behind or in place of a
    /// commit of the same number that nobody has been told is durable, and its other parts continue no commit: each names the table of the one before
    /// it.
    private func cutBack(_ file: any LogFile) throws(LogError) {
        try file.truncate(to: writer.tail)
        writer.preallocatedEnd = writer.tail
        writer.needsCut = false
    }

    /// Makes durable that the remains of a failed commit are gone. Called without the writer lock.
    private func syncCut(_ file: any LogFile) throws(LogError) {
        counters.withLock { $0.syncs += 1 }
        do throws(LogError) { try file.sync() } catch {
            poison(error)
            throw .poisoned(path: path, cause: error.description)
        }
    }

    /// Makes sure that the bytes of a frame lie in the last mapping: none straddles two.
    func ensureMapped(_ file: any LogFile, _ offset: UInt64, _ length: Int) throws(LogError) {
        if let last = writer.regions.last, last.covers(offset, length) { return }
        let start = offset / mappingGranularity * mappingGranularity
        let region = try Self.map(file, start, offset + UInt64(length), options)
        guard region.covers(offset, length) else { throw .limit(what: "the store has outgrown its memory", path: path) }
        writer.regions.append(region)
    }

    /// Writes a frame, and zeros behind it when it reaches past those already there.
    private func write(_ buffer: ByteBuffer, at offset: UInt64, _ file: any LogFile) throws(LogError) {
        let count = buffer.count
        let end = offset + UInt64(count)
        let step = options.preallocation
        if end > writer.preallocatedEnd, step > 0, count <= step, file.gainsFromPreallocation {
            do throws(LogError) {
                try file.write(buffer.bytes, at: offset, zerosBehind: step)
                note(written: count + step)
                writer.preallocatedEnd = end + UInt64(step)
                return
            } catch {
                // Perhaps there is room for the frame alone.
                writer.preallocatedEnd = end
            }
        }
        try file.write(buffer.bytes, at: offset)
        note(written: count)
        writer.preallocatedEnd = max(writer.preallocatedEnd, end)
    }

    /// Lets the disk work while the index is brought up to date, so that the sync has little left to wait for; long writes ask by themselves. Where
    /// several commit at once that is left to the sync they share: their frames lie in one page, which would be written for each.
    private func beginWriting(_ count: Int, at offset: UInt64, _ file: any LogFile) {
        guard options.durability == .full, count < longWrite else { return }
        if committing.load(ordering: .relaxed) == 1 { file.beginWriting(count, at: offset) }
    }

    func note(written count: Int) {
        counters.withLock {
            $0.writes += 1
            $0.bytesWritten += count
        }
    }
}
