import GrabenFixtures
import GrabenLog
import StoreCrashing
import Synchronization

/// Every bit of small stores, and random ones of a large one, on two threads.
func flipBits(_ arguments: [String]) -> Int32 {
    let count = arguments.first.flatMap { Int($0) } ?? 100_000
    let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    say("turning over bits, seed \(seed)")
    var isClean = true
    do {
        for (size, isClosed) in [(FlipStore.Size.small, true), (.small, false), (.patched, true)] {
            let store = try FlipStore(seed: seed, size: size, isClosed: isClosed)
            let split = store.log.count * 8
            let report = flip(store, split + (store.index?.count ?? 0) * 8) { $0 < split ? (.log, $0) : (.index, $0 - split) }
            let what = size == .patched ? "every bit of a store with patched columns" : "every bit of a small store"
            isClean = finish(report, what + (isClosed ? " and its index" : " that nobody closed")) && isClean
        }
        let store = try FlipStore(seed: seed, size: .large, isClosed: true)
        let report = flip(store, count) { number in
            var random = SplitMix64(seed: seed &+ UInt64(number))
            let bit = Int(random.next() % UInt64((store.log.count + (store.index?.count ?? 0)) * 8))
            return bit < store.log.count * 8 ? (.log, bit) : (.index, bit - store.log.count * 8)
        }
        let size = "\((store.log.count + (store.index?.count ?? 0)) / 1024) KB"
        isClean = finish(report, "random bits of a store of \(size) with its index") && isClean
    } catch {
        say("\(error)")
        return 1
    }
    return isClean ? 0 : 1
}

private func flip(_ store: FlipStore, _ count: Int, _ place: @escaping @Sendable (Int) -> (place: FlipCheck.Place, bit: Int))
    -> FlipCheck.Report
{
    let total = Mutex(FlipCheck.Report())
    let threads = (0..<2).map { half in
        CrashThread {
            do throws(LogError) {
                var check = try FlipCheck(store)
                for number in stride(from: half, to: count, by: 2) {
                    let (place, bit) = place(number)
                    try check.flip(place, bit)
                }
                let report = check.report
                total.withLock { $0.add(report) }
            } catch { total.withLock { $0.findings.append("\(error)") } }
        }
    }
    for thread in threads { thread.join() }
    return total.withLock { $0 }
}

private func finish(_ report: FlipCheck.Report, _ what: String) -> Bool {
    for finding in report.findings { say(finding) }
    say(
        "\(what): \(report.flips) turned over, \(report.detected) found out, \(report.harmless) without effect or repaired, "
            + "\(report.torn) taken for a torn tail, \(report.findings.count) wrong")
    return report.findings.isEmpty
}
