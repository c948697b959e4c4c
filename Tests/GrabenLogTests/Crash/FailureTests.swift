import GrabenFixtures
import StoreCrashing
import Testing

@testable import GrabenLog

/// A store that is used in every way while some call fails.
private struct Usage {
    let disk = SimulatedDisk(reservation: 1 << 26)
    var options = LogOptions(preallocation: 512)
    var random = SplitMix64(seed: 3)
    /// What was acknowledged, and what may be there besides: commits whose sync failed.
    var model = CrashModel()
    var doubtful: [CrashModel] = []
    /// Whether the failing call was heard of.
    var errors: [LogError] = []
    var copies: [(path: String, model: CrashModel)] = []

    init() {
        options.partByteCount = 400
        options.checkpointByteCount = 600
        options.checkpointDelay = 0
    }

    mutating func commit(_ log: Log) {
        var next = model
        do {
            _ = try log.commit { (_, builder: inout CommitBuilder) in next.change(&builder, &random, CrashModel.Habits()) }
            model = next
            doubtful = []
        } catch {
            guard case .log(let error) = error else { return }
            errors.append(error)
            if case .inDoubt = error { doubtful.append(next) }
        }
        log.waitUntilIndexIsWritten()
    }

    mutating func attempt(_ body: () throws(LogError) -> Void) -> Bool {
        do throws(LogError) {
            try body()
            return true
        } catch {
            errors.append(error)
            return false
        }
    }

    mutating func run() {
        var log: Log?
        for round in 0..<3 {
            let (disk, options) = (disk, options)
            guard attempt({ () throws(LogError) in log = try Log.open(path: "a", in: disk, options: options) }), let log else { return }
            // An opening finds what there is, and that is no doubt any more.
            if let found = try? CrashModel(log.newest), doubtful.contains(found) { model = found }
            doubtful = []
            for _ in 0..<3 { commit(log) }
            let copied = model
            if attempt({ () throws(LogError) in try log.backup(to: "copy-\(round)", in: disk) }) {
                copies.append(("copy-\(round)", copied))
            }
            _ = attempt { () throws(LogError) in try log.compact() }
            for _ in 0..<2 { commit(log) }
            if let failure = try? log.summary().indexFailure { errors.append(failure) }
            _ = attempt { () throws(LogError) in try log.close() }
        }
    }
}

@Suite struct FailureTests {
    @Test(
        "whichever call fails while a store is opened, written, indexed, copied, compacted and closed, nothing acknowledged is lost",
        arguments: [false, true])
    func everyCall(isForEver: Bool) throws {
        var random = SplitMix64(seed: 4)
        var calls = 0
        var heard = 0
        // Every call there is, until a run gets by without the one that would fail.
        while calls < 1_000 {
            var usage = Usage()
            usage.disk.setFaults(.init(first: calls, isForEver: isForEver))
            usage.run()
            let hasFailed = usage.disk.callCount > calls
            usage.disk.setFaults(nil)
            if !usage.errors.isEmpty { heard += 1 }
            for loss in [SimulatedDisk.Loss.dropped, .kept, .mixed] {
                let image = try usage.disk.crashImage(after: usage.disk.eventCount, loss, using: &random)
                let log = try Log.open(path: "a", in: image)
                let found = try CrashModel(log.newest)
                let isRight = found == usage.model || usage.doubtful.contains(found)
                #expect(isRight, "call \(calls), \(loss): \(usage.model.difference(from: log.newest) ?? "")")
                #expect(try log.check() == [])
                for copy in usage.copies {
                    let other = try Log.open(path: copy.path, in: image, options: LogOptions(readOnly: true))
                    #expect(copy.model.difference(from: other.newest) == nil, "call \(calls), \(copy.path)")
                }
            }
            guard hasFailed else { break }
            calls += TestShare.isBrief ? 5 : 1
        }
        #expect(calls > 60 && calls < 1_000)
        // Some failures cost nobody anything: a side file that was not written, a trace that was not removed.
        if !TestShare.isBrief { #expect(heard * 10 > calls * 6) }
    }
}
