extension Log {
    /// What the log went on with before it changed over to a compacted file, to go back to where that cannot be put in place.
    private struct Former {
        let file: any LogFile
        let appended: LogSnapshot
        let tail: UInt64
        let preallocatedEnd: UInt64
        let regions: [MappedRegion]
        let endsWithMarker: Bool
        let pending: [LogSnapshot]
        let durableEnd: UInt64
    }

    /// Carries over the last commits, makes the compacted file durable and puts it in the log's place.
    ///
    ///     lead the syncs | writer lock [ carry, marker, change over ] | sync, rename, sync of the directory | publish
    ///
    /// The writer lock is held for what lies in memory only. Commits that are made after the change-over go to the new file at once, and wait
    /// to be durable as for any sync: until the new file is, its name too. So whatever was acknowledged before is in the old file, durably,
    /// for as long as that has the name, and in the new one before the rename.
    func exchange(
        _ file: any LogFile, _ writer: CompactionWriter, reached: LogSnapshot, copied: LogSnapshot, start: LogSnapshot,
        isInPlace: inout Bool
    ) throws(LogError) -> LogCompaction {
        // Most of it while nobody waits.
        try synchronize()
        try file.sync()
        leadSyncs()
        defer { followSyncs() }
        let (former, snapshot) = try changeOver(file, writer, reached: reached, copied: copied)
        let target = syncLock.withLock { (end: publication.appendedEnd, commit: publication.appendedCommit) }
        do throws(LogError) {
            counters.withLock { $0.syncs += 1 }
            try file.sync()
            try system.rename(Self.compactionPath(of: path), to: path)
        } catch {
            // A rename that is said to have failed and has not is as one that is not durable.
            isInPlace = !former.file.isStillNamed()
            if !isInPlace, goBack(to: former, from: snapshot) { throw error }
            poison(error)
            throw .poisoned(path: path, cause: error.description)
        }
        isInPlace = true
        do throws(LogError) { try system.syncDirectory(of: path) } catch {
            // Either file may be the store after a crash, and both have all that was acknowledged; so nothing more may be added to one of them.
            poison(error)
            throw .poisoned(path: path, cause: error.description)
        }
        file.wasRenamed(to: path)
        settle(file, snapshot, target)
        return LogCompaction(
            byteCountBefore: former.tail, byteCountAfter: writer.tail,
            carriedCommits: Int(former.appended.commitNumber - start.commitNumber))
    }

    /// Waits for a sync that is under way and lets no other begin.
    private func leadSyncs() {
        syncLock.withLock {
            while publication.isSyncing { syncLock.wait() }
            publication.isSyncing = true
            publication.syncNumber += 1
            publication.syncTarget = 0
        }
    }

    private func followSyncs() {
        syncLock.withLock {
            publication.isSyncing = false
            syncLock.broadcast()
        }
    }

    /// Writes what is left to the new file and has the next commits go there. Syncs nothing.
    private func changeOver(
        _ file: any LogFile, _ compaction: CompactionWriter, reached: LogSnapshot, copied: LogSnapshot
    ) throws(LogError) -> (Former, LogSnapshot) {
        writerLock.lock()
        defer { writerLock.unlock() }
        let oldFile = try prepareToAppend()
        let old = writer.appended
        let snapshot = try carry(compaction, file, copied, from: reached, to: old)
        try checkCopy(snapshot, of: old)
        try compaction.writeMarker(commit: old.commitNumber)
        snapshot.takePlace(of: old)
        pins.add(snapshot)
        let former = syncLock.withLock {
            let former = Former(
                file: oldFile, appended: old, tail: writer.tail, preallocatedEnd: writer.preallocatedEnd, regions: writer.regions,
                endsWithMarker: writer.endsWithMarker, pending: publication.pending, durableEnd: publication.durableEnd)
            // Publishing it publishes all that were waiting: it is the last of them. Frames behind the marker may call everything before it
            // durable, for the file has no name until it is.
            publication.pending = [snapshot]
            publication.successor = (file, snapshot)
            (publication.appendedEnd, publication.durableEnd) = (compaction.tail, compaction.tail)
            return former
        }
        writer.file = file
        writer.tail = compaction.tail
        writer.preallocatedEnd = compaction.tail
        writer.needsCut = false
        writer.appended = snapshot
        writer.regions = snapshot.regions
        writer.endsWithMarker = true
        return (former, snapshot)
    }

    /// Goes on with the old file, which still has its name; false when something was committed to the new one meanwhile.
    private func goBack(to former: Former, from snapshot: LogSnapshot) -> Bool {
        writerLock.lock()
        defer { writerLock.unlock() }
        guard writer.appended === snapshot, !writer.needsCut else { return false }
        writer.file = former.file
        writer.tail = former.tail
        writer.preallocatedEnd = former.preallocatedEnd
        writer.appended = former.appended
        writer.regions = former.regions
        writer.endsWithMarker = former.endsWithMarker
        syncLock.withLock {
            // A deferred commit may have been published by its new place.
            let wasPublished = publication.newest === snapshot
            if wasPublished { publication.newest = former.appended }
            publication.pending = wasPublished ? [] : former.pending
            publication.successor = nil
            publication.file = former.file
            (publication.appendedEnd, publication.durableEnd) = (former.tail, former.durableEnd)
        }
        return true
    }

    /// Publishes what is in the new file, which is durable and has the log's name.
    private func settle(_ file: any LogFile, _ snapshot: LogSnapshot, _ target: (end: UInt64, commit: UInt64)) {
        // Readers in other processes find out by its salt that the old one says nothing of this file; without one they are refused for a while.
        let sideFile = try? SideFile(system, log: path, salt: snapshot.header.salt, durableEnd: target.end)
        writerLock.withLock { writer.hasSideFile = true }
        checkpointing.lock.withLock {
            checkpointing.coveredEnd = 0
            checkpointing.byteCount = 0
            checkpointing.retryEnd = 0
            checkpointing.nextCompactionCheck = UInt64(options.compactionByteCount)
            // The old file's index is of use to nobody; one that is just being written will not be believed.
            if checkpointing.activity != .writing { try? system.remove(IndexFile.path(of: path)) }
        }
        var retired: [LogSnapshot] = []
        syncLock.withLock {
            publication.durableEnd = max(publication.durableEnd, target.end)
            publication.durableCommit = max(publication.durableCommit, target.commit)
            publication.sideFile = sideFile
            publication.toldPins = PinnedSnapshots()
            publish(upTo: target.commit, &retired)
            publication.file = file
            publication.successor = nil
        }
        retired.removeAll()
    }
}
