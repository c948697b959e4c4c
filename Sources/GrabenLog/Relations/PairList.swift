/// The pairs of one relationship as a walk over records finds them, to be sorted.
///
/// Unchecked because of the memory, which one thread at a time uses: the one that fills it, and then the one that sorts it.
final class PairList: @unchecked Sendable {
    @exclusivity(unchecked) private var scan: ReferenceScan
    private let words: UnsafeMutablePointer<UInt64>
    private let capacity: Int
    @exclusivity(unchecked) private var count = 0
    private var result: [UInt64] = []

    init(_ key: ReverseKey, capacity: Int) {
        scan = ReferenceScan(key)
        self.capacity = capacity
        words = .allocate(capacity: capacity)
        Platform.preferLargePages(UnsafeMutableRawPointer(words), capacity * MemoryLayout<UInt64>.size)
    }

    deinit { words.deallocate() }

    /// Adds what the record of a row refers to, if that is of the relationship.
    @inline(__always)
    func add(_ head: RecordHead, _ layout: RecordLayout, _ row: UInt64) throws(ByteError) {
        guard let target = try scan.target(head, layout), count < capacity else { return }
        words[count] = UInt64(target) << 32 | row
        count += 1
    }

    private func sort() { result = ReverseRun.sortedByTarget(words, count: count) }

    /// Below so many pairs a thread costs more than it saves.
    private static let threadedCount = 1 << 16

    /// The pairs of each list, sorted; those of large ones by threads of their own.
    static func sorted(_ lists: [PairList]) -> [[UInt64]] {
        let lock = ConditionLock()
        nonisolated(unsafe) var waiting = 0
        for list in lists.dropFirst() {
            guard list.count >= threadedCount else {
                list.sort()
                continue
            }
            lock.withLock { waiting += 1 }
            let hasThread = DetachedThread.start {
                list.sort()
                lock.withLock {
                    waiting -= 1
                    lock.broadcast()
                }
            }
            if !hasThread {
                list.sort()
                lock.withLock { waiting -= 1 }
            }
        }
        lists.first?.sort()
        lock.withLock {
            while waiting > 0 { lock.wait() }
        }
        return lists.map { $0.result }
    }
}
