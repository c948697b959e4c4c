import StoreCrashing
import Synchronization
import Testing

@testable import GrabenLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct SyncTests {
    /// A commit that another thread tries to make while a sync is under way.
    private final class Probe: Sendable {
        let isInside = Atomic<Bool>(false)
        let path: String

        init(_ path: String) { self.path = path }

        /// Whether the commit has got the writer lock before long.
        func waitUntilInside() -> Bool {
            for _ in 0..<10_000 {
                if isInside.load(ordering: .acquiring) { return true }
                usleep(1_000)
            }
            return false
        }
    }

    private func open(_ disk: SimulatedDisk) throws -> Log {
        var options = LogOptions(preallocation: 512)
        options.checkpointByteCount = 1_000
        options.checkpointDelay = 0
        let log = try Log.open(path: "a", in: disk, options: options)
        try log.change { $0.setCatalog(Drawing.catalog) }
        return log
    }

    @Test(
        "no sync of a commit, a failed one too, an index or a compaction keeps others from committing, and none of a close keeps them waiting"
    )
    func writerLock() throws {
        let disk = SimulatedDisk(reservation: 1 << 28)
        let log = try open(disk)
        let threads = Mutex<[CrashThread]>([])
        let stuck = Mutex<[String]>([])
        let seen = Mutex<Set<String>>([])
        let row = Atomic<UInt32>(100)
        let refused = Atomic<Int>(0)
        let isProbe = Mutex<Set<pthread_t>>([])
        disk.setSyncHook { path in
            // The commits that are tried sync as well, or wait for another's sync.
            guard !isProbe.withLock({ $0.contains(pthread_self()) }) else { return }
            seen.withLock { _ = $0.insert(path) }
            let probe = Probe(path)
            let thread = CrashThread {
                isProbe.withLock { _ = $0.insert(pthread_self()) }
                do throws(CommitError<Never>) {
                    _ = try log.commit { (_, builder: inout CommitBuilder) in
                        probe.isInside.store(true, ordering: .releasing)
                        builder.insertJoint(row.wrappingAdd(1, ordering: .relaxed).newValue, "probe")
                    }
                } catch .log(.closed) {
                    probe.isInside.store(true, ordering: .releasing)
                    refused.wrappingAdd(1, ordering: .relaxed)
                } catch { stuck.withLock { $0.append("\(error)") } }
            }
            threads.withLock { $0.append(thread) }
            if !probe.waitUntilInside() { stuck.withLock { $0.append("the writer lock was held while '\(path)' was synced") } }
        }
        for round in 0..<20 as Range<Row> {
            try log.change { $0.insertJoint(round, "J\(round)", (1, 2, 3)) }
            log.waitUntilIndexIsWritten()
            if round % 7 == 6 { try log.compact() }
        }
        for thread in threads.withLock({ $0 }) { thread.join() }
        threads.withLock { $0.removeAll() }
        #expect(stuck.withLock { $0 } == [])
        #expect(seen.withLock { $0 }.isSuperset(of: ["a", "a-compact", "a-index", "a-index-new"]))
        seen.withLock { $0.removeAll() }
        // What a failed write left is cut off, and that made durable, while others commit.
        let isFirst = Mutex(true)
        disk.setWriteHook { path in
            // Only this commit's two attempts fail, with and without zeros behind it.
            guard path == "a",
                isFirst.withLock({ first in
                    defer { first = false }; return first
                })
            else { return }
            disk.setFaults(.init(first: 0, isForEver: true, call: .write))
        }
        let cut = Mutex(false)
        let hook = try #require(disk.syncHook)
        disk.setSyncHook { path in
            disk.setFaults(nil)
            cut.withLock { $0 = true }
            hook(path)
        }
        #expect(throws: CommitError<Never>.self) { try log.change { $0.insertJoint(90, "fails") } }
        #expect(cut.withLock { $0 } && seen.withLock { $0 } == ["a"])
        disk.setWriteHook(nil)
        for thread in threads.withLock({ $0 }) { thread.join() }
        #expect(stuck.withLock { $0 } == [] && refused.load(ordering: .relaxed) == 0 && !log.newest.contains(Drawing.joint, 90))
        disk.setSyncHook(nil)
        let count = Int(row.load(ordering: .relaxed)) - 100
        #expect(log.newest.liveCount(Drawing.joint) == 20 + count)
        // Who comes too late for a close is told so at once, not when the disk has finished; a second close waits for the first.
        disk.setSyncHook(hook)
        try log.close()
        try log.close()
        disk.setSyncHook(nil)
        for thread in threads.withLock({ $0 }) { thread.join() }
        #expect(stuck.withLock { $0 } == [] && refused.load(ordering: .relaxed) > 0)
        #expect(try Log.open(path: "a", in: disk).newest.liveCount(Drawing.joint) == 20 + count)
    }

    @Test("a lone full commit is synced by its own thread and once, with nothing between its write and that sync")
    func lone() throws {
        let disk = SimulatedDisk(reservation: 1 << 28)
        var options = LogOptions(preallocation: 512)
        options.writesIndex = false
        let log = try Log.open(path: "a", in: disk, options: options)
        try log.change { $0.setCatalog(Drawing.catalog) }
        let calls = Mutex<[String]>([])
        let mine = pthread_self()
        disk.setWriteHook { path in calls.withLock { $0.append("write \(path) \(pthread_equal(pthread_self(), mine) != 0)") } }
        disk.setSyncHook { path in calls.withLock { $0.append("sync \(path) \(pthread_equal(pthread_self(), mine) != 0)") } }
        for row in 0..<50 as Range<Row> {
            try log.change { $0.insertJoint(row, "J") }
            #expect(calls.withLock { $0 } == ["write a true", "sync a true", "write a-lock true"])
            calls.withLock { $0.removeAll() }
        }
    }

    @Test("threads that commit at once never sync more often than they commit, and all they were told is durable")
    func groups() throws {
        let disk = SimulatedDisk(reservation: 1 << 28)
        var options = LogOptions(preallocation: 4_096)
        options.writesIndex = false
        let log = try Log.open(path: "a", in: disk, options: options)
        try log.change { $0.setCatalog(Drawing.catalog) }
        // A sync that takes much longer than a commit does, on a slow machine and under a sanitizer too, so that others have to wait for it.
        disk.setSyncHook { _ in usleep(2_000) }
        let before = disk.syncCount("a")
        let failures = Mutex<[String]>([])
        let threads = (0..<16 as Range<Row>).map { thread in
            CrashThread {
                do {
                    for round in 0..<25 as Range<Row> {
                        let snapshot = try log.commit { (_, builder: inout CommitBuilder) in builder.insertJoint(thread * 25 + round, "T") }
                            .1
                        if log.durableEnd < snapshot.endOffset { failures.withLock { $0.append("acknowledged before it was durable") } }
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        for thread in threads { thread.join() }
        disk.setSyncHook(nil)
        #expect(failures.withLock { $0 } == [])
        #expect(log.newest.liveCount(Drawing.joint) == 400)
        let syncs = disk.syncCount("a") - before
        #expect(syncs <= 400)
        // Sixteen wait where one syncs; a timer or a sync for each would be noticed.
        #expect(syncs < 200)
    }
}
