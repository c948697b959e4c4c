/// A link seen from one of its ends.
struct LinkEntry: Sendable {
    /// The end one asks by, as an object's word.
    let key: UInt64
    let other: UInt64
    let order: Int64
    let isRemoved: Bool

    static func precedes(_ a: LinkEntry, _ b: LinkEntry) -> Bool { (a.key, a.other) < (b.key, b.other) }
}

/// Links of a range of commits, sorted by key and other end, one entry for each pair: the last thing said about it.
final class LinkRun: Sendable {
    let entries: [LinkEntry]

    /// `entries` in the order they were written.
    convenience init(unsorted entries: [LinkEntry], isBase: Bool) {
        // A stable order is needed so that the last word wins; the standard sort does not promise one.
        let order = entries.indices.sorted { a, b in
            (entries[a].key, entries[a].other, a) < (entries[b].key, entries[b].other, b)
        }
        var result: [LinkEntry] = []
        for (position, index) in order.enumerated() {
            let entry = entries[index]
            if position + 1 < order.count {
                let next = entries[order[position + 1]]
                if next.key == entry.key, next.other == entry.other { continue }
            }
            if !(isBase && entry.isRemoved) { result.append(entry) }
        }
        self.init(sorted: result)
    }

    init(sorted entries: [LinkEntry]) { self.entries = entries }

    func range(_ key: UInt64) -> Range<Int> { lowerBound(key, 0)..<(key == .max ? entries.count : lowerBound(key + 1, 0)) }

    func lowerBound(_ key: UInt64, _ other: UInt64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) >> 1
            if (entries[middle].key, entries[middle].other) < (key, other) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func contains(_ key: UInt64, _ other: UInt64) -> Bool {
        let place = lowerBound(key, other)
        return place < entries.count && entries[place].key == key && entries[place].other == other
    }

    static func merge(_ a: LinkRun, _ b: LinkRun, isBase: Bool) -> LinkRun {
        var result: [LinkEntry] = []
        result.reserveCapacity(a.entries.count + b.entries.count)
        var (i, j) = (0, 0)
        func add(_ entry: LinkEntry) { if !(isBase && entry.isRemoved) { result.append(entry) } }
        while i < a.entries.count || j < b.entries.count {
            if j == b.entries.count || (i < a.entries.count && LinkEntry.precedes(a.entries[i], b.entries[j])) {
                add(a.entries[i])
                i += 1
            } else {
                if i < a.entries.count, !LinkEntry.precedes(b.entries[j], a.entries[i]) { i += 1 }
                add(b.entries[j])
                j += 1
            }
        }
        return LinkRun(sorted: result)
    }
}

/// One direction of a relationship kept as links: runs, oldest first, each at least twice as long as the next.
struct LinkRuns: Sendable {
    private var runs: [LinkRun] = []

    mutating func append(_ unsorted: [LinkEntry]) {
        let run = LinkRun(unsorted: unsorted, isBase: runs.isEmpty)
        guard !run.entries.isEmpty else { return }
        runs.append(run)
        while runs.count > 1, runs[runs.count - 1].entries.count * 2 >= runs[runs.count - 2].entries.count {
            let newer = runs.removeLast()
            let older = runs.removeLast()
            runs.append(LinkRun.merge(older, newer, isBase: runs.isEmpty))
        }
    }

    /// The links of one object, by the other end. O(runs log n + links).
    func entries(_ key: UInt64) -> [LinkEntry] {
        guard let first = runs.first else { return [] }
        let base = Array(first.entries[first.range(key)])
        guard runs.count > 1 else { return base }
        var merged = LinkRun(sorted: base)
        for run in runs.dropFirst() {
            let range = run.range(key)
            if !range.isEmpty { merged = LinkRun.merge(merged, LinkRun(sorted: Array(run.entries[range])), isBase: true) }
        }
        return merged.entries
    }

    /// How many links one object has. O(runs log n + what the later runs say of it).
    func count(_ key: UInt64) -> Int {
        guard let base = runs.first else { return 0 }
        var others = Set<UInt64>()
        for run in runs.dropFirst() {
            for entry in run.entries[run.range(key)] { others.insert(entry.other) }
        }
        var count = base.range(key).count
        for other in others { count += (contains(key, other) ? 1 : 0) - (base.contains(key, other) ? 1 : 0) }
        return count
    }

    func contains(_ key: UInt64, _ other: UInt64) -> Bool {
        for run in runs.reversed() {
            let place = run.lowerBound(key, other)
            if place < run.entries.count, run.entries[place].key == key, run.entries[place].other == other {
                return !run.entries[place].isRemoved
            }
        }
        return false
    }
}

/// A relationship kept as links, indexed both ways.
struct LinkIndex: Sendable {
    var members = LinkRuns()
    var owners = LinkRuns()

    mutating func append(_ changes: [LinkChange]) {
        members.append(
            changes.map { LinkEntry(key: $0.owner.word, other: $0.member.word, order: $0.order, isRemoved: $0.isRemoved) })
        owners.append(
            changes.map { LinkEntry(key: $0.member.word, other: $0.owner.word, order: $0.order, isRemoved: $0.isRemoved) })
    }
}
