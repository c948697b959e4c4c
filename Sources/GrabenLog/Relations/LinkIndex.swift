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

/// One direction of a relationship kept as links: what an index file holds, if there is one, and runs, oldest first, each at least twice as
/// long as the next.
struct LinkRuns: Sendable {
    private let base: MappedLinkBase?
    private var runs: [LinkRun] = []

    init(base: MappedLinkBase? = nil) { self.base = base }

    /// The base in the index file, when that is all there is.
    var soleBase: MappedLinkBase? { runs.isEmpty ? base : nil }

    mutating func append(_ unsorted: [LinkEntry]) {
        let run = LinkRun(unsorted: unsorted, isBase: base == nil && runs.isEmpty)
        guard !run.entries.isEmpty else { return }
        runs.append(run)
        while runs.count > 1, runs[runs.count - 1].entries.count * 2 >= runs[runs.count - 2].entries.count {
            let newer = runs.removeLast()
            let older = runs.removeLast()
            runs.append(LinkRun.merge(older, newer, isBase: base == nil && runs.isEmpty))
        }
    }

    /// About how many bytes a log takes to say what links there are. O(links).
    var byteCount: Int {
        func size(_ entry: LinkEntry) -> Int {
            func size(_ word: UInt64) -> Int { ByteBuffer.varintSize(word >> 32) + ByteBuffer.varintSize(word & 0xFFFF_FFFF) }
            return 2 + size(entry.key) + size(entry.other) + ByteBuffer.varintSize(Zigzag.encode(entry.order))
        }
        var sum = 0
        base?.forEach(from: (0, 0)) { entry in
            sum += size(entry)
            return true
        }
        // A removal takes back what an earlier run says.
        for run in runs { for entry in run.entries { sum += entry.isRemoved ? -size(entry) : size(entry) } }
        return max(0, sum)
    }

    /// Every link, in order.
    func all() -> [LinkEntry] {
        var merged = LinkRun(sorted: base?.entries { _ in true } ?? [])
        for run in runs { merged = LinkRun.merge(merged, run, isBase: true) }
        return merged.entries
    }

    /// The links of one object, by the other end. O(runs log n + links).
    func entries(_ key: UInt64) -> [LinkEntry] {
        var merged = LinkRun(sorted: base?.entries(from: (key, 0)) { $0.key == key } ?? [])
        for run in runs {
            let range = run.range(key)
            if !range.isEmpty { merged = LinkRun.merge(merged, LinkRun(sorted: Array(run.entries[range])), isBase: true) }
        }
        return merged.entries
    }

    /// How many links one object has. O(runs log n + what the later runs say of it).
    func count(_ key: UInt64) -> Int {
        // The oldest run without removals is counted as it stands.
        let first = base == nil ? runs.first : nil
        var others = Set<UInt64>()
        for run in runs.dropFirst(first == nil ? 0 : 1) {
            for entry in run.entries[run.range(key)] { others.insert(entry.other) }
        }
        var count = first?.range(key).count ?? 0
        if let base {
            base.forEach(from: (key, 0)) { entry in
                if entry.key == key { count += 1 }
                return entry.key == key
            }
        }
        for other in others {
            count += contains(key, other) ? 1 : 0
            count -= (first?.contains(key, other) ?? base?.contains(key, other) ?? false) ? 1 : 0
        }
        return count
    }

    func contains(_ key: UInt64, _ other: UInt64) -> Bool {
        for run in runs.reversed() {
            let place = run.lowerBound(key, other)
            if place < run.entries.count, run.entries[place].key == key, run.entries[place].other == other {
                return !run.entries[place].isRemoved
            }
        }
        return base?.contains(key, other) ?? false
    }
}

extension MappedLinkBase {
    /// The links from a place on, as long as `isWanted`.
    func entries(from start: (key: UInt64, other: UInt64) = (0, 0), while isWanted: (LinkEntry) -> Bool) -> [LinkEntry] {
        var result: [LinkEntry] = []
        forEach(from: start) { entry in
            guard isWanted(entry) else { return false }
            result.append(entry)
            return true
        }
        return result
    }

    func contains(_ key: UInt64, _ other: UInt64) -> Bool {
        var isThere = false
        forEach(from: (key, other)) { entry in
            isThere = entry.key == key && entry.other == other
            return false
        }
        return isThere
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
