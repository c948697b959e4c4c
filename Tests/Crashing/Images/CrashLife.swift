internal import GrabenFixtures
package import GrabenLog
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// One life of a store: from an opening, which may be the recovery of a crash, through saves, checkpoints, compactions, copies and closings.
///
/// The disk records it; the life remembers what the store had to be after each commit, and from which event on it had been promised to
/// survive. What is done follows from the seed; when, not quite: the thread that writes the index is waited for, and the commits made while it
/// writes or the log is compacted are made from within, but whether it had begun before may differ.
package final class CrashLife: @unchecked Sendable {  // Its threads take turns.
    package static let path = "a"

    package let disk: SimulatedDisk
    package let habits: CrashHabits
    private var random: SplitMix64
    /// The store after each commit that was appended. 0 is the empty one.
    package private(set) var models: [UInt64: CrashModel]
    /// From an event on a commit, and with it all before, has to survive.
    package private(set) var promises: [(event: Int, commit: UInt64)] = []
    /// From an event on a copy has to be there. Copies begun and not finished have no event.
    package private(set) var copies: [(path: String, event: Int?, commit: UInt64)] = []
    private var model: CrashModel
    /// How many commits may still be made from within the writing of an index or a compaction.
    private var inner = 0
    private let isCommitting = Atomic<Bool>(false)
    /// The first thing that went wrong though no power was lost.
    package private(set) var failure: String?

    /// A life on a disk that holds what a power loss left: a store that has to say `model` after `commit`.
    package init(
        disk: SimulatedDisk, habits: CrashHabits, seed: UInt64, models: [UInt64: CrashModel] = [0: CrashModel()], commit: UInt64 = 0
    ) {
        self.disk = disk
        self.habits = habits
        random = SplitMix64(seed: seed)
        self.models = models.filter { $0.key <= commit }
        model = models[commit] ?? CrashModel()
        promises = [(0, commit)]
    }

    package func promised(at event: Int) -> UInt64 { promises.last { $0.event <= event }?.commit ?? 0 }

    package func run() {
        do throws(LogError) { try live() } catch { failure = failure ?? "without a power loss: \(error.description)" }
        disk.setWriteHook(nil)
    }

    private func live() throws(LogError) {
        var log = try open()
        for _ in 0..<habits.steps {
            switch random.below(16) {
            case 0:
                try log.close()
                promise(log.newest.commitNumber)
                log = try open()
            case 1:
                // Let go of without closing: deferred commits are synced then.
                let commit = log.newest.commitNumber
                log.waitUntilIndexIsWritten()
                log = try reopen(&log)
                promise(commit)
            case 2: try compact(log)
            case 3: try copy(log)
            case 4:
                try log.synchronize()
                promise(log.newest.commitNumber)
            case 5: try abort(log)
            default: try commit(log)
            }
            try waitForIndex(log)
            compare(log)
        }
        if random.below(2) == 0 {
            try log.close()
            promise(log.newest.commitNumber)
        }
    }

    /// What an open store says, without a power loss, is the model.
    private func compare(_ log: Log) {
        guard failure == nil, let difference = model.difference(from: log.newest) else { return }
        failure = "without a power loss, after commit \(log.newest.commitNumber) and event \(disk.eventCount): \(difference)"
    }

    private func promise(_ commit: UInt64) { promises.append((disk.eventCount, commit)) }

    private func open() throws(LogError) -> Log {
        let log = try openUnlocked()
        let expected = models.keys.max() ?? 0
        if log.newest.commitNumber != expected {
            failure = failure ?? "commit \(log.newest.commitNumber) was found without a power loss, not \(expected)"
        }
        compare(log)
        // A writer syncs what it found before it calls it durable.
        promise(log.newest.commitNumber)
        try waitForIndex(log)
        return log
    }

    /// A thread that wrote the index may for a moment hold the last reference to a log that was let go of, and with it the lock.
    private func openUnlocked() throws(LogError) -> Log {
        for _ in 0..<2_000 {
            do throws(LogError) { return try Log.open(path: Self.path, in: disk, options: habits.options) } catch {
                guard case .locked = error else { throw error }
                usleep(1_000)
            }
        }
        return try Log.open(path: Self.path, in: disk, options: habits.options)
    }

    private func reopen(_ log: inout Log) throws(LogError) -> Log {
        // The only reference goes, and with it the lock.
        log = try Log.open(path: "none", in: MemoryFileSystem(reservation: 1 << 20))
        return try open()
    }

    private func commit(_ log: Log) throws(LogError) {
        isCommitting.store(true, ordering: .relaxed)
        defer { isCommitting.store(false, ordering: .relaxed) }
        var next = model
        let snapshot: LogSnapshot
        do {
            snapshot = try log.commit { (_, builder: inout CommitBuilder) in next.change(&builder, &random, habits.model) }.1
        } catch {
            switch error {
            case .log(let error): throw error
            case .refused(let error): throw .invalid(what: "\(error)", path: CrashLife.path)
            }
        }
        model = next
        models[snapshot.commitNumber] = next
        if habits.options.durability == .full { promise(snapshot.commitNumber) }
    }

    /// A body that throws after it filled some parts.
    private func abort(_ log: Log) throws(LogError) {
        struct Stop: Error {}
        do {
            _ = try log.commit { (_, builder: inout CommitBuilder) throws(Stop) in
                var next = model
                for _ in 0..<3 { next.change(&builder, &random, habits.model) }
                throw Stop()
            }
        } catch {
            if case .log(let error) = error { throw error }
        }
    }

    /// Lets the index be written, and a few commits be made while it is.
    private func waitForIndex(_ log: Log) throws(LogError) {
        inner = Int(random.below(3))
        disk.setWriteHook { [weak self, weak log] path in
            guard let self, let log, path.hasSuffix("-index-new"), self.inner > 0 else { return }
            self.inner -= 1
            self.commitWithin(log)
        }
        log.waitUntilIndexIsWritten()
        disk.setWriteHook(nil)
    }

    private func commitWithin(_ log: Log) {
        do throws(LogError) { try commit(log) } catch { failure = failure ?? "a commit beside it: \(error.description)" }
    }

    private func compact(_ log: Log) throws(LogError) {
        var left = Int(random.below(4))
        let isCancelled = random.below(5) == 0
        // Which of its syncs others commit beside; those go to the old file or already to the new one.
        let beside = Set((0..<2).map { _ in Int(random.below(5)) })
        let counter = Mutex(0)
        let others = Mutex<[CrashThread]>([])
        let me = pthread_self()
        disk.setSyncHook { path in
            // The syncs of commits that are made from within are their own.
            guard pthread_equal(pthread_self(), me) != 0, !self.isCommitting.load(ordering: .relaxed) else { return }
            let number = counter.withLock { number in
                defer { number += 1 }
                return number
            }
            guard beside.contains(number), others.withLock({ $0.isEmpty }) else { return }
            if log.options.durability == .deferred { return self.commitWithin(log) }
            // One that waits to be durable has a thread of its own, which is waited for once it has written.
            let events = self.disk.eventCount
            others.withLock { $0.append(CrashThread { self.commitWithin(log) }) }
            // Not for long: what is cut off after a failed commit is synced under the writer lock.
            var patience = 500
            while self.disk.eventCount == events, patience > 0 {
                patience -= 1
                usleep(20)
            }
        }
        defer { disk.setSyncHook(nil) }
        do throws(LogError) {
            try log.compact { _ in
                // Not while another thread's commit is under way: each changes the model that the one before left.
                guard left > 0, others.withLock({ $0.isEmpty }) else { return !isCancelled }
                left -= 1
                self.commitWithin(log)
                return true
            }
        } catch {
            for thread in others.withLock({ $0 }) { thread.join() }
            throw error
        }
        for thread in others.withLock({ $0 }) { thread.join() }
    }

    private func copy(_ log: Log) throws(LogError) {
        let path = "copy-\(copies.count)"
        copies.append((path, nil, log.newest.commitNumber))
        let place = copies.count - 1
        _ = try log.backup(to: path, in: disk)
        copies[place].event = disk.eventCount
        promise(log.newest.commitNumber)
    }
}
