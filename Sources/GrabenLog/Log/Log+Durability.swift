internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension Log {
    /// Adds an appended snapshot to those that wait for publication. Called under the writer lock, so they are in order.
    func enqueue(_ snapshot: LogSnapshot) {
        syncLock.withLock {
            publication.pending.append(snapshot)
            publication.appendedEnd = snapshot.endOffset
            publication.appendedCommit = snapshot.commitNumber
        }
    }

    /// Returns once the snapshot is durable and published. One thread syncs for all who wait.
    func waitUntilDurable(_ snapshot: LogSnapshot) throws(LogError) {
        var retired: [LogSnapshot] = []
        // Snapshots are let go of after the lock, for the last one to hold a chain frees all of it.
        defer { retired.removeAll() }
        syncLock.lock()
        defer { syncLock.unlock() }
        while publication.durableCommit < snapshot.commitNumber || publication.newest.commitNumber < snapshot.commitNumber {
            if let poison = publication.poison {
                throw .inDoubt(path: path, commit: snapshot.commitNumber, cause: poison.description)
            }
            guard let file = publication.file else { throw .closed(path: path) }
            if publication.isSyncing {
                // That sync is for this commit, or the next one is.
                let isOfThisSync = snapshot.commitNumber <= publication.syncTarget
                syncLock.wait(in: 1 + (publication.syncNumber + (isOfThisSync ? 0 : 1)) % 2)
                continue
            }
            let target = (end: publication.appendedEnd, commit: publication.appendedCommit)
            publication.isSyncing = true
            publication.syncNumber += 1
            publication.syncTarget = target.commit
            let queue = 1 + publication.syncNumber % 2
            syncLock.unlock()
            var failure: LogError?
            do throws(LogError) { try file.sync() } catch { failure = error }
            counters.withLock { $0.syncs += 1 }
            syncLock.lock()
            if let failure {
                publication.poison = failure
            } else {
                publication.durableEnd = max(publication.durableEnd, target.end)
                publication.durableCommit = max(publication.durableCommit, target.commit)
                publish(upTo: target.commit, &retired)
                // Readers elsewhere learn of it late or not at all when this fails, and still read what is right.
                try? publication.sideFile?.update(durableEnd: publication.durableEnd)
                updatePins(retired)
            }
            publication.isSyncing = false
            if failure != nil {
                syncLock.broadcast()
            } else {
                syncLock.broadcast(to: queue)
                syncLock.broadcast(to: 0)
                // One of those that came too late is enough, to sync for all of them.
                syncLock.signal(3 - queue)
            }
        }
    }

    /// Publishes pending snapshots up to a commit. Called under the sync lock.
    func publish(upTo commit: UInt64, _ retired: inout [LogSnapshot]) {
        let count = publication.pending.prefix { $0.commitNumber <= commit }.count
        for snapshot in publication.pending.prefix(count) {
            retired.append(publication.newest)
            publication.newest = snapshot
        }
        publication.pending.removeFirst(count)
        // The file and the newest snapshot always belong together: a copy of the log takes its bytes from the one, up to the end of the other.
        if let (file, first) = publication.successor, publication.newest.isOfSameFile(as: first) { publication.file = file }
    }

    /// Tells others what is pinned, where that has changed. Called under the sync lock.
    private func updatePins(_ retired: [LogSnapshot]) {
        guard let sideFile = publication.sideFile else { return }
        let pinned = pins.summary(besides: publication.newest, leaving: retired)
        guard pinned.oldestCommit != publication.toldPins.oldestCommit || pinned.byteCount != publication.toldPins.byteCount else { return }
        publication.toldPins = pinned
        try? sideFile.update(pinned: pinned)
    }

    func poison(_ error: LogError) {
        syncLock.withLock {
            publication.poison = error
            syncLock.broadcast()
        }
    }

    /// Publishes what has been appended and has it synced soon.
    func publishWithoutSync() {
        var retired: [LogSnapshot] = []
        syncLock.lock()
        publish(upTo: publication.appendedCommit, &retired)
        syncLock.broadcast()
        let startsTimer = !publication.isTimerSet && publication.durableCommit < publication.appendedCommit
        if startsTimer { publication.isTimerSet = true }
        syncLock.unlock()
        if startsTimer { startTimer() }
    }

    /// Syncs from a thread of its own after half a second, so that deferred commits are durable within one.
    private func startTimer() {
        // Not kept alive meanwhile: a log that is let go of syncs by itself.
        let hasThread = DetachedThread.start { [weak self] in
            usleep(500_000)
            self?.timerFired()
        }
        guard hasThread else {
            // No thread to be had: sync now rather than never.
            syncLock.withLock { publication.isTimerSet = false }
            try? synchronize()
            return
        }
    }

    private func timerFired() {
        syncLock.withLock { publication.isTimerSet = false }
        // A failure poisons the log; the next commit, synchronize or close reports it.
        try? synchronize()
    }

    /// Returns once everything committed so far is durable.
    package func synchronize() throws(LogError) {
        try refuseFork()
        let snapshot = writerLock.withLock { writer.appended }
        try waitUntilDurable(snapshot)
    }

    /// Syncs, marks the log as cleanly closed, gives back preallocated space, removes the side file and the lock. Snapshots stay readable;
    /// closing twice does nothing.
    package func close() throws(LogError) {
        try refuseFork()
        guard writerLock.withLock({ writer.file != nil }) else { return waitUntilClosed() }
        let isWriter = health.readOnlyReason == nil
        // Before the log is closed to commits, so that those under way do not fail for want of it. Its failure shows again below.
        if isWriter { try? synchronize() }
        endCheckpointing()
        // Whoever takes the file away from the writer may append without the writer lock: nobody else does any more.
        let taken = writerLock.withLock {
            defer { writer.file = nil }
            return writer.file
        }
        guard let file = taken else { return waitUntilClosed() }
        // Whatever fails, the handle is given up: what was acknowledged is durable, and the next opening finds the end of the log itself.
        defer {
            syncLock.withLock {
                publication.file = nil
                publication.sideFile = nil
                syncLock.broadcast()
            }
        }
        guard isWriter else { return }
        // A store that was opened as it was closed and not written since is closed still.
        if writer.hasSideFile {
            // A commit may have slipped in since; it belongs to the close as well, and the marker may stand only behind what is durable.
            try waitUntilDurable(writer.appended)
            try prepareToAppend(to: file)
            if !writer.endsWithMarker { try appendMarker(file) }
            if try file.size() > writer.tail { try file.truncate(to: writer.tail) }
            counters.withLock { $0.syncs += 1 }
            try file.sync()
        }
        checkpointAtClose(upTo: writer.tail)
        if writer.hasSideFile { try system.remove(SideFile.path(of: path)) }
    }

    /// Returns when the thread that closes the log has done so.
    private func waitUntilClosed() {
        syncLock.withLock {
            while publication.file != nil { syncLock.wait() }
        }
    }

    /// Names the durable end in a frame of its own, so that later damage before it cannot pass for a torn tail.
    private func appendMarker(_ file: any LogFile) throws(LogError) {
        let marker = FrameHeader(
            kind: .closeMarker, hasCommitMark: false, offset: writer.tail, payloadLength: 0, metadataOffset: 0,
            commit: writer.appended.commitNumber, part: 0, durableEnd: writer.tail)
        writer.buffer.reset()
        writer.buffer.appendZeros(Format.frameHeaderByteCount)
        marker.seal(writer.buffer, salt: writer.appended.header.salt)
        try ensureMapped(file, marker.offset, marker.length)
        writer.needsCut = true
        try file.write(writer.buffer.bytes, at: writer.tail)
        note(written: writer.buffer.count)
        writer.needsCut = false
        writer.tail = marker.end
        writer.endsWithMarker = true
    }
}
