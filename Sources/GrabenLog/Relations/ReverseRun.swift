/// A sorted piece of a reverse index: which (target, source) pairs a range of commits added, and which it removed.
///
/// Meaning: everything before, minus `removed`, plus `added`. Pairs are target above source in one word, ascending.
final class ReverseRun: Sendable {
    let added: [UInt64]
    let removed: [UInt64]

    init(added: [UInt64], removed: [UInt64]) {
        self.added = added
        self.removed = removed
    }

    var count: Int { added.count + removed.count }

    /// The sources in `pairs` whose target this is.
    static func range(_ pairs: [UInt64], _ target: Row) -> Range<Int> {
        let low = lowerBound(pairs, UInt64(target) << 32)
        let high = target == .max ? pairs.count : lowerBound(pairs, UInt64(target + 1) << 32)
        return low..<high
    }

    static func lowerBound(_ pairs: [UInt64], _ word: UInt64) -> Int {
        pairs.withUnsafeBufferPointer { pairs in
            var low = 0
            var high = pairs.count
            while low < high {
                let middle = (low + high) >> 1
                if pairs[middle] < word { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    static func contains(_ pairs: [UInt64], _ word: UInt64) -> Bool {
        let place = lowerBound(pairs, word)
        return place < pairs.count && pairs[place] == word
    }

    /// The run that does what `older` and then `newer` do. Removals are dropped when `older` is the base.
    static func merge(_ older: ReverseRun, _ newer: ReverseRun, isBase: Bool) -> ReverseRun {
        let kept = newer.removed.isEmpty ? older.added : subtract(older.added, newer.removed)
        return ReverseRun(added: union(kept, newer.added), removed: isBase ? [] : union(older.removed, newer.removed))
    }

    static func union(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        var result: [UInt64] = []
        result.reserveCapacity(a.count + b.count)
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            if a[i] < b[j] {
                result.append(a[i])
                i += 1
            } else {
                if a[i] == b[j] { i += 1 }
                result.append(b[j])
                j += 1
            }
        }
        result.append(contentsOf: a[i...])
        result.append(contentsOf: b[j...])
        return result
    }

    static func subtract(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
        var result: [UInt64] = []
        result.reserveCapacity(a.count)
        var j = 0
        for word in a {
            while j < b.count, b[j] < word { j += 1 }
            if j == b.count || b[j] != word { result.append(word) }
        }
        return result
    }

    /// Sorts pairs whose sources already ascend by their targets.
    static func sortByTarget(_ pairs: inout [UInt64]) {
        guard pairs.count > 1 else { return }
        let targets = pairs.reduce(0) { $0 | $1 >> 32 }
        pairs = pairs.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { sortedByTarget($0, count: buffer.count, targets) } ?? []
        }
    }

    /// Pairs whose sources already ascend, by their targets, which have no other bits than `targets`: in as few stable passes as there are eleven
    /// bits to sort by, the last of which goes into the answer. Leaves anything in `pairs`.
    static func sortedByTarget(_ pairs: UnsafeMutablePointer<UInt64>, count: Int, _ targets: UInt64) -> [UInt64] {
        let bits = 64 - targets.leadingZeroBitCount
        guard bits > 0 else { return Array(UnsafeBufferPointer(start: pairs, count: count)) }
        // Of the same number of bits each: fewer places to write to at once are written faster.
        let passes = (bits + 10) / 11
        let digitBits = (bits + passes - 1) / passes
        let mask: UInt64 = 1 << UInt64(digitBits) - 1
        let other = UnsafeMutablePointer<UInt64>.allocate(capacity: passes > 1 ? count : 1)
        Platform.preferLargePages(UnsafeMutableRawPointer(other), passes > 1 ? count * MemoryLayout<UInt64>.size : 0)
        // Where the next pair of each digit goes, pass after pass; counted for all of them in one look.
        let digits = 1 << digitBits
        let places = UnsafeMutablePointer<Int>.allocate(capacity: passes * digits)
        places.initialize(repeating: 0, count: passes * digits)
        defer {
            other.deallocate()
            places.deallocate()
        }
        for index in 0..<count {
            var rest = pairs[index] >> 32
            for pass in 0..<passes {
                places[pass * digits + Int(rest & mask)] += 1
                rest >>= UInt64(digitBits)
            }
        }
        return Array(unsafeUninitializedCapacity: count) { answer, written in
            written = count
            guard let last = answer.baseAddress else { return }
            Platform.preferLargePages(UnsafeMutableRawPointer(last), count * MemoryLayout<UInt64>.size)
            var (source, spare) = (pairs, other)
            for pass in 0..<passes {
                let target = pass == passes - 1 ? last : spare
                let shift = UInt64(32 + pass * digitBits)
                let places = places + pass * digits
                var next = 0
                for digit in 0..<digits { (places[digit], next) = (next, next + places[digit]) }
                for index in 0..<count {
                    let digit = Int(source[index] >> shift & mask)
                    target[places[digit]] = source[index]
                    places[digit] += 1
                }
                (source, spare) = (target, source)
            }
        }
    }
}

/// A reverse index as of one commit: all pairs of some commit before, in memory or in an index file, and runs of what came since, oldest
/// first, each at least twice as long as the next.
struct ReverseIndex: Sendable {
    enum Base: Sendable {
        case array([UInt64])
        case mapped(MappedReverseBase)
    }

    private(set) var base: Base
    private(set) var runs: [ReverseRun] = []

    init(base: [UInt64]) { self.base = .array(base) }
    init(base: MappedReverseBase) { self.base = .mapped(base) }

    mutating func append(_ run: ReverseRun) {
        guard run.count > 0 else { return }
        runs.append(run)
        while runs.count > 1, runs[runs.count - 1].count * 2 >= runs[runs.count - 2].count {
            let newer = runs.removeLast()
            let older = runs.removeLast()
            runs.append(ReverseRun.merge(older, newer, isBase: false))
        }
        // A base in an index file stays there until the next one is written.
        if runs.count == 1, case .array(let pairs) = base, runs[0].count * 2 >= pairs.count {
            base = .array(ReverseRun.merge(ReverseRun(added: pairs, removed: []), runs[0], isBase: true).added)
            runs = []
        }
    }

    /// Every pair, ascending.
    func all() throws(LogError) -> [UInt64] {
        var pairs: [UInt64] = []
        switch base {
        case .array(let array): pairs = array
        case .mapped(let mapped):
            pairs.reserveCapacity(mapped.pairs.count)
            try mapped.forEach(from: 0) {
                pairs.append($0)
                return true
            }
        }
        for run in runs { pairs = ReverseRun.union(ReverseRun.subtract(pairs, run.removed), run.added) }
        return pairs
    }

    private func basePairs(_ target: Row) throws(LogError) -> [UInt64] {
        switch base {
        case .array(let pairs): return Array(pairs[ReverseRun.range(pairs, target)])
        case .mapped(let mapped):
            var result: [UInt64] = []
            try mapped.forEach(from: UInt64(target) << 32) { word in
                guard word >> 32 == UInt64(target) else { return false }
                result.append(word)
                return true
            }
            return result
        }
    }

    private func baseCount(_ target: Row) throws(LogError) -> Int {
        switch base {
        case .array(let pairs): return ReverseRun.range(pairs, target).count
        case .mapped(let mapped):
            var count = 0
            try mapped.forEach(from: UInt64(target) << 32) { word in
                guard word >> 32 == UInt64(target) else { return false }
                count += 1
                return true
            }
            return count
        }
    }

    private func baseContains(_ word: UInt64) throws(LogError) -> Bool {
        switch base {
        case .array(let pairs): return ReverseRun.contains(pairs, word)
        case .mapped(let mapped):
            var isThere = false
            try mapped.forEach(from: word) { found in
                isThere = found == word
                return false
            }
            return isThere
        }
    }

    /// The sources that refer to the target, ascending. O(runs log n + sources).
    func sources(of target: Row) throws(LogError) -> [Row] {
        var result = try basePairs(target)
        for run in runs {
            let added = ReverseRun.range(run.added, target)
            let removed = ReverseRun.range(run.removed, target)
            if !removed.isEmpty, !result.isEmpty { result = ReverseRun.subtract(result, Array(run.removed[removed])) }
            if !added.isEmpty { result = ReverseRun.union(result, Array(run.added[added])) }
        }
        return result.map { Row(truncatingIfNeeded: $0) }
    }

    /// O(runs log n + what the later runs say of the target).
    func count(of target: Row) throws(LogError) -> Int {
        var words = Set<UInt64>()
        for run in runs {
            words.formUnion(run.added[ReverseRun.range(run.added, target)])
            words.formUnion(run.removed[ReverseRun.range(run.removed, target)])
        }
        var count = try baseCount(target)
        for word in words {
            count += try contains(Row(truncatingIfNeeded: word), of: target) ? 1 : 0
            count -= try baseContains(word) ? 1 : 0
        }
        return count
    }

    func contains(_ source: Row, of target: Row) throws(LogError) -> Bool {
        let word = UInt64(target) << 32 | UInt64(source)
        for run in runs.reversed() {
            if ReverseRun.contains(run.added, word) { return true }
            if ReverseRun.contains(run.removed, word) { return false }
        }
        return try baseContains(word)
    }
}
