internal import Synchronization

/// Which snapshots of a log somebody still holds: each that was published has an entry as long as it lives.
final class SnapshotPins: Sendable {
    fileprivate struct Key: Hashable {
        let salt: UInt64
        let commit: UInt64
    }
    private struct Entry {
        var count = 0
        var byteCount: UInt64 = 0
    }
    private let entries = Mutex<[Key: Entry]>([:])

    /// What a snapshot holds to be counted; its end is the snapshot's.
    final class Pin: Sendable {
        private let pins: SnapshotPins
        private let key: Key

        fileprivate init(_ pins: SnapshotPins, _ key: Key) {
            self.pins = pins
            self.key = key
        }

        deinit {
            pins.entries.withLock { entries in
                guard let entry = entries[key] else { return }
                entries[key] = entry.count > 1 ? Entry(count: entry.count - 1, byteCount: entry.byteCount) : nil
            }
        }
    }

    /// Counts a snapshot from now on. Called before anyone else sees it.
    func add(_ snapshot: LogSnapshot) {
        let key = Key(salt: snapshot.header.salt, commit: snapshot.commitNumber)
        entries.withLock { entries in
            let entry = entries[key] ?? Entry()
            entries[key] = Entry(count: entry.count + 1, byteCount: max(entry.byteCount, snapshot.endOffset))
        }
        snapshot.pin = Pin(self, key)
    }

    /// The oldest snapshot held besides the newest, and how many bytes of files that compactions replaced are on the disk only for such ones.
    /// `leaving` are those that are about to be let go of.
    func summary(besides newest: LogSnapshot, leaving: [LogSnapshot] = []) -> PinnedSnapshots {
        let (salt, commit) = (newest.header.salt, newest.commitNumber)
        // Nearly always there are the newest and the one it replaces, and nobody else holds that.
        if leaving.count == 1 {
            let last = Key(salt: leaving[0].header.salt, commit: leaving[0].commitNumber)
            let isAll = entries.withLock {
                $0.count == 2 && $0[last]?.count == 1 && $0[Key(salt: salt, commit: commit)] != nil && last.commit != commit
            }
            if isAll { return PinnedSnapshots() }
        }
        var gone: [Key: Int] = [:]
        for snapshot in leaving { gone[Key(salt: snapshot.header.salt, commit: snapshot.commitNumber), default: 0] += 1 }
        return entries.withLock { entries in
            var result = PinnedSnapshots()
            var files: [UInt64: UInt64] = [:]
            for (key, entry) in entries where (key.salt != salt || key.commit < commit) && entry.count > gone[key] ?? 0 {
                result.oldestCommit = min(result.oldestCommit ?? key.commit, key.commit)
                result.count += entry.count - (gone[key] ?? 0)
                if key.salt != salt { files[key.salt] = max(files[key.salt] ?? 0, entry.byteCount) }
            }
            result.byteCount = files.values.reduce(0, +)
            return result
        }
    }
}

/// Snapshots of earlier commits that somebody in the process still reads.
package struct PinnedSnapshots: Sendable, Equatable {
    /// nil when there are none.
    package var oldestCommit: UInt64?
    package var count = 0
    /// The room of files that were compacted away and are still being read: it is free when the last of their readers is gone. Within the log's
    /// own file a snapshot holds none, for that keeps all commits anyway.
    package var byteCount: UInt64 = 0

    package init() {}
}
