/// The pairs of one relationship as walks over shares of the records find them, to be sorted.
///
/// Unchecked because of the memory: each share's is one thread's while the walks go on, and then all of it that of the one that sorts it.
final class PairList: @unchecked Sendable {
    private let words: UnsafeMutablePointer<UInt64>
    /// How much room each share has.
    private let capacity: Int
    private let shares: Int
    /// How many pairs each has found, and which bits their targets have.
    private let found: UnsafeMutablePointer<(count: Int, targets: UInt64)>
    private var result: [UInt64] = []

    /// A list of so many shares, none of which finds more than `capacity` pairs.
    init(shares: Int, capacity: Int) {
        self.capacity = capacity
        self.shares = shares
        found = .allocate(capacity: shares)
        found.initialize(repeating: (0, 0), count: shares)
        words = .allocate(capacity: shares * capacity)
        Platform.preferLargePages(UnsafeMutableRawPointer(words), shares * capacity * MemoryLayout<UInt64>.size)
    }

    deinit {
        words.deallocate()
        found.deallocate()
    }

    /// A scan of one share's records.
    func scan(_ key: ReverseKey, share: Int) -> ReferenceScan {
        ReferenceScan(key, into: words + share * capacity, capacity: capacity)
    }

    /// Takes what such a scan has found.
    func take(_ scan: ReferenceScan, share: Int) { found[share] = (scan.count, scan.targets) }

    private var foundCount: Int { (0..<shares).reduce(0) { $0 + found[$1].count } }

    private func sort() {
        var (count, targets) = found[0]
        for share in 1..<shares {
            (words + count).update(from: words + share * capacity, count: found[share].count)
            count += found[share].count
            targets |= found[share].targets
        }
        result = ReverseRun.sortedByTarget(words, count: count, targets)
    }

    /// Below so many pairs a thread costs more than it saves.
    private static let threadedCount = 1 << 16

    /// The pairs of each list, sorted; those of large ones by threads of their own.
    static func sorted(_ lists: [PairList]) -> [[UInt64]] {
        if lists.contains(where: { $0.foundCount >= threadedCount }) {
            DetachedThread.forEach(lists.count) { lists[$0].sort() }
        } else {
            for list in lists { list.sort() }
        }
        return lists.map { $0.result }
    }
}
