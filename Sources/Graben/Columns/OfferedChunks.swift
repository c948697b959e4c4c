import GrabenLog

/// The overlays that a save offered to its commit, to be chunks of the snapshot that the commit makes, until the save knows which became that.
///
/// Nothing may be written to them meanwhile: other contexts may read the snapshot.
final class OfferedChunks {
    private var lists: [(table: ObjectTable, indexes: [Int])] = []

    func add(_ table: ObjectTable, _ index: Int) {
        if lists.last?.table !== table { lists.append((table, [])) }
        lists[lists.count - 1].indexes.append(index)
    }

    /// After a commit that failed: it may be in doubt, and keep the memory it was given.
    func takeBack() {
        for (table, indexes) in lists { table.chunks.takeBack(indexes) }
    }

    /// After the commit: what became part of its snapshot is the context's overlay no more. `isAlone` says that no other commit came between, so
    /// that the snapshot is the one the context moves to.
    func settle(in snapshot: LogSnapshot, isAlone: Bool) {
        for (table, indexes) in lists {
            guard let stored = table.stored else { continue }
            let handed = indexes.filter { index in
                guard let overlay = table.chunks.overlay(index) else { return false }
                return (try? snapshot.chunk(stored.code, index)) == overlay.data
            }
            if isAlone { table.chunks.dropHandedOver(handed) } else { table.chunks.takeBack(handed) }
        }
    }
}
